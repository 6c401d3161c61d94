//! Describes what happened between two views, for screen readers and the event log.

use texas42_protocol::{Capability, PlayerView};
use texas42_vocab::{Action, Control, Hand, Phase, Seat, Team};

use crate::{
    speech::coach_news,
    table_model::TableModel,
    words::{Words, fill},
};

/// The sentences for the changes from one view to the next.
pub fn news(before: Option<&TableModel>, after: &TableModel, words: &Words) -> Vec<String> {
    let mut sentences = Vec::new();
    let before_hand = before.filter(|before| before.phase() != Phase::Setup && before.is_same_hand(after));
    if before.is_none() && after.is_newcomer_to_an_imported_table() {
        sentences.push(words.brought.to_owned());
    }
    if let Some(before) = before {
        sentences.extend(arrivals(before, after, words));
        sentences.extend(departures(before, after, words));
        sentences.extend(ready(before, after, words));
        sentences.extend(coach_news(before, after, words));
        sentences.extend(hosts(before, after, words));
        sentences.extend(absence(before, after, words));
        sentences.extend(before.view.has_other_rules(&after.view).then(|| words.says_rules.to_owned()));
        if before_hand.is_none() {
            sentences.extend(end_of_last_hand(before, after, words));
        }
        sentences.extend(score(before, after, words));
    }
    sentences.extend(before.and_then(|before| undone_hand(before, after, words)));
    sentences.extend(before.filter(|before| undo_expires(before, after)).map(|_| words.undo_expired.to_owned()));
    sentences.extend(before.and_then(|before| undo_declined(before, after, words)));
    if before_hand.is_none() && after.phase() != Phase::Setup {
        sentences.push(deal(after, words));
    }
    sentences.extend(course(before_hand, after, words));
    sentences.extend(ending(before_hand, after, words));
    sentences.extend(turn(before, after, words));
    sentences
}

/// People who connected or disconnected, spectators and coaches included, and people who have their seat back from a bot.
fn arrivals(before: &TableModel, after: &TableModel, words: &Words) -> Vec<String> {
    let others = after.view.players.iter().filter(|player| Some(&player.player_id) != after.player_id.as_ref());
    let mut sentences: Vec<String> = others
        .filter(|player| is_person(player))
        .filter_map(|player| {
            let old = before.view.players.iter().find(|old| old.player_id == player.player_id);
            let sits_down = old.is_some_and(|old| old.player_index.is_none()) && player.player_index.is_some();
            // A new player is listed as disconnected for a moment.
            match (old.map(|old| old.is_connected), player.is_connected) {
                (None | Some(false), true) => Some(arrival(player, after, words)),
                (Some(true), true) if sits_down => Some(arrival(player, after, words)),
                (Some(true), false) => Some(fill(words.says_away, &[player.name.as_str()])),
                _ => None,
            }
        })
        .collect();
    let back = |player: &&PlayerView| {
        let old = before.view.players.iter().find(|old| old.player_id == player.player_id);
        let was_bot =
            old.is_some_and(|old| old.control_type == Control::Ai && !old.waits_for_deal && old.player_index.is_some());
        was_bot && player.control_type == Control::Human
    };
    sentences.extend(after.view.players.iter().filter(back).filter_map(|player| {
        let seat = player.player_index?;
        Some(by(after, seat, words, [words.says_back_you, words.says_back], &[]))
    }));
    sentences
}

/// A player who is a person, or a visitor.
fn is_person(player: &PlayerView) -> bool {
    player.player_index.is_none() || player.control_type == Control::Human || player.waits_for_deal
}

/// What a person who arrives does at the table: plays, coaches or watches.
fn arrival(player: &PlayerView, after: &TableModel, words: &Words) -> String {
    let student = player.capabilities.iter().find_map(|capability| match capability {
        Capability::ObserveHand { player_index } => Some(*player_index),
        _ => None,
    });
    match (player.player_index, student) {
        (Some(_), _) => fill(words.says_here, &[player.name.as_str()]),
        (None, Some(student)) if after.seat == Some(student) => fill(words.says_coaches_you, &[player.name.as_str()]),
        (None, Some(student)) => fill(words.says_coaches, &[player.name.as_str(), &after.name(student, words)]),
        (None, None) => {
            let sees_hands = [Capability::ObserveAllHands, Capability::ObserveFullState];
            let sees_all = player.capabilities.iter().any(|capability| sees_hands.contains(capability));
            fill(if sees_all { words.says_watches_open } else { words.says_watches }, &[player.name.as_str()])
        }
    }
}

/// Everybody else who watches or coaches, in sentences.
pub fn visitors(table: &TableModel, words: &Words) -> Vec<String> {
    let is_visitor = |player: &&PlayerView| {
        player.player_index.is_none() && player.is_connected && Some(&player.player_id) != table.player_id.as_ref()
    };
    table.view.players.iter().filter(is_visitor).map(|visitor| arrival(visitor, table, words)).collect()
}

/// People who left the table or their seat, or whose seat a bot has taken over.
fn departures(before: &TableModel, after: &TableModel, words: &Words) -> Vec<String> {
    let others = before.view.players.iter().filter(|player| Some(&player.player_id) != before.player_id.as_ref());
    others
        .filter(|player| is_person(player))
        .filter_map(|person| {
            let is_them = |player: &&PlayerView| player.player_id == person.player_id;
            let is_there = |now: &&PlayerView| person.player_index.is_none() || now.player_index == person.player_index;
            let now = after.view.players.iter().find(is_them).filter(is_there);
            let text = match now.map(|player| player.control_type) {
                None => words.says_left,
                Some(Control::Ai) if person.player_index.is_some() && !person.waits_for_deal => words.says_bot,
                Some(Control::Ai | Control::Human) => return None,
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

/// People who became the host.
fn hosts(before: &TableModel, after: &TableModel, words: &Words) -> Vec<String> {
    let is_host = |player: &PlayerView| player.capabilities.contains(&Capability::ConfigureVariant);
    let was_host = |player: &PlayerView| {
        let known = before.view.players.iter().find(|known| known.player_id == player.player_id);
        known.is_none_or(is_host)
    };
    let new = after.view.players.iter().filter(|player| is_host(player) && !was_host(player));
    let sentence = |player: &PlayerView| match Some(&player.player_id) == after.player_id.as_ref() {
        true => words.says_host_you.to_owned(),
        false => fill(words.says_host, &[player.name.as_str()]),
    };
    new.map(sentence).collect()
}

/// The absence of the player whom a table without a time limit waits for.
fn absence(before: &TableModel, after: &TableModel, words: &Words) -> Option<String> {
    let is_new = before.deadline().is_none() && after.view.metadata.table.turn_seconds.is_none();
    let awaited = after.deadline().and(after.view.derived.to_act)?;
    (is_new && after.seat != Some(awaited)).then(|| fill(words.says_absent, &[&after.name(awaited, words)]))
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

/// Fills the sentence about what a seat does: the first one if it is the listener's own, else the second. The name is
/// `{0}`, and `rest` follows.
fn by(table: &TableModel, seat: Seat, words: &Words, [own, other]: [&str; 2], rest: &[&str]) -> String {
    let name = table.name(seat, words);
    let values: Vec<&str> = core::iter::once(name.as_str()).chain(rest.iter().copied()).collect();
    fill(if table.seat == Some(seat) { own } else { other }, &values)
}

/// The moves of a hand in order: calls, trumps, plays, and a claim.
fn moves(table: &TableModel) -> Vec<Action> {
    let state = &table.view.state;
    let calls = state.auction.iter().map(|call| match call.bid {
        Some(bid) => Action::Bid { player: call.player, bid },
        None => Action::Pass { player: call.player },
    });
    let named = state.contract.and_then(|contract| Some((contract.declarer, contract.trump?)));
    let trump = named.map(|(player, trump)| Action::SelectTrump { player, trump });
    let plays = state.tricks.iter().chain(&state.trick).flat_map(|trick| &trick.plays);
    let plays = plays.map(|play| Action::Play { player: play.player, domino: play.domino });
    let claim = state.claim.map(|claim| Action::Claim { player: claim.player });
    calls.chain(trump).chain(plays).chain(claim).collect()
}

/// What happened in the hand since `before`: moves that were undone, then new moves.
fn course(before: Option<&TableModel>, after: &TableModel, words: &Words) -> Vec<String> {
    let (old, new) = (before.map(moves).unwrap_or_default(), moves(after));
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let has_claimed = |table: &TableModel| table.view.state.claim.is_some();
    let undone = match before {
        // A claim takes the unfinished trick from the table.
        Some(before) if has_claimed(after) && !has_claimed(before) => Vec::new(),
        Some(before) => old[same..].iter().map(|action| moved(before, *action, words)).collect(),
        None => Vec::new(),
    };
    let mut sentences: Vec<String> =
        (!undone.is_empty()).then(|| fill(words.says_undone, &[&undone.join(" ")])).into_iter().collect();
    // After an undone claim the unfinished trick lies on the table again.
    let restored = before.is_some_and(|before| has_claimed(before) && !has_claimed(after));
    let known = if restored { new.len() } else { same };
    let first_play = new.iter().position(|action| matches!(action, Action::Play { .. })).unwrap_or(new.len());
    for (at, action) in new.iter().enumerate().skip(known) {
        if !matches!(action, Action::Claim { .. }) {
            sentences.push(moved(after, *action, words));
        }
        sentences.extend(consequence(after, *action, at + 1, at.checked_sub(first_play), words));
    }
    sentences
}

/// A move as a sentence.
fn moved(table: &TableModel, action: Action, words: &Words) -> String {
    let sentence = |seat, texts, rest: &[&str]| by(table, seat, words, texts, rest);
    match action {
        Action::Bid { player, bid } => sentence(player, [words.says_bid_you, words.says_bid], &[&words.bid_text(bid)]),
        Action::Pass { player } => sentence(player, [words.says_pass_you, words.says_pass], &[]),
        Action::SelectTrump { player, trump } => {
            sentence(player, [words.says_trumps_you, words.says_trumps], &[words.trump_text(trump)])
        }
        Action::Play { player, domino } => {
            sentence(player, [words.says_play_you, words.says_play], &[&words.domino_text(domino)])
        }
        Action::Claim { player } => sentence(player, [words.says_claim_you, words.says_claim], &[]),
        _ => String::new(),
    }
}

/// What follows from a move: the end of the auction, who sits out, a completed trick. `moves` is the number of moves of
/// the hand up to this one, and `play` the number of plays before it.
fn consequence(table: &TableModel, action: Action, moves: usize, play: Option<usize>, words: &Words) -> Option<String> {
    let state = &table.view.state;
    let contract = state.contract?;
    match action {
        Action::Bid { .. } | Action::Pass { .. } if moves == state.auction.len() => {
            let texts = [words.says_wins_bid_you, words.says_wins_bid];
            Some(by(table, contract.bidder, words, texts, &[&words.bid_text(contract.bid)]))
        }
        Action::SelectTrump { .. } => {
            let texts = [words.says_sits_out_you, words.says_sits_out];
            Some(by(table, contract.sits_out?, words, texts, &[]))
        }
        Action::Play { .. } => {
            let players = 4 - usize::from(contract.sits_out.is_some());
            let number = play? / players;
            ((play? + 1) % players == 0).then(|| trick_taken(table, number, words)).flatten()
        }
        _ => None,
    }
}

/// Who has taken a trick, counted from 0, and what both teams have then.
fn trick_taken(table: &TableModel, number: usize, words: &Words) -> Option<String> {
    let state = &table.view.state;
    let trick = state.tricks.iter().chain(&state.trick).nth(number)?;
    let taken = by(table, trick.winner?, words, [words.says_trick_you, words.says_trick], &[&trick.points.to_string()]);
    let points = |team: Team| {
        let so_far = state.tricks.iter().chain(&state.trick).take(number + 1);
        let own = so_far.filter(|trick| trick.winner.is_some_and(|winner| winner.team() == team));
        own.map(|trick| u16::from(trick.points)).sum::<u16>().to_string()
    };
    let (first, second) = (table.first_team(), table.first_team().other());
    let named = [table.team_name(first, words), table.team_name(second, words)];
    let totals = fill(words.says_totals, &[named[0], &points(first), named[1], &points(second)]);
    Some(format!("{taken} {totals}"))
}

/// Whether a request to undo is gone although nothing was undone: somebody played on instead of agreeing.
pub fn undo_expires(before: &TableModel, after: &TableModel) -> bool {
    let (old, new) = (moves(before), moves(after));
    let is_undone = !before.is_same_hand(after) || !new.starts_with(&old);
    let is_declined = after.view.metadata.undo_declined.is_some();
    before.view.metadata.undo.is_some() && after.view.metadata.undo.is_none() && !is_undone && !is_declined
}

/// Who declined a request to undo.
pub fn undo_declined(before: &TableModel, after: &TableModel, words: &Words) -> Option<String> {
    let seat = after.view.metadata.undo_declined.filter(|seat| before.view.metadata.undo_declined != Some(*seat))?;
    Some(by(after, seat, words, [words.says_undo_declined_you, words.says_undo_declined], &[]))
}

/// The hand that was undone as a whole, if the table went back to an earlier one.
fn undone_hand(before: &TableModel, after: &TableModel, words: &Words) -> Option<String> {
    let number = |table: &TableModel| (table.view.metadata.game_number, table.view.state.hand_number);
    let ((game, hand), (same, earlier)) = (number(before), number(after));
    let undone = || fill(words.hand_number, &[&(hand + 1).to_string()]);
    (game == same && earlier < hand).then(|| fill(words.says_undone, &[&[&undone(), "."].concat()]))
}

/// How the last hand ended, if its end was not shown: the view already shows the next hand.
fn end_of_last_hand(before: &TableModel, after: &TableModel, words: &Words) -> Option<String> {
    let (old, new) = (&before.view.state, &after.view.state);
    let is_next_hand = before.view.metadata.game_number == after.view.metadata.game_number
        && new.hand_number == old.hand_number + 1
        && !before.phase().is_over()
        && old.outcome.is_none();
    match &new.last_hand {
        _ if !is_next_hand || before.phase() == Phase::Setup => None,
        Some(hand) if old.last_hand.as_ref() != Some(hand) => {
            Some(outcome(after, hand.outcome.made, hand.contract.bidder, hand.points, words))
        }
        _ => Some([words.thrown_in, "."].concat()),
    }
}

fn outcome(table: &TableModel, made: bool, bidder: Seat, points: [u8; 2], words: &Words) -> String {
    let team = bidder.team();
    let text = if made { words.says_made } else { words.says_set };
    fill(text, &[&words.points_text(points[team.index()]), table.team_name(team, words)])
}

fn ending(before: Option<&TableModel>, after: &TableModel, words: &Words) -> Vec<String> {
    let mut sentences = Vec::new();
    let state = &after.view.state;
    if before.is_some_and(|before| before.view.state.claim.is_none()) {
        sentences.extend(after.claim_text(words));
    }
    // A hand that is played on after it was decided ends with other points.
    let ends = |before: &TableModel| before.phase() == Phase::Playing && after.phase() != Phase::Playing;
    let is_news = before.is_some_and(|before| before.view.state.outcome.is_none() || ends(before));
    if let (Some(decided), Some(contract), true) = (&state.outcome, state.contract, is_news) {
        sentences.push(outcome(after, decided.made, contract.bidder, state.points, words));
    }
    if state.phase.is_over() && before.is_some_and(|before| !before.phase().is_over()) {
        sentences.push(words.says_over.to_owned());
    }
    sentences
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
        Phase::Bidding => Some(your_bid(after, words)),
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

/// The prompt to bid: the high bid, and the least that beats it.
fn your_bid(table: &TableModel, words: &Words) -> String {
    let high = table.standing().map(|(seat, bid)| {
        let is_partner = table.seat.is_some_and(|own| own.partner() == seat);
        let name = if is_partner { words.your_partner.to_owned() } else { table.name(seat, words) };
        fill(words.says_high_bid, &[&words.bid_text(bid), &name])
    });
    let offered = |wanted: fn(&Action) -> bool| table.view.valid_actions.iter().map(|valid| valid.action).find(wanted);
    let needed = offered(|action| matches!(action, Action::Bid { .. })).and_then(|action| match action {
        Action::Bid { bid, .. } => Some(fill(words.says_needed, &[&words.bid_text(bid)])),
        _ => None,
    });
    let may_pass = offered(|action| matches!(action, Action::Pass { .. })).is_some();
    let must_bid = (!may_pass).then(|| [words.must_bid, "."].concat());
    let parts = [Some(words.says_your_turn_bid.to_owned()), high, must_bid, needed];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
