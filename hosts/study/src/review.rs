//! Reviews the game of a replay: the review itself, the grids of its bids, and what follows from a choice.

use texas42_ai::review::{BidGridBuilder, Review, ReviewOptions, bid_grid, punished_line};
use texas42_engine::Game;
use texas42_protocol::review::PunishedLine;
use texas42_solver::Solver;
use texas42_vocab::Action;
use texas42_worker_protocol::{FromStudyWorker, ReviewPart};

/// The review of one game. It uses the default options, as the `review` command does, so that both give the same numbers.
#[derive(Debug, Default)]
pub(crate) struct ReviewDesk {
    /// The code of the game that the rest is about.
    code: String,
    review: Option<Review>,
    grid: Option<BidGridBuilder>,
    solver: Solver,
}

impl ReviewDesk {
    /// Forgets everything about another game.
    fn open(&mut self, code: &str) {
        if self.code != code {
            *self = Self { code: code.to_owned(), ..Self::default() };
        }
    }

    /// Reviews up to the next decision. `events` are the numbers of events before each step of the replay.
    pub(crate) fn part(&mut self, code: &str, game: &Game, events: &[usize], from_start: bool) -> FromStudyWorker {
        self.open(code);
        if from_start {
            self.review = None;
        }
        let review = self.review.get_or_insert_with(|| Review::new(game, ReviewOptions::default()));
        let mut decision = None;
        while decision.is_none() {
            let Some(finding) = review.step_with(game, &mut self.solver) else { break };
            decision = finding.decision().cloned();
        }
        let report = review.report();
        let number = decision.as_ref().map(|decision| decision.hand_number);
        let hand = report.hands.into_iter().rfind(|hand| number.is_none_or(|number| hand.hand_number == number));
        FromStudyWorker::Reviewed(Box::new(ReviewPart {
            done: review.done() as u32,
            total: review.total() as u32,
            scoring: report.scoring,
            events: events.iter().map(|events| *events as u32).collect(),
            decision,
            hand,
            seats: report.seats,
        }))
    }

    /// Computes the next row of the grid of a bid.
    pub(crate) fn grid(&mut self, code: &str, game: &Game, event: u32) -> FromStudyWorker {
        self.open(code);
        if self.grid.as_ref().is_none_or(|builder| builder.grid().event != event) {
            self.grid = bid_grid(game, event as usize, ReviewOptions::default());
        }
        let Some(builder) = &mut self.grid else { return FromStudyWorker::Grid { grid: None, total: 0 } };
        builder.step(&mut self.solver);
        FromStudyWorker::Grid { grid: Some(builder.grid().clone()), total: builder.total() as u32 }
    }

    /// What follows from a choice with all hands open.
    pub(crate) fn line(&mut self, game: &Game, event: u32, action: Action) -> Option<PunishedLine> {
        punished_line(game, event as usize, action, &mut self.solver)
    }
}

#[cfg(test)]
mod tests {
    use texas42_protocol::review::ReviewedDecision;
    use texas42_room::HeadlessRoom;
    use texas42_worker_protocol::ToStudyWorker;

    use super::*;
    use crate::Desk;

    /// A complete game to two marks.
    const CODE: &str = "aSenyngE-40rg8N-erZke88Wzr4fAFcQ";

    fn asked(desk: &mut Desk, message: &ToStudyWorker) -> FromStudyWorker {
        desk.answer(&message.write())
    }

    fn part(desk: &mut Desk, from_start: bool) -> ReviewPart {
        match asked(desk, &ToStudyWorker::Review { code: CODE.to_owned(), from_start }) {
            FromStudyWorker::Reviewed(part) => *part,
            other => panic!("{other:?}"),
        }
    }

    /// Each part has a decision, the last part has the result, and the sum is what the command prints.
    #[test]
    fn parts_add_up_to_the_review_of_the_command() {
        let mut desk = Desk::default();
        let (mut decisions, mut last) = (Vec::<ReviewedDecision>::new(), part(&mut desk, true));
        assert!(last.decision.is_some() && last.done < last.total, "the first part comes after one decision");
        loop {
            decisions.extend(last.decision.clone());
            if last.done == last.total {
                break;
            }
            let next = part(&mut desk, false);
            assert!(next.done > last.done);
            last = next;
        }
        let room = HeadlessRoom::from_link(CODE).unwrap();
        let mut review = Review::new(room.game(), ReviewOptions::default());
        while review.step(room.game()) {}
        let report = review.report();
        assert_eq!((decisions, last.seats), (report.decisions, report.seats));
        assert_eq!(last.hand.as_ref(), report.hands.last());
        assert_eq!(last.events.last().copied(), Some(room.game().log().len() as u32));
        assert_eq!(part(&mut desk, true).done, 1, "it can start again");
    }

    #[test]
    fn a_grid_grows_row_by_row_and_lines_follow_from_choices() {
        let mut desk = Desk::default();
        let mut ask = |event| asked(&mut desk, &ToStudyWorker::Grid { code: CODE.to_owned(), event });
        for rows in [1, 2] {
            let FromStudyWorker::Grid { grid: Some(grid), total } = ask(0) else { panic!("a seat is to bid first") };
            assert_eq!((grid.rows.len(), grid.event), (rows, 0));
            assert!(total >= 9);
        }
        assert!(matches!(ask(5), FromStudyWorker::Grid { grid: None, .. }), "nobody bids at a play");
        let room = HeadlessRoom::from_link(CODE).unwrap();
        let action = room.game().log()[5];
        let line = asked(&mut desk, &ToStudyWorker::Line { code: CODE.to_owned(), event: 5, action });
        assert!(matches!(line, FromStudyWorker::Line { event: 5, line: Some(_), .. }), "{line:?}");
        let pass = ToStudyWorker::Line { code: CODE.to_owned(), event: 3, action: room.game().log()[3] };
        assert!(matches!(asked(&mut desk, &pass), FromStudyWorker::Line { line: None, .. }));
    }
}
