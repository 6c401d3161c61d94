//! What an expert would say to the person in front of the page: by the view that the page has, and nothing else.

use serde::Serialize;
use texas42_ai::{Ask, hints};
use texas42_protocol::GameView;
use texas42_vocab::Seat;

/// A remark about one thing that can be done.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Advice {
    /// What is said, in English.
    text: String,
    /// How often it ends well, of a hundred times; none where that was not weighed.
    percent: Option<u8>,
    /// Whether it is what the expert would do.
    best: bool,
}

/// Remarks about everything that a seat may do, in the order of the view, as JSON. The question is the number of the seat and
/// the view; nothing when it cannot be read.
pub fn advise(question: &str) -> Option<String> {
    let (seat, view) = question.split_once(' ')?;
    let seat = Seat::new(seat.parse().ok()?)?;
    let view: GameView = texas42_protocol::read(view).ok()?;
    serde_json::to_string(&advice(&view, seat)).ok()
}

fn advice(view: &GameView, seat: Seat) -> Vec<Advice> {
    let remarks = hints(&Ask::new(view, seat, view.state.events.into()));
    let percent = |chance: f64| (100.0 * chance + 0.5) as u8;
    let advice = remarks.into_iter().map(|remark| Advice {
        text: remark.text,
        percent: remark.chance.map(percent),
        best: remark.recommended,
    });
    advice.collect()
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
        let said = advice(&view, seat);
        assert_eq!(said.len(), view.valid_actions.len());
        assert_eq!(said.iter().filter(|advice| advice.best).count(), 1);
        assert!(
            said.iter().all(|advice| !advice.text.is_empty() && advice.percent.is_some_and(|percent| percent <= 100))
        );
        let question = format!("{} {}", seat.index(), serde_json::to_string(&view).unwrap());
        assert_eq!(advise(&question), serde_json::to_string(&said).ok());
        assert_eq!((advise("0 no"), advise("9 {}"), advise("")), (None, None, None));
    }
}
