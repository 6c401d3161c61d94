//! Which tables need a search for a deal, what is searched for, and what happens with the result.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{cell::Cell, rc::Rc};

use serde_json::{Value, json};
use texas42_protocol::{GameId, ServerMessage};
use texas42_room::{Creation, DealRequest, DealSearch, Effect, Event, NewTable, Room, SearchStep, Step};
use texas42_vocab::{Config, Difficulty, Layer};

/// A search that finds its fourth deal.
struct Fourth(DealRequest, u32);

impl DealSearch for Fourth {
    fn look(&mut self) -> SearchStep {
        self.1 += 1;
        match self.1 {
            4 => SearchStep::Found { number: 3, seed: format!("{}-3", self.0.words).parse().unwrap() },
            looked => SearchStep::NotYet(25 * looked as u8),
        }
    }
}

fn begin(config: &Value, table: &Value) -> (Creation, Option<DealRequest>) {
    let message = json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "table": table });
    let id = GameId::try_from("table").unwrap();
    let new = NewTable { id, randomness: [42; 32], connection: 0 };
    let seen = Rc::new(Cell::new(None));
    let creation = Creation::new(1_000, new, serde_json::from_value(message).unwrap(), |wanted| {
        seen.set(Some(wanted));
        Box::new(Fourth(wanted, 0))
    });
    (creation, seen.get())
}

/// A seeded table of one person with these layers.
fn alone(more: &Value) -> (Creation, Option<DealRequest>) {
    let mut config = json!({ "players": ["ai", "human", "ai", "ai"] });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    begin(&config, &json!({ "deal": "seeded" }))
}

fn wanted(more: &Value) -> Option<(String, Difficulty, usize)> {
    let (creation, wanted) = alone(more);
    assert_eq!(creation.is_searching(), wanted.is_some());
    wanted.map(|DealRequest { words, difficulty, seat, .. }| (words.to_string(), difficulty, seat.index()))
}

fn finish(mut creation: Creation) -> (Vec<u8>, Room) {
    let mut told = Vec::new();
    loop {
        match creation.poll() {
            Step::Progress(message) => match *message {
                ServerMessage::Progress { progress, .. } => told.push(progress),
                other => panic!("{other:?}"),
            },
            Step::Ready(room) => return (told, *room),
            Step::Refused(answer) => panic!("{answer:?}"),
        }
    }
}

/// The stored configuration of a new table.
fn stored(room: &mut Room) -> Config {
    loop {
        if let Some(Effect::Store(events)) = room.poll_effect()
            && let Event::Created { config, .. } = &events[0].event
        {
            return config.clone();
        }
    }
}

#[test]
fn a_table_without_a_deal_requests_a_search() {
    let one = |more: &str| json!({ "layers": [serde_json::from_str::<Value>(&format!(r#"{{"type":"one-hand"{more}}}"#)).unwrap()] });
    let some = |words: &str, difficulty, seat| Some((words.to_owned(), difficulty, seat));
    let random = "hand-2a2a2a2a";
    assert_eq!(wanted(&one("")), some(random, Difficulty::Medium, 1), "as hard as usual, for the first person");
    assert_eq!(wanted(&one(r#","difficulty":"hard""#)), some(random, Difficulty::Hard, 1));
    let script = r#","script":{"player":2,"bid":"points","value":30,"trump":"fives"}"#;
    assert_eq!(wanted(&one(script)), some(random, Difficulty::Medium, 2), "for the one who has the contract");
    let daily = json!({ "layers": [{ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "easy" }] });
    assert_eq!(wanted(&daily), some("daily-2026-01-15-easy", Difficulty::Easy, 0), "the same for everybody");

    // A table with a seed is dealt from that seed, unless it names a difficulty.
    let mut seeded = one("");
    seeded["seed"] = json!("lubbock");
    assert_eq!(wanted(&seeded), None);
    seeded["layers"][0]["difficulty"] = json!("easy");
    assert_eq!(wanted(&seeded), some("lubbock", Difficulty::Easy, 1));
}

#[test]
fn no_search_for_given_or_secret_deals() {
    for layers in [
        json!([]),
        json!([{ "type": "one-hand", "seed": "lesson", "difficulty": "easy" }]),
        json!([{ "type": "daily-challenge", "deal": 0 }]),
        // A later layer overrides an earlier one.
        json!([{ "type": "daily-challenge" }, { "type": "one-hand", "seed": "lesson" }]),
        json!([{ "type": "one-hand" }, { "type": "daily-challenge", "deal": 0 }]),
    ] {
        assert_eq!(wanted(&json!({ "layers": layers })), None, "{layers}");
    }
    let both = json!({ "layers": [{ "type": "daily-challenge", "date": "2026-01-15" }, { "type": "one-hand" }] });
    assert_eq!(wanted(&both).unwrap().0, "daily-2026-01-15-medium");
    let one_hand = json!({ "layers": [{ "type": "one-hand" }], "players": ["human", "human", "ai", "ai"] });
    assert!(!begin(&one_hand, &json!({ "deal": "secret" })).0.is_searching());
}

/// A search takes time, so invalid tables are rejected before it.
#[test]
fn no_search_for_a_rejected_table() {
    let one_hand = json!([{ "type": "one-hand" }]);
    for (config, table) in [
        (json!({ "layers": one_hand, "players": ["human", "human", "ai", "ai"] }), json!({ "deal": "seeded" })),
        (json!({ "layers": one_hand, "players": ["ai", "ai", "ai", "ai"] }), json!({ "deal": "seeded" })),
        (
            json!({ "layers": one_hand, "target": 0, "players": ["human", "ai", "ai", "ai"] }),
            json!({ "deal": "seeded" }),
        ),
        (json!({ "layers": [{ "type": "daily-challenge" }] }), json!({})),
    ] {
        let mut creation = begin(&config, &table).0;
        assert!(matches!(creation.poll(), Step::Refused(_)), "{config}");
    }
}

/// The result is part of the log, so a table is restored without a search.
#[test]
fn the_found_deal_is_stored() {
    let daily = json!({ "layers": [{ "type": "forced-bid" }, { "type": "daily-challenge", "date": "2026-01-15" }] });
    let (told, mut room) = finish(alone(&daily).0);
    assert_eq!(told, [0, 25, 50, 75, 100]);
    let config = stored(&mut room);
    assert!(matches!(config.layers[1], Layer::DailyChallenge(daily) if daily.deal == Some(3)), "{config:?}");

    let (_, mut room) = finish(alone(&json!({ "layers": [{ "type": "one-hand" }] })).0);
    let config = stored(&mut room);
    assert!(matches!(config.layers[0], Layer::OneHand(one) if one.seed.unwrap().as_str() == "hand-2a2a2a2a-3"));
}

/// Dropping a creation drops its search.
#[test]
fn dropping_a_creation_drops_its_search() {
    struct Endless(#[expect(dead_code, reason = "it is there as long as the search is")] std::sync::Arc<()>);
    impl DealSearch for Endless {
        fn look(&mut self) -> SearchStep {
            SearchStep::NotYet(50)
        }
    }
    let alive = std::sync::Arc::new(());
    let message = json!({
        "type": "CREATE_GAME", "name": "Ann", "table": { "deal": "seeded" },
        "config": { "layers": [{ "type": "one-hand" }], "players": ["human", "ai", "ai", "ai"] },
    });
    let new = NewTable { id: GameId::try_from("table").unwrap(), randomness: [1; 32], connection: 0 };
    let message = serde_json::from_value(message).unwrap();
    let mut creation = Creation::new(0, new, message, |_| Box::new(Endless(alive.clone())));
    for _ in 0..10 {
        assert!(matches!(creation.poll(), Step::Progress(_)));
    }
    drop(creation);
    assert_eq!(std::sync::Arc::strong_count(&alive), 1);
}
