//! Describes what happened between two views, for screen readers and the event log.

use texas42_protocol::PlayerView;
use texas42_vocab::{Control, Hand, Phase, Seat};

use crate::{
    table_model::TableModel,
    words::{Words, fill},
};

/// The sentences for the changes from one view to the next.
pub fn news(before: Option<&TableModel>, after: &TableModel, words: &Words) -> Vec<String> {
    let mut said = Vec::new();
    let is_new_hand = before.is_none_or(|before| {
        before.view.state.hand_number != after.view.state.hand_number
            || before.view.metadata.game_number != after.view.metadata.game_number
            || before.phase() == Phase::Setup
    });
    let before_hand = before.filter(|_| !is_new_hand);
    if before.is_none() && after.is_guest_of_an_imported_table() {
        said.push(words.brought.to_owned());
    }
    said.extend(before.into_iter().flat_map(|before| arrivals(before, after, words)));
    said.extend(before.into_iter().flat_map(|before| departures(before, after, words)));
    said.extend(before.into_iter().flat_map(|before| ready(before, after, words)));
    said.extend(before.and_then(|before| score(before, after, words)));
    if before_hand.is_some_and(|before| after.view.state.events < before.view.state.events) {
        said.push(words.says_taken_back.to_owned());
    }
    if is_new_hand && after.phase() != Phase::Setup {
        said.push(deal(after, words));
    }
    said.extend(calls(before_hand, after, words));
    said.extend(trumps(before_hand, after, words));
    said.extend(plays(before_hand, after, words));
    said.extend(ending(before_hand, after, words));
    said.extend(turn(before, after, words));
    said
}

/// People who connected or disconnected.
fn arrivals(before: &TableModel, after: &TableModel, words: &Words) -> Vec<String> {
    let is_other = |player: &&PlayerView| {
        Some(&player.player_id) != after.player_id.as_ref()
            && player.player_index.is_some()
            && player.control_type == Control::Human
    };
    let others = after.view.players.iter().filter(is_other);
    others
        .filter_map(|player| {
            let old = before.view.players.iter().find(|old| old.player_id == player.player_id);
            let text = match (old.map(|old| old.is_connected), player.is_connected) {
                // A new player is listed as disconnected for a moment.
                (None | Some(false), true) => words.says_here,
                (Some(true), false) => words.says_away,
                _ => return None,
            };
            Some(fill(text, &[player.name.as_str()]))
        })
        .collect()
}

/// People who left their seat, or whose seat a bot has taken over.
fn departures(before: &TableModel, after: &TableModel, words: &Words) -> Vec<String> {
    let is_person = |player: &&PlayerView| {
        player.control_type == Control::Human && Some(&player.player_id) != before.player_id.as_ref()
    };
    let people = Seat::ALL.into_iter().filter_map(|seat| Some((seat, before.player_on(seat).filter(is_person)?)));
    people
        .filter_map(|(seat, person)| {
            let now = after.player_on(seat).filter(|player| player.player_id == person.player_id);
            let text = match now.map(|player| player.control_type) {
                None => words.says_left,
                Some(Control::Ai) => words.says_program,
                Some(Control::Human) => return None,
            };
            Some(fill(text, &[person.name.as_str()]))
        })
        .collect()
}

/// People who became ready.
fn ready(before: &TableModel, after: &TableModel, words: &Words) -> Vec<String> {
    let known = &before.view.metadata.ready;
    let new = after.view.metadata.ready.iter().filter(|seat| !known.contains(seat) && Some(**seat) != after.seat);
    new.map(|seat| fill(words.says_ready, &[&after.name(*seat, words)])).collect()
}

fn listed(hand: Hand, words: &Words) -> String {
    let dominoes = crate::domino::sorted(hand, None);
    dominoes.into_iter().map(|domino| words.domino_text(domino)).collect::<Vec<_>>().join(", ")
}

fn deal(after: &TableModel, words: &Words) -> String {
    let number = (after.view.state.hand_number + 1).to_string();
    match after.seat {
        Some(seat) => fill(words.says_deal, &[&number, &listed(after.hand(seat), words)]),
        None => fill(words.says_deal_watching, &[&number]),
    }
}

fn calls(before: Option<&TableModel>, after: &TableModel, words: &Words) -> Vec<String> {
    let known = before.map_or(0, |before| before.view.state.auction.len());
    let new = after.view.state.auction.iter().skip(known);
    let mut said: Vec<String> = new
        .map(|call| {
            let name = after.name(call.player, words);
            match call.bid {
                Some(bid) => fill(words.says_bid, &[&name, &words.bid_text(bid)]),
                None => fill(words.says_pass, &[&name]),
            }
        })
        .collect();
    let was_open = before.is_none_or(|before| before.view.state.contract.is_none());
    if let Some(contract) = after.view.state.contract.filter(|_| was_open) {
        let name = after.name(contract.bidder, words);
        said.push(fill(words.says_wins_bid, &[&name, &words.bid_text(contract.bid)]));
    }
    said
}

fn trumps(before: Option<&TableModel>, after: &TableModel, words: &Words) -> Vec<String> {
    let is_new = before.is_none_or(|before| before.trump().is_none());
    let Some(contract) = after.view.state.contract.filter(|_| is_new) else { return Vec::new() };
    let named = contract
        .trump
        .map(|trump| fill(words.says_trumps, &[&after.name(contract.declarer, words), words.trump_text(trump)]));
    let out = contract.sits_out.map(|seat| fill(words.says_sits_out, &[&after.name(seat, words)]));
    named.into_iter().chain(out).collect()
}

/// Compares the plays of the whole hand, so that the last domino of a completed trick is not missed.
fn plays(before: Option<&TableModel>, after: &TableModel, words: &Words) -> Vec<String> {
    let tricks = |table: &TableModel| {
        let state = &table.view.state;
        state.tricks.iter().chain(&state.trick).cloned().collect::<Vec<_>>()
    };
    let old = before.map(tricks).unwrap_or_default();
    let mut said = Vec::new();
    for (number, trick) in tricks(after).iter().enumerate() {
        let known = old.get(number).map_or(0, |trick| trick.plays.len());
        for play in trick.plays.iter().skip(known) {
            said.push(fill(words.says_play, &[&after.name(play.player, words), &words.domino_text(play.domino)]));
        }
        // Announced when the trick is complete, since it may stay on the table for a while.
        let was_complete = old.get(number).is_some_and(|trick| trick.winner.is_some());
        if let Some(winner) = trick.winner.filter(|_| !was_complete) {
            said.push(fill(words.says_trick, &[&after.name(winner, words), &trick.points.to_string()]));
        }
    }
    said
}

fn ending(before: Option<&TableModel>, after: &TableModel, words: &Words) -> Vec<String> {
    let mut said = Vec::new();
    let state = &after.view.state;
    if before.is_some_and(|before| before.view.state.claim.is_none()) {
        said.extend(after.claim_text(words));
    }
    if let (Some(outcome), Some(contract), true) =
        (&state.outcome, state.contract, before.is_some_and(|before| before.view.state.outcome.is_none()))
    {
        let team = contract.bidder.team();
        let points = words.points_text(state.points[team.index()]);
        let text = if outcome.made { words.says_made } else { words.says_set };
        said.push(fill(text, &[&points, after.team_name(team, words)]));
    }
    if state.phase.is_over() && before.is_some_and(|before| !before.phase().is_over()) {
        said.push(words.says_over.to_owned());
    }
    said
}

/// The score if it has changed, also when the next hand is dealt in the same update.
fn score(before: &TableModel, after: &TableModel, words: &Words) -> Option<String> {
    let is_same_game = before.view.metadata.game_number == after.view.metadata.game_number;
    if !is_same_game || before.view.state.score == after.view.state.score {
        return None;
    }
    let first = after.first_team();
    let scores = [first, first.other()].map(|team| after.view.state.score[team.index()].to_string());
    let text = if after.seat.is_some() { words.says_score } else { words.says_sides };
    Some(fill(text, &[&scores[0], &scores[1]]))
}

/// The turn prompt, unless the decision is the same as before.
fn turn(before: Option<&TableModel>, after: &TableModel, words: &Words) -> Option<String> {
    // Hints may change while the choices stay the same.
    let actions = |table: &TableModel| table.view.valid_actions.iter().map(|valid| valid.action).collect::<Vec<_>>();
    let is_new = before.is_none_or(|before| actions(before) != actions(after));
    if !after.is_my_turn() || !is_new {
        return None;
    }
    match after.phase() {
        Phase::Bidding => Some(words.says_your_turn_bid.to_owned()),
        Phase::TrumpSelection => Some(words.says_your_turn_trumps.to_owned()),
        Phase::Playing if after.view.state.trick.as_ref().is_none_or(|trick| trick.plays.is_empty()) => {
            Some(words.says_your_lead.to_owned())
        }
        Phase::Playing => {
            let playable = after.hand(after.seat?).into_iter().filter(|domino| after.play_offer(*domino).is_some());
            Some(fill(words.says_your_turn_play, &[&listed(playable.collect(), words)]))
        }
        _ => None,
    }
}
