//! Which tables need a search for a deal, what is searched for, and what happens with the result.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{cell::Cell, rc::Rc};

use serde_json::{Value, json};
use texas42_protocol::{GameId, ServerMessage};
use texas42_room::{Creation, DealRequest, DealSearch, Effect, Event, NewTable, Room, SearchStep, Step};
use texas42_vocab::{Config, Difficulty, Layer};

/// A search that ends with the fourth deal: the request, and the number of deals examined.
struct Fourth(DealRequest, u32);

impl DealSearch for Fourth {
    fn advance(&mut self) -> SearchStep {
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
    let requested = Rc::new(Cell::new(None));
    let creation = Creation::new(
        1_000,
        new,
        serde_json::from_value(message).unwrap(),
        |request| {
            requested.set(Some(request));
            Box::new(Fourth(request, 0))
        },
        |_, seat| 31 + seat.index() as u8,
    );
    (creation, requested.get())
}

/// A seeded table of one person and three bots, with more configuration.
fn single_player(more: &Value) -> (Creation, Option<DealRequest>) {
    let mut config = json!({ "players": ["ai", "human", "ai", "ai"] });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    begin(&config, &json!({ "deal": "seeded" }))
}

fn requested_deal(more: &Value) -> Option<(String, Difficulty, usize)> {
    let (creation, request) = single_player(more);
    assert_eq!(creation.is_searching(), request.is_some());
    request.map(|DealRequest { words, difficulty, seat, .. }| (words.to_string(), difficulty, seat.index()))
}

fn finish(mut creation: Creation) -> (Vec<u8>, Room) {
    let mut reported = Vec::new();
    loop {
        match creation.poll() {
            Step::Progress(message) => match *message {
                ServerMessage::Progress { progress, .. } => reported.push(progress),
                other => panic!("{other:?}"),
            },
            Step::Ready(room) => return (reported, *room),
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
    assert_eq!(requested_deal(&one("")), some(random, Difficulty::Medium, 1), "medium, for the first person");
    assert_eq!(requested_deal(&one(r#","difficulty":"hard""#)), some(random, Difficulty::Hard, 1));
    let script = r#","script":{"player":2,"bid":"points","value":30,"trump":"fives"}"#;
    assert_eq!(requested_deal(&one(script)), some(random, Difficulty::Medium, 2), "for the player with the contract");
    let daily = json!({ "layers": [{ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "easy" }] });
    assert_eq!(requested_deal(&daily), some("daily-2026-01-15-easy", Difficulty::Easy, 0), "the same for everybody");

    // A table with a seed is dealt from that seed, unless it names a difficulty.
    let mut seeded = one("");
    seeded["seed"] = json!("lubbock");
    assert_eq!(requested_deal(&seeded), None);
    seeded["layers"][0]["difficulty"] = json!("easy");
    assert_eq!(requested_deal(&seeded), some("lubbock", Difficulty::Easy, 1));
}

#[test]
fn no_search_for_given_or_secret_deals() {
    for layers in [json!([]), json!([{ "type": "one-hand", "seed": "lesson", "difficulty": "easy" }])] {
        assert_eq!(requested_deal(&json!({ "layers": layers })), None, "{layers}");
    }
    let one_hand = json!({ "layers": [{ "type": "one-hand" }], "players": ["human", "human", "ai", "ai"] });
    assert!(!begin(&one_hand, &json!({ "deal": "secret" })).0.is_searching());
}

/// A search takes time, so invalid tables are rejected before it.
#[test]
fn no_search_for_a_rejected_table() {
    let one_hand = json!([{ "type": "one-hand" }]);
    let daily = json!({ "type": "daily-challenge" });
    for (config, table) in [
        (json!({ "layers": one_hand, "players": ["human", "human", "ai", "ai"] }), json!({ "deal": "seeded" })),
        (json!({ "layers": one_hand, "players": ["ai", "ai", "ai", "ai"] }), json!({ "deal": "seeded" })),
        (
            json!({ "layers": one_hand, "target": 0, "players": ["human", "ai", "ai", "ai"] }),
            json!({ "deal": "seeded" }),
        ),
        (json!({ "layers": [{ "type": "daily-challenge" }] }), json!({})),
        (json!({ "layers": [daily, { "type": "one-hand", "seed": "lesson" }] }), json!({ "deal": "seeded" })),
        (json!({ "layers": [daily, one_hand[0]] }), json!({ "deal": "seeded" })),
        (json!({ "layers": [one_hand[0], daily] }), json!({ "deal": "seeded" })),
    ] {
        let mut creation = begin(&config, &table).0;
        assert!(matches!(creation.poll(), Step::Refused(_)), "{config}");
    }
}

/// The result is part of the log, so a table is restored without a search.
#[test]
fn the_found_deal_is_stored() {
    let daily = json!({ "layers": [{ "type": "forced-bid" }, { "type": "daily-challenge", "date": "2026-01-15" }] });
    let (reported, mut room) = finish(single_player(&daily).0);
    assert_eq!(reported, [0, 25, 50, 75, 100]);
    let config = stored(&mut room);
    assert!(matches!(config.layers[1], Layer::DailyChallenge(daily) if daily.deal == Some(3)), "{config:?}");

    let (_, mut room) = finish(single_player(&json!({ "layers": [{ "type": "one-hand" }] })).0);
    let config = stored(&mut room);
    assert!(matches!(config.layers[0], Layer::OneHand(one) if one.seed.unwrap().as_str() == "hand-2a2a2a2a-3"));
}

/// The host decides how a daily challenge is played and rated, and ignores what the creator requested.
#[test]
fn a_daily_challenge_is_played_to_the_end_for_stars_by_par() {
    let lax = [1, 2, 3];
    for deal in [json!({}), json!({ "deal": 7 }), json!({ "deal": 7, "starThresholds": lax })] {
        let mut daily = json!({ "type": "daily-challenge", "date": "2026-01-15" });
        daily.as_object_mut().unwrap().extend(deal.as_object().unwrap().clone());
        let (_, mut room) = finish(single_player(&json!({ "layers": [daily], "playOn": false })).0);
        let config = stored(&mut room);
        assert!(config.play_on, "{deal}");
        assert_eq!(config.daily_challenge().unwrap().star_thresholds, [22, 27, 32], "{deal}");
    }
    let (_, mut room) = finish(single_player(&json!({ "layers": [{ "type": "one-hand" }] })).0);
    assert!(!stored(&mut room).play_on, "other games of one hand end as usual");
}

#[test]
fn dropping_a_creation_drops_its_search() {
    struct Endless(#[expect(dead_code, reason = "it is there as long as the search is")] std::sync::Arc<()>);
    impl DealSearch for Endless {
        fn advance(&mut self) -> SearchStep {
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
    let mut creation = Creation::new(0, new, message, |_| Box::new(Endless(alive.clone())), |_, _| 0);
    for _ in 0..10 {
        assert!(matches!(creation.poll(), Step::Progress(_)));
    }
    drop(creation);
    assert_eq!(std::sync::Arc::strong_count(&alive), 1);
}

/// The hand of a day is the same for everybody. A client cannot choose it.
#[test]
fn a_creator_does_not_choose_the_hand_of_the_day() {
    let daily = json!({ "type": "daily-challenge", "date": "2026-01-15", "deal": 7, "seat": 0 });
    assert_eq!(requested_deal(&json!({ "layers": [daily] })).unwrap().0, "daily-2026-01-15-medium");
    let (_, mut room) = finish(single_player(&json!({ "layers": [daily] })).0);
    assert!(matches!(stored(&mut room).layers[0], Layer::DailyChallenge(daily) if daily.deal == Some(3)));
    let hands = json!([
        ["6-6", "6-5", "6-4", "6-3", "6-2", "6-1", "6-0"],
        ["5-5", "5-4", "5-3", "5-2", "5-1", "5-0", "4-4"],
        ["4-3", "4-2", "4-1", "4-0", "3-3", "3-2", "3-1"],
        ["3-0", "2-2", "2-1", "2-0", "1-1", "1-0", "0-0"],
    ]);
    let Step::Refused(answer) = single_player(&json!({ "layers": [daily], "deals": [hands] })).0.poll() else {
        panic!("a chosen deal is refused")
    };
    let answer = json!(answer);
    assert_eq!(answer["error"]["reason"]["code"], "daily-has-own-deal", "{answer}");
    assert_eq!(answer["error"]["field"], "config.deals");
}

/// The stars are for the team of the person.
#[test]
fn the_stars_count_the_team_of_the_person() {
    let daily = json!({ "layers": [{ "type": "daily-challenge", "date": "2026-01-15" }] });
    for (person, team, par) in [(0, 0, 31), (1, 1, 32), (2, 0, 31), (3, 1, 34)] {
        let mut config = daily.clone();
        config["players"] = (0..4).map(|seat| if seat == person { "human" } else { "ai" }).collect();
        let (_, mut room) = finish(begin(&config, &json!({ "deal": "seeded" })).0);
        let config = stored(&mut room);
        let challenge = config.daily_challenge().unwrap();
        assert_eq!((challenge.team().index(), challenge.star_thresholds[2]), (team, par), "seat {person}");
        let shown = room.view_for(0).unwrap().state.challenge.unwrap();
        assert_eq!((shown.team.index(), shown.star_thresholds[2]), (team, par));
        assert_eq!(challenge.seat.is_some(), team == 1, "earlier versions read the others");
    }
}
