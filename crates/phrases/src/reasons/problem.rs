//! What is wrong with a request, apart from the rules of the game.

use alloc::string::String;
use core::fmt;

use texas42_vocab::{Domino, Seat};

use super::tagged::tagged;
use crate::Language;

tagged! {
    tag = "code";

    /// Why a table or its host refuses a request. Each description is the English sentence, with `…` for each parameter.
    ///
    /// A `detail` is what a parser or a store reports to developers; it is not translated.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
        /// The body must be a JSON object.
        NotAnObject,
        /// The body is not UTF-8.
        NotUtf8,
        /// Send the key in the Authorization header, not in the body.
        KeyInBody,
        /// The message names no table.
        NoTableNamed,
        /// No table is open on this connection; send CREATE_GAME or JOIN_GAME first.
        CreateFirst,
        /// This table has already been created.
        AlreadySetUp,
        /// This request needs an open connection.
        NeedsConnection,
        /// An INVITE has either a grant or the number of an invite to revoke.
        GrantOrRevoke,
        /// An invite for a coach names the seat of the student.
        CoachNeedsSeat,
        /// openHands and delayHands are for spectators.
        OnlyForSpectators,
        /// An invite is for 1 to … people.
        InviteUses as "invitation-uses" {
            /// The most that is allowed.
            most: u16,
        },
        /// The log cannot be replayed: ….
        LogUnreadable {
            /// What the reader or the store says about it.
            detail: String,
        },
        /// A log has at most … bytes; continue the game where it is, or create a new table.
        LogTooLong {
            /// The most bytes.
            bytes: u32,
        },
        /// This address does not accept this method.
        WrongMethod,
        /// The request took too long to arrive.
        RequestTimeout,
        /// This request cannot be read; see /api for the requests that exist.
        UnreadableRequest,
        /// A table is created by a player, a student, a coach or a spectator.
        CreatorRole,
        /// A spectator has no seat; leave it out.
        SpectatorHasNoSeat,
        /// This name cannot be read; use letters, digits or emoji.
        NameUnreadable,
        /// Daily-challenge: starThresholds are three increasing numbers of points from 1 to 42.
        StarThresholds,
        /// Speed: delay is at most … milliseconds.
        SpeedDelay {
            /// The most that is allowed.
            most: u16,
        },
        /// Tournament is straight 42 and excludes …; leave one of them out.
        ExcludedByTournament as "beside-tournament" {
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
        /// One-hand: a scripted auction cannot force a bid; leave out forced-bid or the script.
        ScriptIsForced,
        /// One-hand: a script bids 30 to 41 points or 1 to 2 marks and names one of the nine trumps.
        ScriptNotStraight,
        /// A table has at most … layers.
        TooManyLayers {
            /// The most that is allowed.
            most: u16,
        },
        /// … is listed twice; leave one out.
        LayerTwice {
            /// The name of the layer.
            layer: String,
        },
        /// … is out of range; the target is from 1 to ….
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
        /// A table needs at least one seat for a person.
        NoPerson,
        /// Seat … is for a bot; choose one for a person.
        SeatForBot {
            /// Which seat.
            seat: Seat,
        },
        /// A person sits on seat …; it cannot be given to a bot.
        SeatHasPerson {
            /// Which seat.
            seat: Seat,
        },
        /// A new table cannot be marked as continued from another host; leave the mark out.
        CannotMarkImported as "not-brought",
        /// A daily challenge is the same hand for everyone; set table.deal to "seeded".
        DailyIsSeeded,
        /// A daily challenge is the same hand for everyone, so each person plays it at a table of their own.
        DailyIsForOne,
        /// The hand of the day has a deal of its own; leave out other deals and the other one-hand game.
        DailyHasOwnDeal,
        /// A hand of a given difficulty is searched for by its seed; set table.deal to "seeded".
        SearchIsSeeded,
        /// A deal is searched for only when a table is created; give a seed or create a new table.
        SearchedAtCreation,
        /// With more than one person the deals are secret; leave out the seed and the deals.
        PeopleNeedSecretDeals,
        /// With more than one person the deals are secret; set table.deal to "secret".
        SeededIsForOne,
        /// A hand of a given difficulty is for one person; leave out the difficulty.
        SearchIsForOne,
        /// The deals of a rated table are secret; leave out the seed and the deals.
        RatedNeedsSecretDeals,
        /// At a rated table the first shaker is drawn; leave out the shaker.
        RatedDrawsShaker,
        /// A rated table shows no hands before the game is over.
        RatedShowsNoHands,
        /// A turn lasts from 5 to 3600 seconds.
        TurnSeconds,
        /// A pause lasts at most … milliseconds.
        PauseTooLong {
            /// The most that is allowed.
            most: u16,
        },
        /// A game that was dealt on a player's device cannot be rated.
        ImportedCannotBeRated as "brought-never-counts",
        /// A game that was continued from another host shows no hands.
        ImportedHasNoOpenHands as "brought-shows-no-hands",
        /// There is no such game here.
        NoSuchGame,
        /// There is no such game in this browser.
        NoSuchGameInBrowser,
        /// There is nothing here.
        NothingHere,
        /// Create a table at /api/ws or with POST /api/games.
        SetUpElsewhere,
        /// No table has this code now; check it, or ask the host for a new one.
        UnknownCode,
        /// Join the table first.
        JoinFirst,
        /// The table closed this connection for good.
        ConnectionClosed,
        /// This session has left the table.
        SessionLeft as "place-given-up",
        /// The key is not valid at this table.
        UnknownKey,
        /// A key must be 16 random bytes.
        KeyNotRandom,
        /// Send the key as `Authorization: Bearer <key>`.
        KeyAsBearer,
        /// The key of your session is missing.
        KeyMissing,
        /// This key is already in use; choose another.
        KeyInUse,
        /// This table is invite-only; a key is required.
        KeyNeeded,
        /// The key of an invite cannot be the key of a session; choose another.
        InviteKey as "invitation-key",
        /// This invite existed and is no longer valid.
        InviteGone as "invitation-gone",
        /// There is no such invite.
        NoSuchInvite as "no-such-invitation",
        /// The key does not belong to a person who sits at the continued table.
        WrongPersonKey as "not-bringers-key",
        /// The metrics are for the operator of this server; send the token for them.
        MetricsArePrivate,
        /// This session may not undo moves.
        UndoNotAllowed,
        /// Use SET_PLAYER_CONTROL to change who plays a seat.
        ControlByRequest,
        /// This session may not act for that seat.
        CannotActForSeat,
        /// The table does this by itself.
        AutomaticAction as "table-does-that",
        /// Someone else plays this seat now; take it back first.
        SeatPlayedByOther as "seat-moved-by-other",
        /// You play from the next deal; until then the computer plays your seat.
        PlaysFromNextDeal,
        /// In a rated game you play your hand to its end; the computer can take over between hands.
        ControlChangeBetweenHands as "handover-between-hands",
        /// This session may not change who plays that seat; to play a seat, join with an invite for it.
        CannotChangeControl,
        /// The computer can take this seat in … seconds if its player still does nothing.
        WaitLonger {
            /// The seconds.
            seconds: u64,
        },
        /// Only players can ask for another game.
        OnlyPlayersRematch,
        /// Only people who play can be ready.
        OnlyPeopleAreReady,
        /// Only players decide about their coach.
        OnlyPlayersAllowCoach,
        /// A session that joined without a key can only watch.
        OnlyWatches,
        /// Nobody talks at a rated table.
        NoTalkWhereItCounts,
        /// Computer players do not talk.
        BotsAreSilent,
        /// Only a coach says this, to the student, and only pointing phrases name a domino.
        PhraseOfCoaches,
        /// You can see hands; you can talk when the hand is over.
        SeesHandsSilent,
        /// Only players can undo moves.
        OnlyPlayersUndo,
        /// Only the student can invite a coach.
        CoachInvitedByStudent,
        /// This session may not invite anyone.
        CannotInvite,
        /// This session may not change the rules of the table.
        CannotConfigure,
        /// This table is on one device only; take it online to let others in with a code.
        NoLobbyHere,
        /// The host did not let you in this time.
        TurnedAway,
        /// The host did not answer; ask again.
        KnockExpired,
        /// The host lets nobody in with a code now.
        LobbyClosed,
        /// A rated table allows only bots of the server.
        InvitedBotsNotAllowed as "bots-are-called",
        /// An admin can be invited only at a table with openHands.
        AdminNeedsOpenHands,
        /// A rated table allows no coaches.
        RatedAllowsNoCoach as "no-coach-where-it-counts",
        /// A rated table allows no hints for single players.
        RatedAllowsNoHints as "no-hints-where-it-counts",
        /// Hands in play are shown only at a table with openHands, or one hand later.
        NeedsOpenHands,
        /// The invite is for another role.
        OtherRole,
        /// The invite is for another seat.
        OtherSeat,
        /// Without an invite you can only watch.
        OnlyWatchUninvited,
        /// The creator of this table can know the deals, so nobody else can play here.
        DealsAreKnown,
        /// This session sees the game some hands later; its record is available when the game is over.
        RecordComesLater,
        /// Pages of this origin may not use this server; the server's operator can allow it.
        OriginNotAllowed,
        /// The key belongs to another player; leave playerId out to see what your own session may do.
        OtherPlayersKey,
        /// Other people contributed to the deals; you can only continue a game that you played alone.
        OthersRandomness,
        /// The capability … cannot be carried over to another host.
        CapabilityNotImported as "right-not-brought" {
            /// The name of the capability.
            right: String,
        },
        /// Invite … again; only your own seat is carried over.
        MustReinvite as "invited-anew" {
            /// Whom.
            name: String,
        },
        /// Seat … has no player.
        SeatHasNoPlayer as "seat-unmoved" {
            /// Which seat.
            seat: Seat,
        },
        /// That seat is taken, or no seat is free.
        SeatTaken,
        /// The computer player on that seat keeps it; the host can revoke its invite.
        BotKeepsSeat as "bot-stays",
        /// This invite has already been used; ask for a new one.
        InviteUsed as "invitation-used",
        /// The game hasn't started; players are still joining.
        GameNotStarted as "gathering",
        /// No hand has been finished yet.
        NoHandOver,
        /// No game has started there; create a new table.
        NoGameBegun,
        /// That seat is played that way already.
        SameControl,
        /// The game isn't over yet.
        GameNotOver,
        /// The game has started; change the rules with the next game.
        GameHasStarted,
        /// This table does not ask its players to be ready.
        ReadinessNotUsed as "nobody-waits",
        /// You're ready already; the others aren't.
        AlreadyReady as "said-ready",
        /// Your coach is set that way already.
        CoachAlready,
        /// Your student is playing without a coach for now.
        CoachIsOff,
        /// Your student is not playing right now.
        StudentAway,
        /// That domino is not in your student's hand.
        NotInStudentsHand,
        /// One thing at a time; say more in a few seconds.
        SpokeTooOften,
        /// Too much is being said at this table; say it in a few seconds.
        TooManyPhrases,
        /// You've turned your coach on and off too often in this hand.
        CoachSwitchedTooOften,
        /// You already asked; the others have to allow it.
        UndoAsked,
        /// You've asked to undo too often; play on first.
        UndoAskedTooOften,
        /// There is nothing to undo.
        NothingToUndo,
        /// Nobody is asking you to allow an undo.
        NoUndoToDecline,
        /// The secret of the deals has been published, so this game is over; play again.
        SecretPublished as "secret-is-out",
        /// Hidden dominoes have been seen since, and this table is rated.
        HiddenSeen,
        /// Somebody at this table has this name, or one that looks like it; pick another.
        NameTaken,
        /// The player on seat … plays without undo, so no move can be undone.
        PlaysWithoutUndo {
            /// Which seat.
            seat: Seat,
        },
        /// A player's device dealt that hand, so nothing in it can be undone now that others play.
        KnownHandIsOver,
        /// Someone is playing with this invite, and this table is rated.
        InvitePlays as "invitation-plays",
        /// Somebody here or with an invite sees more than this would allow; revoke the invite first.
        SomeoneSeesMore,
        /// This guest is no longer waiting.
        GuestGone,
        /// You are at this table already.
        AlreadyAtTable,
        /// The table has moved on; this is its current state.
        MovedOn,
        /// Too many messages; wait a second and send it again.
        TooManyMessages,
        /// Too many requests; try again in a second.
        TooManyRequests,
        /// Too many new tables from this address; try again in a minute.
        TooManyTables,
        /// Too many connections from this address.
        TooManyConnections,
        /// The server is full; try again later.
        ServerFull,
        /// Too many people have come with this invite just now; try again in a minute.
        TooManyWithInvite,
        /// Too many codes were tried; wait a minute and try again.
        TooManyCodes,
        /// You have changed who plays your seat too often in this hand.
        TooManyControlChanges as "too-many-handovers",
        /// The rules of this table were changed too often; start the game, or create a new table.
        TooManyConfigurations,
        /// The log of this table is full; create a new table.
        TableLogFull as "table-worn-out",
        /// Too many invites are open; revoke some.
        TooManyInvites as "too-many-invitations",
        /// The table is full.
        TableFull,
        /// This table has had as many visitors as it allows.
        TooManyGuests,
        /// As many people as one invite allows have come with this one; ask for a new invite.
        InviteWornOut,
        /// Too many people are waiting at this table; try again in a few minutes.
        LobbyFull,
        /// Nothing was changed, because it could not be stored: ….
        NotWritten {
            /// What the reader or the store says about it.
            detail: String,
        },
        /// The table could not be read: ….
        NotRead {
            /// What the reader or the store says about it.
            detail: String,
        },
        /// The log of this table can no longer be read.
        LogLost,
        /// The table is not available now; try again.
        TableUnavailable as "table-away",
        /// The table was closed before it could answer; try again.
        TableClosed as "table-given-up",
        /// No hand was found; try again.
        NoHandFound,
        /// This table is being created by another request; try again.
        SetUpTwice,
        /// The last commit failed.
        CommitFailed,
        /// This cannot be answered now; try again.
        CannotAnswer,
    }
}

/// Formats the reason in English, for logs. Clients render it in the reader's language.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Language::English.words().problem(self))
    }
}

impl core::error::Error for Problem {}
