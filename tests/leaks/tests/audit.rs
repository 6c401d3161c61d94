//! Audits some games and checks that every role was compared.

use texas42_leaks::audit_games;

#[test]
fn nobody_receives_bytes_that_depend_on_hidden_dominoes() {
    let totals = audit_games(1, 60).unwrap_or_else(|leak| panic!("{leak}"));
    println!("{totals}");
    assert!(totals.shared_games >= 30, "{totals}");
    assert!(totals.thrown_in >= 8, "{totals}");
    for role in [
        "player",
        "student",
        "coach",
        "spectator",
        "open spectator",
        "delayed spectator",
        "very delayed spectator",
        "admin",
        "invited bot",
        "newcomer",
        "invitee",
        "stranger",
    ] {
        let count = totals.twins.get(role).copied().unwrap_or_default();
        assert!(count >= 5, "{role}: only {count} twins\n{totals}");
    }
}
