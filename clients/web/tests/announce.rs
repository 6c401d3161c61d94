//! What the page announces between two views of a table.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use texas42_engine::{Context, Game};
use texas42_kernel::{TableMetadata, Viewer, setup_view, view};
use texas42_protocol::{
    ActionGroup, Capability, ClaimView, GameId, GameView, Metadata, Name, PlayerId, PlayerView, TableOptions, UndoView,
};
use texas42_vocab::{Action, Bid, Config, Control, ForcedBid, Hints, Layer, Nello, Phase, Seat, Trump};
use texas42_web::{
    announce::{news, visitors},
    table_model::{HostKind, TableModel},
    words::{Gain, Language, Remark},
};
use texas42_worker_protocol::ActionAdvice;

fn player(seat: Option<usize>, name: &str, control_type: Control) -> PlayerView {
    PlayerView {
        player_id: PlayerId::try_from(name.to_lowercase().as_str()).unwrap(),
        player_index: seat.map(|seat| Seat::ALL[seat]),
        name: Name::try_from(name).unwrap(),
        control_type,
        is_connected: true,
        waits_for_deal: false,
        capabilities: Vec::new(),
    }
}

/// The table model of Ann on the first seat.
fn table(view: GameView, players: Vec<PlayerView>) -> TableModel {
    TableModel {
        game: GameId::try_from("abc").unwrap(),
        home: HostKind::Server,
        version: 1,
        view: GameView { players: players.into(), ..view },
        player_id: PlayerId::try_from("ann").ok(),
        seat: Some(Seat::ALL[0]),
        capabilities: Vec::new(),
        bottom: Seat::ALL[0],
        best: None,
        expert: Vec::new(),
    }
}

fn announced(before: &TableModel, after: &TableModel) -> Vec<String> {
    news(Some(before), after, Language::English.words())
}

#[test]
fn announces_a_change_of_rules_or_options() {
    let setup = |config: &Config| table(setup_view(config, &TableMetadata::default()), Vec::new());
    let before = setup(&Config::default());
    let changed = ["The rules of the table changed."];
    assert_eq!(announced(&before, &setup(&Config { target: Some(3), ..Config::default() })), changed);
    assert_eq!(
        announced(&before, &setup(&Config { layers: vec![Layer::Nello(Nello::default())], ..Config::default() })),
        changed
    );
    let limited = TableOptions { turn_seconds: Some(30), ..TableOptions::default() };
    let metadata = Metadata { table: limited, ..Metadata::default() };
    let timed = TableMetadata { metadata: metadata.into(), ..TableMetadata::default() };
    assert_eq!(announced(&before, &table(setup_view(&Config::default(), &timed), Vec::new())), changed);
    assert!(announced(&before, &before.clone()).is_empty());
}

#[test]
fn announces_arrivals_and_departures_once() {
    let at =
        |players: &[PlayerView]| table(setup_view(&Config::default(), &TableMetadata::default()), players.to_vec());
    let (ann, bob) = (player(Some(0), "Ann", Control::Human), player(Some(2), "Bob", Control::Human));
    let away = |player: &PlayerView| PlayerView { is_connected: false, ..player.clone() };
    let alone = at(core::slice::from_ref(&ann));
    let both = at(&[ann.clone(), bob.clone()]);
    let left = at(&[ann.clone(), away(&bob)]);
    assert_eq!(announced(&alone, &both), ["Bob is here."]);
    assert!(announced(&both, &both).is_empty());
    assert_eq!(announced(&both, &left), ["Bob is away."]);
    assert_eq!(announced(&left, &both), ["Bob is here."]);
    // Bots are not announced, and nobody hears about themselves.
    assert!(announced(&alone, &at(&[ann.clone(), player(Some(1), "Walt", Control::Ai)])).is_empty());
    assert!(announced(&at(&[away(&ann)]), &alone).is_empty());
}

#[test]
fn announces_who_leaves_or_hands_over_to_a_bot() {
    let at =
        |players: &[PlayerView]| table(setup_view(&Config::default(), &TableMetadata::default()), players.to_vec());
    let (ann, bob) = (player(Some(0), "Ann", Control::Human), player(Some(2), "Bob", Control::Human));
    let bot = |player: &PlayerView| PlayerView { control_type: Control::Ai, ..player.clone() };
    let both = at(&[ann.clone(), bob.clone()]);
    assert_eq!(announced(&both, &at(&[ann.clone(), bot(&bob)])), ["The computer plays for Bob."]);
    assert_eq!(announced(&both, &at(core::slice::from_ref(&ann))), ["Bob left the table."]);
    let walt = player(Some(2), "Walt", Control::Ai);
    assert_eq!(announced(&both, &at(&[ann.clone(), walt])), ["Bob left the table."]);
    // A newcomer who waits for the next deal is a person, although a bot plays the seat.
    let newcomer = PlayerView { waits_for_deal: true, ..bot(&bob) };
    let alone = at(core::slice::from_ref(&ann));
    assert_eq!(announced(&alone, &at(&[ann.clone(), newcomer.clone()])), ["Bob is here."]);
    assert!(announced(&at(&[ann.clone(), newcomer.clone()]), &both).is_empty());
    assert_eq!(announced(&at(&[ann.clone(), newcomer]), &alone), ["Bob left the table."]);
    // A person who hands over their own seat hears no announcement about it.
    assert!(announced(&both, &at(&[bot(&ann), bob])).is_empty());
}

#[test]
fn announces_the_score_when_the_next_hand_is_dealt() {
    let game = Game::new(Context::compose(&Config::default()).unwrap());
    let at = |score: [u16; 2], hand_number: u32| {
        let mut view = view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &TableMetadata::default());
        (view.state.score, view.state.hand_number) = (score, hand_number);
        table(view, Vec::new())
    };
    let announced = announced(&at([0, 0], 0), &at([0, 1], 1));
    assert!(announced.iter().any(|line| line.contains("0") && line.starts_with("Score")), "{announced:?}");
    assert!(announced.iter().any(|line| line.starts_with("Hand 2 is dealt")), "{announced:?}");
}

#[test]
fn announces_who_is_ready_once_and_not_to_themselves() {
    let at = |ready: &[Seat]| {
        let metadata = Metadata { ready: ready.to_vec(), ..Metadata::default() };
        let view = GameView { metadata: metadata.into(), ..setup_view(&Config::default(), &TableMetadata::default()) };
        table(view, vec![player(Some(0), "Ann", Control::Human), player(Some(2), "Bob", Control::Human)])
    };
    let [ann, _, bob, _] = Seat::ALL;
    assert_eq!(announced(&at(&[]), &at(&[bob])), ["Bob is ready."]);
    assert!(announced(&at(&[bob]), &at(&[ann, bob])).is_empty());
}

#[test]
fn announces_who_acts_as_host() {
    let at =
        |players: &[PlayerView]| table(setup_view(&Config::default(), &TableMetadata::default()), players.to_vec());
    let host = |player: &PlayerView| PlayerView {
        capabilities: vec![Capability::ConfigureVariant],
        is_connected: false,
        ..player.clone()
    };
    let (ann, bob) = (player(Some(0), "Ann", Control::Human), player(Some(2), "Bob", Control::Human));
    let cid = PlayerView { is_connected: false, ..player(Some(3), "Cid", Control::Human) };
    let before = at(&[ann.clone(), host(&bob), cid.clone()]);
    assert_eq!(announced(&before, &at(&[ann.clone(), host(&bob), host(&cid)])), ["Cid is the host now."]);
    let you = "You're the host now, until the host comes back.";
    assert_eq!(announced(&before, &at(&[host(&ann), host(&bob), cid])), [you]);
}

#[test]
fn announces_when_a_bot_takes_over_from_an_absent_player() {
    let game = Game::new(Context::compose(&Config::default()).unwrap());
    let to_act = game.state().to_act().unwrap();
    let at = |deadline: Option<u64>| {
        let metadata =
            TableMetadata { metadata: Metadata { deadline, ..Metadata::default() }.into(), ..TableMetadata::default() };
        let others = Seat::ALL.map(|seat| player(Some(seat.index()), &format!("P{}", seat.index()), Control::Human));
        let view = view(game.ctx(), game.state(), &Viewer::spectator(), &metadata);
        TableModel { seat: None, ..table(view, others.to_vec()) }
    };
    let name = format!("P{}", to_act.index());
    let expected = format!("If {name} isn't back in two minutes, the computer takes over.");
    assert_eq!(announced(&at(None), &at(Some(120_000))), [expected]);
    assert!(announced(&at(Some(120_000)), &at(Some(120_000))).is_empty());
}

#[test]
fn announces_who_sits_out_with_the_trumps() {
    let config =
        Config { layers: vec![Layer::Nello(Nello::default())], seed: "lubbock".parse().ok(), ..Config::default() };
    let mut game = Game::new(Context::compose(&config).unwrap());
    let look = |game: &Game| {
        let names = ["Ann", "Bob", "Cid", "Dan"].into_iter().enumerate();
        let players = names.map(|(seat, name)| player(Some(seat), name, Control::Human)).collect();
        table(view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &TableMetadata::default()), players)
    };
    // The first player bids as many marks as are offered, and everyone else passes.
    while game.state().phase == Phase::Bidding {
        let offers: Vec<Action> = game.legal().iter().collect();
        let action = if game.state().auction.is_empty() {
            offers.last()
        } else {
            offers.iter().find(|action| matches!(action, Action::Pass { .. }))
        };
        game.apply(*action.unwrap()).unwrap();
    }
    let before = look(&game);
    let nello = game.legal().iter().find(|action| matches!(action, Action::SelectTrump { trump: Trump::Nello, .. }));
    game.apply(nello.unwrap()).unwrap();
    let after = look(&game);
    let out = after.view.state.contract.unwrap().sits_out.unwrap();
    let name = after.name(out, Language::English.words());
    assert!(
        announced(&before, &after).contains(&format!("{name} sits out this hand.")),
        "{:?}",
        announced(&before, &after)
    );
}

#[test]
fn announces_spectators_and_coaches() {
    let at =
        |players: &[PlayerView]| table(setup_view(&Config::default(), &TableMetadata::default()), players.to_vec());
    let (ann, wes) = (player(Some(0), "Ann", Control::Human), player(None, "Wes", Control::Human));
    let bob = player(Some(2), "Bob", Control::Human);
    let coach = |seat: usize| {
        let capabilities = vec![Capability::ObserveHand { player_index: Seat::ALL[seat] }];
        PlayerView { capabilities, ..wes.clone() }
    };
    let alone = at(&[ann.clone(), bob.clone()]);
    let with = |visitor: PlayerView| at(&[ann.clone(), bob.clone(), visitor]);
    assert_eq!(announced(&alone, &with(wes.clone())), ["Wes is watching."]);
    assert_eq!(announced(&alone, &with(coach(0))), ["Wes is coaching you."]);
    assert_eq!(announced(&alone, &with(coach(2))), ["Wes is coaching Bob."]);
    let open = PlayerView { capabilities: vec![Capability::ObserveAllHands], ..wes.clone() };
    assert_eq!(announced(&alone, &with(open.clone())), ["Wes is watching and sees every hand."]);
    let there = |visitor: PlayerView| visitors(&with(visitor), Language::English.words());
    assert_eq!(there(open), ["Wes is watching and sees every hand."]);
    assert_eq!(there(coach(0)), ["Wes is coaching you."]);
    assert!(visitors(&alone, Language::English.words()).is_empty(), "players are no visitors");
    let away = PlayerView { is_connected: false, ..wes.clone() };
    assert!(there(away.clone()).is_empty(), "nor is somebody who is not there");
    let own = TableModel { player_id: PlayerId::try_from("wes").ok(), ..with(wes.clone()) };
    assert!(visitors(&own, Language::English.words()).is_empty(), "nobody is told about themselves");
    assert_eq!(announced(&with(wes.clone()), &with(away)), ["Wes is away."]);
    assert_eq!(announced(&with(wes.clone()), &alone), ["Wes left the table."]);
    let sits = PlayerView { player_index: Some(Seat::ALL[3]), ..wes.clone() };
    assert_eq!(announced(&with(wes), &with(sits)), ["Wes is here."]);
}

#[test]
fn announces_who_takes_a_seat_back_from_a_bot() {
    let at =
        |players: &[PlayerView]| table(setup_view(&Config::default(), &TableMetadata::default()), players.to_vec());
    let (ann, bob) = (player(Some(0), "Ann", Control::Human), player(Some(2), "Bob", Control::Human));
    let bot = |player: &PlayerView| PlayerView { control_type: Control::Ai, ..player.clone() };
    let both = at(&[ann.clone(), bob.clone()]);
    assert_eq!(announced(&at(&[ann.clone(), bot(&bob)]), &both), ["Bob is back in the seat."]);
    assert_eq!(announced(&at(&[bot(&ann), bob]), &both), ["You're back in your seat."]);
}

/// A game with fixed deals that Dan shakes, so that Ann bids first. Ann, Bob, Cid and Dan sit on the seats in order.
fn dealt() -> Game {
    let config = Config { seed: "lubbock".parse().ok(), shaker: Some(Seat::ALL[3]), ..Config::default() };
    Game::new(Context::compose(&config).unwrap())
}

fn seen(game: &Game) -> TableModel {
    let names = ["Ann", "Bob", "Cid", "Dan"].into_iter().enumerate();
    let players = names.map(|(seat, name)| player(Some(seat), name, Control::Human)).collect();
    let metadata = TableMetadata { events: game.log().len() as u16, ..TableMetadata::default() };
    table(view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &metadata), players)
}

fn bid(seat: usize, bid: Bid) -> Action {
    Action::Bid { player: Seat::ALL[seat], bid }
}

fn pass(seat: usize) -> Action {
    Action::Pass { player: Seat::ALL[seat] }
}

/// The announcements after some actions.
fn after(game: &mut Game, actions: &[Action]) -> Vec<String> {
    let before = seen(game);
    actions.iter().for_each(|action| {
        game.apply(*action).unwrap();
    });
    announced(&before, &seen(game))
}

#[test]
fn announces_the_high_bid_and_the_minimum_on_your_turn() {
    let config = |shaker: usize, layers: Vec<Layer>| Config {
        layers,
        seed: "lubbock".parse().ok(),
        shaker: Some(Seat::ALL[shaker]),
        ..Config::default()
    };
    let game = |shaker, layers| Game::new(Context::compose(&config(shaker, layers)).unwrap());
    let first = news(None, &seen(&dealt()), Language::English.words());
    assert_eq!(first.last().unwrap(), "Your bid. You need at least 30.");
    let mut partner = game(1, Vec::new());
    let said = after(&mut partner, &[bid(2, Bid::points(31)), pass(3)]);
    assert_eq!(said.last().unwrap(), "Your bid. High bid: 31 (your partner). You need at least 32.");
    let mut opponent = game(1, Vec::new());
    let said = after(&mut opponent, &[pass(2), bid(3, Bid::points(41))]);
    assert_eq!(said.last().unwrap(), "Your bid. High bid: 41 (Dan). You need at least 1 mark.");
    let mut forced = game(0, vec![Layer::ForcedBid(ForcedBid::default())]);
    let said = after(&mut forced, &[pass(1), pass(2), pass(3)]);
    assert_eq!(said.last().unwrap(), "Your bid. Dealer's stuck: you have to bid. You need at least 30.");
}

#[test]
fn a_lead_announces_no_winner_of_the_trick() {
    let mut game = dealt();
    after(&mut game, &[bid(0, Bid::points(30)), pass(1), pass(2), pass(3)]);
    let trump = game.legal().iter().next().unwrap();
    after(&mut game, &[trump]);
    let domino = game.state().hands[0].into_iter().next().unwrap();
    let said = after(&mut game, &[Action::Play { player: Seat::ALL[0], domino }]);
    assert_eq!(said, [format!("You play {domino}.")]);
}

#[test]
fn announces_moves_that_are_undone() {
    let mut game = dealt();
    after(&mut game, &[bid(0, Bid::points(30)), pass(1), bid(2, Bid::points(31))]);
    let said = after(&mut game, &[Action::Undo { to: 1 }]);
    assert_eq!(said, ["Undone: Bob passes. Cid bids 31."]);
    let said = after(&mut game, &[bid(1, Bid::points(35)), Action::Undo { to: 0 }]);
    assert_eq!(said, ["Undone: You bid 30.", "Your bid. You need at least 30."]);
}

#[test]
fn announces_a_hand_that_was_thrown_in_or_is_undone() {
    let mut game = dealt();
    let before = seen(&game);
    let said = after(&mut game, &[pass(0), pass(1), pass(2), pass(3), Action::Redeal]);
    assert_eq!(said[0], "Everybody passed: reshake.");
    assert!(said[1].starts_with("Hand 2 is dealt. You have "), "{said:?}");
    let said = announced(&seen(&game), &before);
    assert_eq!(said[0], "Undone: Hand 2.");
    assert!(said[1].starts_with("Hand 1 is dealt. You have "), "{said:?}");
}

#[test]
fn announces_the_end_of_a_hand_together_with_the_next_deal() {
    let mut game = dealt();
    let before = seen(&game);
    while game.state().hand_number == 0 {
        let offers: Vec<Action> = game.legal().iter().collect();
        let is_wanted = |action: &&Action| match game.state().auction.is_empty() {
            true => matches!(action, Action::Bid { .. }),
            false => matches!(action, Action::Pass { .. }),
        };
        let call = offers.iter().find(is_wanted);
        game.apply(*call.unwrap_or(&offers[0])).unwrap();
    }
    let said = announced(&before, &seen(&game));
    let hand = game.state().last_hand.unwrap();
    let outcome = if hand.outcome.made { "made" } else { "set" };
    assert!(said[0].starts_with(&format!("The bid is {outcome}: {} points to Us", hand.points[0])), "{said:?}");
}

#[test]
fn announces_that_a_request_to_undo_is_over() {
    let mut game = dealt();
    after(&mut game, &[bid(0, Bid::points(30))]);
    let asked = |game: &Game| {
        let mut asked = seen(game);
        let undo = Some(UndoView { to: 0, agreed: vec![Seat::ALL[0]] });
        asked.view.metadata = Metadata { undo, ..Metadata::default() }.into();
        asked
    };
    let before = asked(&game);
    assert!(announced(&before, &asked(&game)).is_empty());
    let mut declined = before.clone();
    for (seat, said) in [(1, "Bob said no to the undo."), (0, "You said no to the undo.")] {
        let undo_declined = Some(Seat::ALL[seat]);
        declined.view.metadata = Metadata { undo_declined, ..Metadata::default() }.into();
        assert_eq!(announced(&before, &declined), [said]);
        assert_eq!(announced(&declined, &declined), [""; 0], "once");
    }
    game.apply(pass(1)).unwrap();
    assert_eq!(announced(&before, &seen(&game)), ["Nothing was undone: play went on.", "Bob passes."]);
    game.apply(Action::Undo { to: 0 }).unwrap();
    assert!(!announced(&before, &seen(&game)).contains(&"Nothing was undone: play went on.".to_owned()));
}

#[test]
fn announces_a_claim() {
    let game = Game::new(Context::compose(&Config::default()).unwrap());
    let at = |claim: Option<ClaimView>| {
        let mut view = view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &TableMetadata::default());
        view.state.claim = claim;
        table(view, vec![player(Some(1), "Bob", Control::Human)])
    };
    let claim = |seat: usize, stands| Some(ClaimView { player: Seat::ALL[seat], stands });
    let bobs = claim(1, false);
    assert_eq!(announced(&at(None), &at(bobs)), ["Bob laid down, and it didn't hold up."]);
    assert!(announced(&at(bobs), &at(bobs)).is_empty());
    assert_eq!(announced(&at(None), &at(claim(0, true))), ["You laid down, and it held up."]);
    assert_eq!(announced(&at(bobs), &at(None)), ["Undone: Bob lays down."]);
}

/// The expert's advice replaces the table's hints, and the choices stay the same, so that nothing is redrawn.
#[test]
fn the_experts_advice_replaces_the_hints() {
    let config = Config { layers: vec![Layer::Hints(Hints {})], shaker: Some(Seat::ALL[3]), ..Config::default() };
    let game = Game::new(Context::compose(&config).unwrap());
    let viewer = Viewer { hints: true, ..Viewer::player(Seat::ALL[0]) };
    let before = table(view(game.ctx(), game.state(), &viewer, &TableMetadata::default()), Vec::new());
    assert!(before.wants_advice() && before.best.is_none());
    let advice = |at| ActionAdvice { is_best: at == 2, why: vec![Remark::PassBrings { gain: Gain::Points(at) }] };
    let advice: Vec<ActionAdvice> = (0..before.view.valid_actions.len() as i32).map(advice).collect();
    let after = before.advised(&advice);
    let (first, third) = (before.view.valid_actions[0].action, before.view.valid_actions[2].action);
    let [english, spanish] = [Language::English, Language::Spanish].map(Language::words);
    assert_eq!(after.best, Some(third));
    assert_eq!(after.advice(ActionGroup::Bid, english), Some((true, "A pass brings +2 points on average.".to_owned())));
    assert_eq!(after.advice(ActionGroup::Bid, spanish), Some((true, "Pasar da +2 puntos en promedio.".to_owned())));
    assert_eq!(after.remark(first, english).unwrap(), "A pass brings +0 points on average.");
    assert_eq!(after.remark(third, english).unwrap(), "an expert's choice. A pass brings +2 points on average.");
    assert_eq!(after.offered(ActionGroup::Bid), before.offered(ActionGroup::Bid));
}
