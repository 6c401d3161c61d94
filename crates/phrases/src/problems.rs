//! Renders problems. A problem without an entry does not compile.

use alloc::string::{String, ToString};

use crate::{
    Problem, Words, fill,
    nouns::{number, seat_number},
};

/// Maps each problem to its catalogue entry. The placeholders of the entry are the parameters, in order. A parameter
/// that counts from 0 names the function that turns it into the number that people read.
macro_rules! problems {
    ($($problem:ident $({ $($parameter:ident $(as $number:ident)?),+ })? => $entry:ident,)+) => {
        impl Words {
            /// What is wrong with a request: a sentence without capitalization or a period.
            pub fn problem(&self, problem: &Problem) -> String {
                match problem {
                    $(Problem::$problem $({ $($parameter),+ })? => {
                        fill(self.$entry, &[$($(&$($number)?(*$parameter).to_string()),+)?])
                    })+
                }
            }
        }
    };
}

problems! {
    // BadMessage
    Unreadable { detail } => problem_unreadable,
    NotText => problem_not_text,
    TooLong => problem_too_long,
    NotAnObject => problem_not_an_object,
    NotUtf8 => problem_not_utf8,
    KeyInBody => problem_key_in_body,
    NoTableNamed => problem_no_table_named,
    CreateFirst => problem_create_first,
    AlreadySetUp => problem_already_set_up,
    NeedsConnection => problem_needs_connection,
    GrantOrRevoke => problem_grant_or_revoke,
    CoachNeedsSeat => problem_coach_needs_seat,
    OnlyForSpectators => problem_only_for_spectators,
    InviteUses { most } => problem_invite_uses,
    LogUnreadable { detail } => problem_log_unreadable,
    LogTooLong { bytes } => problem_log_too_long,
    WrongMethod => problem_wrong_method,
    RequestTimeout => problem_request_timeout,
    UnreadableRequest => problem_unreadable_request,
    CreatorRole => problem_creator_role,
    SpectatorHasNoSeat => problem_spectator_has_no_seat,
    NameUnreadable => problem_name_unreadable,

    // BadConfig
    StarThresholds => problem_star_thresholds,
    SpeedDelay { most } => problem_speed_delay,
    ExcludedByTournament { layer } => problem_excluded_by_tournament,
    MarksOnly { layer } => problem_marks_only,
    NelloMinimum => problem_nello_minimum,
    ForcedBidMinimum => problem_forced_bid_minimum,
    ScriptIsForced => problem_script_is_forced,
    ScriptNotStraight => problem_script_not_straight,
    TooManyLayers { most } => problem_too_many_layers,
    LayerTwice { layer } => problem_layer_twice,
    TargetOutOfRange { target, most } => problem_target_out_of_range,
    TooManyDeals { most } => problem_too_many_deals,
    DealSize { deal as number, seat as number, dominoes } => problem_deal_size,
    DealtTwice { deal as number, domino } => problem_dealt_twice,
    NoPerson => problem_no_person,
    SeatForBot { seat as seat_number } => problem_seat_for_bot,
    SeatHasPerson { seat as seat_number } => problem_seat_has_person,
    CannotMarkImported => problem_cannot_mark_imported,
    DailyIsSeeded => problem_daily_is_seeded,
    DailyIsForOne => problem_daily_is_for_one,
    DailyHasOwnDeal => problem_daily_has_own_deal,
    SearchIsSeeded => problem_search_is_seeded,
    SearchedAtCreation => problem_searched_at_creation,
    PeopleNeedSecretDeals => problem_people_need_secret_deals,
    SeededIsForOne => problem_seeded_is_for_one,
    SearchIsForOne => problem_search_is_for_one,
    RatedNeedsSecretDeals => problem_rated_needs_secret_deals,
    RatedDrawsShaker => problem_rated_draws_shaker,
    RatedShowsNoHands => problem_rated_shows_no_hands,
    TurnSeconds => problem_turn_seconds,
    PauseTooLong { most } => problem_pause_too_long,
    ImportedCannotBeRated => problem_imported_cannot_be_rated,
    ImportedHasNoOpenHands => problem_imported_has_no_open_hands,

    // NoSuchGame
    NoSuchGame => problem_no_such_game,
    NoSuchGameInBrowser => problem_no_such_game_in_browser,
    NothingHere => problem_nothing_here,
    SetUpElsewhere => problem_set_up_elsewhere,
    UnknownCode => problem_unknown_code,

    // NotJoined
    JoinFirst => problem_join_first,
    ConnectionClosed => problem_connection_closed,
    SessionLeft => problem_session_left,

    // BadKey
    UnknownKey => problem_unknown_key,
    KeyNotRandom => problem_key_not_random,
    KeyAsBearer => problem_key_as_bearer,
    KeyMissing => problem_key_missing,
    KeyInUse => problem_key_in_use,
    KeyNeeded => problem_key_needed,
    InviteKey => problem_invite_key,
    InviteGone => problem_invite_gone,
    NoSuchInvite => problem_no_such_invite,
    WrongPersonKey => problem_wrong_person_key,
    MetricsArePrivate => problem_metrics_are_private,

    // NotAllowed
    UndoNotAllowed => problem_undo_not_allowed,
    ControlByRequest => problem_control_by_request,
    CannotActForSeat => problem_cannot_act_for_seat,
    AutomaticAction => problem_automatic_action,
    SeatPlayedByOther => problem_seat_played_by_other,
    PlaysFromNextDeal => problem_plays_from_next_deal,
    ControlChangeBetweenHands => problem_control_change_between_hands,
    CannotChangeControl => problem_cannot_change_control,
    WaitLonger { seconds } => problem_wait_longer,
    OnlyPlayersRematch => problem_only_players_rematch,
    OnlyPeopleAreReady => problem_only_people_are_ready,
    OnlyPlayersAllowCoach => problem_only_players_allow_coach,
    OnlyWatches => problem_only_watches,
    NoTalkWhereItCounts => problem_no_talk_where_it_counts,
    BotsAreSilent => problem_bots_are_silent,
    PhraseOfCoaches => problem_phrase_of_coaches,
    SeesHandsSilent => problem_sees_hands_silent,
    OnlyPlayersUndo => problem_only_players_undo,
    CoachInvitedByStudent => problem_coach_invited_by_student,
    CannotInvite => problem_cannot_invite,
    CannotConfigure => problem_cannot_configure,
    NoLobbyHere => problem_no_lobby_here,
    TurnedAway => problem_turned_away,
    KnockExpired => problem_knock_expired,
    LobbyClosed => problem_lobby_closed,
    InvitedBotsNotAllowed => problem_invited_bots_not_allowed,
    AdminNeedsOpenHands => problem_admin_needs_open_hands,
    RatedAllowsNoCoach => problem_rated_allows_no_coach,
    RatedAllowsNoHints => problem_rated_allows_no_hints,
    NeedsOpenHands => problem_needs_open_hands,
    OtherRole => problem_other_role,
    OtherSeat => problem_other_seat,
    OnlyWatchUninvited => problem_only_watch_uninvited,
    DealsAreKnown => problem_deals_are_known,
    RecordComesLater => problem_record_comes_later,
    OriginNotAllowed => problem_origin_not_allowed,
    OtherPlayersKey => problem_other_players_key,
    OthersRandomness => problem_others_randomness,
    CapabilityNotImported { right } => problem_capability_not_imported,
    MustReinvite { name } => problem_must_reinvite,
    SeatHasNoPlayer { seat as seat_number } => problem_seat_has_no_player,

    // SeatTaken
    SeatTaken => problem_seat_taken,
    BotKeepsSeat => problem_bot_keeps_seat,
    InviteUsed => problem_invite_used,

    // NotStarted
    GameNotStarted => problem_game_not_started,
    NoHandOver => problem_no_hand_over,
    NoGameBegun => problem_no_game_begun,

    // Refused
    SameControl => problem_same_control,
    GameNotOver => problem_game_not_over,
    GameHasStarted => problem_game_has_started,
    ReadinessNotUsed => problem_readiness_not_used,
    AlreadyReady => problem_already_ready,
    CoachAlready => problem_coach_already,
    CoachIsOff => problem_coach_is_off,
    StudentAway => problem_student_away,
    NotInStudentsHand => problem_not_in_students_hand,
    SpokeTooOften => problem_spoke_too_often,
    TooManyPhrases => problem_too_many_phrases,
    UndoAsked => problem_undo_asked,
    UndoAskedTooOften => problem_undo_asked_too_often,
    NothingToUndo => problem_nothing_to_undo,
    NoUndoToDecline => problem_no_undo_to_decline,
    SecretPublished => problem_secret_published,
    HiddenSeen => problem_hidden_seen,
    NameTaken => problem_name_taken,
    PlaysWithoutUndo { seat as seat_number } => problem_plays_without_undo,
    KnownHandIsOver => problem_known_hand_is_over,
    InvitePlays => problem_invite_plays,
    SomeoneSeesMore => problem_someone_sees_more,
    GuestGone => problem_guest_gone,
    AlreadyAtTable => problem_already_at_table,

    // Stale
    MovedOn => problem_moved_on,

    // RateLimited
    TooManyMessages => problem_too_many_messages,
    TooManyRequests => problem_too_many_requests,
    TooManyTables => problem_too_many_tables,
    TooManyConnections => problem_too_many_connections,
    ServerFull => problem_server_full,
    TooManyCodes => problem_too_many_codes,
    TooManyWithInvite => problem_too_many_with_invite,

    // Full
    TooManyControlChanges => problem_too_many_control_changes,
    TooManyConfigurations => problem_too_many_configurations,
    TableLogFull => problem_table_log_full,
    TooManyInvites => problem_too_many_invites,
    TableFull => problem_table_full,
    TooManyGuests => problem_too_many_guests,
    InviteWornOut => problem_invite_worn_out,
    CoachSwitchedTooOften => problem_coach_switched_too_often,
    LobbyFull => problem_lobby_full,

    // NotStored
    NotWritten { detail } => problem_not_written,
    NotRead { detail } => problem_not_read,
    LogLost => problem_log_lost,
    TableUnavailable => problem_table_unavailable,
    TableClosed => problem_table_closed,
    NoHandFound => problem_no_hand_found,
    SetUpTwice => problem_set_up_twice,
    CommitFailed => problem_commit_failed,
    CannotAnswer => problem_cannot_answer,
}
