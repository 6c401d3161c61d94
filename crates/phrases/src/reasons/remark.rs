//! What a bot says about its own choice, and an expert about the choices of a player who turned hints on.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use texas42_vocab::{Bid, Domino, SuitName, Trump};

use super::tagged::tagged;

tagged! {
    tag = "code";

    /// One part of a reason; a reason is a short list of them. It reveals only what the seat knows.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Remark {
        // Leads.
        /// It walks (cannot be beaten): no unplayed domino is nearer to seven.
        WalksNearest {
            /// The domino.
            domino: Domino,
        },
        /// It walks as the double of its suit.
        WalksAsDouble {
            /// The domino.
            domino: Domino,
            /// The suit.
            suit: SuitName,
        },
        /// It walks: everything higher in its suit is in the same hand.
        WalksBelowOwn {
            /// The domino.
            domino: Domino,
            /// The suit.
            suit: SuitName,
        },
        /// It walks unless somebody trumps it.
        WalksUnlessTrumped {
            /// The domino.
            domino: Domino,
        },
        /// It walks: everything higher of its suit has been played.
        WalksAsHighestLeft {
            /// The domino.
            domino: Domino,
            /// The suit.
            suit: SuitName,
        },
        /// It draws out the higher dominoes that are unplayed.
        AsksFor {
            /// The domino.
            domino: Domino,
            /// The unplayed dominoes that beat it, strongest first.
            out: Dominoes,
        },
        // Plays to a trick.
        /// It takes the trick.
        TakesTrick {
            /// The domino.
            domino: Domino,
        },
        /// It wins the trick so far, and no unplayed domino beats it.
        TakesUnbeaten {
            /// The domino.
            domino: Domino,
        },
        /// It wins the trick so far, and these can beat it.
        CanBeBeaten {
            /// The domino.
            domino: Domino,
            /// The unplayed dominoes that beat it, strongest first.
            out: Dominoes,
        },
        /// It loses the trick and carries no count.
        CarriesNoCount {
            /// The domino.
            domino: Domino,
        },
        /// It adds count to the partner's trick.
        CountToPartner {
            /// The count.
            count: u8,
        },
        /// It loses the trick, and the seat needs it least.
        Spares {
            /// The domino.
            domino: Domino,
        },
        // Nello, from both sides.
        /// It is led, and no unplayed domino beats it.
        LedUnbeaten {
            /// The domino.
            domino: Domino,
        },
        /// It is led, and these beat it.
        LedBelow {
            /// The domino.
            domino: Domino,
            /// The unplayed dominoes that beat it, strongest first.
            out: Dominoes,
        },
        /// It is led so that the bidder has to beat it; these are unplayed.
        LedAtBidder {
            /// The domino.
            domino: Domino,
            /// The unplayed dominoes that beat it, strongest first.
            out: Dominoes,
        },
        /// It does not beat the trick.
        StaysBelow {
            /// The domino.
            domino: Domino,
        },
        /// It beats the trick, and these could beat it.
        MayBeCovered {
            /// The domino.
            domino: Domino,
            /// The unplayed dominoes that beat it, strongest first.
            out: Dominoes,
        },
        /// It leaves the trick to the bidder.
        LeavesToBidder {
            /// The domino.
            domino: Domino,
        },
        /// It has to beat the bidder's domino.
        MustCoverBidder {
            /// The domino.
            domino: Domino,
        },
        /// The bidder plays later and may have to beat it.
        LiesForBidder {
            /// The domino.
            domino: Domino,
        },
        /// It is played while the bidder does not win the trick.
        GoesWhileBidderIsBelow {
            /// The domino.
            domino: Domino,
        },
        // Known voids.
        /// These seats have shown that they hold no domino of a suit.
        ShowsNo {
            /// The seats.
            who: Neighbors,
            /// The suit.
            suit: SuitName,
        },
        // Chances of success.
        /// The contract is decided already.
        ContractDecided,
        /// There is no other choice.
        NoOther,
        /// The contract is made with this chance.
        Made {
            /// The chance.
            chance: Chance,
        },
        /// The contract is set with this chance.
        Set {
            /// The chance.
            chance: Chance,
        },
        // Trumps and bids.
        /// The hand has this many dominoes of a suit.
        SuitHeld {
            /// The number.
            held: u8,
            /// The trumps.
            trump: Trump,
        },
        /// The hand has this many doubles.
        DoublesHeld {
            /// The number.
            held: u8,
        },
        /// The hand is low in every suit.
        LowAllOver,
        /// All dominoes of the hand are near seven.
        NearSevenAllOver,
        /// The bid is made with this chance.
        BidMade {
            /// The bid.
            bid: Bid,
            /// The chance.
            chance: Chance,
        },
        /// The chance and the average gain of a bid with these trumps, or with those that the partner names.
        BidWith {
            /// The trumps; absent if the partner names them.
            trump: Option<Trump>,
            /// The bid.
            bid: Bid,
            /// The chance.
            chance: Chance,
            /// The average gain.
            gain: Gain,
        },
        /// The partner has the bid.
        PartnerHasBid,
        /// No bid pays.
        NothingPays,
        /// The hand is worth a bid, so a pass is not the best.
        WorthABid,
        /// The average gain of a pass.
        PassBrings {
            /// The average gain.
            gain: Gain,
        },
        // Hints next to each choice.
        /// The chance that it ends well, and its average gain.
        Works {
            /// The chance.
            chance: Chance,
            /// The average gain.
            gain: Gain,
        },
        /// With one trick left, a claim makes no difference.
        SameWithOneTrick,
        /// A claim would fail, because the rest is not certain.
        ClaimWouldFail,
        /// A claim stands, so playing on makes no difference.
        PlayingOnIsSame,
        /// The estimated points of the hand with these trumps.
        HandLooksLike {
            /// The estimated points.
            points: u8,
        },
        /// The hand does not suit this contract.
        HandNotMadeForIt,
        /// It is not worth trying.
        NotWorthATry,
        /// A claim in nello: the bidder certainly takes no trick.
        NoTrickForMe,
        /// A claim: the rest is certain.
        RestIsMine,
        // Rules of thumb.
        /// The hand suits nello or sevens, and this bid of it.
        HandFor {
            /// The trumps.
            trump: Trump,
            /// The bid; absent after the auction.
            bid: Option<Bid>,
        },
        /// These trumps look best.
        LooksBest {
            /// The trumps.
            trump: Trump,
            /// The estimated points.
            points: u8,
        },
        /// The estimated points with these trumps are enough for this bid.
        LooksLike {
            /// The trumps.
            trump: Trump,
            /// The estimated points.
            points: u8,
            /// The bid.
            bid: Bid,
        },
        /// The estimated points with the best trumps are not enough to bid.
        NotEnough {
            /// The estimated points.
            points: u8,
        },
        /// The seat has to bid and makes the lowest bid.
        LeastBid,
        /// A deliberate mistake of a beginner.
        WillDo,
        /// The highest domino that does not win the trick.
        HighestBelow,
        /// The bidder of a nello has to take one of these.
        BidderHasToTakeOne,
        /// It draws the trumps of the opponents first.
        DrawTrumps,
        /// It is a double that walks (cannot be beaten).
        DoubleWalks,
        /// It is led to find out who holds the rest of the suit.
        WhoHasTheRest,
        /// The partner wins the trick so far and gets count.
        CountForPartner,
        /// The trick is trumped.
        TrumpIt,
        /// It should take the trick.
        ShouldBeOurs,
        /// It carries count but cannot be kept.
        HasToGo,
        /// It gives nothing away.
        NothingToGiveAway,
        /// It is the only legal action.
        NothingElse,
        /// No choice was evaluated; the first legal action.
        Something,
        /// Chosen at random.
        ShotInTheDark,
    }
}

/// A list of dominoes: the first few, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dominoes {
    /// The first dominoes.
    #[cfg_attr(feature = "schema", schemars(with = "alloc::vec::Vec<Domino>"))]
    pub named: ArrayVec<Domino, { Dominoes::MAX_NAMED }>,
    /// The number of further dominoes.
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

/// Another seat, relative to the seat that makes the remark.
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

/// The chance that a choice ends well, with that of the next best choice for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Chance {
    /// The chance in percent.
    pub percent: u8,
    /// The chance of the next best choice in percent, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u8>,
}

/// The average gain or loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Gain {
    /// Hundredths of a mark.
    HundredthsOfMark(i32),
    /// Points, in the game to 250.
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
