//! A session gets the intersection of what its key grants and what it asks for.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use texas42_kernel::{KeyHash, Viewer, granted};
use texas42_protocol::{Capability, Grant, Role, SecretKey};
use texas42_vocab::Seat;

const ROLES: [Role; 6] = [Role::Player, Role::Student, Role::Ai, Role::Spectator, Role::Coach, Role::Admin];

fn every_capability() -> Vec<Capability> {
    use Capability::*;
    let mut all = vec![
        ReplaceAi,
        ConfigureVariant,
        UndoActions,
        ObserveOwnHand,
        ObserveAllHands,
        ObserveFullState,
        SeeHints,
        SeeAiIntent,
    ];
    for player_index in Seat::ALL {
        all.extend([ActAsPlayer { player_index }, ObserveHand { player_index }]);
    }
    all
}

fn every_grant() -> Vec<Grant> {
    let seats = || [None].into_iter().chain(Seat::ALL.map(Some));
    let grants = ROLES.into_iter().flat_map(|role| seats().map(move |seat| (role, seat)));
    let grants = grants.flat_map(|(role, seat)| [false, true].map(|open_hands| (role, seat, open_hands)));
    grants.map(|(role, seat, open_hands)| Grant { seat, open_hands, ..Grant::of(role) }).collect()
}

#[test]
fn a_session_gets_the_intersection_of_granted_and_asked() {
    let all = every_capability();
    for grant in every_grant() {
        let whole = granted(&grant, grant.seat, None);
        assert_eq!(granted(&grant, grant.seat, Some(&all)), whole, "asking for everything yields what is granted");
        assert!(granted(&grant, grant.seat, Some(&[])).is_empty());
        for asked in &all {
            let expected: Vec<Capability> = whole.iter().filter(|given| *given == asked).copied().collect();
            assert_eq!(granted(&grant, grant.seat, Some(&[*asked])), expected, "{grant:?} {asked:?}");
        }
        // A sample of the subsets, as bit masks.
        for bits in 0..1_u32 << all.len() {
            if bits % 97 != 0 {
                continue;
            }
            let asked: Vec<Capability> =
                all.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, asked)| *asked).collect();
            let given = granted(&grant, grant.seat, Some(&asked));
            assert!(given.iter().all(|given| whole.contains(given) && asked.contains(given)));
        }
    }
}

/// The hands that each role sees as `0123`, hints as `h`, the full state as `*`.
#[test]
fn what_each_role_sees() {
    let cases = [
        (Role::Player, Some(1), false, "1"),
        (Role::Student, Some(1), false, "1h"),
        (Role::Ai, Some(1), false, "1"),
        (Role::Spectator, None, false, ""),
        (Role::Spectator, None, true, "0123"),
        (Role::Player, Some(1), true, "1"),
        (Role::Coach, Some(2), true, "2h"),
        (Role::Admin, None, false, "0123h*"),
    ];
    for (role, seat, open_hands, expected) in cases {
        let seat = seat.and_then(Seat::new);
        let grant = Grant { seat, open_hands, ..Grant::of(role) };
        let session_seat = seat.filter(|_| role.is_seated());
        let viewer = Viewer::with(&granted(&grant, session_seat, None), session_seat);
        let hands: String = (0..4).filter(|at| viewer.sees[*at]).map(|at| at.to_string()).collect();
        let shown = format!("{hands}{}{}", if viewer.hints { "h" } else { "" }, if viewer.full { "*" } else { "" });
        assert_eq!(shown, expected, "{grant:?}");
        assert_eq!(viewer.seat.is_some(), role.is_seated(), "only seated roles act");
    }
}

#[test]
fn observe_own_hand_shows_nothing_without_a_seat() {
    assert_eq!(Viewer::with(&[Capability::ObserveOwnHand], None), Viewer::spectator());
    let other = [Capability::ActAsPlayer { player_index: Seat::ALL[2] }];
    assert_eq!(Viewer::with(&other, Seat::new(1)).seat, None, "acting for another seat gives no seat");
}

#[test]
fn key_hashes_match_only_their_key_and_are_never_printed() {
    let keys: Vec<SecretKey> = (0..128).map(|bit| SecretKey::new((1_u128 << bit).to_le_bytes())).collect();
    for (at, key) in keys.iter().enumerate() {
        let hash = KeyHash::of(key);
        assert!(keys.iter().enumerate().all(|(other, key)| hash.is_of(key) == (other == at)), "bit {at} counts");
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(json.len(), 66);
        assert_eq!(serde_json::from_str::<KeyHash>(&json).unwrap(), hash);
        assert_eq!(format!("{hash:?} {key:?}"), "KeyHash(…) SecretKey(…)");
    }
    for wrong in [r#""""#, r#""00""#, &format!("\"{}\"", "g".repeat(64))] {
        assert!(serde_json::from_str::<KeyHash>(wrong).is_err(), "{wrong}");
    }
}
