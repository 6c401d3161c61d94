//! Verifies that hands were dealt as the table had committed to: the page reports what it saw, and the hand is dealt
//! again here from what the table revealed afterwards.

use texas42_engine::deal::{commitment, deal, key_from_hex, secret_hand_key};
use texas42_protocol::HandWitness;
use texas42_worker_protocol::Verdict;

/// Verifies the hands of a game.
pub fn verify(witnesses: &[HandWitness]) -> Verdict {
    let wrong = witnesses.iter().filter(|hand| is_fair(hand) != Some(true)).map(|hand| hand.hand_number).collect();
    Verdict { checked: witnesses.len(), wrong }
}

fn is_fair(hand: &HandWitness) -> Option<bool> {
    let share = key_from_hex(&hand.share)?;
    let entropy = key_from_hex(&hand.entropy)?;
    let is_promised = key_from_hex(&hand.commitment)? == commitment(&share);
    Some(is_promised && deal(&secret_hand_key(&share, &entropy)) == hand.dealt)
}

#[cfg(test)]
mod tests {
    use texas42_engine::deal::Hex;

    use super::*;

    fn witness() -> HandWitness {
        let (share, entropy) = ([7; 32], [9; 32]);
        HandWitness {
            hand_number: 3,
            commitment: Hex(&commitment(&share)).to_string(),
            share: Hex(&share).to_string(),
            entropy: Hex(&entropy).to_string(),
            dealt: deal(&secret_hand_key(&share, &entropy)),
        }
    }

    #[test]
    fn a_hand_is_fair_if_it_follows_from_the_commitment() {
        let fair = witness();
        assert_eq!(verify(std::slice::from_ref(&fair)), Verdict { checked: 1, wrong: vec![] });
        let mut swapped = fair.clone();
        swapped.dealt.swap(0, 1);
        let another = HandWitness { commitment: Hex(&[1; 32]).to_string(), ..fair.clone() };
        let unreadable = HandWitness { share: "nothing".to_owned(), ..fair };
        for unfair in [swapped, another, unreadable] {
            assert_eq!(verify(&[unfair]), Verdict { checked: 1, wrong: vec![3] });
        }
    }
}
