//! The wall clock of the native server's machine is set back. The clock is that of the whole process, so there is one test,
//! in a process of its own.

use texas42_client::Pace;
use texas42_conformance::{
    native::Native,
    player::{Player, play_until},
};
use texas42_server::serve::{now, set_wall_clock_back};

const SECONDS: u64 = 1000;
const DAYS: u64 = 24 * 3600 * SECONDS;

/// A player waits for a message for 20 seconds; a server that read the wall clock would let its bots wait for days.
#[test]
fn a_wall_clock_that_is_set_back_stalls_no_bot() {
    let mut host = Native::with(|settings| settings.pace = Pace { min: 20, max: 60 });
    for back in [20 * SECONDS, 2 * DAYS] {
        let mut ann = Player::create(&mut host, "haaa", 7);
        play_until(&mut [&mut ann], |players| players[0].choice().is_some());
        let before = now();
        set_wall_clock_back(back);
        assert!(now() >= before, "the clock of the server went back by {} ms", before - now());
        let events = ann.view().state.events;
        play_until(&mut [&mut ann], |players| players[0].view().state.events >= events + 8);
    }
}
