//! The only error type on the wire: a code for clients to act on, a reason with its parameters, and an English
//! sentence.

use alloc::{
    boxed::Box,
    string::{String, ToString},
};

use serde::{Deserialize, Deserializer, Serialize};
use texas42_phrases::{Problem, Reason, Words, capitalised};

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
    pub reason: Option<Box<Reason>>,
}

impl WireError {
    /// An error with this reason.
    pub fn new(reason: impl Into<Reason>) -> Self {
        let reason = reason.into();
        Self { code: code(&reason), message: reason.to_string(), field: None, reason: Some(Box::new(reason)) }
    }

    /// The same error, about one field.
    #[must_use]
    pub fn at(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }
}

impl WireError {
    /// The error as a sentence in the language of `words`, or in English if the reason is unknown.
    pub fn said(&self, words: &Words) -> String {
        capitalised(&self.reason.as_ref().map_or_else(|| self.message.clone(), |reason| words.reason(reason)))
    }
}

impl<R: Into<Reason>> From<R> for WireError {
    fn from(reason: R) -> Self {
        Self::new(reason)
    }
}

/// Drops an unknown reason; the message remains.
fn deserialize_known_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<Reason>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Known {
        Reason(Box<Reason>),
        Other(serde::de::IgnoredAny),
    }
    Ok(match Known::deserialize(deserializer)? {
        Known::Reason(reason) => Some(reason),
        Known::Other(_) => None,
    })
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
        AlreadySetUp, NeedsConnection, GrantOrRevoke, CoachNeedsSeat, OnlyForSpectators, InvitationUses { .. },
        LogUnreadable { .. }, LogTooLong { .. }, WrongMethod, RequestTimeout, UnreadableRequest;
    BadConfig: StarThresholds, SpeedDelay { .. }, BesideTournament { .. }, MarksOnly { .. }, NelloMinimum,
        ForcedBidMinimum, ScriptIsForced, ScriptNotStraight, TooManyLayers { .. }, LayerTwice { .. }, TargetOutOfRange
        { .. }, TooManyDeals { .. }, DealSize { .. }, DealtTwice { .. }, NoPerson, NotBrought, DailyIsSeeded,
        SearchIsSeeded, PeopleNeedSecretDeals, RatedNeedsSecretDeals, RatedShowsNoHands, TurnSeconds, PauseTooLong {
        .. }, BroughtNeverCounts, BroughtShowsNoHands;
    NoSuchGame: NoSuchGame, NoSuchGameInBrowser, NothingHere, SetUpElsewhere;
    NotJoined: JoinFirst, ConnectionClosed, PlaceGivenUp;
    BadKey: UnknownKey, KeyNotRandom, KeyAsBearer, KeyMissing, KeyInUse, KeyNeeded, InvitationKey, InvitationGone,
        NoSuchInvitation, NotBringersKey;
    NotAllowed: UndoNotAllowed, ControlByRequest, CannotActForSeat, TableDoesThat, SeatMovedByOther,
        CannotChangeControl, OnlyPlayersRematch, OnlyPeopleAreReady, OnlyWatches, OnlyPlayersUndo,
        CoachInvitedByStudent, CannotInvite, BotsAreCalled, AdminNeedsOpenHands, NoCoachWhereItCounts,
        NoHintsWhereItCounts, NeedsOpenHands, OtherRole, OtherSeat, OnlyWatchUninvited, DealsAreKnown,
        RecordComesLater, OriginNotAllowed, OtherPlayersKey, OthersRandomness, RightNotBrought { .. }, InvitedAnew {
        .. }, SeatUnmoved { .. };
    SeatTaken: SeatTaken, InvitationUsed;
    NotStarted: Gathering, NoHandOver, NoGameBegun;
    Refused: SameControl, GameNotOver, NobodyWaits, SaidReady, UndoAsked, UndoAskedTooOften, NothingToUndo,
        SecretIsOut, HiddenSeen, InvitationPlays;
    Stale: MovedOn;
    RateLimited: TooManyMessages, TooManyRequests, TooManyTables, TooManyConnections, ServerFull;
    Full: TooManyHandovers, TableWornOut, TooManyInvitations, TableFull, TooManyGuests;
    NotStored: NotWritten { .. }, NotRead { .. }, LogLost, TableAway, TableGivenUp, NoHandFound,
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
        assert_eq!(error.said(Language::Spanish.words()), "No luck today");
        assert_eq!(WireError::new(Problem::TableFull).said(Language::Spanish.words()), "La mesa está llena");
    }
}
