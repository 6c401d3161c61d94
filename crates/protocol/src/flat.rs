//! Parts of a view that write a bid flat (`"bid":"marks","value":2`) are read flat: serde's `flatten` would keep every field
//! aside first, with code of its own for each type.

use serde::{Deserialize, Deserializer};
use texas42_vocab::{Bid, BidKind, Seat, Trump};

use crate::view::{Call, ContractView, StoryHand};

impl<'de> Deserialize<'de> for Call {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Flat {
            player: Seat,
            bid: Option<BidKind>,
            value: Option<u8>,
        }
        let Flat { player, bid, value } = Flat::deserialize(deserializer)?;
        let bid = bid.zip(value).map(|(kind, value)| Bid { kind, value });
        Ok(Self { player, bid })
    }
}

impl<'de> Deserialize<'de> for ContractView {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Flat {
            bidder: Seat,
            bid: BidKind,
            value: u8,
            stake: u8,
            declarer: Seat,
            trump: Option<Trump>,
            sits_out: Option<Seat>,
        }
        let Flat { bidder, bid: kind, value, stake, declarer, trump, sits_out } = Flat::deserialize(deserializer)?;
        Ok(Self { bidder, bid: Bid { kind, value }, stake, declarer, trump, sits_out })
    }
}

impl<'de> Deserialize<'de> for StoryHand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Flat {
            bidder: Seat,
            bid: BidKind,
            value: u8,
            trump: Trump,
            #[serde(default)]
            made: bool,
            points: [u8; 2],
            gained: [u16; 2],
        }
        let Flat { bidder, bid: kind, value, trump, made, points, gained } = Flat::deserialize(deserializer)?;
        Ok(Self { bidder, bid: Bid { kind, value }, trump, made, points, gained })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let bid = Bid::marks(2);
        let (bidder, declarer) = (Seat::ALL[1], Seat::ALL[3]);
        for call in [Call { player: bidder, bid: Some(bid) }, Call { player: bidder, bid: None }] {
            let text = serde_json::to_string(&call).unwrap();
            assert_eq!(serde_json::from_str::<Call>(&text).unwrap(), call, "{text}");
        }
        let trump = Some(Trump::Doubles);
        let contract = ContractView { bidder, bid, stake: 2, declarer, trump, sits_out: Some(bidder) };
        let text = serde_json::to_string(&contract).unwrap();
        assert_eq!(serde_json::from_str::<ContractView>(&text).unwrap(), contract, "{text}");
        let hand = StoryHand { bidder, bid, trump: Trump::FollowMe, made: false, points: [1, 2], gained: [0, 2] };
        let text = serde_json::to_string(&hand).unwrap();
        assert_eq!(serde_json::from_str::<StoryHand>(&text).unwrap(), hand, "{text}");
    }
}
