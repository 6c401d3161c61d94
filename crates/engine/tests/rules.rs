//! The rules of the game, one by one: each test quotes the rule that it checks and plays it.
//!
//! The order is that of `docs/rules.md`: equipment, auction, trumps, tricks, score, special contracts, claims, options.
//! The last part guards against mistakes that are common in implementations of 42.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use support::*;
use texas42_engine::{Claim, Outcome, OutcomeReason, Tally, code, deal::draw_first_shaker, deal::seed_root, replay};
use texas42_vocab::{Action, Bid, BidKind, Domino, Hand, Phase, Seat, Team, Trump};

/// Seat 0 holds all sixes: with sixes as trumps it takes everything, under anybody else's trumps nearly nothing.
const SIXES: [&str; 4] = ["6-6 6-5 6-4 6-3 6-2 6-1 6-0", "", "", ""];
/// The same at seat 1, 2 and 3.
const SIXES_AT_1: [&str; 4] = ["", "6-6 6-5 6-4 6-3 6-2 6-1 6-0", "", ""];
const SIXES_AT_2: [&str; 4] = ["", "", "6-6 6-5 6-4 6-3 6-2 6-1 6-0", ""];

const STRAIGHT: &str = "{}";

// Equipment, seats, deal.

/// "28 dominoes of a double-six set; seven for each seat, none left over."
#[test]
fn seven_dominoes_for_each_seat_and_none_left_over() {
    for seed in 0..50 {
        let state = *game(&format!(r#"{{"seed":"deal-{seed}"}}"#)).state();
        assert!(state.hands.iter().all(|hand| hand.len() == 7));
        assert_eq!(state.hands.iter().fold(Hand::EMPTY, |all, hand| all | *hand), Hand::FULL);
    }
}

/// "Seats 0 to 3 clockwise; 0 and 2 play against 1 and 3."
#[test]
fn partners_sit_across() {
    let teams: Vec<Team> = Seat::ALL.iter().map(|seat| seat.team()).collect();
    assert_eq!(teams, [Team::BOTH[0], Team::BOTH[1], Team::BOTH[0], Team::BOTH[1]]);
    assert_eq!(Seat::ALL.map(|seat| u8::from(seat.left())), [1, 2, 3, 0]);
}

/// "5-5 and 6-4 are worth 10; 5-0, 4-1 and 3-2 are worth 5; each trick is worth 1; a hand is 42."
#[test]
fn count_is_thirty_five_and_a_hand_forty_two() {
    let counts: Vec<String> = Domino::all().filter(|d| d.count() > 0).map(|d| format!("{d} {}", d.count())).collect();
    assert_eq!(counts, ["3-2 5", "4-1 5", "5-0 5", "5-5 10", "6-4 10"]);
    assert_eq!(Hand::FULL.count() + 7, 42);
}

/// "The first shaker is drawn from the seed: most pips shakes" (the redraw of ties is tested beside the draw itself).
#[test]
fn the_seed_draws_the_first_shaker() {
    let mut shakers = [0; 4];
    for number in 0..200 {
        let text = format!("draw-{number}");
        let state = *game(&format!(r#"{{"seed":"{text}"}}"#)).state();
        assert_eq!(state.shaker, draw_first_shaker(&seed_root(&text.parse().unwrap())));
        shakers[state.shaker.index()] += 1;
    }
    assert!(shakers.iter().all(|n| *n > 20), "{shakers:?}");
}

/// "The shake moves one seat clockwise after every hand, played or thrown in."
#[test]
fn the_shake_moves_after_every_hand() {
    let mut game = dealt(STRAIGHT, 3, &[SIXES, SIXES, SIXES]);
    drive(&mut game, "0 bid 30; 1 pass; 2 pass; 3 pass; 0 trump sixes; claim; score");
    assert_eq!((game.state().shaker, game.state().turn), (seat(0), seat(1)));
    drive(&mut game, "1 pass; 2 pass; 3 pass; 0 pass; redeal");
    assert_eq!((game.state().shaker, game.state().turn), (seat(1), seat(2)));
    assert_eq!(game.state().hand_number, 2);
}

// Auction.

/// "The seat left of the shaker speaks first, clockwise, exactly one call each."
#[test]
fn each_seat_speaks_once_from_the_left_of_the_shaker() {
    let mut game = dealt(STRAIGHT, 1, &[SIXES]);
    assert_eq!(refused(&mut game, "0 pass"), "it's seat 3's turn");
    drive(&mut game, "2 bid 30; 3 pass");
    assert_eq!(refused(&mut game, "2 bid 31"), "it's seat 1's turn");
    drive(&mut game, "0 bid 31; 1 pass");
    assert_eq!(game.state().phase, Phase::TrumpSelection);
    assert_eq!(refused(&mut game, "2 bid 32"), "bidding isn't possible while trumps are being called");
    assert_eq!(game.state().turn, seat(0), "the highest bid declares");
}

const POINTS: &str = "30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41";

/// "Point bids from 30 to 41; until somebody has bid 2 marks at most 2 marks; after that exactly one more; each bid
/// beats the one that stands."
#[test]
fn only_higher_bids_are_offered() {
    let cases = [
        ("", format!("pass, {POINTS}, 1 mark, 2 marks")),
        ("bid 30", format!("pass, {}, 1 mark, 2 marks", &POINTS[4..])),
        ("pass; bid 40", "pass, 41, 1 mark, 2 marks".into()),
        ("bid 41", "pass, 1 mark, 2 marks".into()),
        ("bid 1 mark", "pass, 2 marks".into()),
        ("bid 1 mark; bid 2 marks", "pass, 3 marks".into()),
        ("bid 2 marks", "pass, 3 marks".into()),
        ("bid 2 marks; pass", "pass, 3 marks".into()),
        ("bid 2 marks; bid 3 marks", "pass, 4 marks".into()),
        ("bid 2 marks; bid 3 marks; bid 4 marks", "pass, 5 marks".into()),
    ];
    for (calls, expected) in cases {
        let mut game = dealt(STRAIGHT, 3, &[SIXES]);
        drive(&mut game, calls);
        assert_eq!(offered(&game), expected, "after {calls:?}");
    }
}

/// "Every bid must beat the standing one." The refusal gives the reason.
#[test]
fn bids_that_do_not_fit_are_refused_with_the_reason() {
    let mut game = dealt(STRAIGHT, 3, &[SIXES]);
    for (word, sentence) in [
        ("bid 29", "you can't bid 29 here"),
        ("bid 42", "you can't bid 42 here"),
        ("bid 0 marks", "you can't bid 0 marks here"),
        ("bid 3 marks", "you can't bid 3 marks here"),
        ("bid plunge 4", "you can't bid plunge for 4 marks here"),
    ] {
        assert_eq!(refused(&mut game, word), sentence);
    }
    drive(&mut game, "bid 34");
    assert_eq!(refused(&mut game, "bid 34"), "you have to beat 34");
    assert_eq!(refused(&mut game, "bid 30"), "you have to beat 34");
}

/// "One mark is 42, two are 84, n are 42 n; plunge and splash stand at 42 for each mark."
#[test]
fn a_mark_is_worth_42_points_in_the_auction() {
    let worth = |kind, value| Bid { kind, value }.worth();
    assert_eq!([1, 2, 5].map(|n| worth(BidKind::Marks, n)), [42, 84, 210]);
    assert_eq!((worth(BidKind::Plunge, 4), worth(BidKind::Splash, 3), worth(BidKind::Points, 41)), (168, 126, 41));
}

/// "All pass: the hand is thrown in and shaken again by the next seat; nobody scores."
#[test]
fn four_passes_throw_the_hand_in() {
    let mut game = dealt(STRAIGHT, 3, &[SIXES, SIXES_AT_1]);
    drive(&mut game, "pass; pass; pass; pass");
    assert_eq!(offered(&game), "redeal");
    drive(&mut game, "redeal");
    let state = game.state();
    assert_eq!((state.score, state.shaker, state.phase), ([0, 0], seat(0), Phase::Bidding));
    assert_eq!(state.hands, deal(SIXES_AT_1), "another hand is dealt");
    assert!(state.last_hand.is_none());
}

/// "Forced bid: if three pass, the shaker may not pass and must bid at least the minimum."
#[test]
fn forced_bid_sticks_the_shaker() {
    let mut game = dealt(&with_layers(&["forced-bid"]), 3, &[SIXES]);
    drive(&mut game, "pass; pass");
    assert!(offered(&game).starts_with("pass, 30"), "the third seat is free");
    drive(&mut game, "pass");
    assert_eq!(offered(&game), format!("{POINTS}, 1 mark, 2 marks"));
    assert_eq!(refused(&mut game, "3 pass"), "you can't pass: everybody else has, or the rules make you bid");

    let minimum = r#"{"layers":[{"type":"forced-bid","minimum":40}]}"#;
    let mut game = dealt(minimum, 3, &[SIXES]);
    drive(&mut game, "pass; pass; pass");
    assert_eq!(offered(&game), "40, 41, 1 mark, 2 marks");
    let mut game = dealt(minimum, 3, &[SIXES]);
    drive(&mut game, "bid 30; pass; pass");
    assert!(offered(&game).starts_with("pass, 31"), "somebody has bid, so nobody is forced");
}

/// "Some force the seat that speaks first instead."
#[test]
fn forced_bid_can_mean_the_first_seat() {
    let first = r#"{"layers":[{"type":"forced-bid","minimum":42,"who":"first"}]}"#;
    let mut game = dealt(first, 3, &[SIXES]);
    assert_eq!(offered(&game), "1 mark, 2 marks");
    drive(&mut game, "bid 1 mark");
    assert_eq!(offered(&game), "pass, 2 marks");
}

// Trumps.

const NINE: &str = "blanks, ones, twos, threes, fours, fives, sixes, doubles, follow-me";

/// "The declarer names one of nine."
#[test]
fn nine_trumps_for_the_winner_of_the_auction() {
    for bid in ["bid 30", "bid 41", "bid 1 mark", "bid 2 marks"] {
        let mut game = dealt(STRAIGHT, 3, &[SIXES]);
        drive(&mut game, "pass");
        drive(&mut game, bid);
        drive(&mut game, "pass; pass");
        assert_eq!(offered(&game), NINE);
        assert_eq!(refused(&mut game, "0 trump fives"), "it's seat 2's turn");
        assert_eq!(refused(&mut game, "trump nello"), "you can't call nello on this bid at this table");
        drive(&mut game, "1 trump fives");
        assert_eq!(game.state().turn, seat(1), "the declarer leads");
    }
}

/// "Nello and sevens are declarations, open only to a winning marks bid."
#[test]
fn nello_and_sevens_need_a_marks_bid() {
    let both = with_layers(&["nello", "sevens"]);
    for (bid, expected) in [
        ("bid 41", NINE.to_owned()),
        ("bid 1 mark", format!("{NINE}, nello, sevens")),
        ("bid 2 marks", format!("{NINE}, nello, sevens")),
    ] {
        let mut game = dealt(&both, 3, &[SIXES]);
        drive(&mut game, bid);
        drive(&mut game, "pass; pass; pass");
        assert_eq!(offered(&game), expected, "{bid}");
    }
}

/// "The winner of a trick leads the next."
#[test]
fn the_winner_leads() {
    let mut game = dealt(STRAIGHT, 3, &[SIXES_AT_2]);
    drive(&mut game, "bid 30; pass; pass; pass; trump sixes");
    drive(&mut game, "play 0-0");
    let first = moves(&game)[0];
    game.apply(first).unwrap();
    drive(&mut game, "2 play 6-0");
    let first = moves(&game)[0];
    game.apply(first).unwrap();
    drive(&mut game, "take");
    assert_eq!(game.state().turn, seat(2));
}

// Following suit.

/// "A led domino calls trumps if it is a trump, else its higher end."
#[test]
fn a_lead_calls_trumps_or_its_higher_end() {
    let cases = [
        ("fives", "6-5", "fives"),
        ("fives", "6-4", "sixes"),
        ("fives", "4-0", "fours"),
        ("blanks", "6-0", "blanks"),
        ("doubles", "4-4", "doubles"),
        ("doubles", "4-2", "fours"),
        ("follow-me", "4-4", "fours"),
        ("follow-me", "1-0", "ones"),
    ];
    for (trump, lead, called) in cases {
        let terms = terms_for(&config(STRAIGHT), trump);
        assert_eq!(texas42_engine::suit_name(terms.led_suit(d(lead))).name(), called, "{lead} under {trump}");
    }
}

/// "A domino of the trump pip belongs to trumps only; every other belongs to both its ends; doubles, where they are
/// trumps, to no pip suit."
#[test]
fn a_domino_belongs_to_trumps_or_to_both_its_ends() {
    let cases: [(&str, &str, &[u8]); 8] = [
        ("fives", "6-5", &[5]),
        ("fives", "6-4", &[4, 6]),
        ("fives", "5-5", &[5]),
        ("fives", "4-4", &[4]),
        ("doubles", "4-4", &[7]),
        ("doubles", "6-4", &[4, 6]),
        ("follow-me", "4-4", &[4]),
        ("follow-me", "6-0", &[0, 6]),
    ];
    for (trump, domino, suits) in cases {
        let terms = terms_for(&config(STRAIGHT), trump);
        assert_eq!(terms.suits_of(d(domino)).collect::<Vec<_>>(), suits, "{domino} under {trump}");
    }
}

/// "A seat that holds the called suit must play it; otherwise it may play anything."
#[test]
fn a_seat_follows_suit_or_plays_anything() {
    let cases = [
        // Trumps, lead, the hand of the next seat, what it may play.
        ("fives", "6-4", "6-5 6-1 4-0 5-0 3-3 2-2 1-1", "6-1"),
        ("fives", "6-4", "6-5 4-0 5-0 3-3 2-2 1-1 0-0", "0-0 1-1 2-2 3-3 4-0 5-0 6-5"),
        ("fives", "6-5", "5-0 5-1 6-6 6-4 4-4 3-3 2-2", "5-0 5-1"),
        ("doubles", "4-4", "6-4 4-3 1-1 0-0 2-1 3-1 6-1", "0-0 1-1"),
        ("doubles", "4-2", "4-4 4-0 1-1 0-0 2-1 3-1 6-1", "4-0"),
        ("doubles", "4-4", "6-4 4-3 2-0 3-0 2-1 3-1 6-1", "2-0 2-1 3-0 3-1 4-3 6-1 6-4"),
        ("follow-me", "3-3", "6-3 3-0 6-6 5-5 4-4 2-2 1-1", "3-0 6-3"),
        ("follow-me", "6-3", "3-0 3-1 5-5 4-4 2-2 1-1 0-0", "0-0 1-1 2-2 3-0 3-1 4-4 5-5"),
    ];
    for (trump, lead, hand, may) in cases {
        let mut game = dealt(STRAIGHT, 3, &[[lead, hand, "", ""]]);
        drive(&mut game, &format!("bid 30; pass; pass; pass; trump {trump}; play {lead}"));
        assert_eq!(playable(&game), may, "{lead} led, {trump} are trumps, {hand}");
    }
    let mut game = dealt(STRAIGHT, 3, &[["6-4", "6-1 3-3", "", ""]]);
    drive(&mut game, "bid 30; pass; pass; pass; trump fives; play 6-4");
    assert_eq!(refused(&mut game, "play 3-3"), "you have to follow suit: sixes were led");
    assert_eq!(refused(&mut game, "play 6-4"), "you don't have 6-4");
}

/// "Highest trump wins; with no trump in the trick the highest of the called suit; off suit never wins." Inside a suit
/// the double is highest, then by the other end.
#[test]
fn the_highest_trump_or_else_the_led_suit_takes_the_trick() {
    let cases = [
        // Trumps, dominoes in order, the seat that takes it and what it is worth.
        ("fives", "6-4 6-1 5-0 6-6", 2, 16),
        ("fives", "6-4 6-1 4-4 6-6", 3, 11),
        ("fives", "5-0 6-5 5-4 5-1", 1, 6),
        ("fives", "5-4 5-5 6-5 6-6", 1, 11),
        ("fives", "4-1 6-6 4-0 3-3", 0, 6),
        ("sixes", "6-0 6-1 6-6 6-5", 2, 1),
        ("blanks", "4-3 1-0 5-0 4-4", 2, 6),
        ("doubles", "4-2 4-0 3-3 6-4", 2, 11),
        ("doubles", "1-1 5-5 0-0 6-6", 3, 11),
        ("doubles", "1-1 6-5 6-4 5-4", 0, 11),
        ("doubles", "6-1 6-5 6-2 0-0", 3, 1),
        ("follow-me", "3-3 6-3 6-6 3-2", 0, 6),
        ("follow-me", "3-2 6-3 6-6 3-3", 3, 6),
        ("follow-me", "1-0 6-6 5-5 4-4", 0, 11),
        ("follow-me", "1-0 2-1 6-1 5-1", 2, 1),
    ];
    for (trump, plays, winner, points) in cases {
        assert_eq!(one_trick(STRAIGHT, trump, plays), (winner, points), "{plays} under {trump}");
    }
}

// Outcome and score.

fn tally(points: [u8; 2], tricks: [u8; 2]) -> Tally {
    Tally { points, tricks }
}

/// "A hand ends as soon as its outcome cannot change": for a point bid, when it is reached or out of reach; for marks,
/// with the first lost trick.
#[test]
fn a_hand_is_decided_when_its_outcome_cannot_change() {
    use OutcomeReason::*;
    let ctx = context(&with_layers(&["nello", "sevens"]));
    let cases = [
        (Bid::points(30), "fives", tally([29, 0], [4, 0]), None),
        (Bid::points(30), "fives", tally([30, 0], [4, 0]), Some((true, BidReached))),
        (Bid::points(30), "fives", tally([30, 12], [4, 3]), Some((true, BidReached))),
        (Bid::points(30), "fives", tally([0, 12], [0, 2]), None),
        (Bid::points(30), "fives", tally([0, 13], [0, 3]), Some((false, BidOutOfReach))),
        (Bid::points(41), "fives", tally([0, 1], [0, 1]), None),
        (Bid::points(41), "fives", tally([0, 2], [0, 2]), Some((false, BidOutOfReach))),
        (Bid::points(41), "fives", tally([41, 1], [6, 1]), Some((true, BidReached))),
        (Bid::marks(1), "fives", tally([41, 0], [6, 0]), None),
        (Bid::marks(1), "fives", tally([42, 0], [7, 0]), Some((true, PlayedOut))),
        (Bid::marks(1), "fives", tally([40, 1], [5, 1]), Some((false, TrickLost))),
        (Bid::marks(2), "sevens", tally([0, 1], [0, 1]), Some((false, TrickLost))),
        (Bid::marks(2), "sevens", tally([42, 0], [7, 0]), Some((true, PlayedOut))),
        (Bid::marks(1), "nello", tally([0, 30], [0, 6]), None),
        (Bid::marks(1), "nello", tally([0, 35], [0, 7]), Some((true, PlayedOut))),
        (Bid::marks(1), "nello", tally([1, 0], [1, 0]), Some((false, TrickTaken))),
    ];
    for (bid, trump, tally, expected) in cases {
        let outcome = terms_of(&ctx, bid, trump).outcome(&tally);
        assert_eq!(outcome.map(|o| (o.made, o.reason)), expected, "{bid} {trump} {tally:?}");
        assert!(outcome.is_none_or(|o| o.trick == tally.tricks_played()));
    }
}

/// "Point bid: one mark to the side that won. Marks bid: the marks bid to the side that won."
#[test]
fn the_winning_side_scores_the_stake_in_marks() {
    let ctx = context(&with_layers(&["plunge"]));
    let cases = [
        (Bid::points(30), true, [1, 0]),
        (Bid::points(41), false, [0, 1]),
        (Bid::marks(1), true, [1, 0]),
        (Bid::marks(3), true, [3, 0]),
        (Bid::marks(2), false, [0, 2]),
        (Bid { kind: BidKind::Plunge, value: 4 }, false, [0, 4]),
    ];
    for (bid, made, gained) in cases {
        let terms = terms_of(&ctx, bid, "fives");
        let outcome = texas42_engine::Outcome { made, reason: OutcomeReason::PlayedOut, trick: 7 };
        assert_eq!(terms.score(outcome, &tally([20, 22], [3, 4])), gained, "{bid} {made}");
    }
}

/// A hand that the bidder cannot lose, from the first call to the score.
fn sixes_hand(json: &str, bid: &str) -> texas42_engine::Game {
    let mut game = dealt(json, 3, &[SIXES]);
    drive(&mut game, bid);
    drive(&mut game, "pass; pass; pass; trump sixes");
    play_first_until(&mut game, Phase::Scoring);
    game
}

/// "A point bid ends with the trick that reaches it; a mark bid is played to the seventh trick; with play on, all are."
#[test]
fn a_decided_hand_ends_unless_play_on_is_set() {
    let tricks = |json: &str, bid: &str| sixes_hand(json, bid).state().tally.tricks_played();
    assert!(tricks(STRAIGHT, "bid 30") < 7);
    assert_eq!(tricks(STRAIGHT, "bid 1 mark"), 7);
    assert_eq!(tricks(r#"{"playOn":true}"#, "bid 30"), 7);
    let state = *sixes_hand(r#"{"playOn":true}"#, "bid 30").state();
    assert_eq!(state.tally, tally([42, 0], [7, 0]));
    let outcome = state.outcome.unwrap();
    assert_eq!((outcome.made, outcome.reason), (true, OutcomeReason::BidReached));
    assert!(outcome.trick < 7, "the first verdict stays: trick {}", outcome.trick);
}

/// "Set: one mark to the other side", the hand ends with the trick after which the bid is out of reach.
#[test]
fn a_set_point_bid_goes_to_the_others() {
    for (json, most) in [(STRAIGHT, 6), (r#"{"playOn":true}"#, 7)] {
        let mut game = dealt(json, 0, &[SIXES]);
        drive(&mut game, "1 bid 30; pass; pass; pass; 1 trump sixes");
        play_first_until(&mut game, Phase::Scoring);
        let state = *game.state();
        assert_eq!(state.outcome.map(|o| (o.made, o.reason)), Some((false, OutcomeReason::BidOutOfReach)));
        assert!(state.tally.tricks_played() <= most);
        drive(&mut game, "score");
        assert_eq!(game.state().score, [1, 0]);
        assert_eq!(game.state().last_hand.unwrap().gained, [1, 0]);
    }
}

/// "A marks bid is set by the first lost trick."
#[test]
fn a_marks_bid_ends_with_the_first_lost_trick() {
    let mut game = dealt(STRAIGHT, 0, &[SIXES]);
    drive(&mut game, "1 bid 2 marks; pass; pass; pass; 1 trump sixes");
    play_first_until(&mut game, Phase::Scoring);
    assert_eq!(game.state().tally.tricks_played(), 1);
    drive(&mut game, "score");
    assert_eq!(game.state().score, [2, 0]);
}

/// "The first side to the target wins the game": 7 marks, quick 5, long 10.
#[test]
fn the_target_ends_the_game() {
    for (json, target) in [("{}", 7), (r#"{"target":5}"#, 5), (r#"{"target":10}"#, 10), (r#"{"target":1}"#, 1)] {
        let mut game = dealt(json, 3, &[SIXES; 12]);
        let mut hands = 0;
        while !game.state().phase.is_over() {
            let callers = game.state().turn;
            for seat in callers.round() {
                drive(&mut game, if seat == Seat::ALL[0] { "bid 30" } else { "pass" });
            }
            drive(&mut game, "trump sixes; claim; score");
            hands += 1;
        }
        assert_eq!((hands, game.state().score), (target, [target, 0]));
        assert_eq!(game.state().phase, Phase::GameEnd);
        assert!(moves(&game).is_empty());
        assert_eq!(refused(&mut game, "pass"), "the game is over");
    }
}

// Points scoring.

/// "Made: both score what they took. Set: the bidders nothing, the others what they took and the bid. 42 and more: the
/// stake only." Seats 0 and 2 bid.
#[test]
fn points_scoring_counts_points_taken_and_the_bid() {
    let ctx = context(r#"{"scoring":"points"}"#);
    let cases = [
        (Bid::points(32), true, [35, 7], [35, 7]),
        (Bid::points(32), true, [42, 0], [42, 0]),
        (Bid::points(32), false, [30, 12], [0, 44]),
        (Bid::points(41), false, [0, 42], [0, 83]),
        (Bid::marks(1), true, [42, 0], [42, 0]),
        (Bid::marks(1), false, [30, 12], [0, 42]),
        (Bid::marks(2), true, [42, 0], [84, 0]),
        (Bid::marks(2), false, [41, 1], [0, 84]),
    ];
    for (bid, made, points, gained) in cases {
        let outcome = texas42_engine::Outcome { made, reason: OutcomeReason::PlayedOut, trick: 7 };
        assert_eq!(terms_of(&ctx, bid, "fives").score(outcome, &tally(points, [4, 3])), gained, "{bid} {made}");
    }
}

/// With points scoring each point counts, so a hand with a point bid is played out. The game goes to 250.
#[test]
fn points_scoring_plays_every_hand_out_to_250() {
    let state = *sixes_hand(r#"{"scoring":"points"}"#, "bid 30").state();
    assert_eq!(state.tally, tally([42, 0], [7, 0]));
    let mut game = game(r#"{"scoring":"points","seed":"older"}"#);
    play_out(&mut game, &mut Rng::new(3));
    assert!(game.state().score.iter().any(|score| *score >= 250));
    for contract in ["nello", "plunge", "splash", "sevens"] {
        let json = format!(r#"{{"scoring":"points","layers":[{{"type":"{contract}"}}]}}"#);
        let sentence =
            format!("layers: {contract} is played for marks; set scoring to \"marks\" or leave {contract} out");
        assert_eq!(config_error(&json), sentence);
    }
}

// Nello.

const NELLO: &str = r#"{"layers":[{"type":"nello"}]}"#;
const BLANKS: [&str; 4] = ["0-0 1-0 2-0 3-0 4-0 5-0 6-0", "", "", ""];

/// "Nello: declared after a winning marks bid, minimum a parameter."
#[test]
fn nello_has_a_minimum() {
    let two = r#"{"layers":[{"type":"nello","minimum":2}]}"#;
    for (json, bid, offers_nello) in
        [(NELLO, "bid 41", false), (NELLO, "bid 1 mark", true), (two, "bid 1 mark", false), (two, "bid 2 marks", true)]
    {
        let mut game = dealt(json, 3, &[BLANKS]);
        drive(&mut game, bid);
        drive(&mut game, "pass; pass; pass");
        assert_eq!(offered(&game).ends_with("nello"), offers_nello, "{json} {bid}");
    }
}

/// "The bidder leads; a parameter lets the seat on the left lead." "The partner sits out, tricks have three dominoes."
#[test]
fn nello_is_played_by_three() {
    for (json, order) in [(NELLO, [0, 1, 3]), (r#"{"layers":[{"type":"nello","lead":"left"}]}"#, [1, 3, 0])] {
        let mut game = dealt(json, 3, &[BLANKS]);
        drive(&mut game, "bid 1 mark; pass; pass; pass; trump nello");
        for turn in order {
            assert_eq!(game.state().turn, seat(turn));
            let play = moves(&game)[0];
            game.apply(play).unwrap();
        }
        assert_eq!(offered(&game), "complete-trick");
        assert_eq!(game.state().hands[2].len(), 7, "the partner keeps the hand");
    }
}

/// "No trumps, doubles are a suit of their own, or high, or low."
#[test]
fn nello_doubles_rank_as_configured() {
    let with = |doubles: &str| format!(r#"{{"layers":[{{"type":"nello","doubles":"{doubles}"}}]}}"#);
    let cases = [
        ("own", "2-1 4-2 3-2", 1),
        ("own", "3-0 6-3 3-1", 1),
        ("own", "1-1 6-6 0-0", 1),
        ("own", "6-0 3-3 6-1", 3),
        ("high", "3-0 6-3 3-3", 3),
        ("high", "1-1 6-1 2-1", 0),
        ("low", "3-0 6-3 3-3", 1),
        ("low", "3-3 3-0 6-6", 1),
        ("low", "3-0 3-3 6-6", 0),
    ];
    for (doubles, plays, winner) in cases {
        assert_eq!(one_trick(&with(doubles), "nello", plays).0, winner, "doubles {doubles}: {plays}");
    }
}

/// "A seat follows doubles with doubles only, where they are a suit of their own."
#[test]
fn nello_doubles_follow_doubles() {
    let hands = ["2-2 6-6", "2-1 1-1 6-0", "", ""];
    for (doubles, may) in [("own", "1-1"), ("high", "2-1"), ("low", "2-1")] {
        let json = format!(r#"{{"layers":[{{"type":"nello","doubles":"{doubles}"}}]}}"#);
        let mut game = dealt(&json, 3, &[[hands[0], "2-1 1-1 6-0 5-0 4-0 3-0 5-4", "", ""]]);
        drive(&mut game, "bid 1 mark; pass; pass; pass; trump nello; play 2-2");
        assert_eq!(playable(&game), may, "doubles {doubles}");
    }
}

/// "Nello is made when the bidder takes no trick, and ends with the bidder's first."
#[test]
fn nello_is_made_without_a_trick_and_set_by_the_first() {
    let mut game = dealt(r#"{"layers":[{"type":"nello","lead":"left"}]}"#, 3, &[BLANKS]);
    drive(&mut game, "bid 2 marks; pass; pass; pass; trump nello");
    play_first_until(&mut game, Phase::Scoring);
    let outcome = game.state().outcome.unwrap();
    assert_eq!((outcome.made, outcome.reason, outcome.trick), (true, OutcomeReason::PlayedOut, 7));
    drive(&mut game, "score");
    assert_eq!(game.state().score, [2, 0]);

    let mut game = dealt(NELLO, 3, &[SIXES]);
    drive(&mut game, "bid 2 marks; pass; pass; pass; trump nello; play 6-5");
    play_first_until(&mut game, Phase::Scoring);
    let outcome = game.state().outcome.unwrap();
    assert_eq!((outcome.made, outcome.reason, outcome.trick), (false, OutcomeReason::TrickTaken, 1));
    drive(&mut game, "score");
    assert_eq!(game.state().score, [0, 2]);
}

// Plunge and splash.

/// Seat 1 holds four doubles, seat 0 three.
const DOUBLES: [&str; 4] = ["2-2 1-1 0-0", "6-6 5-5 4-4 3-3", "", ""];

/// "Plunge: four doubles or more, four marks, or one more than a standing four; may open, may jump."
#[test]
fn plunge_is_bid_on_four_doubles() {
    let json = with_layers(&["plunge"]);
    let cases = [
        (3, "", "pass, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 1 mark, 2 marks"),
        (3, "bid 41", "pass, 1 mark, 2 marks, plunge for 4 marks"),
        (3, "bid 2 marks", "pass, 3 marks, plunge for 4 marks"),
        (2, "pass; bid 2 marks", "pass, 3 marks, plunge for 4 marks"),
        (2, "bid 2 marks; bid 3 marks", "pass, 4 marks, plunge for 4 marks"),
        (1, "bid 2 marks; bid 3 marks; bid 4 marks", "pass, 5 marks, plunge for 5 marks"),
        (3, "bid 41; bid plunge 4", "pass, 5 marks"),
        (3, "bid 41; bid plunge 4; bid 5 marks", "pass, 6 marks"),
    ];
    for (shaker, calls, expected) in cases {
        let mut game = dealt(&json, shaker, &[DOUBLES]);
        drive(&mut game, calls);
        assert_eq!(offered(&game), expected, "after {calls:?}");
    }
    let mut game = dealt(&json, 0, &[DOUBLES]);
    assert!(offered(&game).ends_with("2 marks, plunge for 4 marks"), "it may open");
    assert_eq!(refused(&mut game, "bid plunge 5"), "you can't bid plunge for 5 marks here");
}

/// "Splash: three doubles or more, two or three marks, each where it beats the standing bid."
#[test]
fn splash_is_bid_on_three_doubles() {
    let json = with_layers(&["splash", "plunge"]);
    let cases = [
        (3, "", "41, 1 mark, 2 marks, splash for 2 marks, splash for 3 marks"),
        (0, "", "41, 1 mark, 2 marks, plunge for 4 marks, splash for 2 marks, splash for 3 marks"),
        (3, "bid splash 2", "pass, 3 marks, plunge for 4 marks, splash for 3 marks"),
        (3, "bid splash 3", "pass, 4 marks, plunge for 4 marks"),
        (2, "bid 1 mark", "pass, 2 marks, splash for 2 marks, splash for 3 marks"),
        (2, "bid 2 marks", "pass, 3 marks, splash for 3 marks"),
        (1, "bid 2 marks; bid 3 marks", "pass, 4 marks"),
    ];
    for (shaker, calls, expected) in cases {
        let mut game = dealt(&json, shaker, &[DOUBLES]);
        drive(&mut game, calls);
        assert!(offered(&game).ends_with(expected), "after {calls:?}: {}", offered(&game));
    }
}

/// "The partner names trumps and leads; every trick has to be taken."
#[test]
fn the_partner_of_a_plunge_or_splash_declares_and_leads() {
    for (layer, bid, stake) in [("plunge", "bid plunge 4", 4), ("splash", "bid splash 3", 3)] {
        let mut game = dealt(&with_layers(&[layer, "nello", "sevens"]), 0, &[DOUBLES]);
        drive(&mut game, bid);
        drive(&mut game, "pass; pass; pass");
        assert_eq!(game.state().turn, seat(3));
        assert_eq!(offered(&game), NINE, "a {layer} is no marks bid: no nello, no sevens");
        assert_eq!(refused(&mut game, "1 trump sixes"), "it's seat 4's turn");
        drive(&mut game, "3 trump blanks");
        assert_eq!(game.state().turn, seat(3), "the partner leads");
        play_first_until(&mut game, Phase::Scoring);
        let outcome = game.state().outcome.unwrap();
        drive(&mut game, "score");
        let expected = if outcome.made { [0, stake] } else { [stake, 0] };
        assert_eq!(game.state().score, expected);
        assert!(outcome.made || outcome.reason == OutcomeReason::TrickLost);
    }
}

// Sevens.

/// "Each seat must play one of its dominoes nearest to seven pips; nearest wins, first played wins a tie."
#[test]
fn sevens_plays_the_nearest() {
    let json = with_layers(&["sevens"]);
    let mut game = dealt(&json, 3, &[["5-1", "4-4", "6-2", "4-3 6-1 5-2"]]);
    drive(&mut game, "bid 1 mark; pass; pass; pass; trump sevens");
    assert_eq!(game.state().turn, seat(0), "the bidder leads");
    assert_eq!(playable(&game), "5-1");
    assert_eq!(refused(&mut game, "play 0-0"), "you have to play your domino closest to seven");
    drive(&mut game, "play 5-1");
    assert_eq!(playable(&game), "3-3 4-4");
    drive(&mut game, "play 4-4");
    assert_eq!(playable(&game), "4-2 5-3 6-0 6-2");
    drive(&mut game, "play 6-2");
    assert_eq!(playable(&game), "4-3 5-2 6-1");
    assert_eq!(game.state().trick_winner(), Some(seat(0)), "all are one away, and the first of equals has it");
    drive(&mut game, "play 4-3; take");
    let outcome = game.state().outcome.unwrap();
    assert_eq!((outcome.made, outcome.reason, outcome.trick), (false, OutcomeReason::TrickLost, 1));
}

/// "Sevens is made with every trick."
#[test]
fn sevens_is_made_with_every_trick() {
    let mut game = dealt(&with_layers(&["sevens"]), 3, &[["6-1 5-2 4-3 6-0 5-1 4-2 3-3", "0-0 1-0 1-1", "", ""]]);
    drive(&mut game, "bid 2 marks; pass; pass; pass; trump sevens");
    play_first_until(&mut game, Phase::Scoring);
    assert_eq!(game.state().outcome.map(|o| (o.made, o.trick)), Some((true, 7)));
    drive(&mut game, "score");
    assert_eq!(game.state().score, [2, 0]);
}

// Tournament.

/// "Tournament is straight 42; together with a special contract it is a configuration error, said clearly."
#[test]
fn tournament_rejects_special_contracts() {
    for contract in ["nello", "plunge", "splash", "sevens"] {
        for order in [["tournament", contract], [contract, "tournament"]] {
            let sentence = format!("layers: tournament is straight 42 and excludes {contract}; leave one of them out");
            assert_eq!(config_error(&with_layers(&order)), sentence);
        }
    }
    context(&with_layers(&["tournament", "forced-bid", "one-hand", "speed", "hints", "consensus"]));
}

// Lay-downs.

/// A claim stands only if it takes the rest for every possible hand and every play of the others.
#[test]
fn a_claim_that_stands_takes_the_rest() {
    let mut game = dealt(STRAIGHT, 3, &[SIXES]);
    drive(&mut game, "bid 1 mark; pass; pass; pass; trump sixes; claim");
    let state = *game.state();
    assert_eq!(state.claim, Some(Claim { seat: seat(0), stands: true }));
    assert_eq!(state.outcome.map(|o| (o.made, o.reason)), Some((true, OutcomeReason::ClaimStood)));
    assert_eq!(state.tally.points, [42, 0]);
    assert_eq!(state.phase, Phase::Scoring);
    drive(&mut game, "score");
    assert_eq!(game.state().score, [1, 0]);
}

/// "A false claim by the bidder sets the contract."
#[test]
fn a_false_claim_by_the_bidder_sets_the_contract() {
    let mut game = dealt(STRAIGHT, 3, &[SIXES]);
    drive(&mut game, "bid 2 marks; pass; pass; pass; trump fives; claim");
    assert_eq!(game.state().outcome.map(|o| (o.made, o.reason)), Some((false, OutcomeReason::ClaimFailed)));
    drive(&mut game, "score");
    assert_eq!(game.state().score, [0, 2]);
}

/// The partner and the defenders may claim too, on their turn and even in the middle of a trick.
#[test]
fn partner_and_defender_may_claim_in_the_middle_of_a_trick() {
    let cases = [
        // The hands, plays before the claim, trumps: who claims, whether it stands, whether the bid of 30 is made.
        (SIXES_AT_2, 2, "sixes", true, true),
        (SIXES_AT_2, 2, "fives", false, false),
        (SIXES_AT_1, 1, "sixes", true, false),
        (SIXES_AT_1, 1, "fives", false, true),
    ];
    for (hands, plays, trump, stands, made) in cases {
        let mut game = dealt(STRAIGHT, 3, &[hands]);
        drive(&mut game, &format!("bid 30; pass; pass; pass; trump {trump}"));
        for _ in 0..plays {
            let first = moves(&game)[0];
            game.apply(first).unwrap();
        }
        assert_eq!(refused(&mut game, "0 claim"), format!("it's seat {}'s turn", plays + 1));
        drive(&mut game, "claim");
        let state = game.state();
        assert_eq!(state.claim, Some(Claim { seat: seat(plays), stands }), "{trump}");
        assert_eq!(state.outcome.map(|o| o.made), Some(made), "{trump}");
        assert_eq!(state.tally.points.iter().sum::<u8>(), 42);
    }
}

/// The effect of a claim on points and contract, in all cases. Seat 0 bids.
#[test]
fn a_claim_settles_points_and_contract() {
    let ctx = context(NELLO);
    let cases = [
        (Bid::points(30), "fives", [20, 5], 0, true, true, [37, 5]),
        (Bid::points(38), "fives", [20, 5], 2, true, false, [37, 5]),
        (Bid::points(30), "fives", [20, 5], 1, true, false, [20, 22]),
        (Bid::points(30), "fives", [29, 5], 3, true, false, [29, 13]),
        (Bid::points(30), "fives", [20, 5], 0, false, false, [20, 22]),
        (Bid::points(30), "fives", [20, 5], 3, false, true, [37, 5]),
        (Bid::marks(1), "fives", [20, 0], 2, true, true, [42, 0]),
        (Bid::marks(1), "fives", [20, 0], 1, true, false, [20, 22]),
        (Bid::marks(1), "fives", [20, 0], 1, false, true, [42, 0]),
        (Bid::marks(1), "nello", [0, 8], 0, true, true, [0, 8]),
        (Bid::marks(1), "nello", [0, 8], 0, false, false, [0, 8]),
    ];
    for (bid, trump, before, claimant, stands, made, after) in cases {
        let mut tally = tally(before, [2, 1]);
        let outcome = terms_of(&ctx, bid, trump).settle(Claim { seat: seat(claimant), stands }, None, &mut tally);
        assert_eq!((outcome.made, tally.points), (made, after), "{bid} {trump} seat {claimant} {stands}");
    }
}

/// A decided contract stays decided after any claim.
#[test]
fn a_claim_does_not_change_a_decided_contract() {
    let ctx = context(NELLO);
    for (made, claimant, stands) in [(true, 0, false), (false, 1, false), (true, 1, true), (false, 0, true)] {
        let earlier = Outcome { made, reason: OutcomeReason::BidReached, trick: 4 };
        let claim = Claim { seat: seat(claimant), stands };
        let terms = terms_of(&ctx, Bid::points(30), "fives");
        assert_eq!(terms.settle(claim, Some(earlier), &mut tally([31, 5], [3, 1])).made, made);
    }
}

/// With points scoring, claimed points count like points taken.
#[test]
fn claimed_points_count_with_points_scoring() {
    let mut game = dealt(r#"{"scoring":"points"}"#, 3, &[SIXES, SIXES]);
    drive(&mut game, "bid 30; pass; pass; pass; trump sixes; claim; score");
    assert_eq!(game.state().score, [42, 0]);
    drive(&mut game, "pass; pass; pass; 0 bid 35; trump fives; claim; score");
    assert_eq!(game.state().score, [42, 42 + 35]);
}

/// "In nello only the bidder has something to claim: that no trick will be taken."
#[test]
fn only_the_bidder_claims_in_nello() {
    let left = r#"{"layers":[{"type":"nello","lead":"left"}]}"#;
    let mut game = dealt(left, 3, &[BLANKS]);
    drive(&mut game, "bid 1 mark; pass; pass; pass; trump nello");
    assert_eq!(refused(&mut game, "1 claim"), "only the bidder can lay down on this bid");
    for _ in 0..2 {
        let first = moves(&game)[0];
        game.apply(first).unwrap();
    }
    drive(&mut game, "0 claim");
    assert_eq!(game.state().outcome.map(|o| (o.made, o.reason)), Some((true, OutcomeReason::ClaimStood)));
    drive(&mut game, "score");
    assert_eq!(game.state().score, [1, 0]);

    let mut game = dealt(NELLO, 3, &[SIXES]);
    drive(&mut game, "bid 1 mark; pass; pass; pass; trump nello; claim");
    assert_eq!(game.state().outcome.map(|o| (o.made, o.reason)), Some((false, OutcomeReason::ClaimFailed)));
    drive(&mut game, "score");
    assert_eq!(game.state().score, [0, 1]);
}

/// A claim is legal only on a turn to play, not in the auction or after a complete trick.
#[test]
fn a_claim_needs_a_turn_to_play() {
    let mut game = dealt(STRAIGHT, 3, &[SIXES]);
    assert_eq!(refused(&mut game, "claim"), "laying down isn't possible while the bidding is on");
    drive(&mut game, "bid 30; pass; pass; pass; trump sixes; play 6-6");
    for _ in 0..3 {
        let first = moves(&game)[0];
        game.apply(first).unwrap();
    }
    assert_eq!(refused(&mut game, "0 claim"), "the trick is over and has to be picked up first");
}

/// The examples of the rule book: a claim depends on what the unseen dominoes could do, not on where they are.
#[test]
fn a_claim_ignores_where_hidden_dominoes_are() {
    // Seat 0 holds every trump but 6-5 and 6-3. They lie with different seats, so both would fall to 6-6 and 6-4. Seat 0
    // cannot know that.
    let mut game = dealt(STRAIGHT, 3, &[["6-6 6-4 6-2 6-1 6-0 5-5 4-4", "6-5", "6-3", ""]]);
    drive(&mut game, "bid 30; pass; pass; pass; trump sixes");
    drive(&mut game, "claim");
    assert_eq!(game.state().claim.map(|claim| claim.stands), Some(false), "somebody might hold both 6-5 and 6-3");
    // If seat 0 also holds 6-5, only 6-3 is missing, and 6-6 takes it from any seat.
    for holder in 1..4 {
        let mut hands = ["6-6 6-5 6-4 6-2 6-1 6-0 5-5", "", "", ""];
        hands[holder] = "6-3";
        let mut game = dealt(STRAIGHT, 3, &[hands]);
        drive(&mut game, "bid 30; pass; pass; pass; trump sixes; claim");
        assert_eq!(game.state().claim.map(|claim| claim.stands), Some(true), "6-3 lies with seat {holder}");
    }
}

// Common mistakes in implementations of 42.

/// After a plunge or a splash nothing lower is offered, and both are worth their marks.
#[test]
fn nothing_lower_is_offered_over_a_special_bid() {
    let json = with_layers(&["plunge", "splash"]);
    for (bid, expected) in
        [("bid plunge 4", "pass, 5 marks"), ("bid splash 2", "pass, 3 marks"), ("bid splash 3", "pass, 4 marks")]
    {
        let mut game = dealt(&json, 0, &[["0-0", "6-6 5-5 4-4 3-3", "1-1", "2-2"]]);
        drive(&mut game, bid);
        assert_eq!(offered(&game), expected, "over {bid}");
    }
}

/// Five marks can be bid over four.
#[test]
fn five_marks_can_be_bid_over_four() {
    let mut game = dealt(STRAIGHT, 3, &[SIXES]);
    drive(&mut game, "bid 2 marks; bid 3 marks; bid 4 marks; bid 5 marks; trump fives");
    assert_eq!(game.state().terms.unwrap().stake(), 5);
}

/// Special bids take turns like all others, and need their doubles.
#[test]
fn special_bids_take_turns() {
    let mut game = dealt(&with_layers(&["plunge", "splash"]), 3, &[DOUBLES]);
    assert_eq!(refused(&mut game, "1 bid plunge 4"), "it's seat 1's turn");
    assert_eq!(refused(&mut game, "0 bid plunge 4"), "you can't bid plunge for 4 marks here");
}

/// Metadata that a client adds to an action is ignored.
#[test]
fn forged_authority_is_dropped() {
    let forged = r#"{"type":"play","player":0,"domino":"6-6","authority":"system","meta":{"authority":"system"}}"#;
    let action: Action = serde_json::from_str(forged).unwrap();
    assert_eq!(action, Action::Play { player: seat(0), domino: d("6-6") });
    let mut game = dealt(STRAIGHT, 3, &[SIXES]);
    drive(&mut game, "bid 30; pass; pass; pass; trump sixes");
    for (word, sentence) in [
        ("take", "the trick isn't over yet"),
        ("score", "scoring a hand isn't possible while tricks are being played"),
        ("redeal", "reshaking isn't possible while tricks are being played"),
        ("1 play 0-0", "it's seat 1's turn"),
    ] {
        assert_eq!(refused(&mut game, word), sentence);
    }
}

/// A link replays beyond the first trick, with special bids, and contains the seed of the game.
#[test]
fn a_link_leads_to_the_same_game() {
    let mut game = dealt(
        r#"{"seed":"first-seed","layers":[{"type":"plunge"},{"type":"splash"},{"type":"nello"},{"type":"sevens"}]}"#,
        0,
        &[DOUBLES, BLANKS],
    );
    drive(&mut game, "1 bid plunge 4; pass; pass; pass; 3 trump sixes");
    play_first_until(&mut game, Phase::Scoring);
    drive(&mut game, "score; pass; pass; 0 bid 1 mark; pass; trump nello");
    play_first_until(&mut game, Phase::Scoring);
    let again = decode(&code::encode(&game)).unwrap();
    assert_eq!(again.log(), game.log());
    assert_eq!(again.state(), game.state());
    assert_eq!(again.ctx().config().seed, Some("first-seed".parse().unwrap()));
    let takes = game.log().iter().filter(|action| **action == Action::CompleteTrick).count();
    assert!(takes > 1, "automatic steps are in the log once");
}

/// A game with hints can be played to the end: a hint is only an annotation.
#[test]
fn hints_do_not_stop_a_game() {
    let mut game = game(r#"{"seed":"hints","layers":[{"type":"hints"}],"target":2}"#);
    play_out(&mut game, &mut Rng::new(1));
    assert_eq!(game.state().phase, Phase::GameEnd);
}

/// At the end of a game exactly one side has reached the target.
#[test]
fn a_game_has_one_winner() {
    for seed in 0..20 {
        let mut game = game(&format!(r#"{{"seed":"winner-{seed}","target":3}}"#));
        play_out(&mut game, &mut Rng::new(seed));
        assert_eq!(game.state().score.iter().filter(|score| **score >= 3).count(), 1);
    }
}

/// A one-hand game has a result, and a retry deals the same hand.
#[test]
fn one_hand_has_a_result_and_can_be_tried_again() {
    let json = r#"{"layers":[{"type":"one-hand","seed":"lesson"}]}"#;
    let mut game = game(json);
    let dealt = game.state().hands;
    drive(&mut game, "bid 30; pass; pass; pass; trump follow-me");
    play_first_until(&mut game, Phase::Scoring);
    drive(&mut game, "end");
    let state = *game.state();
    assert_eq!(state.phase, Phase::OneHandComplete);
    assert_eq!(state.last_hand.unwrap().gained.iter().sum::<u16>(), 1);
    assert_eq!(state.score, state.last_hand.unwrap().gained);
    assert_eq!(context(json).first_state().hands, dealt);
}

/// A bid of 2 without "marks" means two points, which is not a legal bid.
#[test]
fn two_is_not_two_marks() {
    let mut game = dealt(STRAIGHT, 3, &[SIXES]);
    assert_eq!(refused(&mut game, "bid 2"), "you can't bid 2 here");
    assert_eq!(Bid::marks(2).to_string(), "2 marks");
    assert_eq!(Bid::marks(1).to_string(), "1 mark");
}

/// After any prefix of a game, the replay offers the same actions.
#[test]
fn a_replay_offers_the_same_actions() {
    let json = r#"{"seed":"same","target":2,"layers":[{"type":"nello"},{"type":"sevens"}]}"#;
    let mut game = game(json);
    play_out(&mut game, &mut Rng::new(8));
    let ctx = context(json);
    for events in (0..game.log().len()).step_by(7) {
        let live = game.state_at(events).unwrap();
        let replayed = replay(&ctx, &game.log()[..events]).unwrap();
        assert_eq!(moves_in(&ctx, &replayed), moves_in(game.ctx(), &live));
    }
}

/// Each of the nine trumps can be played to the end of the hand.
#[test]
fn every_trump_can_be_played() {
    for trump in Trump::STRAIGHT {
        let mut game = game(r#"{"seed":"every-trump"}"#);
        drive(&mut game, &format!("bid 30; pass; pass; pass; trump {trump}"));
        play_first_until(&mut game, Phase::Scoring);
        assert!(game.state().outcome.is_some());
    }
}
