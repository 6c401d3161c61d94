//! What every host must do, written once and run against each of them.
//!
//! A host implements [`Host`] and [`Line`]; [`conformance!`] turns each case of the suite into a test. Cases exchange
//! only messages, so a host on another runtime only has to transport text frames.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test reports where it fails by panicking")]

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

/// A client's connection to a host. Dropping it disconnects.
pub trait Line {
    /// Sends a frame of text.
    fn send(&mut self, text: &str);

    /// The next message; `None` if the connection is closed or nothing more will come.
    fn receive(&mut self) -> Option<Value>;

    /// The code with which the host closed the connection, if it did.
    fn closed(&self) -> Option<u16> {
        None
    }
}

/// A host of tables whose bots move at once.
pub trait Host {
    /// Opens a connection.
    fn connect(&mut self) -> Box<dyn Line>;

    /// Crashes the host and restarts it from its store. All connections are lost.
    fn restart(&mut self);

    /// Sends an HTTP request (method, path, key, body) and returns status and body; `None` if the host has no HTTP.
    fn request(&mut self, method: &str, path: &str, key: Option<&str>, body: &Value) -> Option<(u16, Value)>;
}

/// One case of the suite.
pub type Case = fn(&mut dyn Host);

/// Passes the list of all cases to another macro.
#[doc(hidden)]
#[macro_export]
macro_rules! each_case {
    ($then:ident $($more:tt)*) => {
        $crate::$then! {
            ($($more)*)
            flows {
                two_people_and_two_bots_play_a_game,
                a_person_hands_over_and_takes_back_a_seat_mid_trick,
                a_person_takes_the_seat_of_a_bot,
                a_spectator_and_a_coach_watch,
                a_dropped_connection_resumes,
                a_crash_of_the_host_loses_nothing,
                a_rematch_keeps_the_seats,
                a_game_starts_when_everyone_is_ready,
                an_offline_game_continues_online_with_friends,
                a_record_reveals_only_completed_hands,
            }
            messages {
                creates_a_table,
                a_repeated_create_request_returns_the_same_table,
                joins_with_an_invite_key,
                a_session_rejoins_with_its_key,
                update_versions_have_no_gaps,
                subscribing_sends_a_full_view,
                unsubscribing_stops_updates,
                a_repeated_request_executes_once,
                a_revoked_invite_is_rejected,
                an_invite_shows_the_seated_players,
                leaving_frees_the_seat,
                a_ping_is_answered,
                a_deal_search_reports_progress,
                the_daily_challenge_is_the_same_for_everyone,
                http_requests_play_a_game,
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
                an_error_has_the_request_id,
                every_refused_http_request_gets_an_error_body,
                public_ids_grant_nothing,
            }
        }
    };
}

/// Generates one test per case for a host: `conformance!(InProcess::new())`.
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

/// All cases by name, for a host that runs them itself.
pub const CASES: &[(&str, Case)] = each_case!(conformance_list);
