//! The same calls in every mode, against tables in this process and on the native server; and the examples.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

use std::{
    collections::BTreeSet,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use texas42_conformance::{
    Host,
    native::Native,
    player::{Player, play_until, seat_grant, seats},
};
use texas42_sdk::{
    BotSettings, ClientError, Credentials, GameClient, GameStore, Grant, InviteLink, JoinedSession, MemoryStore, Mode,
    Pace, Phrase, Role, SavedGame, ServerAddress, StoredEvent, Strategy, TableOptions, Ticket, VersionedView,
    find_lobby, invite_url,
    protocol::{Capability, ErrorCode},
    vocab::{Action, Config, Control, Hints, Layer, Seat},
};

#[path = "../examples/bot.rs"]
#[allow(dead_code, reason = "a test does not run the main function of an example")]
mod bot;

#[path = "../examples/embedded_table.rs"]
#[allow(dead_code, reason = "a test does not run the main function of an example")]
mod embedded_table;

fn address(native: &Native) -> ServerAddress {
    server(native.address())
}

fn server(address: SocketAddr) -> ServerAddress {
    ServerAddress::parse(&format!("http://{address}")).unwrap()
}

fn http(native: &Native) -> Mode {
    Mode::Http { server: address(native), poll_every: Duration::from_millis(5) }
}

const BOTS: BotSettings =
    BotSettings { pace: Pace::IMMEDIATE, strategy: Strategy::Beginner, adviser: Strategy::Beginner, worlds: None };

fn in_process() -> Mode {
    Mode::InProcess { store: Box::new(MemoryStore::default()), bots: BOTS }
}

fn worker() -> Mode {
    Mode::Worker { store: Box::new(MemoryStore::default()), bots: BOTS }
}

/// Runs a test on its own runtime, because the server's runtime must not be stopped from inside.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

fn table(people: &str) -> (Config, TableOptions) {
    let config = Config { players: seats(people), target: Some(1), ..Config::default() };
    (config, TableOptions { pause: 0, ..TableOptions::default() })
}

async fn create(client: &GameClient, people: &str) -> JoinedSession {
    let (config, options) = table(people);
    client.create_game("Ann".try_into().unwrap(), config, options).await.unwrap()
}

/// The first view in which the client has a decision to make.
async fn decision(client: &GameClient) -> VersionedView {
    let mut views = client.subscribe();
    loop {
        let table = views.next().await.unwrap();
        if !table.view.valid_actions.is_empty() {
            return table;
        }
    }
}

/// The last action, which is not a claim: those come first.
fn any_action(client: &GameClient) -> Option<Action> {
    client.actions().iter().map(|valid| valid.action).rfind(|action| !matches!(action, Action::Claim { .. }))
}

/// Plays until the game is over.
async fn play(client: &GameClient) -> VersionedView {
    let mut views = client.subscribe();
    loop {
        let table = views.next().await.unwrap();
        if table.view.state.phase.is_over() {
            return table;
        }
        if let Some(action) = any_action(client) {
            match client.execute_action(action).await {
                Ok(_) | Err(ClientError::Refused(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Makes every call, at the table of one person who declares readiness, configures the table, and plays two games.
async fn check_calls(mode: Mode) {
    let client = GameClient::new(mode);
    assert_eq!(client.state(), None);
    assert_eq!(client.execute_action(WRONG).await, Err(ClientError::NotJoined));
    assert_eq!(client.leave_game().await, Err(ClientError::NotJoined));

    let session = check_setup(&client).await;
    check_play(&client).await;
    check_rematch(&client).await;

    client.leave_game().await.unwrap();
    assert_eq!((client.state(), client.actions(), client.hints()), (None, Vec::new(), Vec::new()));
    assert_eq!(client.give_up_seat().await, Err(ClientError::NotJoined));
    let resumed = client.resume_game(session.ticket.clone()).await.unwrap();
    assert_eq!((resumed.player_id, resumed.seat), (session.player_id, session.seat));
    client.give_up_seat().await.unwrap();
    assert_eq!(client.state(), None);
    let refused = client.resume_game(session.ticket).await;
    assert!(matches!(&refused, Err(ClientError::Refused(error)) if error.code == ErrorCode::BadKey), "{refused:?}");

    create(&client, "haaa").await;
    decision(&client).await;
}

/// An action of a seat that the client does not have.
const WRONG: Action = Action::Pass { player: Seat::ALL[3] };

/// Creates a table, invites, revokes, configures, and declares the player ready.
async fn check_setup(client: &GameClient) -> JoinedSession {
    let (config, options) = table("haaa");
    let waiting = TableOptions { ready: true, ..options.clone() };
    let name = || "Ann".try_into().unwrap();
    let session = client.create_game(name(), Config { target: Some(7), ..config.clone() }, waiting).await.unwrap();
    assert_eq!(session.seat, Some(Seat::ALL[0]));
    assert_eq!(client.create_game(name(), config.clone(), options).await, Err(ClientError::AlreadyJoined));

    let invite = client.invite(Grant::of(Role::Spectator)).await.unwrap();
    client.revoke(invite.number).await.unwrap();
    let again = client.revoke(invite.number + 1).await;
    assert!(matches!(again, Err(ClientError::Refused(_))), "{again:?}");

    client.say(Phrase::Hello, None).await.unwrap();
    let pointed = client.say(Phrase::Look, "6-4".parse().ok()).await;
    assert!(matches!(&pointed, Err(ClientError::Refused(error)) if error.code == ErrorCode::NotAllowed), "{pointed:?}");
    client.allow_coach(false).await.unwrap();
    assert_eq!(client.state().unwrap().view.metadata.coach_off, [Seat::ALL[0]]);

    client.configure(Some(config), None).await.unwrap();
    assert!(client.state().unwrap().view.metadata.table.ready, "options that are left out stay");
    client.declare_ready().await.unwrap();
    assert_eq!(client.declare_ready().await, Err(ClientError::NotNow));
    let late = client.configure(None, Some(TableOptions::default())).await;
    assert!(matches!(late, Err(ClientError::Refused(_))), "{late:?}");
    session
}

/// Acts, changes who controls the seat, and plays the game to its end.
async fn check_play(client: &GameClient) {
    let before = decision(client).await;
    let refused = client.execute_action(WRONG).await;
    assert!(matches!(&refused, Err(ClientError::Refused(error)) if error.code != ErrorCode::BadMessage), "{refused:?}");
    let action = any_action(client).unwrap();
    let intent = Some("It looked good.".try_into().unwrap());
    let stale = client.execute_action_at(0, action, intent).await;
    assert!(matches!(&stale, Err(ClientError::Refused(error)) if error.code == ErrorCode::Stale), "{stale:?}");
    let after = client.execute_action_at(before.version, action, None).await.unwrap();
    assert!(after.version > before.version);

    for control in [Control::Ai, Control::Human] {
        client.set_control(Seat::ALL[0], control).await.unwrap();
        assert_eq!(client.state().unwrap().view.players[0].control_type, control);
    }
    play(client).await;
}

/// Plays again with the same rules, then with others.
async fn check_rematch(client: &GameClient) {
    let game = || client.state().unwrap().view.metadata.game_number;
    let (config, options) = table("haaa");
    client.rematch(None).await.unwrap();
    assert_eq!(game(), 1);
    client
        .declare_ready()
        .await
        .or_else(|error| if error == ClientError::NotNow { Ok(()) } else { Err(error) })
        .unwrap();
    play(client).await;
    client.rematch_with(None, Some(Config { target: Some(2), ..config }), Some(options)).await.unwrap();
    assert_eq!(game(), 2);
    assert_eq!(client.state().unwrap().view.state.target, 2);
    decision(client).await;
}

#[test]
fn a_table_in_this_process_has_every_call() {
    block_on(check_calls(in_process()));
}

#[test]
fn a_table_on_a_thread_of_its_own_has_every_call() {
    block_on(check_calls(worker()));
}

/// A store that notes on which threads it is called, and fails once when it is told to.
#[derive(Debug)]
struct Watched {
    kept: MemoryStore,
    threads: Arc<Mutex<BTreeSet<String>>>,
    is_broken: Arc<AtomicBool>,
}

impl GameStore for Watched {
    fn load(&mut self) -> io::Result<Option<SavedGame>> {
        self.kept.load()
    }

    fn begin(&mut self, ticket: Ticket) {
        self.kept.begin(ticket);
    }

    fn append(&mut self, events: &[StoredEvent]) -> io::Result<()> {
        self.threads.lock().unwrap().insert(std::thread::current().name().unwrap_or_default().to_owned());
        if self.is_broken.swap(false, Ordering::Relaxed) {
            return Err(io::Error::other("the disk is full"));
        }
        self.kept.append(events)
    }
}

/// The table runs on its thread, and a client finds it again after it could not store its events.
#[test]
fn a_table_on_a_thread_of_its_own_restarts_from_what_is_stored() {
    let threads = Arc::<Mutex<BTreeSet<String>>>::default();
    let is_broken = Arc::<AtomicBool>::default();
    let store = Watched { kept: MemoryStore::default(), threads: threads.clone(), is_broken: is_broken.clone() };
    block_on(async {
        let client = GameClient::new(Mode::Worker { store: Box::new(store), bots: BOTS });
        create(&client, "haaa").await;
        decision(&client).await;
        is_broken.store(true, Ordering::Relaxed);
        assert!(play(&client).await.view.state.phase.is_over());
        assert!(!is_broken.load(Ordering::Relaxed), "the failure must have happened");
    });
    assert_eq!(*threads.lock().unwrap(), BTreeSet::from(["texas42-table".to_owned()]));
}

#[test]
fn a_table_behind_a_web_socket_has_every_call() {
    let native = Native::new();
    block_on(check_calls(Mode::WebSocket(address(&native))));
}

#[test]
fn a_table_behind_http_has_every_call() {
    let native = Native::new();
    block_on(check_calls(http(&native)));
}

#[test]
fn clients_of_both_kinds_play_at_one_table() {
    let native = Native::new();
    block_on(async {
        let ann = GameClient::new(Mode::WebSocket(address(&native)));
        let session = create(&ann, "hhaa").await;
        let invite = ann.invite(Grant::of(Role::Player)).await.unwrap();
        let link = invite_url(&address(&native), Role::Player, &session.game_id, &invite.key);
        let ben = GameClient::new(http(&native));
        let joined = ben.join_game(link.parse::<InviteLink>().unwrap().credentials("Ben".try_into().unwrap())).await;
        assert_eq!(joined.unwrap().seat, Some(Seat::ALL[1]));
        let (one, other) = tokio::join!(play(&ann), play(&ben));
        assert_eq!(one.view.state.score, other.view.state.score);
    });
}

/// A creator watches a game of computer players, or plays as a student on a seat of their choice.
#[test]
fn a_creator_chooses_a_role_and_a_seat() {
    let native = Native::new();
    block_on(async {
        for mode in [in_process(), worker(), Mode::WebSocket(address(&native)), http(&native)] {
            let client = GameClient::new(mode);
            let name = || "Ann".try_into().unwrap();
            let (config, options) = table("aaaa");
            let refused = client.create_game_as(name(), Role::Coach, None, config.clone(), options.clone()).await;
            assert!(matches!(&refused, Err(ClientError::Refused(_))), "{refused:?}");
            let session = client.create_game_as(name(), Role::Spectator, None, config, options.clone()).await.unwrap();
            assert_eq!((session.seat, client.actions()), (None, Vec::new()));
            assert!(play(&client).await.view.state.phase.is_over(), "the computer players play without her");
            client.leave_game().await.unwrap();
            let (config, seat) = (table("hhaa").0, Some(Seat::ALL[1]));
            let session = client.create_game_as(name(), Role::Student, seat, config, options).await.unwrap();
            assert_eq!(session.seat, seat);
            assert!(session.capabilities.contains(&Capability::SeeHints), "{:?}", session.capabilities);
        }
    });
}

#[test]
fn revoking_an_invite_ends_the_sessions_that_joined_with_it() {
    let native = Native::new();
    block_on(async {
        let ann = GameClient::new(Mode::WebSocket(address(&native)));
        let game = create(&ann, "hhaa").await.game_id;
        for mode in [Mode::WebSocket(address(&native)), http(&native)] {
            let invite = ann.invite(Grant::of(Role::Spectator)).await.unwrap();
            let eve = GameClient::new(mode);
            let credentials = Credentials::join(game.clone(), Some(invite.key), "Eve".try_into().unwrap());
            let ticket = eve.join_game(credentials).await.unwrap().ticket;
            let mut views = eve.subscribe();
            assert!(views.next().await.is_some(), "Eve watches");
            ann.revoke(invite.number).await.unwrap();
            while views.next().await.is_some() {}
            assert_eq!(eve.state(), None);
            let refused = eve.resume_game(ticket).await;
            assert!(matches!(&refused, Err(ClientError::Refused(e)) if e.code == ErrorCode::BadKey), "{refused:?}");
        }
        let mut views = ann.subscribe();
        let stays = |table: &VersionedView| table.view.players.iter().any(|player| player.name.as_str() == "Eve");
        while stays(&views.next().await.unwrap()) {}
    });
}

#[test]
fn a_ticket_leads_back_to_the_seat_of_a_client_that_was_dropped() {
    let native = Native::new();
    block_on(async {
        for again in [Mode::WebSocket(address(&native)), http(&native)] {
            let session = create(&GameClient::new(Mode::WebSocket(address(&native))), "haaa").await;
            let resumed = GameClient::new(again).resume_game(session.ticket.clone()).await.unwrap();
            assert_eq!((resumed.player_id, resumed.seat), (session.player_id, session.seat));
        }
    });
}

#[test]
fn a_client_finds_its_table_again_after_a_restart_of_the_server() {
    for mode in [|native: &Native| Mode::WebSocket(address(native)), http] {
        let mut native = Native::new();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let client = runtime.block_on(async { GameClient::new(mode(&native)) });
        runtime.block_on(async {
            create(&client, "haaa").await;
            decision(&client).await;
        });
        native.restart();
        assert!(runtime.block_on(play(&client)).view.state.phase.is_over());
    }
}

/// The connection is lost when the request is made, so it is sent over the next one.
#[test]
fn a_seat_is_given_up_after_a_restart_of_the_server() {
    for mode in [|native: &Native| Mode::WebSocket(address(native)), http] {
        let mut native = Native::new();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let client = runtime.block_on(async { GameClient::new(mode(&native)) });
        let session = runtime.block_on(create(&client, "haaa"));
        native.restart();
        runtime.block_on(client.give_up_seat()).unwrap();
        let refused = runtime.block_on(client.resume_game(session.ticket));
        assert!(matches!(&refused, Err(ClientError::Refused(e)) if e.code == ErrorCode::BadKey), "{refused:?}");
    }
}

/// At a table with hints, the student gets an opinion of every action.
#[test]
fn hints_follow_the_view() {
    let native = Native::new();
    for mode in [in_process(), Mode::WebSocket(address(&native)), http(&native)] {
        block_on(check_hints(mode));
    }
}

async fn check_hints(mode: Mode) {
    let client = GameClient::new(mode);
    let (config, options) = table("haaa");
    let config = Config { layers: vec![Layer::Hints(Hints::default())], ..config };
    let options = TableOptions { hints: true, ..options };
    client.create_game("Ann".try_into().unwrap(), config, options).await.unwrap();
    let mut views = client.subscribe();
    let mut table = views.next().await.unwrap();
    while table.hints.is_empty() {
        table = views.next().await.unwrap();
    }
    assert_eq!(table.hints.len(), table.view.valid_actions.len());
    assert_eq!(client.hints(), *table.hints);
}

#[test]
fn a_wrong_key_is_refused_with_its_reason() {
    let native = Native::new();
    block_on(async {
        for mode in [Mode::WebSocket(address(&native)), http(&native)] {
            let client = GameClient::new(mode);
            let name = "Eve".try_into().unwrap();
            let refused = client.join_game(Credentials::join("nowhere".try_into().unwrap(), None, name)).await;
            assert!(matches!(&refused, Err(ClientError::Refused(e)) if e.code == ErrorCode::NoSuchGame), "{refused:?}");
        }
    });
}

#[test]
fn a_subscription_ends_with_the_session() {
    block_on(async {
        let client = GameClient::new(in_process());
        let mut early = client.subscribe();
        create(&client, "haaa").await;
        assert!(early.next().await.is_some());
        client.leave_game().await.unwrap();
        while early.next().await.is_some() {}
        assert_eq!(client.state(), None);
    });
}

#[test]
fn the_example_bot_plays_a_game_to_its_end() {
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "hhaa", 1);
    let (key, _) = ann.invite(seat_grant(1));
    let link = invite_url(&address(&native), Role::Player, &ann.game(), &key);
    let bot = std::thread::spawn(move || block_on(async { bot::play(&link).await.map_err(|error| error.to_string()) }));
    play_until(&mut [&mut ann], |players| players[0].is_over());
    let score = bot.join().unwrap().unwrap();
    assert!(score.iter().any(|marks| *marks >= 1), "{score:?}");
}

#[test]
fn the_embedded_table_plays_a_hand() {
    let (decisions, score) =
        block_on(async { embedded_table::play_one_hand().await.map_err(|error| error.to_string()) }).unwrap();
    assert!(decisions > 0 && score != [0, 0], "{decisions} {score:?}");
}

/// The examples stay short, because people start from them.
#[test]
fn the_example_bot_has_about_forty_lines() {
    let text = include_str!("../examples/bot.rs");
    let code = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//"));
    assert!(code.count() <= 45);
}

/// Ann opens the lobby; Bob is let in, and Cid is not.
async fn check_lobby(native: &Native, mode: impl Fn() -> Mode) {
    let ann = GameClient::new(mode());
    create(&ann, "hhaa").await;
    let (code, _) = ann.open_lobby(false).await.unwrap().code.unwrap();
    let found = find_lobby(&address(native), code).await.unwrap();
    assert_eq!(found.host.as_ref().map(ToString::to_string).as_deref(), Some("Ann"));
    let guest = async |name: &str| loop {
        // Over HTTP, the host has to ask.
        let lobby = ann.open_lobby(false).await.unwrap();
        if let Some(guest) = lobby.guests.into_iter().find(|guest| guest.name.as_str() == name) {
            return guest.guest;
        }
    };
    let (bob, cid) = (GameClient::new(mode()), GameClient::new(mode()));
    let (joined, ()) = tokio::join!(bob.knock(&found, "Bob".try_into().unwrap()), async {
        let grant = Grant { seat: Some(Seat::ALL[1]), ..Grant::of(Role::Player) };
        ann.admit(guest("Bob").await, grant).await.unwrap();
    });
    assert_eq!(joined.unwrap().seat, Some(Seat::ALL[1]));
    bob.give_up_seat().await.unwrap();
    let (refused, ()) = tokio::join!(cid.knock(&found, "Cid".try_into().unwrap()), async {
        ann.turn_away(guest("Cid").await).await.unwrap();
    });
    assert!(matches!(&refused, Err(ClientError::Refused(error)) if error.code == ErrorCode::NotAllowed), "{refused:?}");
    ann.close_lobby().await.unwrap();
    let unknown = find_lobby(&address(native), code).await;
    assert!(matches!(&unknown, Err(ClientError::Refused(error)) if error.code == ErrorCode::NoSuchGame), "{unknown:?}");
}

#[test]
fn a_code_leads_through_the_lobby_over_a_web_socket_and_over_http() {
    let native = Native::new();
    block_on(check_lobby(&native, || Mode::WebSocket(address(&native))));
    block_on(check_lobby(&native, || http(&native)));
}

#[test]
fn a_table_in_this_process_has_no_code() {
    block_on(async {
        let client = GameClient::new(in_process());
        create(&client, "hhaa").await;
        let refused = client.open_lobby(false).await;
        assert!(
            matches!(&refused, Err(ClientError::Refused(error)) if error.code == ErrorCode::NotAllowed),
            "{refused:?}"
        );
    });
}
