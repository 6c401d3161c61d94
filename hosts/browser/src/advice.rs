//! What an expert would say to the person in front of the page: by the view that the page has, and nothing else.

use texas42_ai::{Ask, hints};
use texas42_protocol::GameView;
use texas42_vocab::Seat;

/// Remarks about everything that a seat may do, in the order of the view, one to a line: `best` where the expert would do it, a
/// tab, and the reason. The question is the number of the seat and the view; nothing when it cannot be read.
pub fn advise(question: &str) -> Option<String> {
    let (seat, view) = question.split_once(' ')?;
    let seat = Seat::new(seat.parse().ok()?)?;
    let view: GameView = texas42_protocol::read(view).ok()?;
    let remarks = hints(&Ask::new(&view, seat, view.state.events.into()));
    let lines = remarks.into_iter().map(|remark| {
        let best = if remark.recommended { "best" } else { "" };
        format!("{best}\t{}\n", remark.text)
    });
    Some(lines.collect())
}

#[cfg(test)]
mod tests {
    use texas42_room::HeadlessRoom;
    use texas42_vocab::Config;

    use super::*;

    #[test]
    fn an_expert_speaks_of_everything_that_can_be_done_and_would_do_one_of_it() {
        let room = HeadlessRoom::new(&Config { seed: Some("advice".parse().unwrap()), ..Config::default() }).unwrap();
        let seat = room.state().to_act().unwrap();
        let view = room.view(seat);
        let said = advise(&format!("{} {}", seat.index(), serde_json::to_string(&view).unwrap())).unwrap();
        let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!(lines.len(), view.valid_actions.len());
        assert_eq!(lines.iter().filter(|line| line[0] == "best").count(), 1, "{said}");
        assert!(lines.iter().all(|line| line.len() == 2 && !line[1].is_empty()), "{said}");
    }

    #[test]
    fn what_is_no_question_has_no_answer() {
        assert_eq!(["0 no", "9 {}", "", "0"].map(advise), [const { None }; 4]);
    }
}
