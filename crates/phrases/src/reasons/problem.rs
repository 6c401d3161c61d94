//! What is wrong with a request, apart from the rules of the game.

use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Serialize};
use texas42_vocab::{Domino, Seat};

use crate::Language;

/// Why a table or its host refuses a request. The comments are the English sentences, with the parameters left open.
///
/// A `detail` is what a parser or a store reports to developers; it is not translated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Problem {
    /// The message cannot be read: ….
    Unreadable {
        /// What the reader or the store says about it.
        detail: String,
    },
    /// Messages are JSON text.
    NotText,
    /// The message is too long.
    TooLong,
    /// The body is a JSON object.
    NotAnObject,
    /// The body is not UTF-8.
    NotUtf8,
    /// The key goes into the Authorization header.
    KeyInBody,
    /// The message names no table.
    NoTableNamed,
    /// A table begins with CREATE_GAME.
    CreateFirst,
    /// This table is set up already.
    AlreadySetUp,
    /// That needs a connection.
    NeedsConnection,
    /// An INVITE has either a grant or a number to revoke.
    GrantOrRevoke,
    /// A coach needs the seat of a student.
    CoachNeedsSeat,
    /// OpenHands and delayHands are for spectators.
    OnlyForSpectators,
    /// An invitation is for 1 to … people.
    InvitationUses {
        /// The most that is allowed.
        most: u16,
    },
    /// The log cannot be replayed: ….
    LogUnreadable {
        /// What the reader or the store says about it.
        detail: String,
    },
    /// A log has at most … bytes; play on where it is, or set up a new table.
    LogTooLong {
        /// The most bytes.
        bytes: u32,
    },
    /// This address wants another method.
    WrongMethod,
    /// The request took too long to arrive.
    RequestTimeout,
    /// This request cannot be read; /api says what can be asked.
    UnreadableRequest,
    /// Daily-challenge: starThresholds are three rising points from 1 to 42.
    StarThresholds,
    /// Speed: delay is at most … milliseconds.
    SpeedDelay {
        /// The most that is allowed.
        most: u16,
    },
    /// Tournament is straight 42 and cannot stand beside …; leave out one of them.
    BesideTournament {
        /// The name of the layer.
        layer: String,
    },
    /// … is played for marks; set scoring to "marks" or leave … out.
    MarksOnly {
        /// The name of the layer.
        layer: String,
    },
    /// Nello: minimum is a number of marks from 1 to 4.
    NelloMinimum,
    /// Forced-bid: minimum is a bid from 30 to 42.
    ForcedBidMinimum,
    /// One-hand: a scripted auction forces nobody; leave out forced-bid or the script.
    ScriptIsForced,
    /// One-hand: a script bids 30 to 41 points or 1 to 2 marks and names one of the nine trumps.
    ScriptNotStraight,
    /// At most … layers fit on one table.
    TooManyLayers {
        /// The most that is allowed.
        most: u16,
    },
    /// … stands twice; leave one out.
    LayerTwice {
        /// The name of the layer.
        layer: String,
    },
    /// … is out of range; 1 to … can be played to.
    TargetOutOfRange {
        /// What was asked for.
        target: u16,
        /// The most that is allowed.
        most: u16,
    },
    /// At most … deals can be given.
    TooManyDeals {
        /// The most that is allowed.
        most: u16,
    },
    /// Deal …: seat … has … dominoes and needs 7.
    DealSize {
        /// Which deal, counted from 0.
        deal: u16,
        /// Which seat.
        seat: u8,
        /// How many it has.
        dominoes: u8,
    },
    /// Deal …: … is dealt twice.
    DealtTwice {
        /// Which deal, counted from 0.
        deal: u16,
        /// Which domino.
        domino: Domino,
    },
    /// A table needs a seat for a person.
    NoPerson,
    /// A new table is not brought along from elsewhere; leave it out.
    NotBrought,
    /// A daily challenge is the same hand for everybody; set table.deal to "seeded".
    DailyIsSeeded,
    /// A hand that is as hard as wanted is looked for; set table.deal to "seeded".
    SearchIsSeeded,
    /// With several people the deals are secret; leave out the seed and the deals.
    PeopleNeedSecretDeals,
    /// A table that counts deals in secret; leave out the seed and the deals.
    RatedNeedsSecretDeals,
    /// A table that counts shows no hand before it is over.
    RatedShowsNoHands,
    /// A turn has 5 to 3600 seconds.
    TurnSeconds,
    /// A pause has at most … milliseconds.
    PauseTooLong {
        /// The most that is allowed.
        most: u16,
    },
    /// A game that was dealt on a player's device never counts.
    BroughtNeverCounts,
    /// Nobody is shown the hands of a game that is brought along.
    BroughtShowsNoHands,
    /// There is no such game here.
    NoSuchGame,
    /// There is no such game in this browser.
    NoSuchGameInBrowser,
    /// There is nothing here.
    NothingHere,
    /// A table is set up at /api/ws or with POST /api/games.
    SetUpElsewhere,
    /// Join the table first.
    JoinFirst,
    /// The table closed this connection for good.
    ConnectionClosed,
    /// This place at the table is given up.
    PlaceGivenUp,
    /// The key opens nothing at this table.
    UnknownKey,
    /// A key is made of 16 random bytes.
    KeyNotRandom,
    /// A key is sent as `Authorization: Bearer KEY`.
    KeyAsBearer,
    /// The key of your own seat is missing.
    KeyMissing,
    /// That key is in use; make another.
    KeyInUse,
    /// This table is by invitation; a key is needed.
    KeyNeeded,
    /// The key of an invitation is not a session's; make one.
    InvitationKey,
    /// That invitation was made, and is gone.
    InvitationGone,
    /// There is no such invitation.
    NoSuchInvitation,
    /// The key is not that of a person who sits at the brought table.
    NotBringersKey,
    /// Taking back is not open to this session.
    UndoNotAllowed,
    /// Control is changed with SET_PLAYER_CONTROL.
    ControlByRequest,
    /// This session cannot act for that seat.
    CannotActForSeat,
    /// The table does that by itself.
    TableDoesThat,
    /// Somebody else moves this seat now; take it back first.
    SeatMovedByOther,
    /// This session cannot change who moves that seat.
    CannotChangeControl,
    /// Only players ask for another game.
    OnlyPlayersRematch,
    /// Only people who play are asked whether they are ready.
    OnlyPeopleAreReady,
    /// Those who came without a key only watch.
    OnlyWatches,
    /// Only those who play take back.
    OnlyPlayersUndo,
    /// A coach is invited by the student.
    CoachInvitedByStudent,
    /// This session cannot invite.
    CannotInvite,
    /// Programs are called by SET_PLAYER_CONTROL.
    BotsAreCalled,
    /// Nobody is invited to see and change everything, unless the table has openHands.
    AdminNeedsOpenHands,
    /// Nobody is coached at a table that counts.
    NoCoachWhereItCounts,
    /// Nobody has hints alone at a table that counts.
    NoHintsWhereItCounts,
    /// Hands are shown while they are played only at a table with openHands, or a hand later.
    NeedsOpenHands,
    /// The invitation is for another role.
    OtherRole,
    /// The invitation is for another seat.
    OtherSeat,
    /// Without an invitation one can only watch.
    OnlyWatchUninvited,
    /// Whoever set this table up can know the deals, so nobody else plays here.
    DealsAreKnown,
    /// This session sees the game some hands later; its record is there when the game is over.
    RecordComesLater,
    /// Pages of this origin may not use this server; its owner can allow it.
    OriginNotAllowed,
    /// The key is of another player; leave playerId out to see what your own session may do.
    OtherPlayersKey,
    /// Other people's randomness is in the deals; only a game of one's own is brought.
    OthersRandomness,
    /// Nobody brings along the right to ….
    RightNotBrought {
        /// The name of the capability.
        right: String,
    },
    /// … is invited anew; only the own seat is brought along.
    InvitedAnew {
        /// Whom.
        name: String,
    },
    /// Nobody sits on seat …, and no program moves it.
    SeatUnmoved {
        /// Which seat.
        seat: Seat,
    },
    /// That seat is taken, or none is free.
    SeatTaken,
    /// The invitation was used already; ask for another.
    InvitationUsed,
    /// The players are still gathering.
    Gathering,
    /// No hand is over yet.
    NoHandOver,
    /// No game has begun there; set up a new table.
    NoGameBegun,
    /// That seat is moved like that already.
    SameControl,
    /// The game is not over yet.
    GameNotOver,
    /// This table waits for nobody to be ready.
    NobodyWaits,
    /// You have said that; the others are not ready yet.
    SaidReady,
    /// You have asked for that; the others have to agree.
    UndoAsked,
    /// Taking back was asked for too often; play on first.
    UndoAskedTooOften,
    /// There is nothing to take back.
    NothingToUndo,
    /// The secret of the deals is out, so the game is over; play again.
    SecretIsOut,
    /// Hidden dominoes have been seen since; this table counts.
    HiddenSeen,
    /// Somebody plays with it, and this table counts.
    InvitationPlays,
    /// The table has moved on; here is how it stands now.
    MovedOn,
    /// Too many messages; wait a second and send it again.
    TooManyMessages,
    /// Too many requests; try again in a second.
    TooManyRequests,
    /// Too many new tables from this address; wait a minute.
    TooManyTables,
    /// This address has as many connections as it may have.
    TooManyConnections,
    /// The server has as many tables as it can hold; try again later.
    ServerFull,
    /// Seats were handed over too often in this game.
    TooManyHandovers,
    /// This table has seen as much as a table can; set up a new one.
    TableWornOut,
    /// Too many invitations are open; revoke some.
    TooManyInvitations,
    /// The table is full.
    TableFull,
    /// This table has seen as many guests as a table can.
    TooManyGuests,
    /// Nothing has happened, because it could not be written down: ….
    NotWritten {
        /// What the reader or the store says about it.
        detail: String,
    },
    /// The table could not be read: ….
    NotRead {
        /// What the reader or the store says about it.
        detail: String,
    },
    /// The log of this table cannot be read any more.
    LogLost,
    /// The table is not there now; try again.
    TableAway,
    /// The table was given up for what was asked after it.
    TableGivenUp,
    /// No hand was found; try again.
    NoHandFound,
    /// The same table is being set up at this moment; try again.
    SetUpTwice,
    /// The last commit failed.
    CommitFailed,
    /// This cannot be answered now; try again.
    CannotAnswer,
}

/// Formats the reason in English, for logs. Clients render it in the reader's language.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Language::English.words().problem(self))
    }
}

impl core::error::Error for Problem {}
