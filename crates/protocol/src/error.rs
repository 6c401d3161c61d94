//! The only error type on the wire: a code for clients to act on, a reason with its parameters, and an English
//! sentence.

use alloc::{
    string::{String, ToString},
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use texas42_phrases::{Problem, Reason, Words, capitalized};
use texas42_vocab::{Seat, read_value};

/// The kind of an error, for clients to act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// The message cannot be read.
    BadMessage,
    /// The configuration is not playable.
    BadConfig,
    /// The game does not exist here.
    NoSuchGame,
    /// The connection has not joined a table.
    NotJoined,
    /// The key is unknown, or no longer valid.
    BadKey,
    /// The session lacks the capability.
    NotAllowed,
    /// The seat is taken, or no seat is free.
    SeatTaken,
    /// The game has not started yet.
    NotStarted,
    /// The rules do not allow the action.
    Refused,
    /// The action was based on an older version of the table.
    Stale,
    /// Too many requests; try again later.
    RateLimited,
    /// The table has reached its limit of sessions or invites.
    Full,
    /// The table could not store the event; nothing has happened.
    NotStored,
}

/// An error on the wire. Construct it from its reason: code and message follow from that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireError {
    /// The kind of the error.
    pub code: ErrorCode,
    /// The reason as an English sentence, for logs.
    pub message: String,
    /// The invalid field, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The reason. Absent if a newer version sent one that is unknown here.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_known_reason")]
    pub reason: Option<Arc<Reason>>,
}

impl WireError {
    /// An error with this reason.
    pub fn new(reason: impl Into<Reason>) -> Self {
        let reason = reason.into();
        Self { code: code(&reason), message: reason.to_string(), field: None, reason: Some(Arc::new(reason)) }
    }

    /// The same error, about one field.
    #[must_use]
    pub fn at(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }
}

impl WireError {
    /// The error as a sentence in the language of `words`, or in English if the reason is unknown.
    pub fn sentence(&self, words: &Words) -> String {
        capitalized(&self.reason.as_ref().map_or_else(|| self.message.clone(), |reason| words.reason(reason)))
    }

    /// The same sentence for a reader who knows the players: `own` is the reader's seat, and `name` the name of the
    /// player on another seat.
    pub fn sentence_naming(&self, words: &Words, own: Option<Seat>, name: impl Fn(Seat) -> String) -> String {
        match &self.reason {
            Some(reason) => capitalized(&words.reason_naming(reason, own, name)),
            None => self.sentence(words),
        }
    }
}

impl<R: Into<Reason>> From<R> for WireError {
    fn from(reason: R) -> Self {
        Self::new(reason)
    }
}

/// Drops an unknown reason; the message remains.
fn deserialize_known_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<Reason>>, D::Error> {
    Ok(read_value(Value::deserialize(deserializer)?).ok())
}

/// Maps each problem to its code. A problem without a code does not compile.
macro_rules! codes {
    ($($code:ident: $($problem:ident $({ $($all:tt)+ })?),+;)+) => {
        fn code(reason: &Reason) -> ErrorCode {
            match reason {
                Reason::Rule(_) => ErrorCode::Refused,
                $($(Reason::Request(Problem::$problem $({ $($all)+ })?) => ErrorCode::$code,)+)+
            }
        }
    };
}

codes! {
    BadMessage: Unreadable { .. }, NotText, TooLong, NotAnObject, NotUtf8, KeyInBody, NoTableNamed, CreateFirst,
        AlreadySetUp, NeedsConnection, GrantOrRevoke, CoachNeedsSeat, OnlyForSpectators, InviteUses { .. },
        LogUnreadable { .. }, LogTooLong { .. }, WrongMethod, RequestTimeout, UnreadableRequest, CreatorRole, SpectatorHasNoSeat,
        NameUnreadable;
    BadConfig: StarThresholds, SpeedDelay { .. }, ExcludedByTournament { .. }, MarksOnly { .. }, NelloMinimum,
        ForcedBidMinimum, ScriptIsForced, ScriptNotStraight, TooManyLayers { .. }, LayerTwice { .. }, TargetOutOfRange
        { .. }, TooManyDeals { .. }, DealSize { .. }, DealtTwice { .. }, NoPerson, CannotMarkImported, DailyIsSeeded,
        DailyIsForOne, DailyHasOwnDeal, RatedDrawsShaker, SearchIsSeeded, PeopleNeedSecretDeals, SeededIsForOne, SearchIsForOne, RatedNeedsSecretDeals, RatedShowsNoHands, TurnSeconds, PauseTooLong {
        .. }, ImportedCannotBeRated, ImportedHasNoOpenHands, SeatForBot { .. }, SeatHasPerson { .. }, SearchedAtCreation;
    NoSuchGame: NoSuchGame, NoSuchGameInBrowser, NothingHere, SetUpElsewhere, UnknownCode;
    NotJoined: JoinFirst, ConnectionClosed, SessionLeft;
    BadKey: UnknownKey, KeyNotRandom, KeyAsBearer, KeyMissing, KeyInUse, KeyNeeded, InviteKey, InviteGone,
        NoSuchInvite, WrongPersonKey, MetricsArePrivate;
    NotAllowed: UndoNotAllowed, ControlByRequest, CannotActForSeat, AutomaticAction, SeatPlayedByOther, PlaysFromNextDeal,
        ControlChangeBetweenHands, CannotChangeControl, WaitLonger { .. }, OnlyPlayersRematch, OnlyPeopleAreReady, OnlyPlayersAllowCoach, OnlyWatches,
        NoTalkWhereItCounts, BotsAreSilent, PhraseOfCoaches, SeesHandsSilent, OnlyPlayersUndo,
        CoachInvitedByStudent, CannotInvite, InvitedBotsNotAllowed, AdminNeedsOpenHands, RatedAllowsNoCoach,
        RatedAllowsNoHints, NeedsOpenHands, OtherRole, OtherSeat, OnlyWatchUninvited, DealsAreKnown,
        RecordComesLater, OriginNotAllowed, OtherPlayersKey, OthersRandomness, CapabilityNotImported { .. }, MustReinvite {
        .. }, SeatHasNoPlayer { .. }, CannotConfigure, NoLobbyHere, TurnedAway, KnockExpired, LobbyClosed;
    SeatTaken: SeatTaken, BotKeepsSeat, InviteUsed;
    NotStarted: GameNotStarted, NoHandOver, NoGameBegun;
    Refused: SameControl, GameNotOver, ReadinessNotUsed, AlreadyReady, UndoAsked, UndoAskedTooOften, NothingToUndo,
        NoUndoToDecline, SecretPublished, HiddenSeen, PlaysWithoutUndo { .. }, NameTaken, KnownHandIsOver, InvitePlays,
        GameHasStarted, SomeoneSeesMore, GuestGone, AlreadyAtTable, CoachAlready, CoachIsOff, StudentAway,
        NotInStudentsHand, SpokeTooOften, TooManyPhrases;
    Stale: MovedOn;
    RateLimited: TooManyMessages, TooManyRequests, TooManyTables, TooManyConnections, ServerFull, TooManyCodes,
        TooManyWithInvite;
    Full: TooManyControlChanges, TooManyConfigurations, TableLogFull, TooManyInvites, TableFull, TooManyGuests, LobbyFull,
        InviteWornOut, CoachSwitchedTooOften;
    NotStored: NotWritten { .. }, NotRead { .. }, LogLost, TableUnavailable, TableClosed, NoHandFound,
        SetUpTwice, CommitFailed, CannotAnswer;
}

#[cfg(test)]
mod tests {
    use texas42_phrases::{Language, Refusal};
    use texas42_vocab::Seat;

    use super::*;

    #[test]
    fn code_and_message_follow_from_the_reason() {
        let error = WireError::new(Problem::TableFull);
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::Full, "the table is full"));
        let text = r#"{"code":"full","message":"the table is full","reason":{"code":"table-full"}}"#;
        assert_eq!(serde_json::to_string(&error).unwrap(), text);
        assert_eq!(serde_json::from_str::<WireError>(text).unwrap(), error);
    }

    #[test]
    fn a_refusal_carries_its_rule() {
        let error = WireError::new(Refusal::NotYourTurn { turn: Seat::ALL[2] }).at("action");
        let value = serde_json::to_value(&error).unwrap();
        assert_eq!(value["reason"], serde_json::json!({ "rule": "not-your-turn", "turn": 2 }));
        assert_eq!(serde_json::from_value::<WireError>(value).unwrap(), error);
    }

    #[test]
    fn an_unknown_reason_keeps_the_message() {
        let text = r#"{"code":"refused","message":"no luck today","reason":{"rule":"bad-luck","days":3}}"#;
        let error: WireError = serde_json::from_str(text).unwrap();
        assert_eq!((error.message.as_str(), &error.reason), ("no luck today", &None));
        assert_eq!(error.sentence(Language::Spanish.words()), "No luck today");
        assert_eq!(WireError::new(Problem::TableFull).sentence(Language::Spanish.words()), "La mesa está llena");
    }
}
