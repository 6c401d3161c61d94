//! The changes between two views, as sentences for the log. Those about this session's own seat address its person.

use texas42_phrases::fill;
use texas42_protocol::{Capability, GameView, PlayerView, TrickView};
use texas42_vocab::{Control, Phase, Seat};

use super::model::{name, player_on, words};

/// The sentences that describe the changes from one view to the next, to a session with this seat.
pub(crate) fn between(before: Option<&GameView>, after: &GameView, own: Option<Seat>) -> Vec<String> {
    let listener = Listener { view: after, own };
    let same_hand = before.filter(|before| is_same_hand(before, after));
    let mut sentences = Vec::new();
    if let Some(before) = before {
        sentences.extend(presence(before, after, own));
        sentences.extend(hosts(before, after, own));
        sentences.extend(undo_declined(before, listener));
        sentences.extend(before.has_other_rules(after).then(|| words().says_rules.to_owned()));
    }
    if same_hand.is_some_and(|before| moves(after) < moves(before)) {
        sentences.push(words().says_taken_back.to_owned());
    }
    if same_hand.is_none() && after.state.phase != Phase::Setup {
        let number = (after.state.hand_number + 1).to_string();
        sentences.push(fill(words().says_deal_watching, &[&number]));
    }
    sentences.extend(calls(same_hand, listener));
    sentences.extend(trumps(same_hand, listener));
    sentences.extend(plays(same_hand, listener));
    sentences.extend(ending(same_hand, after));
    sentences
}

/// Who reads the sentences about a view.
#[derive(Clone, Copy)]
struct Listener<'a> {
    view: &'a GameView,
    own: Option<Seat>,
}

impl Listener<'_> {
    /// A sentence about a seat: in the second person about the listener's own, with the name about another.
    fn sentence(self, seat: Seat, [about_you, about_other]: [&str; 2], more: &str) -> String {
        let text = if self.own == Some(seat) { about_you } else { about_other };
        fill(text, &[&name(self.view, seat), more])
    }
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

/// Who else came, left, and is ready. Bots are not announced.
fn presence(before: &GameView, after: &GameView, own: Option<Seat>) -> Vec<String> {
    let is_other = |seat: &Seat| own != Some(*seat);
    let changed = Seat::ALL.into_iter().filter(is_other).filter_map(|seat| {
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
    let ready = after.metadata.ready.iter().filter(|seat| !before.metadata.ready.contains(seat) && is_other(seat));
    changed.chain(ready.map(|seat| fill(words().says_ready, &[&name(after, *seat)]))).collect()
}

/// People who became the host.
fn hosts(before: &GameView, after: &GameView, own: Option<Seat>) -> Vec<String> {
    let is_host = |player: &PlayerView| player.capabilities.contains(&Capability::ConfigureVariant);
    let was_host = |player: &PlayerView| {
        let known = before.players.iter().find(|known| known.player_id == player.player_id);
        known.is_none_or(is_host)
    };
    let new = after.players.iter().filter(|player| is_host(player) && !was_host(player));
    let sentence = |player: &PlayerView| match player.player_index {
        Some(seat) if own == Some(seat) => words().says_host_you.to_owned(),
        _ => fill(words().says_host, &[player.name.as_str()]),
    };
    new.map(sentence).collect()
}

/// Who declined a request to undo.
fn undo_declined(before: &GameView, to: Listener<'_>) -> Option<String> {
    let seat = to.view.metadata.undo_declined.filter(|seat| before.metadata.undo_declined != Some(*seat))?;
    Some(to.sentence(seat, [words().says_undo_declined_you, words().says_undo_declined], ""))
}

fn calls(before: Option<&GameView>, to: Listener<'_>) -> Vec<String> {
    let known = before.map_or(0, |before| before.state.auction.len());
    let new = to.view.state.auction.iter().skip(known);
    new.map(|call| match call.bid {
        Some(bid) => to.sentence(call.player, [words().says_bid_you, words().says_bid], &words().bid_text(bid)),
        None => to.sentence(call.player, [words().says_pass_you, words().says_pass], ""),
    })
    .collect()
}

fn trumps(before: Option<&GameView>, to: Listener<'_>) -> Option<String> {
    let trump = |view: &GameView| view.state.contract.and_then(|contract| contract.trump);
    let contract = to.view.state.contract.filter(|_| before.and_then(trump).is_none())?;
    let named = words().trump_text(contract.trump?);
    Some(to.sentence(contract.declarer, [words().says_trumps_you, words().says_trumps], named))
}

/// Compares the plays of the whole hand, because one view may both add the last domino of a trick and pick the trick up.
fn plays(before: Option<&GameView>, to: Listener<'_>) -> Vec<String> {
    let after = to.view;
    let tricks =
        |view: &GameView| view.state.tricks.iter().chain(&view.state.trick).cloned().collect::<Vec<TrickView>>();
    let old = before.map(tricks).unwrap_or_default();
    let mut sentences = Vec::new();
    let was_complete = |number| before.is_some_and(|before| is_complete(before, number));
    for (number, trick) in tricks(after).iter().enumerate() {
        let known = old.get(number).map_or(0, |trick| trick.plays.len());
        for play in trick.plays.iter().skip(known) {
            let domino = words().domino_text(play.domino);
            sentences.push(to.sentence(play.player, [words().says_play_you, words().says_play], &domino));
        }
        if let Some(winner) = trick.winner.filter(|_| is_complete(after, number) && !was_complete(number)) {
            let points = trick.points.to_string();
            sentences.push(to.sentence(winner, [words().says_trick_you, words().says_trick], &points));
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
