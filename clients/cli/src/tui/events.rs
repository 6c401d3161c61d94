//! The changes between two views, as sentences for the log.

use texas42_phrases::fill;
use texas42_protocol::{Capability, GameView, PlayerView, TrickView};
use texas42_vocab::{Control, Phase, Seat};

use super::model::{name, player_on, words};

/// The sentences that describe the changes from one view to the next.
pub(crate) fn between(before: Option<&GameView>, after: &GameView) -> Vec<String> {
    let same_hand = before.filter(|before| is_same_hand(before, after));
    let mut sentences = Vec::new();
    if let Some(before) = before {
        sentences.extend(presence(before, after));
        sentences.extend(hosts(before, after));
        sentences.extend(undo_declined(before, after));
        sentences.extend(before.has_other_rules(after).then(|| words().says_rules.to_owned()));
    }
    if same_hand.is_some_and(|before| moves(after) < moves(before)) {
        sentences.push(words().says_taken_back.to_owned());
    }
    if same_hand.is_none() && after.state.phase != Phase::Setup {
        let number = (after.state.hand_number + 1).to_string();
        sentences.push(fill(words().says_deal_watching, &[&number]));
    }
    sentences.extend(calls(same_hand, after));
    sentences.extend(trumps(same_hand, after));
    sentences.extend(plays(same_hand, after));
    sentences.extend(ending(same_hand, after));
    sentences
}

fn is_same_hand(before: &GameView, after: &GameView) -> bool {
    let hand = |view: &GameView| (view.metadata.game_number, view.state.hand_number, view.state.shaker);
    hand(before) == hand(after) && before.state.phase != Phase::Setup
}

/// The number of calls and plays in the hand.
fn moves(view: &GameView) -> usize {
    let tricks = view.state.tricks.iter().chain(&view.state.trick);
    view.state.auction.len() + tricks.map(|trick| trick.plays.len()).sum::<usize>()
}

/// Who came, who left, and who is ready. Bots are not announced.
fn presence(before: &GameView, after: &GameView) -> Vec<String> {
    let changed = Seat::ALL.into_iter().filter_map(|seat| {
        let person =
            |view| player_on(view, seat).filter(|player: &&PlayerView| player.control_type == Control::Human).cloned();
        let is_here = |view| person(view).map(|player| (player.name, player.is_connected));
        let text = match (is_here(before), is_here(after)) {
            (Some((old, true)), Some((new, false))) if old == new => words().says_away,
            (old, new @ Some((_, true))) if old != new => words().says_here,
            (Some(_), None) => return Some(fill(words().says_left, &[&name(before, seat)])),
            _ => return None,
        };
        Some(fill(text, &[&name(after, seat)]))
    });
    let ready = after.metadata.ready.iter().filter(|seat| !before.metadata.ready.contains(seat));
    changed.chain(ready.map(|seat| fill(words().says_ready, &[&name(after, *seat)]))).collect()
}

/// People who became the host.
fn hosts(before: &GameView, after: &GameView) -> Vec<String> {
    let is_host = |player: &PlayerView| player.capabilities.contains(&Capability::ConfigureVariant);
    let was_host = |player: &PlayerView| {
        let known = before.players.iter().find(|known| known.player_id == player.player_id);
        known.is_none_or(is_host)
    };
    let new = after.players.iter().filter(|player| is_host(player) && !was_host(player));
    new.map(|player| fill(words().says_host, &[player.name.as_str()])).collect()
}

/// Who declined a request to undo.
fn undo_declined(before: &GameView, after: &GameView) -> Option<String> {
    let seat = after.metadata.undo_declined.filter(|seat| before.metadata.undo_declined != Some(*seat))?;
    Some(fill(words().says_undo_declined, &[&name(after, seat)]))
}

fn calls(before: Option<&GameView>, after: &GameView) -> Vec<String> {
    let known = before.map_or(0, |before| before.state.auction.len());
    let new = after.state.auction.iter().skip(known);
    new.map(|call| match call.bid {
        Some(bid) => fill(words().says_bid, &[&name(after, call.player), &words().bid_text(bid)]),
        None => fill(words().says_pass, &[&name(after, call.player)]),
    })
    .collect()
}

fn trumps(before: Option<&GameView>, after: &GameView) -> Option<String> {
    let trump = |view: &GameView| view.state.contract.and_then(|contract| contract.trump);
    let contract = after.state.contract.filter(|_| before.and_then(trump).is_none())?;
    let named = words().trump_text(contract.trump?);
    Some(fill(words().says_trumps, &[&name(after, contract.declarer), named]))
}

/// Compares the plays of the whole hand, because one view may both add the last domino of a trick and pick the trick up.
fn plays(before: Option<&GameView>, after: &GameView) -> Vec<String> {
    let tricks =
        |view: &GameView| view.state.tricks.iter().chain(&view.state.trick).cloned().collect::<Vec<TrickView>>();
    let old = before.map(tricks).unwrap_or_default();
    let mut sentences = Vec::new();
    let was_complete = |number| before.is_some_and(|before| is_complete(before, number));
    for (number, trick) in tricks(after).iter().enumerate() {
        let known = old.get(number).map_or(0, |trick| trick.plays.len());
        for play in trick.plays.iter().skip(known) {
            sentences.push(fill(words().says_play, &[&name(after, play.player), &words().domino_text(play.domino)]));
        }
        if let Some(winner) = trick.winner.filter(|_| is_complete(after, number) && !was_complete(number)) {
            sentences.push(fill(words().says_trick, &[&name(after, winner), &trick.points.to_string()]));
        }
    }
    sentences
}

/// Whether a trick, counted from 0, was picked up or lies complete on the table.
fn is_complete(view: &GameView, number: usize) -> bool {
    number < view.state.tricks.len() || (number == view.state.tricks.len() && view.derived.to_act.is_none())
}

fn ending(before: Option<&GameView>, after: &GameView) -> Option<String> {
    let outcome =
        after.state.outcome.as_ref().filter(|_| before.is_none_or(|before| before.state.outcome.is_none()))?;
    let result = if outcome.made { words().made } else { words().set };
    Some(format!("{result}: {}.", words().outcome(outcome.reason)))
}
