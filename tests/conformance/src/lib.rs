//! What every home of a table must do, written once and run against each of them.
//!
//! A home implements [`Host`] and [`Line`]; [`conformance!`] turns the suite into one test for each case. Cases speak in
//! messages only, so a host on another runtime plugs in by carrying text frames.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test that cannot go on has to say where")]

pub mod browser;
pub mod errors;
pub mod flows;
pub mod in_process;
pub mod messages;
pub mod native;
pub mod player;
pub mod recording;
pub mod scratch;

use serde_json::Value;

/// A connection to a host, as a client has it. Dropping it drops the line.
pub trait Line {
    /// Sends a frame of text.
    fn send(&mut self, text: &str);

    /// The next message, or nothing when none comes: the line is closed, or everything is silent.
    fn receive(&mut self) -> Option<Value>;

    /// The code with which the other side closed it, where it did.
    fn closed(&self) -> Option<u16> {
        None
    }
}

/// A home of tables. Programs on seats move at once.
pub trait Host {
    /// A new connection.
    fn connect(&mut self) -> Box<dyn Line>;

    /// The host dies and comes back with what it has stored. Every line is gone.
    fn restart(&mut self);

    /// A plain request (method, path, key, body) and its answer with its status, where the host has such.
    fn request(&mut self, method: &str, path: &str, key: Option<&str>, body: &Value) -> Option<(u16, Value)>;
}

/// One case of the suite.
pub type Case = fn(&mut dyn Host);

/// Every case, handed on to another macro together with what stands behind its name.
#[doc(hidden)]
#[macro_export]
macro_rules! each_case {
    ($then:ident $($more:tt)*) => {
        $crate::$then! {
            ($($more)*)
            flows {
                two_people_and_two_programs_play_a_game,
                a_person_hands_over_and_takes_back_in_the_middle_of_a_trick,
                a_person_takes_the_seat_of_a_program,
                a_spectator_and_a_coach_watch,
                a_dropped_line_comes_back,
                a_host_that_dies_forgets_nothing,
                a_rematch_keeps_the_seats,
                a_game_begins_when_everybody_is_ready,
                a_game_of_a_device_goes_on_with_friends,
                a_record_tells_the_hands_that_are_over_and_no_other,
            }
            messages {
                a_table_is_set_up,
                a_repeated_creation_finds_the_same_table,
                joining_needs_a_key,
                a_session_comes_back_with_its_key,
                updates_are_numbered_without_gaps,
                subscribing_gives_a_full_view,
                unsubscribing_gives_silence,
                a_request_is_done_once,
                an_invitation_is_taken_back,
                an_invitation_shows_who_sits_there,
                leaving_gives_the_seat_up,
                a_ping_is_answered,
                looking_for_a_hand_tells_progress,
                the_hand_of_the_day_is_the_same_for_everybody,
                plain_requests_do_the_same,
            }
            errors {
                bad_message,
                bad_config,
                no_such_game,
                not_joined,
                bad_key,
                not_allowed,
                seat_taken,
                not_started,
                refused,
                stale,
                full,
                a_refused_message_keeps_its_number,
                every_refusal_of_a_request_is_said,
                nobody_acts_or_sees_with_public_ids,
            }
        }
    };
}

/// Makes one test of each case for a host: `conformance!(InProcess::new())`.
#[macro_export]
macro_rules! conformance {
    ($host:expr) => {
        $crate::each_case! { conformance_tests $host }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    (($host:expr) $($module:ident { $($case:ident,)+ })+) => {
        $(mod $module {
            #[allow(unused_imports, reason = "the host may be named by its full path")]
            use super::*;
            $(#[test]
            fn $case() {
                $crate::$module::$case(&mut $host);
            })+
        })+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! conformance_list {
    (() $($module:ident { $($case:ident,)+ })+) => {
        &[$($((stringify!($case), $module::$case as Case),)+)+]
    };
}

/// All cases by their names, for a host that runs them by itself.
pub const CASES: &[(&str, Case)] = each_case!(conformance_list);
