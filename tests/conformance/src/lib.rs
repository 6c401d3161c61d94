//! What every host must do, written once and run against each of them.
//!
//! A host implements [`Host`] and [`Connection`]; [`conformance!`] turns each case of the suite into a test. Cases
//! exchange only messages, so a host on another runtime only has to transport text frames.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test reports where it fails by panicking")]

pub mod absence;
pub mod browser;
pub mod capabilities;
pub mod errors;
pub mod fairness;
pub mod flows;
pub mod in_process;
pub mod lobby;
pub mod messages;
pub mod native;
pub mod newcomers;
pub mod player;
pub mod recording;
pub mod scratch;
pub mod speech;
pub mod wait;

use serde_json::Value;

/// A client's connection to a host. Dropping it disconnects.
pub trait Connection {
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
    fn connect(&mut self) -> Box<dyn Connection>;

    /// Crashes the host and restarts it from its store. All connections are lost.
    fn restart(&mut self);

    /// Advances the clock of the host, if the test controls it. The tables notice with their next message. Returns whether
    /// it did; a case that needs it ends otherwise.
    fn advance(&mut self, _milliseconds: u64) -> bool {
        false
    }

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
                a_person_takes_any_seat_that_a_bot_plays,
                nobody_takes_the_seat_of_an_absent_person,
                a_creator_without_a_seat_takes_that_of_a_bot,
                a_spectator_and_a_coach_watch,
                a_student_and_a_coach_get_hints,
                a_dropped_connection_resumes,
                a_crash_of_the_host_loses_nothing,
                a_rematch_keeps_the_seats,
                a_game_starts_when_everyone_is_ready,
                an_offline_game_continues_online_with_friends,
                a_record_reveals_only_completed_hands,
                an_invited_bot_plays_and_a_person_replaces_it,
                an_invited_bot_plays_over_http,
                a_daily_challenge_is_played_to_its_last_trick,
                a_deal_that_was_thrown_in_stays_hidden,
            }
            absence {
                nobody_waits_for_a_player_who_left_before_the_game,
                a_player_who_vanished_before_being_ready_is_replaced,
                a_player_who_vanished_is_replaced_until_returning,
                a_silent_player_is_replaced_on_request,
                a_silent_invited_bot_is_replaced,
                an_invited_bot_that_died_is_replaced_and_returns,
                another_player_acts_as_host_while_the_host_is_absent,
                the_limit_of_control_changes_is_per_player,
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
                an_undo_request_is_declined,
                an_invite_shows_the_seated_players,
                leaving_keeps_the_seat,
                giving_up_frees_the_seat,
                a_ping_is_answered,
                a_deal_search_reports_progress,
                the_daily_challenge_is_the_same_for_everyone,
                http_requests_play_a_game,
                http_offers_every_request_of_a_session,
                http_has_the_hints_of_the_host,
            }
            capabilities {
                a_student_takes_back_a_play_in_the_tutorial,
                nothing_is_undone_past_a_player_without_undo,
                a_table_with_hints_grants_see_hints_to_its_people,
                a_player_who_asks_for_no_hints_gets_none,
                a_view_contains_the_times_of_the_table,
                a_creator_watches_a_game_of_bots,
                a_creator_coaches,
                the_host_changes_the_rules_before_the_first_game,
                the_host_changes_the_rules_with_a_rematch,
                an_http_request_changes_the_rules,
                a_table_chooses_the_strength_of_each_bot,
                new_rules_change_the_strength_of_a_bot,
                a_bot_without_replace_ai_keeps_its_seat,
                only_seats_that_a_person_may_take_are_marked,
                no_other_bot_takes_the_seat_of_an_absent_one,
                an_invited_bot_is_never_asked,
                a_spectator_sees_the_hands_that_the_invite_shows,
                an_admin_sees_what_is_withheld_from_others,
            }
            fairness {
                known_deals_are_for_one_person,
                a_creator_does_not_choose_the_hand_of_the_day,
                a_rematch_has_no_known_deals,
                a_rated_table_has_no_invited_bots,
                the_committed_secret_draws_the_first_shaker,
                friends_do_not_play_a_hand_of_the_device,
            }
            newcomers {
                a_friend_invited_in_mid_hand_plays_from_the_next_deal,
                sitting_down_and_leaving_shows_one_hand,
                a_rated_table_seats_people_between_hands,
                a_rated_hand_is_not_handed_to_a_bot,
            }
            lobby {
                the_host_lets_in_a_guest_with_a_code,
                a_guest_who_is_not_let_in_is_told,
                a_code_shows_a_stranger_who_plays_what,
                http_requests_lead_through_the_lobby,
                a_lobby_can_be_opened_again_after_a_crash,
                a_code_and_a_guest_expire,
            }
            speech {
                people_say_phrases,
                a_repeated_phrase_is_said_once_and_gets_the_same_answer,
                a_coach_points_and_the_student_turns_it_off,
                a_session_that_sees_hands_is_silent_during_a_hand,
                the_visitors_of_a_link_cannot_silence_the_players,
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
                names_are_readable_and_unique,
                the_visitors_of_a_link_come_at_a_limited_rate,
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
        &[$($((stringify!($module), $module::$case as Case),)+)+]
    };
}

/// All cases with their modules, for a host that runs them itself.
pub const CASES: &[(&str, Case)] = each_case!(conformance_list);

/// The cases of a module.
pub fn cases_of(module: &str) -> impl Iterator<Item = Case> {
    CASES.iter().filter(move |(name, _)| *name == module).map(|(_, case)| *case)
}
