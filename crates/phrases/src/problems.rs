//! Renders problems. A problem without an entry does not compile.

use alloc::string::{String, ToString};

use crate::{Problem, Words, fill};

/// Maps each problem to its catalogue entry. The placeholders of the entry are the parameters, in order.
macro_rules! problems {
    ($($problem:ident $({ $($parameter:ident),+ })? => $entry:ident,)+) => {
        impl Words {
            /// What is wrong with a request: a sentence without capitalization or a period.
            pub fn problem(&self, problem: &Problem) -> String {
                match problem {
                    $(Problem::$problem $({ $($parameter),+ })? => {
                        fill(self.$entry, &[$($(&$parameter.to_string()),+)?])
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
    InvitationUses { most } => problem_invitation_uses,
    LogUnreadable { detail } => problem_log_unreadable,
    LogTooLong { bytes } => problem_log_too_long,
    WrongMethod => problem_wrong_method,
    RequestTimeout => problem_request_timeout,
    UnreadableRequest => problem_unreadable_request,

    // BadConfig
    StarThresholds => problem_star_thresholds,
    SpeedDelay { most } => problem_speed_delay,
    BesideTournament { layer } => problem_beside_tournament,
    MarksOnly { layer } => problem_marks_only,
    NelloMinimum => problem_nello_minimum,
    ForcedBidMinimum => problem_forced_bid_minimum,
    ScriptIsForced => problem_script_is_forced,
    ScriptNotStraight => problem_script_not_straight,
    TooManyLayers { most } => problem_too_many_layers,
    LayerTwice { layer } => problem_layer_twice,
    TargetOutOfRange { target, most } => problem_target_out_of_range,
    TooManyDeals { most } => problem_too_many_deals,
    DealSize { deal, seat, dominoes } => problem_deal_size,
    DealtTwice { deal, domino } => problem_dealt_twice,
    NoPerson => problem_no_person,
    NotBrought => problem_not_brought,
    DailyIsSeeded => problem_daily_is_seeded,
    SearchIsSeeded => problem_search_is_seeded,
    PeopleNeedSecretDeals => problem_people_need_secret_deals,
    RatedNeedsSecretDeals => problem_rated_needs_secret_deals,
    RatedShowsNoHands => problem_rated_shows_no_hands,
    TurnSeconds => problem_turn_seconds,
    PauseTooLong { most } => problem_pause_too_long,
    BroughtNeverCounts => problem_brought_never_counts,
    BroughtShowsNoHands => problem_brought_shows_no_hands,

    // NoSuchGame
    NoSuchGame => problem_no_such_game,
    NoSuchGameInBrowser => problem_no_such_game_in_browser,
    NothingHere => problem_nothing_here,
    SetUpElsewhere => problem_set_up_elsewhere,

    // NotJoined
    JoinFirst => problem_join_first,
    ConnectionClosed => problem_connection_closed,
    PlaceGivenUp => problem_place_given_up,

    // BadKey
    UnknownKey => problem_unknown_key,
    KeyNotRandom => problem_key_not_random,
    KeyAsBearer => problem_key_as_bearer,
    KeyMissing => problem_key_missing,
    KeyInUse => problem_key_in_use,
    KeyNeeded => problem_key_needed,
    InvitationKey => problem_invitation_key,
    InvitationGone => problem_invitation_gone,
    NoSuchInvitation => problem_no_such_invitation,
    NotBringersKey => problem_not_bringers_key,

    // NotAllowed
    UndoNotAllowed => problem_undo_not_allowed,
    ControlByRequest => problem_control_by_request,
    CannotActForSeat => problem_cannot_act_for_seat,
    TableDoesThat => problem_table_does_that,
    SeatMovedByOther => problem_seat_moved_by_other,
    CannotChangeControl => problem_cannot_change_control,
    OnlyPlayersRematch => problem_only_players_rematch,
    OnlyPeopleAreReady => problem_only_people_are_ready,
    OnlyWatches => problem_only_watches,
    OnlyPlayersUndo => problem_only_players_undo,
    CoachInvitedByStudent => problem_coach_invited_by_student,
    CannotInvite => problem_cannot_invite,
    BotsAreCalled => problem_bots_are_called,
    AdminNeedsOpenHands => problem_admin_needs_open_hands,
    NoCoachWhereItCounts => problem_no_coach_where_it_counts,
    NoHintsWhereItCounts => problem_no_hints_where_it_counts,
    NeedsOpenHands => problem_needs_open_hands,
    OtherRole => problem_other_role,
    OtherSeat => problem_other_seat,
    OnlyWatchUninvited => problem_only_watch_uninvited,
    DealsAreKnown => problem_deals_are_known,
    RecordComesLater => problem_record_comes_later,
    OriginNotAllowed => problem_origin_not_allowed,
    OtherPlayersKey => problem_other_players_key,
    OthersRandomness => problem_others_randomness,
    RightNotBrought { right } => problem_right_not_brought,
    InvitedAnew { name } => problem_invited_anew,
    SeatUnmoved { seat } => problem_seat_unmoved,

    // SeatTaken
    SeatTaken => problem_seat_taken,
    InvitationUsed => problem_invitation_used,

    // NotStarted
    Gathering => problem_gathering,
    NoHandOver => problem_no_hand_over,
    NoGameBegun => problem_no_game_begun,

    // Refused
    SameControl => problem_same_control,
    GameNotOver => problem_game_not_over,
    NobodyWaits => problem_nobody_waits,
    SaidReady => problem_said_ready,
    UndoAsked => problem_undo_asked,
    UndoAskedTooOften => problem_undo_asked_too_often,
    NothingToUndo => problem_nothing_to_undo,
    SecretIsOut => problem_secret_is_out,
    HiddenSeen => problem_hidden_seen,
    InvitationPlays => problem_invitation_plays,

    // Stale
    MovedOn => problem_moved_on,

    // RateLimited
    TooManyMessages => problem_too_many_messages,
    TooManyRequests => problem_too_many_requests,
    TooManyTables => problem_too_many_tables,
    TooManyConnections => problem_too_many_connections,
    ServerFull => problem_server_full,

    // Full
    TooManyHandovers => problem_too_many_handovers,
    TableWornOut => problem_table_worn_out,
    TooManyInvitations => problem_too_many_invitations,
    TableFull => problem_table_full,
    TooManyGuests => problem_too_many_guests,

    // NotStored
    NotWritten { detail } => problem_not_written,
    NotRead { detail } => problem_not_read,
    LogLost => problem_log_lost,
    TableAway => problem_table_away,
    TableGivenUp => problem_table_given_up,
    NoHandFound => problem_no_hand_found,
    SetUpTwice => problem_set_up_twice,
    CommitFailed => problem_commit_failed,
    CannotAnswer => problem_cannot_answer,
}
