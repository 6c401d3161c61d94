//! What the page announces between two views of a table.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use texas42_engine::{Context, Game};
use texas42_kernel::{TableMetadata, Viewer, setup_view, view};
use texas42_protocol::{ActionGroup, ClaimView, GameId, GameView, Metadata, Name, PlayerId, PlayerView};
use texas42_vocab::{Action, Config, Control, Hints, Layer, Nello, Phase, Seat, Trump};
use texas42_web::{
    announce::news,
    table_model::{Home, TableModel},
    words::{Gain, Language, Remark},
};
use texas42_worker_protocol::Advice;

fn player(seat: Option<usize>, name: &str, control_type: Control) -> PlayerView {
    PlayerView {
        player_id: PlayerId::try_from(name.to_lowercase().as_str()).unwrap(),
        player_index: seat.map(|seat| Seat::ALL[seat]),
        name: Name::try_from(name).unwrap(),
        control_type,
        is_connected: true,
        capabilities: Vec::new(),
    }
}

/// The table model of Ann on the first seat.
fn table(view: GameView, players: Vec<PlayerView>) -> TableModel {
    TableModel {
        game: GameId::try_from("abc").unwrap(),
        home: Home::Server,
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

fn said(before: &TableModel, after: &TableModel) -> Vec<String> {
    news(Some(before), after, Language::English.words())
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
    assert_eq!(said(&alone, &both), ["Bob is here."]);
    assert!(said(&both, &both).is_empty());
    assert_eq!(said(&both, &left), ["Bob is away."]);
    assert_eq!(said(&left, &both), ["Bob is here."]);
    // Bots and spectators are not announced, and nobody is told about themselves.
    let crowd = [ann.clone(), player(Some(1), "Walt", Control::Ai), player(None, "Wes", Control::Human)];
    assert!(said(&alone, &at(&crowd)).is_empty());
    assert!(said(&at(&[away(&ann)]), &alone).is_empty());
}

#[test]
fn announces_who_leaves_or_hands_over_to_a_bot() {
    let at =
        |players: &[PlayerView]| table(setup_view(&Config::default(), &TableMetadata::default()), players.to_vec());
    let (ann, bob) = (player(Some(0), "Ann", Control::Human), player(Some(2), "Bob", Control::Human));
    let bot = |player: &PlayerView| PlayerView { control_type: Control::Ai, ..player.clone() };
    let both = at(&[ann.clone(), bob.clone()]);
    assert_eq!(said(&both, &at(&[ann.clone(), bot(&bob)])), ["A program plays for Bob."]);
    assert_eq!(said(&both, &at(core::slice::from_ref(&ann))), ["Bob has left the table."]);
    let walt = player(Some(2), "Walt", Control::Ai);
    assert_eq!(said(&both, &at(&[ann.clone(), walt])), ["Bob has left the table."]);
    // A person who hands over their own seat is not told.
    assert!(said(&both, &at(&[bot(&ann), bob])).is_empty());
}

#[test]
fn announces_the_score_when_the_next_hand_is_dealt() {
    let game = Game::new(Context::compose(&Config::default()).unwrap());
    let at = |score: [u16; 2], hand_number: u32| {
        let mut view = view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &TableMetadata::default());
        (view.state.score, view.state.hand_number) = (score, hand_number);
        table(view, Vec::new())
    };
    let said = said(&at([0, 0], 0), &at([0, 1], 1));
    assert!(said.iter().any(|line| line.contains("0") && line.starts_with("Score")), "{said:?}");
    assert!(said.iter().any(|line| line.starts_with("Hand 2 is dealt")), "{said:?}");
}

#[test]
fn announces_who_is_ready_once_and_not_to_themselves() {
    let at = |ready: &[Seat]| {
        let metadata = Metadata { ready: ready.to_vec(), ..Metadata::default() };
        let view = GameView { metadata: metadata.into(), ..setup_view(&Config::default(), &TableMetadata::default()) };
        table(view, vec![player(Some(0), "Ann", Control::Human), player(Some(2), "Bob", Control::Human)])
    };
    let [ann, _, bob, _] = Seat::ALL;
    assert_eq!(said(&at(&[]), &at(&[bob])), ["Bob is ready."]);
    assert!(said(&at(&[bob]), &at(&[ann, bob])).is_empty());
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
    assert!(said(&before, &after).contains(&format!("{name} sits out this hand.")), "{:?}", said(&before, &after));
}

#[test]
fn announces_a_claim_and_an_undo() {
    let game = Game::new(Context::compose(&Config::default()).unwrap());
    let at = |events: u16, claim: Option<ClaimView>| {
        let mut view = view(game.ctx(), game.state(), &Viewer::player(Seat::ALL[0]), &TableMetadata::default());
        (view.state.events, view.state.claim) = (events, claim);
        table(view, vec![player(Some(1), "Bob", Control::Human)])
    };
    let claim = Some(ClaimView { player: Seat::ALL[1], stands: false });
    assert_eq!(said(&at(9, None), &at(10, claim)), ["Bob claimed the rest, and it did not hold."]);
    assert!(said(&at(10, claim), &at(10, claim)).is_empty());
    assert_eq!(said(&at(10, None), &at(7, None)), ["A move was taken back."]);
}

/// The expert's advice replaces the table's hints, and the choices stay the same, so that nothing is redrawn.
#[test]
fn the_experts_advice_replaces_the_hints() {
    let config = Config { layers: vec![Layer::Hints(Hints {})], shaker: Some(Seat::ALL[3]), ..Config::default() };
    let game = Game::new(Context::compose(&config).unwrap());
    let viewer = Viewer { hints: true, ..Viewer::player(Seat::ALL[0]) };
    let before = table(view(game.ctx(), game.state(), &viewer, &TableMetadata::default()), Vec::new());
    assert!(before.wants_advice() && before.best.is_none());
    let advice = |at| Advice { is_best: at == 2, why: vec![Remark::PassBrings { gain: Gain::Points(at) }] };
    let advice: Vec<Advice> = (0..before.view.valid_actions.len() as i32).map(advice).collect();
    let after = before.advised(&advice);
    let (first, third) = (before.view.valid_actions[0].action, before.view.valid_actions[2].action);
    let [english, spanish] = [Language::English, Language::Spanish].map(Language::words);
    assert_eq!(after.best, Some(third));
    assert_eq!(after.advice(ActionGroup::Bid, english), Some((true, "A pass brings +2 points on average.".to_owned())));
    assert_eq!(after.advice(ActionGroup::Bid, spanish), Some((true, "Pasar da +2 puntos de media.".to_owned())));
    assert_eq!(after.remark(first, english).unwrap(), "A pass brings +0 points on average.");
    assert_eq!(after.remark(third, english).unwrap(), "an expert's choice. A pass brings +2 points on average.");
    assert_eq!(after.offered(ActionGroup::Bid), before.offered(ActionGroup::Bid));
}
