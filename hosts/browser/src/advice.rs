//! The expert's advice for the person at the page, computed from the page's view alone.

use texas42_ai::{DecisionPoint, hints};
use texas42_protocol::GameView;
use texas42_vocab::Seat;
use texas42_worker_protocol::ActionAdvice;

/// Advice about every valid action of a seat, in the order of the view.
pub fn advise(seat: Seat, view: &GameView) -> Vec<ActionAdvice> {
    let advice = hints(&DecisionPoint::new(view, seat, view.state.events.into()));
    advice.into_iter().map(|advice| ActionAdvice { is_best: advice.recommended, why: advice.why }).collect()
}

#[cfg(test)]
mod tests {
    use texas42_room::HeadlessRoom;
    use texas42_vocab::Config;

    use super::*;

    #[test]
    fn the_expert_comments_on_every_valid_action_and_recommends_one() {
        let room = HeadlessRoom::new(&Config { seed: Some("advice".parse().unwrap()), ..Config::default() }).unwrap();
        let seat = room.state().to_act().unwrap();
        let view = room.view(seat);
        let remarks = advise(seat, &view);
        assert_eq!(remarks.len(), view.valid_actions.len());
        assert_eq!(remarks.iter().filter(|remark| remark.is_best).count(), 1, "{remarks:?}");
        assert!(remarks.iter().all(|remark| !remark.why.is_empty()), "{remarks:?}");
    }
}
