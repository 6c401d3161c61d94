//! The four seats with the dominoes that they have played: around the table, or as a list in a narrow terminal.

use ratatui::{
    Frame,
    layout::{Alignment, Constraint, Layout, Rect},
    text::{Line, Span},
    widgets::Paragraph,
};
use texas42_vocab::{Control, Seat};

use super::{Look, dominoes::on_table};
use crate::tui::model::{TableModel, words};

/// The seats as they are drawn: bottom, left, top, right.
fn clockwise(model: &TableModel) -> [Seat; 4] {
    let bottom = model.bottom();
    let mut seats = bottom.round();
    std::array::from_fn(|_| seats.next().unwrap_or(bottom))
}

pub(super) fn draw_seats(frame: &mut Frame<'_>, model: &TableModel, area: Rect, look: Look) {
    let [bottom, left, top, right] = clockwise(model);
    let [upper, middle, lower] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(3), Constraint::Length(3)]).areas(area);
    let [west, east] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(middle);
    let block = |seat, alignment| Paragraph::new(lines(model, seat, look)).alignment(alignment);
    frame.render_widget(block(top, Alignment::Center), upper);
    frame.render_widget(block(left, Alignment::Left), west);
    frame.render_widget(block(right, Alignment::Right), east);
    frame.render_widget(block(bottom, Alignment::Center), lower);
}

fn lines(model: &TableModel, seat: Seat, look: Look) -> Vec<Line<'static>> {
    vec![
        name_line(model, seat, look),
        Line::styled(details(model, seat).join(" · "), look.quiet()),
        played(model, seat, look),
    ]
}

/// One line for each seat.
pub(super) fn list(frame: &mut Frame<'_>, model: &TableModel, area: Rect, look: Look) {
    let [bottom, left, top, right] = clockwise(model);
    let line = |seat| {
        let mut line = name_line(model, seat, look);
        let details: Vec<String> = details(model, seat).into_iter().skip(1).collect();
        line.push_span(Span::styled(format!(" {}", details.join(", ")), look.quiet()));
        (line, played(model, seat, look))
    };
    let rows = Layout::vertical([Constraint::Length(1); 4]).split(area);
    for (seat, row) in [left, top, right, bottom].into_iter().zip(rows.iter()) {
        let (line, played) = line(seat);
        let width = u16::try_from(played.width()).unwrap_or_default();
        let [text, domino] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(width)]).areas(*row);
        frame.render_widget(Paragraph::new(line), text);
        frame.render_widget(Paragraph::new(played), domino);
    }
}

fn name_line(model: &TableModel, seat: Seat, look: Look) -> Line<'static> {
    let is_to_act = model.view.as_ref().is_some_and(|view| view.derived.to_act == Some(seat));
    let place = match model.seat {
        Some(own) if own == seat => " (you)",
        Some(own) if own.partner() == seat => " (partner)",
        _ => "",
    };
    let text = format!("{}{}{place}", if is_to_act { "▶ " } else { "" }, model.name(seat));
    if is_to_act { Line::styled(text, look.strong()) } else { Line::raw(text) }
}

/// The number of dominoes of a seat, its call, and its state.
fn details(model: &TableModel, seat: Seat) -> Vec<String> {
    let Some(view) = &model.view else { return Vec::new() };
    let state = &view.state;
    let call = state.auction.iter().find(|call| call.player == seat);
    let call =
        call.map(|call| call.bid.map_or_else(|| "pass".to_owned(), |bid| format!("bid {}", words().bid_text(bid))));
    let is = |condition: bool, text: &str| condition.then(|| text.to_owned());
    let player = model.player_on(seat);
    let is_away = player.is_some_and(|player| !player.is_connected && player.control_type == Control::Human);
    let sits_out = state.contract.is_some_and(|contract| contract.sits_out == Some(seat));
    let held = state.players[seat.index()].hand_count;
    [
        Some(if held == 1 { "1 domino".to_owned() } else { format!("{held} dominoes") }),
        call,
        is(sits_out, words().sits_out),
        is(state.shaker == Some(seat), "shakes"),
        is(is_away, words().away),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The domino that a seat has played to the trick. An asterisk marks the one that is winning.
fn played(model: &TableModel, seat: Seat, look: Look) -> Line<'static> {
    let trick = model.view.as_ref().and_then(|view| view.state.trick.as_ref());
    let play = trick.and_then(|trick| trick.plays.iter().find(|play| play.player == seat));
    let Some(play) = play else { return Line::raw("") };
    let is_winning = trick.is_some_and(|trick| trick.winner == Some(seat));
    match is_winning {
        true => Line::styled(format!("{}*", on_table(play.domino)), look.strong()),
        false => Line::raw(format!("{} ", on_table(play.domino))),
    }
}
