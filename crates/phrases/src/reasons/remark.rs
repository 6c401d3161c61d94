//! What a bot says about its own choice, and an expert about the choices of a player who turned hints on.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use texas42_vocab::{Bid, Domino, SuitName, Trump};

/// One part of a reason; a reason is a short list of them. It reveals only what the seat knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Remark {
    // Leads.
    /// It walks: nothing that is out is nearer to seven.
    WalksNearest {
        /// Which domino.
        domino: Domino,
    },
    /// It walks as the double of its suit.
    WalksAsDouble {
        /// Which domino.
        domino: Domino,
        /// Which suit.
        suit: SuitName,
    },
    /// It walks: everything higher in its suit is in the same hand.
    WalksBelowOwn {
        /// Which domino.
        domino: Domino,
        /// Which suit.
        suit: SuitName,
    },
    /// It walks unless somebody trumps it.
    WalksUnlessTrumped {
        /// Which domino.
        domino: Domino,
    },
    /// It walks: everything higher of its suit has been played.
    WalksAsHighestLeft {
        /// Which domino.
        domino: Domino,
        /// Which suit.
        suit: SuitName,
    },
    /// It asks for the higher ones that are out.
    AsksFor {
        /// Which domino.
        domino: Domino,
        /// The ones that are out, the strongest first.
        out: Dominoes,
    },
    // Plays to a trick.
    /// It takes the trick.
    TakesTrick {
        /// Which domino.
        domino: Domino,
    },
    /// It has the trick, and nothing that is out beats it.
    TakesUnbeaten {
        /// Which domino.
        domino: Domino,
    },
    /// It has the trick so far, and these beat it.
    CanBeBeaten {
        /// Which domino.
        domino: Domino,
        /// The ones that are out, the strongest first.
        out: Dominoes,
    },
    /// It loses the trick and carries no count.
    CarriesNoCount {
        /// Which domino.
        domino: Domino,
    },
    /// It gives count to the partner's trick.
    CountToPartner {
        /// How much.
        count: u8,
    },
    /// It loses the trick, and is what can be spared.
    Spares {
        /// Which domino.
        domino: Domino,
    },
    // Nello, from both sides.
    /// It is led, and nothing that is out goes over it.
    LedUnbeaten {
        /// Which domino.
        domino: Domino,
    },
    /// It is led, and these go over it.
    LedBelow {
        /// Which domino.
        domino: Domino,
        /// The ones that are out, the strongest first.
        out: Dominoes,
    },
    /// It is led for the bidder to go over, with these out.
    LedAtBidder {
        /// Which domino.
        domino: Domino,
        /// The ones that are out, the strongest first.
        out: Dominoes,
    },
    /// It stays below what lies there.
    StaysBelow {
        /// Which domino.
        domino: Domino,
    },
    /// It goes over, and these could go higher.
    MayBeCovered {
        /// Which domino.
        domino: Domino,
        /// The ones that are out, the strongest first.
        out: Dominoes,
    },
    /// It leaves the bidder the trick.
    LeavesToBidder {
        /// Which domino.
        domino: Domino,
    },
    /// It has to go over the bidder.
    MustCoverBidder {
        /// Which domino.
        domino: Domino,
    },
    /// It lies there for the bidder to go over.
    LiesForBidder {
        /// Which domino.
        domino: Domino,
    },
    /// It goes while the bidder is below.
    GoesWhileBidderIsBelow {
        /// Which domino.
        domino: Domino,
    },
    // Known voids.
    /// These seats have shown that they have none of a suit.
    ShowsNo {
        /// Who.
        who: Neighbors,
        /// Which suit.
        suit: SuitName,
    },
    // Chances of success.
    /// The contract is decided already.
    ContractDecided,
    /// There is no other choice.
    NoOther,
    /// The contract is made with this chance.
    Made {
        /// How often.
        chance: Chance,
    },
    /// The contract is set with this chance.
    Set {
        /// How often.
        chance: Chance,
    },
    // Trumps and bids.
    /// So many of a suit are in hand.
    SuitHeld {
        /// How many.
        held: u8,
        /// Which trumps.
        trump: Trump,
    },
    /// So many doubles are in hand.
    DoublesHeld {
        /// How many.
        held: u8,
    },
    /// The hand is low all over.
    LowAllOver,
    /// The hand is near seven all over.
    NearSevenAllOver,
    /// The bid is made with this chance.
    BidMade {
        /// Which bid.
        bid: Bid,
        /// How often.
        chance: Chance,
    },
    /// With these trumps, or whatever the partner names, the bid is made so often and brings so much.
    BidWith {
        /// Which trumps; absent where the partner names them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trump: Option<Trump>,
        /// Which bid.
        bid: Bid,
        /// How often.
        chance: Chance,
        /// On average.
        gain: Gain,
    },
    /// The partner has the bid.
    PartnerHasBid,
    /// No bid pays.
    NothingPays,
    /// A pass brings so much.
    PassBrings {
        /// On average.
        gain: Gain,
    },
    // Hints next to each choice.
    /// It ends well so often and brings so much.
    Works {
        /// How often.
        chance: Chance,
        /// On average.
        gain: Gain,
    },
    /// With one trick to go a claim makes no difference.
    SameWithOneTrick,
    /// A claim would fail, because the rest is not sure.
    ClaimWouldFail,
    /// A claim stands, so playing on makes no difference.
    PlayingOnIsSame,
    /// With these trumps the hand looks like so many points.
    HandLooksLike {
        /// How many points.
        points: u8,
    },
    /// The hand is not made for this contract.
    HandNotMadeForIt,
    /// It is not worth a try.
    NotWorthATry,
    /// The bidder of a nello takes no trick any more.
    NoTrickForMe,
    /// The rest is sure.
    RestIsMine,
    // Rules of thumb.
    /// The hand is made for nello or sevens, and for this bid of it.
    HandFor {
        /// Which trumps.
        trump: Trump,
        /// Which bid; absent where the bid is made already.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bid: Option<Bid>,
    },
    /// These trumps look best.
    LooksBest {
        /// Which trumps.
        trump: Trump,
        /// How many points.
        points: u8,
    },
    /// With these trumps the hand looks like so many points, enough for this bid.
    LooksLike {
        /// Which trumps.
        trump: Trump,
        /// How many points.
        points: u8,
        /// Which bid.
        bid: Bid,
    },
    /// The best trumps look like so many points, and that is not enough.
    NotEnough {
        /// How many points.
        points: u8,
    },
    /// Somebody has to bid.
    LeastBid,
    /// A slip.
    WillDo,
    /// The highest that stays below.
    HighestBelow,
    /// The bidder of a nello has to take one of these.
    BidderHasToTakeOne,
    /// Their trumps are drawn first.
    DrawTrumps,
    /// A double walks.
    DoubleWalks,
    /// To see who has the rest of the suit.
    WhoHasTheRest,
    /// The partner has the trick and gets count.
    CountForPartner,
    /// The trick is trumped.
    TrumpIt,
    /// It should take the trick.
    ShouldBeOurs,
    /// Count has to go.
    HasToGo,
    /// It gives nothing away.
    NothingToGiveAway,
    /// There is nothing else to do.
    NothingElse,
    /// It has to be something.
    Something,
    /// Chosen at random.
    ShotInTheDark,
}

/// Some dominoes: the first few by name, the others by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dominoes {
    /// The first of them.
    #[cfg_attr(feature = "schema", schemars(with = "alloc::vec::Vec<Domino>"))]
    pub named: ArrayVec<Domino, { Dominoes::MAX_NAMED }>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u8,
}

impl Dominoes {
    /// The maximum number of dominoes listed by name.
    pub const MAX_NAMED: usize = 3;

    /// The number of dominoes, named or not.
    pub fn count(&self) -> usize {
        self.named.len() + usize::from(self.more)
    }
}

impl From<&[Domino]> for Dominoes {
    fn from(dominoes: &[Domino]) -> Self {
        let named: ArrayVec<_, { Self::MAX_NAMED }> = dominoes.iter().copied().take(Self::MAX_NAMED).collect();
        let more = (dominoes.len() - named.len()) as u8;
        Self { named, more }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// Another seat, as seen from the one that speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Neighbor {
    /// The seat to the left.
    Left,
    /// The partner.
    Partner,
    /// The seat to the right.
    Right,
}

/// Some of the other seats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Neighbors(
    #[cfg_attr(feature = "schema", schemars(with = "alloc::vec::Vec<Neighbor>"))] pub ArrayVec<Neighbor, 3>,
);

/// How often something ends well, beside what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Chance {
    /// In percent.
    pub percent: u8,
    /// The next best choice, in percent, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u8>,
}

/// What is won or lost on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Gain {
    /// Hundredths of a mark.
    HundredthsOfMark(i32),
    /// Points of the older game.
    Points(i32),
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn names_a_few_dominoes_and_counts_the_rest() {
        let all: Vec<Domino> = (0..=4).filter_map(|low| Domino::new(6, low)).collect();
        let dominoes = Dominoes::from(&all[..]);
        assert_eq!((&dominoes.named[..], dominoes.more, dominoes.count()), (&all[..3], 2, 5));
    }

    #[test]
    fn rejects_too_many_named_dominoes() {
        let text = r#"{"named":["6-0","6-1","6-2","6-3"]}"#;
        assert!(serde_json::from_str::<Dominoes>(text).is_err());
    }

    #[test]
    fn a_remark_is_a_code_with_its_parameters() {
        let remark = Remark::Works { chance: Chance { percent: 71, next: None }, gain: Gain::HundredthsOfMark(-16) };
        let text = r#"{"code":"works","chance":{"percent":71},"gain":{"hundredthsOfMark":-16}}"#;
        assert_eq!(serde_json::to_string(&remark).unwrap(), text);
        assert_eq!(serde_json::from_str::<Remark>(text).unwrap(), remark);
    }
}
