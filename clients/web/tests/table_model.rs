//! How the page builds its model of a table, and what it stores about tables in the browser.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use texas42_client::{ClientCore, Credentials, Ticket};
use texas42_engine::{Context, Game, deal::deal};
use texas42_kernel::{TableMetadata, Viewer, setup_view, view};
use texas42_protocol::{
    BotLevel, Capability, ContractView, DealKind, DealProof, GameId, GameView, HandSummary, Metadata, Name,
    OutcomeView, PlayerId, PlayerView, RevealedHand, Role, SecretKey, ServerMessage, TableOptions, TrickView,
    ValidAction,
};
use texas42_vocab::{
    Action, Bid, BidKind, Config, Control, DailyChallenge, Domino, Hand, Layer, Phase, Seat, Tournament, Trump,
};
use texas42_web::{
    storage::Storage,
    table_model::{HostKind, TableModel, TeamTotal},
    tickets::{DroppedGame, GameProgress, MAX_SAVED_GAMES, SavedGame, Tickets},
    witnesses::Witnesses,
    words::{Language, OutcomeReason, Remark},
};
use texas42_worker_protocol::ActionAdvice;

/// The opponents are set, and there is no star: the result says what the stars count.
#[test]
fn the_result_explains_stars_that_do_not_follow_the_contract() {
    let daily = DailyChallenge { star_thresholds: [21, 26, 31], ..DailyChallenge::default() };
    let config = Config { layers: vec![Layer::DailyChallenge(daily)], ..Config::default() };
    let with = |trump, points, gained| {
        let game = Game::new(Context::compose(&config).unwrap());
        let mut view = view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &TableMetadata::default());
        let contract = ContractView {
            bidder: Seat::ALL[1],
            bid: Bid::points(31),
            stake: 1,
            declarer: Seat::ALL[1],
            trump: Some(trump),
            sits_out: None,
        };
        let outcome = OutcomeView { made: false, reason: OutcomeReason::BidOutOfReach, trick: 7 };
        view.state.contract = Some(contract);
        view.state.points = points;
        view.state.last_hand = Some(HandSummary { contract, outcome, points, gained });
        TableModel::of_client(&client(Some(Seat::ALL[0]), Vec::new(), view), HostKind::Browser).unwrap()
    };
    let words = Language::English.words();
    let set = with(Trump::Fives, [14, 28], [1, 0]);
    assert_eq!(set.points_for_stars(), 14);
    assert_eq!(
        set.stars_explained(words).unwrap(),
        "You took 14 points; three stars need 31. Stars count your points, no matter who has the bid."
    );
    let nello = with(Trump::Nello, [30, 12], [1, 0]);
    assert_eq!(nello.points_for_stars(), 42);
    assert!(nello.stars_explained(words).unwrap().contains("winning a nello hand counts as all 42 points"));
    assert_eq!(with(Trump::Nello, [30, 12], [0, 1]).points_for_stars(), 0);
}

#[derive(Default)]
struct Memory(RefCell<BTreeMap<String, String>>);

impl Storage for Memory {
    fn get(&self, name: &str) -> Option<String> {
        self.0.borrow().get(name).cloned()
    }

    fn set(&self, name: &str, text: &str) {
        self.0.borrow_mut().insert(name.to_owned(), text.to_owned());
    }

    fn remove(&self, name: &str) {
        self.0.borrow_mut().remove(name);
    }
}

fn game_id(text: &str) -> GameId {
    GameId::try_from(text).unwrap()
}

fn name(text: &str) -> Name {
    Name::try_from(text).unwrap()
}

fn ann() -> PlayerId {
    PlayerId::try_from("ann").unwrap()
}

/// A client that has just joined.
fn client(seat: Option<Seat>, capabilities: Vec<Capability>, view: GameView) -> ClientCore {
    let mut client = ClientCore::new(Credentials::join(game_id("abc"), None, name("Ann")), [1; 24]);
    client.handle_connected(0);
    let joined = ServerMessage::Joined {
        request_id: None,
        game_id: game_id("abc"),
        player_id: ann(),
        seat,
        capabilities,
        key: None,
        version: 5,
        view,
    };
    client.handle_message(0, &joined);
    client
}

fn empty() -> GameView {
    setup_view(&Config::default(), &TableMetadata::default())
}

#[test]
fn there_is_no_model_before_the_first_view() {
    let client = ClientCore::new(Credentials::join(game_id("abc"), None, name("Ann")), [1; 24]);
    assert_eq!(TableModel::of_client(&client, HostKind::Server), None);
}

#[test]
fn a_player_sees_the_table_from_their_seat() {
    let table = TableModel::of_client(&client(Some(Seat::ALL[2]), Vec::new(), empty()), HostKind::Browser).unwrap();
    assert_eq!((table.game.as_str(), table.home, table.version), ("abc", HostKind::Browser, 5));
    assert_eq!((table.player_id, table.seat, table.bottom), (Some(ann()), Some(Seat::ALL[2]), Seat::ALL[2]));
}

#[test]
fn the_seat_is_taken_from_the_view_if_necessary() {
    let player = PlayerView {
        player_id: ann(),
        player_index: Some(Seat::ALL[3]),
        name: name("Ann"),
        control_type: Control::Human,
        is_connected: true,
        waits_for_deal: false,
        capabilities: Vec::new(),
    };
    let view = GameView { players: vec![player].into(), ..empty() };
    let table = TableModel::of_client(&client(None, Vec::new(), view), HostKind::Server).unwrap();
    assert_eq!((table.seat, table.bottom), (Some(Seat::ALL[3]), Seat::ALL[3]));
}

#[test]
fn a_coach_sees_the_table_from_the_students_seat_and_a_spectator_from_the_first() {
    let coach = vec![Capability::ObserveHand { player_index: Seat::ALL[1] }];
    let coach = TableModel::of_client(&client(None, coach, empty()), HostKind::Server).unwrap();
    assert_eq!((coach.seat, coach.bottom), (None, Seat::ALL[1]));
    let spectator = TableModel::of_client(&client(None, Vec::new(), empty()), HostKind::Server).unwrap();
    assert_eq!((spectator.seat, spectator.bottom), (None, Seat::ALL[0]));
}

/// The links that the host of a table can make. Invited bots play at tables that are not rated and have secret deals.
#[test]
fn the_host_invites_bots_where_the_table_allows_them() {
    let invites = |change: fn(&mut TableOptions), capabilities: Vec<Capability>, home| {
        let mut view = empty();
        let mut metadata = (*view.metadata).clone();
        change(&mut metadata.table);
        view.metadata = metadata.into();
        TableModel::of_client(&client(Some(Seat::ALL[0]), capabilities, view), home).unwrap().invites_to()
    };
    let host = || vec![Capability::ConfigureVariant];
    let all = [Role::Player, Role::Spectator, Role::Coach, Role::Student, Role::Ai];
    assert_eq!(invites(|_| {}, host(), HostKind::Server), all);
    let rated = invites(|table| table.rated = true, host(), HostKind::Server);
    assert_eq!(rated, [Role::Player, Role::Spectator]);
    let seeded = invites(|table| table.deal = DealKind::Seeded, host(), HostKind::Server);
    assert_eq!(seeded, [Role::Spectator, Role::Coach]);
    assert_eq!(invites(|_| {}, Vec::new(), HostKind::Server), [Role::Coach], "only the host invites");
    assert_eq!(invites(|_| {}, host(), HostKind::Browser), [], "nobody else reaches a table in the browser");
}

fn ticket(game: &str) -> Ticket {
    Ticket { game_id: game_id(game), key: SecretKey::new([7; 16]), name: name("Ann") }
}

#[test]
fn stores_one_ticket_for_the_browser_and_one_for_the_server() {
    let tickets = Tickets(Memory::default());
    tickets.keep(HostKind::Browser, &ticket("here"));
    tickets.keep(HostKind::Server, &ticket("there"));
    assert_eq!(tickets.get(HostKind::Browser), Some(ticket("here")));
    tickets.keep(HostKind::Server, &ticket("elsewhere"));
    assert_eq!(tickets.get(HostKind::Server), Some(ticket("elsewhere")));
    tickets.forget(HostKind::Server);
    assert_eq!((tickets.get(HostKind::Server), tickets.get(HostKind::Browser)), (None, Some(ticket("here"))));
    tickets.0.set("offline", "no ticket");
    assert_eq!(tickets.get(HostKind::Browser), None);
}

fn table(home: HostKind, phase: Phase) -> TableModel {
    let mut view = empty();
    view.state.phase = phase;
    TableModel::of_client(&client(Some(Seat::ALL[0]), Vec::new(), view), home).unwrap()
}

#[test]
fn a_game_is_open_until_it_is_over() {
    for (home, elsewhere) in [(HostKind::Browser, HostKind::Server), (HostKind::Server, HostKind::Browser)] {
        let tickets = Tickets(Memory::default());
        let (playing, over) = (table(home, Phase::Playing), table(home, Phase::GameEnd));
        assert!(!tickets.has_open_game(home), "there is no game yet");
        tickets.keep(home, &ticket("abc"));
        tickets.note_end(None, &playing);
        assert!(tickets.has_open_game(home));
        tickets.note_end(Some(&playing), &table(elsewhere, Phase::GameEnd));
        assert!(tickets.has_open_game(home), "a table elsewhere must not count");
        tickets.note_end(Some(&playing), &over);
        assert!(!tickets.has_open_game(home));
        tickets.note_end(Some(&over), &playing);
        assert!(tickets.has_open_game(home), "the next game at the same table must count");
    }
}

#[test]
fn the_saved_progress_is_from_the_persons_side() {
    let tickets = Tickets(Memory::default());
    let scored = |seat: usize, score| {
        let mut view = empty();
        view.state.score = score;
        TableModel::of_client(&client(Some(Seat::ALL[seat]), Vec::new(), view), HostKind::Browser).unwrap()
    };
    let score = |own, others| Some(GameProgress::Score(own, others));
    assert_eq!(tickets.progress(HostKind::Browser), None);
    tickets.note_progress(None, &scored(0, [3, 2]));
    assert_eq!((tickets.progress(HostKind::Browser), tickets.progress(HostKind::Server)), (score(3, 2), None));
    tickets.note_progress(Some(&scored(0, [3, 2])), &scored(0, [3, 3]));
    assert_eq!(tickets.progress(HostKind::Browser), score(3, 3));
    tickets.note_progress(None, &scored(1, [3, 2]));
    assert_eq!(tickets.progress(HostKind::Browser), score(2, 3), "the person's team comes first");
    let mut one_hand = scored(0, [0, 0]);
    one_hand.view.state.one_hand = true;
    tickets.note_progress(Some(&scored(0, [3, 2])), &one_hand);
    assert_eq!(tickets.progress(HostKind::Browser), None, "a game of one hand has no score");
    let daily = DailyChallenge::default();
    let mut challenge = one_hand.clone();
    challenge.view.state.challenge = Some((&daily).into());
    tickets.note_progress(Some(&one_hand), &challenge);
    assert_eq!(tickets.progress(HostKind::Browser), Some(GameProgress::Day(daily.date, daily.difficulty)));
    for text in ["nonsense", "3", "3 x", "easy", "easy 2026-02-30"] {
        tickets.0.set("offline-score", text);
        assert_eq!(tickets.progress(HostKind::Browser), None, "{text}");
    }
}

#[test]
fn a_new_game_keeps_the_unfinished_ones() {
    let tickets = Tickets(Memory::default());
    let ids = |tickets: &Tickets<Memory>| -> Vec<String> {
        tickets.games().into_iter().map(|game| game.ticket.game_id.as_str().to_owned()).collect()
    };
    let playing = |score| {
        let mut table = table(HostKind::Browser, Phase::Playing);
        table.view.state.score = score;
        table
    };
    assert_eq!(tickets.keep_game(&ticket("first")), []);
    tickets.note_progress(None, &playing([3, 2]));
    assert_eq!(tickets.keep_game(&ticket("first")), [], "the same game once more");
    assert_eq!(tickets.keep_game(&ticket("second")), []);
    tickets.note_progress(None, &playing([0, 1]));
    assert_eq!(ids(&tickets), ["second", "first"]);
    let progress: Vec<_> = tickets.games().iter().map(SavedGame::progress).collect();
    assert_eq!(progress, [Some(GameProgress::Score(0, 1)), Some(GameProgress::Score(3, 2))]);
    assert_eq!(tickets.choose(&game_id("first")), []);
    assert_eq!(
        (ids(&tickets), tickets.progress(HostKind::Browser)),
        (vec!["first".to_owned(), "second".to_owned()], Some(GameProgress::Score(3, 2)))
    );
    tickets.remove(&game_id("first"));
    assert_eq!((ids(&tickets), tickets.get(HostKind::Browser)), (vec!["second".to_owned()], None));
    tickets.remove(&game_id("second"));
    assert!(ids(&tickets).is_empty());
}

#[test]
fn finished_and_oldest_games_are_dropped() {
    let tickets = Tickets(Memory::default());
    let dropped = |game: &str, was_open| DroppedGame { game: game_id(game), was_open };
    assert_eq!(tickets.keep_game(&ticket("abc")), []);
    tickets.note_end(None, &table(HostKind::Browser, Phase::GameEnd));
    assert_eq!(tickets.keep_game(&ticket("game0")), [dropped("abc", false)], "a finished game is not kept");
    for number in 1..MAX_SAVED_GAMES {
        assert_eq!(tickets.keep_game(&ticket(&format!("game{number}"))), []);
    }
    assert_eq!(tickets.games().len(), MAX_SAVED_GAMES);
    assert_eq!(tickets.keep_game(&ticket("last")), [dropped("game0", true)]);
    assert_eq!(tickets.choose(&game_id("game1")), [], "choosing drops no unfinished game");
    assert_eq!(tickets.games().len(), MAX_SAVED_GAMES);
    tickets.0.set("offline-games", "nonsense");
    assert_eq!(tickets.games().len(), 1);
}

/// A hand of Ann's before and after it is revealed.
fn hand(revealed: bool) -> TableModel {
    let game = Game::new(Context::compose(&Config::default()).unwrap());
    let mut view = view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &TableMetadata::default());
    let shown = RevealedHand { hand_number: 0, share: "share".to_owned(), entropy: "entropy".to_owned() };
    let proof = DealProof {
        secret_commitment: String::new(),
        hand_commitment: "promise".to_owned(),
        next_commitment: None,
        revealed: revealed.then_some(shown),
        secret: None,
        secret_draw: true,
        later: None,
    };
    view.metadata = Metadata { deal: Some(proof.into()), ..(*view.metadata).clone() }.into();
    if revealed {
        for (player, dealt) in view.state.players.iter_mut().zip(deal(&[0; 32])) {
            player.hand = dealt;
        }
    }
    TableModel::of_client(&client(Some(Seat::ALL[0]), Vec::new(), view), HostKind::Server).unwrap()
}

#[test]
fn records_a_hand_once_and_moves_it_with_the_game() {
    let witnesses = Witnesses(Memory::default());
    let (before, after) = (hand(false), hand(true));
    witnesses.note(None, &after);
    assert!(witnesses.get(&after).is_empty(), "without the commitment there is nothing to verify");
    witnesses.note(Some(&before), &after);
    witnesses.note(Some(&before), &after);
    let kept = witnesses.get(&after);
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].hand_number, kept[0].commitment.as_str(), kept[0].share.as_str()), (0, "promise", "share"));
    witnesses.move_to(&after, &game_id("xyz"));
    assert!(witnesses.get(&after).is_empty());
    assert_eq!(witnesses.get(&TableModel { game: game_id("xyz"), ..after }), kept);
}

/// The table of the person on the first seat.
fn seen(game: &Game) -> TableModel {
    let view = view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &TableMetadata::default());
    TableModel::of_client(&client(Some(Seat::ALL[0]), Vec::new(), view), HostKind::Browser).unwrap()
}

/// Plays a hand to its result: the first seat that may bid takes the bid at 31, and everybody plays some legal domino.
fn play_hand(seed: usize, look: &mut impl FnMut(&TableModel)) -> TableModel {
    let config = Config { seed: format!("race-{seed}").parse().ok(), ..Config::default() };
    let mut game = Game::new(Context::compose(&config).unwrap());
    while game.state().phase != Phase::Scoring {
        let offers: Vec<Action> = game.legal().iter().collect();
        let bids_31 = |action: &&Action| matches!(action, Action::Bid { bid, .. } if *bid == Bid::points(31));
        let plays = |action: &&Action| !matches!(action, Action::Bid { .. } | Action::Claim { .. });
        let rest: Vec<&Action> = offers.iter().filter(plays).collect();
        let action = offers.iter().find(bids_31).unwrap_or_else(|| rest[seed * 7 % rest.len()]);
        game.apply(*action).unwrap();
        look(&seen(&game));
    }
    seen(&game)
}

#[test]
fn the_meter_says_what_each_team_needs_until_the_hand_is_decided() {
    let english = Language::English.words();
    let mut results = [0, 0];
    for seed in 0..40 {
        let mut sums = Vec::new();
        let result = play_hand(seed, &mut |table| {
            let Some(race) = table.race() else { return };
            sums.push(race.needed + table.view.state.points[race.bidders.index()]);
            let bidders = usize::from(race.bidders != table.first_team());
            let [needs, to_set] = [bidders, 1 - bidders].map(|which| {
                let taken: TeamTotal = table.taken(english)[which];
                table.needs(&taken, english)
            });
            if table.phase() != Phase::Scoring {
                assert_eq!(needs, format!("needs {} more", race.needed));
                assert_eq!(to_set, format!("{} to set", race.to_set));
                assert!(race.needed > 0 && race.to_set > 0, "an undecided hand: {race:?}");
            }
            let tick = if bidders == 0 { 31 } else { 42 - 31 };
            assert_eq!(table.bid_on_meter(), Some(tick), "the first team's points grow from the left");
        });
        assert!(sums.iter().all(|sum| *sum >= 31) && sums[0] == 31, "{sums:?}");
        let (race, outcome) = (result.race().unwrap(), result.view.state.outcome.clone().unwrap());
        assert_eq!((race.needed == 0, race.to_set == 0), (outcome.made, !outcome.made), "{race:?}");
        let gains = if outcome.made { race.bidders } else { race.bidders.other() };
        assert_eq!(result.gain(), Some((gains, 1)));
        assert!(!result.ends_game(), "seven marks are needed");
        results[usize::from(outcome.made)] += 1;
    }
    assert!(results.iter().all(|count| *count > 0), "both results must occur: {results:?}");
}

#[test]
fn the_tracker_shows_what_the_seat_has_not_seen() {
    let mut with_trumps = 0;
    for seed in 0..20 {
        let mut most = Hand::FULL;
        play_hand(seed, &mut |table| {
            let (out, own, state) = (table.still_out().unwrap(), table.hand(table.bottom), &table.view.state);
            let on_table: Hand = state.trick.iter().flat_map(|trick| &trick.plays).map(|play| play.domino).collect();
            let in_tricks: u8 = state.tricks.iter().map(|trick| trick.points - 1).sum();
            assert_eq!(out.counts.count() + own.count() + on_table.count() + in_tricks, 35, "all count is somewhere");
            let Some(trumps) = out.trumps else { return };
            let pip = table.trump().and_then(Trump::pip);
            let is_trump = |domino: &Domino| pip.map_or(domino.is_double(), |pip| domino.has(pip));
            if state.tricks.is_empty() && on_table.is_empty() {
                assert_eq!(trumps.len() + own.into_iter().filter(is_trump).count(), 7);
            }
            assert!(trumps.into_iter().all(|domino| is_trump(&domino) && !own.contains(domino)), "{trumps:?}");
            assert!((trumps - most).is_empty(), "nothing comes back");
            most = trumps;
        });
        with_trumps += usize::from(most != Hand::FULL);
    }
    assert!(with_trumps > 10, "{with_trumps}");
}

/// Nello and its like have no trumps, and before the first deal there is nothing to track.
#[test]
fn without_trumps_the_tracker_shows_the_count() {
    let mut result = play_hand(0, &mut |_| {});
    let contract = result.view.state.contract.unwrap();
    result.view.state.contract = Some(ContractView { trump: Some(Trump::Nello), ..contract });
    assert_eq!(result.still_out().unwrap().trumps, None);
    assert_eq!(table(HostKind::Browser, Phase::Setup).still_out(), None);
}

/// In the first seat every bid is offered: 30 to 41, a mark and two.
#[test]
fn a_bid_far_above_the_lowest_is_unusual() {
    let table = bidding(Vec::new(), HostKind::Browser, &[]);
    for (bid, is_unusual) in [
        (Bid::points(30), false),
        (Bid::points(34), false),
        (Bid::points(35), true),
        (Bid::marks(1), true),
        (Bid::marks(2), true),
    ] {
        assert_eq!(table.is_unusual(bid), is_unusual, "{bid:?}");
    }
    // Somebody has bid 41.
    let mut after = table;
    after
        .view
        .valid_actions
        .retain(|valid| matches!(valid.action, Action::Bid { bid, .. } if bid.kind == BidKind::Marks));
    assert!(!after.is_unusual(Bid::marks(1)));
    assert!(after.is_unusual(Bid::marks(2)));
}

/// The first bidder's view of a table with these layers.
fn bidding(layers: Vec<Layer>, home: HostKind, capabilities: &[Capability]) -> TableModel {
    let game = Game::new(Context::compose(&Config { layers, ..Config::default() }).unwrap());
    let bidder = game.state().to_act().unwrap();
    let view = view(game.ctx(), game.state(), &Viewer::player(bidder), &TableMetadata::default());
    TableModel::of_client(&client(Some(bidder), capabilities.to_vec(), view), home).unwrap()
}

#[test]
fn a_person_may_ask_what_the_hand_is_worth_where_hints_are_allowed() {
    let (nothing, see_hints): (&[Capability], &[Capability]) = (&[], &[Capability::SeeHints]);
    let tournament = || vec![Layer::Tournament(Tournament {})];
    let daily = || vec![Layer::DailyChallenge(DailyChallenge::default())];
    for (layers, home, capabilities, may) in [
        (Vec::new(), HostKind::Browser, nothing, true),
        (tournament(), HostKind::Browser, nothing, false),
        (daily(), HostKind::Browser, nothing, false),
        (Vec::new(), HostKind::Server, nothing, false),
        (Vec::new(), HostKind::Server, see_hints, true),
        (tournament(), HostKind::Browser, see_hints, true),
    ] {
        let table = bidding(layers, home, capabilities);
        assert_eq!(table.may_ask_worth(), may, "{home:?} {capabilities:?} {:?}", table.view.state.layers);
    }
    let mut rated = bidding(Vec::new(), HostKind::Server, see_hints);
    Arc::make_mut(&mut rated.view.metadata).table.rated = true;
    assert!(!rated.may_ask_worth(), "results of a rated table count");
    let mut others_turn = bidding(Vec::new(), HostKind::Browser, &[]);
    others_turn.view.derived.to_act = others_turn.seat.map(Seat::left);
    assert!(!others_turn.may_ask_worth());
}

#[test]
fn what_the_hand_is_worth_is_the_experts_choice_with_its_reason() {
    let english = Language::English.words();
    let table = bidding(Vec::new(), HostKind::Browser, &[]);
    assert_eq!(table.worth(english), None, "nobody has asked");
    let remark = |valid: &ValidAction| ActionAdvice {
        is_best: matches!(valid.action, Action::Pass { .. }),
        why: vec![Remark::NothingPays],
    };
    let advice: Vec<ActionAdvice> = table.view.valid_actions.iter().map(remark).collect();
    let advised = table.advised(&advice);
    assert_eq!(advised.worth(english).unwrap(), "Pass: Not enough for a bid.");
    assert!(advised.may_ask_worth(), "the button stays, so that nothing moves");
}

#[test]
fn a_team_that_bid_marks_needs_every_trick_or_none() {
    let english = Language::English.words();
    let mut table = play_hand(0, &mut |_| {});
    table.view.state.outcome = None;
    let contract = table.view.state.contract.unwrap();
    let mut needs = |trump, bidders, others| {
        let bid = Bid::marks(2);
        let team = contract.bidder.team();
        table.view.state.contract = Some(ContractView { bid, trump, ..contract });
        table.view.state.tricks_taken[team.index()] = bidders;
        table.view.state.tricks_taken[team.other().index()] = others;
        let taken = table.taken(english);
        let of = |side| taken.iter().find(|taken| taken.team == side).map(|taken| table.needs(taken, english)).unwrap();
        [of(team), of(team.other())]
    };
    assert_eq!(needs(Some(Trump::Fives), 3, 0), ["needs all 7", "0 tricks"]);
    assert_eq!(needs(Some(Trump::Fives), 3, 1), ["3 tricks", "1 trick"], "they are set");
    assert_eq!(needs(Some(Trump::Nello), 0, 3), ["must lose all 7", "3 tricks"]);
    assert_eq!(needs(Some(Trump::Nello), 1, 3), ["1 trick", "3 tricks"]);
    assert_eq!(needs(None, 0, 0), ["0 tricks", "0 tricks"], "no trumps are named");
}

#[test]
fn the_result_says_whose_bid_is_made() {
    let words = Language::English.words();
    let mut result = play_hand(0, &mut |_| {});
    let bidder = result.view.state.contract.unwrap().bidder;
    result.view.state.outcome = Some(OutcomeView { made: true, reason: OutcomeReason::BidReached, trick: 5 });
    let mut said = |seat| {
        result.seat = seat;
        result.outcome_text(words).unwrap()
    };
    assert_eq!(said(Some(bidder)), "we've got our bid");
    assert_eq!(said(Some(bidder.partner())), "we've got our bid");
    assert_eq!(said(Some(bidder.left())), "they've got their bid");
    assert_eq!(said(None), "the bidders have their bid");
    result.seat = Some(bidder);
    assert_eq!(result.bid_text(words).unwrap(), "You have the bid at 31.");
    result.seat = None;
    assert_eq!(result.bid_text(words).unwrap(), "Empty seat has the bid at 31.");
}

#[test]
fn a_bot_is_named_with_its_level_where_that_is_known() {
    let words = Language::English.words();
    let mut table = table(HostKind::Browser, Phase::Playing);
    let player = |seat: usize, control_type| PlayerView {
        player_id: PlayerId::try_from(format!("p{seat}").as_str()).unwrap(),
        player_index: Some(Seat::ALL[seat]),
        name: name("Otis"),
        control_type,
        is_connected: true,
        waits_for_deal: false,
        capabilities: Vec::new(),
    };
    table.view.players = vec![player(1, Control::Ai), player(2, Control::Human), player(3, Control::Ai)].into();
    let mut metadata = (*table.view.metadata).clone();
    metadata.table.bots[3] = Some(BotLevel::Beginner);
    table.view.metadata = metadata.into();
    let said = |table: &TableModel| Seat::ALL.map(|seat| table.bot_text(seat, Some(BotLevel::Expert), words));
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(said(&table), [None, text("computer\u{a0}· expert"), None, text("computer\u{a0}· beginner")]);
    table.home = HostKind::Server;
    assert_eq!(said(&table)[1], text("computer"), "a server does not say how strong its usual bots are");
    (table.home, table.player_id) = (HostKind::Browser, None);
    assert_eq!(said(&table)[1], text("computer"), "nor does a replay");
}

#[test]
fn the_result_names_what_follows() {
    let mut result = play_hand(0, &mut |_| {});
    let (team, _) = result.gain().unwrap();
    result.view.state.target = 7;
    result.view.state.score[team.index()] = 6;
    assert!(result.ends_game(), "the seventh mark");
    result.view.state.score[team.index()] = 5;
    assert!(!result.ends_game());
    result.view.state.one_hand = true;
    assert!(result.ends_game(), "the only hand");
}

#[test]
fn a_trick_of_the_person_is_yours_in_every_language() {
    let table = table(HostKind::Browser, Phase::Playing);
    let trick = TrickView { plays: [].into_iter().collect(), winner: None, points: 6 };
    let text = |winner, language: Language| table.trick_text(&TrickView { winner, ..trick.clone() }, language.words());
    assert_eq!(text(Some(Seat::ALL[0]), Language::English).unwrap(), "You take the trick, worth 6");
    assert_eq!(text(Some(Seat::ALL[1]), Language::English).unwrap(), "Empty seat takes the trick, worth 6");
    let spanish = Language::Spanish.words();
    assert!(text(Some(Seat::ALL[0]), Language::Spanish).unwrap().starts_with(spanish.trick_yours));
    assert_eq!(text(None, Language::English), None);
}

#[test]
fn the_partner_is_called_the_partner() {
    let english = Language::English.words();
    let table = table(HostKind::Browser, Phase::Bidding);
    assert_eq!(table.name_or_partner(Seat::ALL[2], english), "your partner");
    assert_eq!(table.name_or_partner(Seat::ALL[0], english), "You");
    assert_eq!(table.name_or_partner(Seat::ALL[1], english), english.nobody);
}
