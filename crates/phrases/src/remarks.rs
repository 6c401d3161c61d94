//! Renders remarks. A remark without an entry does not compile.

use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec::Vec,
};

use texas42_vocab::{Bid, Domino, SuitName, Trump};

use crate::{Chance, Dominoes, Gain, Neighbor, Neighbors, Remark, Words, capitalized, fill};

impl Words {
    /// All remarks as one sentence.
    pub fn remarks(&self, remarks: &[Remark]) -> String {
        let parts: Vec<String> = remarks.iter().map(|remark| self.remark(remark)).collect();
        if parts.is_empty() { String::new() } else { capitalized(&parts.join("; ")) + "." }
    }
}

/// Maps each remark to its catalogue entry. The placeholders of the entry are the parameters, in the order given here.
macro_rules! remarks {
    ($words:ident; $($remark:ident $({ $($parameter:ident),+ })? => $entry:expr,)+) => {
        impl Words {
            /// One remark, without capitalization or a period.
            pub fn remark(&self, remark: &Remark) -> String {
                let $words = self;
                match remark {
                    $(Remark::$remark $({ $($parameter),+ })? => {
                        let values: &[Vec<String>] = &[$($($parameter.values($words)),+)?];
                        let values = values.concat();
                        fill($entry, &values.iter().map(String::as_str).collect::<Vec<_>>())
                    })+
                }
            }
        }
    };
}

remarks! {
    words;
    // Leads.
    WalksNearest { domino } => words.remark_walks_nearest,
    WalksAsDouble { domino, suit } => words.walks_as_double_of(*suit),
    WalksBelowOwn { domino, suit } => words.remark_walks_below_own,
    WalksUnlessTrumped { domino } => words.remark_walks_unless_trumped,
    WalksAsHighestLeft { domino, suit } => words.remark_walks_as_highest_left,
    AsksFor { domino, out } => words.remark_asks_for,

    // Plays to a trick.
    TakesTrick { domino } => words.remark_takes_trick,
    TakesUnbeaten { domino } => words.remark_takes_unbeaten,
    CanBeBeaten { domino, out } => one_or_many(out.count(), [words.remark_can_be_beaten_by_one, words.remark_can_be_beaten_by_some]),
    CarriesNoCount { domino } => words.remark_carries_no_count,
    CountToPartner { count } => words.remark_count_to_partner,
    Spares { domino } => words.remark_spares,

    // Nello, from both sides.
    LedUnbeaten { domino } => words.remark_led_unbeaten,
    LedBelow { domino, out } => one_or_many(out.count(), [words.remark_led_below_one, words.remark_led_below_some]),
    LedAtBidder { domino, out } => words.remark_led_at_bidder,
    StaysBelow { domino } => words.remark_stays_below,
    MayBeCovered { domino, out } => words.remark_may_be_covered,
    LeavesToBidder { domino } => words.remark_leaves_to_bidder,
    MustCoverBidder { domino } => words.remark_must_cover_bidder,
    LiesForBidder { domino } => words.remark_lies_for_bidder,
    GoesWhileBidderIsBelow { domino } => words.remark_goes_while_bidder_is_below,

    // Known voids.
    ShowsNo { who, suit } => one_or_many(who.0.len(), [words.remark_shows_no_one, words.remark_shows_no_some]),

    // Chances of success.
    ContractDecided => words.remark_contract_decided,
    NoOther => words.remark_no_other,
    Made { chance } => by_next_chance(*chance, [words.remark_made, words.remark_made_like_next, words.remark_made_before_next]),
    Set { chance } => by_next_chance(*chance, [words.remark_set, words.remark_set_like_next, words.remark_set_before_next]),

    // Trumps and bids.
    SuitHeld { trump, held } => one_or_many(usize::from(*held), [words.remark_suit_held_one, words.remark_suit_held_some]),
    DoublesHeld { held } => one_or_many(usize::from(*held), [words.remark_doubles_held_one, words.remark_doubles_held_some]),
    LowAllOver => words.remark_low_all_over,
    NearSevenAllOver => words.remark_near_seven_all_over,
    BidMade { bid, chance } => by_next_chance(*chance, [words.remark_bid_made, words.remark_bid_made_like_next, words.remark_bid_made_before_next]),
    BidWith { trump, bid, chance, gain } => words.remark_bid_with,
    PartnerHasBid => words.remark_partner_has_bid,
    NothingPays => words.remark_nothing_pays,
    WorthABid => words.remark_worth_a_bid,
    PassBrings { gain } => words.remark_pass_brings,

    // Hints next to each choice.
    Works { chance, gain } => words.remark_works,
    SameWithOneTrick => words.remark_same_with_one_trick,
    ClaimWouldFail => words.remark_claim_would_fail,
    PlayingOnIsSame => words.remark_playing_on_is_same,
    HandLooksLike { points } => words.remark_hand_looks_like,
    HandNotMadeForIt => words.remark_hand_not_made_for_it,
    NotWorthATry => words.remark_not_worth_a_try,
    NoTrickForMe => words.remark_no_trick_for_me,
    RestIsMine => words.remark_rest_is_mine,

    // Rules of thumb.
    HandFor { trump, bid } => match (*trump == Trump::Nello, bid.is_some()) {
        (true, false) => words.remark_hand_for_low,
        (true, true) => words.remark_hand_for_low_bid,
        (false, false) => words.remark_hand_for_near_seven,
        (false, true) => words.remark_hand_for_near_seven_bid,
    },
    LooksBest { trump, points } => words.remark_looks_best,
    LooksLike { trump, points, bid } => words.remark_looks_like,
    NotEnough { points } => words.remark_not_enough,
    LeastBid => words.remark_least_bid,
    WillDo => words.remark_will_do,
    HighestBelow => words.remark_highest_below,
    BidderHasToTakeOne => words.remark_bidder_has_to_take_one,
    DrawTrumps => words.remark_draw_trumps,
    DoubleWalks => words.remark_double_walks,
    WhoHasTheRest => words.remark_who_has_the_rest,
    CountForPartner => words.remark_count_for_partner,
    TrumpIt => words.remark_trump_it,
    ShouldBeOurs => words.remark_should_be_ours,
    HasToGo => words.remark_has_to_go,
    NothingToGiveAway => words.remark_nothing_to_give_away,
    NothingElse => words.remark_nothing_else,
    Something => words.remark_something,
    ShotInTheDark => words.remark_shot_in_the_dark,
}

const fn one_or_many(count: usize, [one, some]: [&'static str; 2]) -> &'static str {
    if count == 1 { one } else { some }
}

fn by_next_chance(chance: Chance, [alone, like_next, before_next]: [&'static str; 3]) -> &'static str {
    match chance.next {
        None => alone,
        Some(next) if next == chance.percent => like_next,
        Some(_) => before_next,
    }
}

impl Words {
    /// A double that walks, with the singular of its suit.
    const fn walks_as_double_of(&self, suit: SuitName) -> &'static str {
        match suit {
            SuitName::Blanks => self.remark_walks_as_double_of_blanks,
            SuitName::Ones => self.remark_walks_as_double_of_ones,
            SuitName::Twos => self.remark_walks_as_double_of_twos,
            SuitName::Threes => self.remark_walks_as_double_of_threes,
            SuitName::Fours => self.remark_walks_as_double_of_fours,
            SuitName::Fives => self.remark_walks_as_double_of_fives,
            SuitName::Sixes => self.remark_walks_as_double_of_sixes,
            SuitName::Doubles => self.remark_walks_as_double_of_doubles,
        }
    }
}

/// A parameter of a remark.
trait Parameter {
    /// The values that fill the placeholders, in order.
    fn values(&self, words: &Words) -> Vec<String>;
}

impl Parameter for u8 {
    fn values(&self, _: &Words) -> Vec<String> {
        [self.to_string()].into()
    }
}

impl Parameter for Domino {
    fn values(&self, words: &Words) -> Vec<String> {
        [words.domino_text(*self)].into()
    }
}

impl Parameter for SuitName {
    fn values(&self, words: &Words) -> Vec<String> {
        [words.suit_text(*self).to_owned()].into()
    }
}

impl Parameter for Trump {
    fn values(&self, words: &Words) -> Vec<String> {
        [words.trump_text(*self).to_owned()].into()
    }
}

/// `None` means that the partner names trumps.
impl Parameter for Option<Trump> {
    fn values(&self, words: &Words) -> Vec<String> {
        [self.map_or(words.whatever_partner_names, |trump| words.trump_text(trump)).to_owned()].into()
    }
}

impl Parameter for Bid {
    fn values(&self, words: &Words) -> Vec<String> {
        [words.bid_in_sentence(*self)].into()
    }
}

impl Parameter for Option<Bid> {
    fn values(&self, words: &Words) -> Vec<String> {
        self.iter().flat_map(|bid| bid.values(words)).collect()
    }
}

impl Parameter for Chance {
    fn values(&self, words: &Words) -> Vec<String> {
        let percent = |percent: u8| fill(words.percent, &[&percent.to_string()]);
        [self.percent].into_iter().chain(self.next).map(percent).collect()
    }
}

impl Parameter for Gain {
    fn values(&self, words: &Words) -> Vec<String> {
        let sign = |number: i32| if number < 0 { '-' } else { '+' };
        [match *self {
            Self::Points(points) => fill(words.gain_points, &[&format!("{}{}", sign(points), points.unsigned_abs())]),
            Self::HundredthsOfMark(marks) => {
                let (whole, hundredths) = (marks.unsigned_abs() / 100, marks.unsigned_abs() % 100);
                fill(words.gain_marks, &[&format!("{}{whole}.{hundredths:02}", sign(marks))])
            }
        }]
        .into()
    }
}

impl Parameter for Dominoes {
    fn values(&self, words: &Words) -> Vec<String> {
        let named = self.named.iter().map(|domino| words.domino_text(*domino));
        let more = (self.more > 0).then(|| fill(words.list_more, &[&self.more.to_string()]));
        [words.join_list(named.chain(more).collect())].into()
    }
}

impl Parameter for Neighbors {
    fn values(&self, words: &Words) -> Vec<String> {
        let name = |neighbor: &Neighbor| match neighbor {
            Neighbor::Left => words.says_left_seat,
            Neighbor::Partner => words.says_partner,
            Neighbor::Right => words.says_right_seat,
        };
        [words.join_list(self.0.iter().map(|neighbor| name(neighbor).to_owned()).collect())].into()
    }
}

impl Words {
    /// Joins items like "a, b and c".
    fn join_list(&self, mut items: Vec<String>) -> String {
        let Some(last) = items.pop() else { return self.list_nothing.to_owned() };
        match items.into_iter().reduce(|list, item| fill(self.list_comma, &[&list, &item])) {
            Some(list) => fill(self.list_and, &[&list, &last]),
            None => last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn domino(high: u8, low: u8) -> Domino {
        Domino::new(high, low).unwrap()
    }

    fn in_english_and_spanish(remarks: &[Remark]) -> [String; 2] {
        [Language::English, Language::Spanish].map(|language| language.words().remarks(remarks))
    }

    #[test]
    fn joins_remarks_into_one_sentence() {
        let who = Neighbors([Neighbor::Partner, Neighbor::Left].into_iter().collect());
        let reason = [
            Remark::WalksAsDouble { domino: domino(6, 6), suit: SuitName::Sixes },
            Remark::ShowsNo { who, suit: SuitName::Sixes },
            Remark::Made { chance: Chance { percent: 83, next: Some(71) } },
        ];
        let [english, spanish] = in_english_and_spanish(&reason);
        assert_eq!(
            english,
            "6-6 walks, it's the high six; partner and left are out of sixes; made 83% of the time, 71% with the next best."
        );
        assert_eq!(
            spanish,
            "No hay quien le gane a 6-6: es la mula de seises; tu compañero y la izquierda ya no tienen seises; \
             se cumple el 83% de las veces, y el 71% con la siguiente mejor."
        );
    }

    #[test]
    fn bids_have_one_verb_and_gains_have_signs() {
        let gain = Gain::HundredthsOfMark(16);
        let bid = Remark::BidWith {
            trump: Some(Trump::Sixes),
            bid: Bid::marks(2),
            chance: Chance { percent: 54, next: None },
            gain,
        };
        let [english, spanish] = in_english_and_spanish(&[bid]);
        assert_eq!(english, "Sixes, 2 marks: makes 54% of the time, +0.16 marks on average.");
        assert_eq!(spanish, "Seises, 2 marcas: se cumple el 54% de las veces, +0.16 marcas en promedio.");
        let [english, _] = in_english_and_spanish(&[Remark::PassBrings { gain: Gain::HundredthsOfMark(-105) }]);
        assert_eq!(english, "A pass brings -1.05 marks on average.");
        let [english, _] = in_english_and_spanish(&[Remark::PassBrings { gain: Gain::Points(-6) }]);
        assert_eq!(english, "A pass brings -6 points on average.");
    }

    #[test]
    fn names_a_few_dominoes() {
        let higher = [domino(6, 6), domino(6, 5), domino(6, 4), domino(6, 3), domino(6, 2)];
        let asks = Remark::AsksFor { domino: domino(6, 1), out: Dominoes::from(&higher[..]) };
        assert_eq!(
            in_english_and_spanish(&[asks]),
            ["6-1 pulls 6-6, 6-5, 6-4 and 2 more.", "6-1 saca 6-6, 6-5, 6-4 y 2 más."]
        );
    }
}
