//! Checks what each message reveals to its receiver, at the moment when a host sends it.
//!
//! Everything is compared with the [`Audit`]: versions must be stored, acknowledged requests executed, hands visible to
//! the session, and secrets public. The raw text is also searched for keys, secrets and dominoes that must not be there.

use std::collections::BTreeSet;

use texas42_engine::{
    State,
    deal::{Hex, commitment, deal, key_from_hex, secret_hand_key},
};
use texas42_kernel::Session;
use texas42_protocol::{Capability, GameView, PlayerId, PlayerView, ServerMessage};
use texas42_vocab::{Control, Hand, Phase, Seat};

use crate::{
    audit::{Audit, Moment},
    report::Report,
};

type Check = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(what()) }
}

/// Checks that a message contains only stored versions and acknowledges only stored requests.
pub(crate) fn stored_first(audit: &Audit, player: Option<&PlayerId>, message: &ServerMessage) -> Check {
    let stored = audit.version();
    if let Some(version) = message.version() {
        ensure(version <= stored, || format!("version {version} was sent, but only {stored} events are stored"))?;
    }
    let ServerMessage::StateUpdate { ack: Some(ack), .. } = message else { return Ok(()) };
    let player = player.ok_or("an acknowledgement to somebody without a session")?;
    let executed = audit.executed_at(player, &ack.request_id);
    ensure(executed == Some(ack.version), || {
        format!("{player}'s {} is acknowledged as event {} and stored as {executed:?}", ack.request_id, ack.version)
    })
}

/// Checks the view that a session holds at a version.
pub(crate) fn view(audit: &Audit, player: &PlayerId, version: u64, view: &GameView, report: &mut Report) -> Check {
    let moment = audit.moment(version).ok_or("a view of a version that does not exist")?;
    let delay = audit.participant_at(player, version).map_or(0, |participant| participant.session.delay_hands);
    let is_over = moment.state.is_some_and(|state| state.phase.is_over());
    if delay > 0 && !is_over {
        check_delayed(audit, player, version, view, delay.into())?;
    } else {
        check_present(audit, player, version, moment, view)?;
    }
    check_choices(audit, player, version, moment, view)?;
    check_capabilities(audit, version, view)?;
    check_proof(audit, moment, view, report)
}

fn hands_are_open(phase: Phase) -> bool {
    matches!(phase, Phase::Scoring | Phase::GameEnd | Phase::OneHandComplete)
}

/// Checks that a view is accurate and shows only the hands that the session may see.
fn check_present(audit: &Audit, player: &PlayerId, version: u64, moment: &Moment, view: &GameView) -> Check {
    let Some(state) = &moment.state else {
        let shows_nothing = view.state.phase == Phase::Setup && view.state.players.iter().all(|p| p.hand.is_empty());
        return ensure(shows_nothing, || "a view shows something before the first deal".into());
    };
    ensure(view.state.phase == state.phase && view.state.hand_number == state.hand_number, || {
        format!("version {version} is shown in the wrong phase to {player}")
    })?;
    for seat in Seat::ALL {
        let held = state.hands[seat.index()];
        let shown = &view.state.players[seat.index()];
        let may_see = audit.sees(player, version, seat) || hands_are_open(state.phase);
        let expected = if may_see { held } else { Hand::EMPTY };
        let fits = shown.hand == expected && usize::from(shown.hand_count) == held.len();
        ensure(fits, || format!("{player} is shown {:?} of {seat} at version {version}", shown.hand))?;
    }
    Ok(())
}

/// Checks that a delayed spectator sees no hand newer than the delay allows.
fn check_delayed(audit: &Audit, player: &PlayerId, version: u64, view: &GameView, delay: u32) -> Check {
    let current = audit.moment(version).and_then(|moment| moment.state).map(|state| state.hand_number);
    if view.state.phase == Phase::Setup {
        return ensure(view.state.players.iter().all(|p| p.hand.is_empty()), || "hands before the deal".into());
    }
    let latest = current.and_then(|current| current.checked_sub(delay));
    ensure(latest.is_some_and(|latest| view.state.hand_number <= latest), || {
        format!("{player}, {delay} hands behind, sees hand {} at version {version}", view.state.hand_number)
    })?;
    // Any other phase is the end of a hand that was thrown in, which an undo could bring back.
    let can_undo = version == audit.version() && audit.is_secret() && !audit.options.rated;
    let hidden = Seat::ALL.into_iter().filter(|seat| can_undo || !audit.sees(player, version, *seat));
    let mut shown = hidden.filter(|seat| !view.state.players[seat.index()].hand.is_empty());
    ensure(hands_are_open(view.state.phase) || shown.next().is_none(), || format!("{player} sees a hidden hand"))
}

/// Checks that actions are offered only to the player who may take them, and hints only to those who may see them.
fn check_choices(audit: &Audit, player: &PlayerId, version: u64, moment: &Moment, view: &GameView) -> Check {
    let participant = audit.participant_at(player, version);
    let session = participant.map(|participant| &participant.session);
    let seat = session.and_then(|session| session.seat);
    let mover = seat.filter(|seat| {
        session.is_some_and(|session| {
            session.may(Capability::ActAsPlayer { player_index: *seat }) && moment.is_mover(session)
        })
    });
    // A coach sees the student's actions.
    let advises = |seat: Seat| {
        session.is_some_and(|s| s.may(Capability::SeeHints) && s.may(Capability::ObserveHand { player_index: seat }))
    };
    let is_own = |choice: Option<Seat>| choice.is_some_and(|seat| mover == Some(seat) || advises(seat));
    ensure(view.valid_actions.iter().all(|valid| is_own(valid.action.player())), || {
        format!("{player} is offered the action of another seat at version {version}")
    })?;
    ensure(view.derived.blocked.is_empty() || mover.is_some(), || {
        format!("{player} is shown the blocked dominoes of another seat")
    })?;
    let sees_hints = session.is_some_and(|session| session.may(Capability::SeeHints));
    ensure(sees_hints || view.valid_actions.iter().all(|valid| valid.hint.is_none()), || {
        format!("{player} sees hints without permission")
    })
}

/// Checks that a current view lists every session with its capabilities.
fn check_capabilities(audit: &Audit, version: u64, view: &GameView) -> Check {
    let is_listed = |shown: &PlayerView| {
        let participant = audit.participant_at(&shown.player_id, version);
        participant.is_some_and(|participant| audit.listed_capabilities(participant) == shown.capabilities)
    };
    let wrong = view.players.iter().find(|shown| version == audit.version() && !is_listed(shown));
    wrong.map_or(Ok(()), |wrong| Err(format!("{} is listed with {:?}", wrong.player_id, wrong.capabilities)))
}

/// Checks that a view contains only public parts of the secret, and that revealed parts reproduce the deal.
fn check_proof(audit: &Audit, moment: &Moment, view: &GameView, report: &mut Report) -> Check {
    let Some(proof) = &view.metadata.deal else {
        return ensure(!audit.is_secret(), || "a secret table shows no commitment".into());
    };
    let secret = &moment.dealing.secret;
    let is_known = |hex: &str, key: [u8; 32]| key_from_hex(hex) == Some(key);
    ensure(is_known(&proof.secret_commitment, commitment(secret)), || {
        "the commitment belongs to another secret".into()
    })?;
    let share = moment.dealing.deals().share(view.state.hand_number);
    ensure(is_known(&proof.hand_commitment, commitment(&share)), || "another share was committed".into())?;
    let next = proof.next_commitment.as_deref().and_then(key_from_hex);
    ensure(next == moment.dealing.next.as_ref().map(commitment), || "another next secret was committed".into())?;
    let later = proof.later.as_ref().map(|later| (later.from_hand, key_from_hex(&later.secret_commitment)));
    let expected = moment.dealing.later.map(|(from_hand, secret)| (from_hand, Some(commitment(&secret))));
    ensure(later == expected, || "another secret was committed for the later hands".into())?;
    let is_over = moment.state.is_some_and(|state| state.phase.is_over());
    let has_secret = proof.secret.is_some() || proof.later.as_ref().is_some_and(|later| later.secret.is_some());
    ensure(!has_secret || is_over, || "the secret is shown before the game is over".into())?;
    let Some(revealed) = &proof.revealed else { return Ok(()) };
    let state = moment.state.ok_or("a share is revealed before anything is dealt")?;
    ensure(is_hand_over(&state, revealed.hand_number), || {
        format!("the share of hand {} is shown while it is played", revealed.hand_number)
    })?;
    let (Some(share), Some(entropy)) = (key_from_hex(&revealed.share), key_from_hex(&revealed.entropy)) else {
        return Err("a share is 64 hexadecimal digits".into());
    };
    let dealt = audit.game.as_ref().map(|game| game.ctx().deal(revealed.hand_number));
    // A rematch later in the same batch has other deals; then the audit is ahead of this view.
    let is_same_game = audit.now().dealing.secret == moment.dealing.secret;
    report.proofs += u64::from(is_same_game);
    ensure(!is_same_game || dealt == Some(deal(&secret_hand_key(&share, &entropy))), || {
        format!("the revealed secret of hand {} deals other dominoes", revealed.hand_number)
    })
}

fn is_hand_over(state: &State, hand: u32) -> bool {
    hand < state.hand_number || (hand == state.hand_number && hands_are_open(state.phase))
}

/// A check of the raw text of a message: it contains no key but the one that it delivers, only public hashes, and no domino
/// that is hidden from its receiver.
pub(crate) struct TextCheck<'a> {
    pub(crate) audit: &'a Audit,
    pub(crate) player: Option<&'a PlayerId>,
    pub(crate) keys: &'a BTreeSet<String>,
    /// The dominoes that the request named.
    pub(crate) echo: Hand,
}

impl TextCheck<'_> {
    pub(crate) fn check(&self, message: &ServerMessage, text: &str) -> Check {
        let expected = u64::from(key_of(message).is_some());
        let mut found = 0;
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')) {
            match word.len() {
                22 => found += u64::from(self.keys.contains(word)),
                64 if word.bytes().all(|byte| byte.is_ascii_hexdigit()) => self.check_hash(message, word)?,
                _ => {}
            }
        }
        ensure(found == expected, || format!("{found} keys in a message that should have {expected}: {text}"))?;
        self.check_dominoes(message, text)
    }

    /// Checks that 64 hexadecimal digits are a commitment, the players' entropy, or otherwise public.
    fn check_hash(&self, message: &ServerMessage, word: &str) -> Check {
        let version = message.version().unwrap_or_else(|| self.audit.version());
        let moment = self.audit.moment(version).ok_or("a message about a version that does not exist")?;
        let (secret, deals) = (moment.dealing.secret, moment.dealing.deals());
        let later = moment.dealing.later.map(|(_, secret)| secret);
        let hand = moment.state.map_or(0, |state| state.hand_number);
        let is_over = moment.state.is_some_and(|state| state.phase.is_over());
        let shares = (0..=hand).filter(|hand| moment.state.is_some_and(|state| is_hand_over(&state, *hand)));
        let public = [commitment(&secret), moment.dealing.entropy]
            .into_iter()
            .chain((0..=hand).map(|hand| commitment(&deals.share(hand))))
            .chain(shares.map(|hand| deals.share(hand)))
            .chain(moment.dealing.next.as_ref().map(commitment))
            .chain(later.as_ref().map(commitment))
            .chain(is_over.then_some(secret))
            .chain(later.filter(|_| is_over));
        let mut public = public.map(|key| Hex(&key).to_string());
        ensure(public.any(|known| known == word), || format!("{word} is not public at version {version}"))
    }

    fn check_dominoes(&self, message: &ServerMessage, text: &str) -> Check {
        let Some(player) = self.player else {
            return ensure((dominoes_in(text) - self.echo).is_empty(), || format!("a stranger sees dominoes: {text}"));
        };
        let version = message.version().unwrap_or_else(|| self.audit.version());
        let Some(moment) = self.audit.moment(version) else { return Ok(()) };
        let delay = self.audit.participant_at(player, version).map_or(0, |participant| participant.session.delay_hands);
        let Some(state) = moment.state.filter(|_| delay == 0) else { return Ok(()) };
        let visible = |seat: &Seat| self.audit.sees(player, version, *seat) || hands_are_open(state.phase);
        let hands = Seat::ALL.into_iter().filter(visible).map(|seat| state.hands[seat.index()]);
        let known = hands.fold(state.seen() | self.echo, |known, hand| known | hand);
        let hidden = dominoes_in(text) - known;
        ensure(hidden.is_empty(), || {
            format!("{player} sees the hidden dominoes {hidden:?} at version {version}: {text}")
        })
    }
}

/// Checks who hears a phrase: nobody at a rated table, no bot and nobody with a delayed view, and from somebody who sees
/// hands in play only the student. `version` is that of the table when the phrase was said; a hand may have begun since.
pub(crate) fn phrase(audit: &Audit, version: u64, speaker: &PlayerId, listener: Option<&PlayerId>) -> Check {
    ensure(!audit.options.rated, || format!("{speaker} talks at a rated table"))?;
    let session = |player: &PlayerId| audit.participant_at(player, version).map(|participant| &participant.session);
    let by = session(speaker).ok_or_else(|| format!("{speaker} talks, but is not at the table"))?;
    let to = listener.and_then(session);
    let is_person = |session: &Session| session.control == Control::Human && session.delay_hands == 0;
    ensure(by.control == Control::Human && to.is_none_or(is_person), || {
        format!("{listener:?} hears {speaker}, and one of them may not")
    })?;
    let is_student = |seat: Seat| by.may(Capability::ObserveHand { player_index: seat });
    if to.and_then(|to| to.seat).is_some_and(is_student) {
        return Ok(());
    }
    let state = audit.moment(version).and_then(|moment| moment.state);
    let is_hidden = state.is_some_and(|state| !hands_are_open(state.phase) && !state.phase.is_over());
    let sees = Seat::ALL.into_iter().any(|seat| by.seat != Some(seat) && audit.sees(speaker, version, seat));
    ensure(!is_hidden || (!sees && by.delay_hands == 0), || {
        format!("{listener:?} hears {speaker}, who sees hands in play")
    })
}

/// The key that a message delivers.
pub(crate) fn key_of(message: &ServerMessage) -> Option<String> {
    let key = match message {
        ServerMessage::GameCreated { key, .. }
        | ServerMessage::Joined { key, .. }
        | ServerMessage::Invited { key, .. } => key.as_ref(),
        _ => None,
    };
    key.map(|key| String::from(key.clone()))
}

/// Finds all dominoes in a text.
pub(crate) fn dominoes_in(text: &str) -> Hand {
    let bytes = text.as_bytes();
    let is_word_byte =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte));
    let dashes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'-').map(|(at, _)| at);
    let alone = dashes.filter(|at| {
        *at > 0 && !is_word_byte(at.checked_sub(2).and_then(|at| bytes.get(at))) && !is_word_byte(bytes.get(at + 2))
    });
    alone.filter_map(|at| text.get(at - 1..at + 2)?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominoes_are_found_and_dates_are_not() {
        let found = dominoes_in(r#"{"domino":"6-4","on":"2026-01-15","why":"5-0 is no trump","id":"a-1"}"#);
        assert_eq!(found, ["6-4", "5-0"].iter().map(|text| text.parse().unwrap()).collect());
    }
}
