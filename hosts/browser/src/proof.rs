//! Verifies that hands were dealt as the table had committed to. The page passes what it saw of each hand. The deal is
//! recomputed from the values that the table revealed afterwards and compared.

use texas42_engine::deal::{commitment, deal, draw_first_shaker, key_from_hex, secret_draw_root, secret_hand_key};
use texas42_protocol::{DrawWitness, HandWitness};
use texas42_worker_protocol::DealVerification;

/// Verifies the hands of a game, and the draw for its first shaker.
pub fn verify(witnesses: &[HandWitness], draw: Option<&DrawWitness>) -> DealVerification {
    let wrong = witnesses.iter().filter(|hand| is_fair(hand) != Some(true)).map(|hand| hand.hand_number).collect();
    let shaker = draw.map(|draw| is_drawn_fairly(draw) == Some(true));
    DealVerification { checked: witnesses.len(), wrong, shaker }
}

fn is_drawn_fairly(draw: &DrawWitness) -> Option<bool> {
    let secret = key_from_hex(&draw.secret)?;
    let entropy = key_from_hex(&draw.entropy)?;
    let is_committed = key_from_hex(&draw.commitment)? == commitment(&secret);
    Some(is_committed && draw_first_shaker(&secret_draw_root(&secret, &entropy)) == draw.shaker)
}

fn is_fair(hand: &HandWitness) -> Option<bool> {
    let share = key_from_hex(&hand.share)?;
    let entropy = key_from_hex(&hand.entropy)?;
    let is_committed = key_from_hex(&hand.commitment)? == commitment(&share);
    Some(is_committed && deal(&secret_hand_key(&share, &entropy)) == hand.dealt)
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
    fn a_draw_is_fair_if_it_follows_from_the_committed_secret() {
        let (secret, entropy) = ([7; 32], [9; 32]);
        let shaker = draw_first_shaker(&secret_draw_root(&secret, &entropy));
        let [commitment, secret, entropy] = [commitment(&secret), secret, entropy].map(|key| Hex(&key).to_string());
        let fair = DrawWitness { commitment, secret, entropy, shaker };
        assert_eq!(verify(&[], Some(&fair)).shaker, Some(true));
        let another = DrawWitness { shaker: shaker.left(), ..fair.clone() };
        let uncommitted = DrawWitness { commitment: Hex(&[1; 32]).to_string(), ..fair.clone() };
        let unreadable = DrawWitness { entropy: "nothing".to_owned(), ..fair };
        for unfair in [another, uncommitted, unreadable] {
            assert_eq!(verify(&[], Some(&unfair)).shaker, Some(false));
        }
    }

    #[test]
    fn a_hand_is_fair_if_it_follows_from_the_commitment() {
        let fair = witness();
        assert_eq!(
            verify(std::slice::from_ref(&fair), None),
            DealVerification { checked: 1, wrong: vec![], shaker: None }
        );
        let mut swapped = fair.clone();
        swapped.dealt.swap(0, 1);
        let another = HandWitness { commitment: Hex(&[1; 32]).to_string(), ..fair.clone() };
        let unreadable = HandWitness { share: "nothing".to_owned(), ..fair };
        for unfair in [swapped, another, unreadable] {
            assert_eq!(verify(&[unfair], None), DealVerification { checked: 1, wrong: vec![3], shaker: None });
        }
    }
}
