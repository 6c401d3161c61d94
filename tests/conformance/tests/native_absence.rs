//! The cases about absence against the native server, whose clock is advanced. The clock is that of the whole process, so
//! there is one test, in a separate process.

use texas42_conformance::{absence, native::Native};

#[test]
fn a_table_continues_without_absent_and_silent_people() {
    for case in [
        absence::a_player_who_vanished_before_being_ready_is_replaced,
        absence::a_player_who_vanished_is_replaced_until_returning,
        absence::a_silent_player_is_replaced_on_request,
        absence::a_silent_invited_bot_is_replaced,
        absence::an_invited_bot_that_died_is_replaced_and_returns,
        absence::another_player_acts_as_host_while_the_host_is_absent,
    ] {
        case(&mut Native::with_clock());
    }
}
