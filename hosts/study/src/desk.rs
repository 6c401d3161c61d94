//! Answers the messages of the screens that study a game.

use texas42_worker_protocol::{FromStudyWorker, ToStudyWorker};

use crate::{Replay, review::ReviewDesk};

/// What is open in the worker. One desk serves one screen.
#[derive(Debug, Default)]
pub struct Desk {
    replay: Replay,
    review: ReviewDesk,
}

impl Desk {
    /// Answers a [`ToStudyWorker`] as text. Text that is no message is answered with [`FromStudyWorker::Unreadable`].
    pub fn answer(&mut self, text: &str) -> FromStudyWorker {
        match ToStudyWorker::read(text) {
            Ok(ToStudyWorker::Replay { code, step, viewer }) => self.replay.show(&code, step, viewer),
            Ok(ToStudyWorker::Review { code, from_start }) => {
                let review = &mut self.review;
                self.replay.ask(&code, |game, events| review.part(&code, game, events, from_start))
            }
            Ok(ToStudyWorker::Grid { code, event }) => {
                let review = &mut self.review;
                self.replay.ask(&code, |game, _| review.grid(&code, game, event))
            }
            Ok(ToStudyWorker::Line { code, event, action }) => {
                let review = &mut self.review;
                let line =
                    |game: &_, _: &_| FromStudyWorker::Line { event, action, line: review.line(game, event, action) };
                self.replay.ask(&code, line)
            }
            Err(error) => FromStudyWorker::Unreadable { error: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use texas42_worker_protocol::ReplayFault;

    use super::*;

    #[test]
    fn a_message_is_answered_and_anything_else_is_unreadable() {
        let mut desk = Desk::default();
        let question = ToStudyWorker::Replay { code: "zzz".to_owned(), step: 0, viewer: None };
        assert!(matches!(desk.answer(&question.write()), FromStudyWorker::NotReplayed(ReplayFault::Damaged)));
        for text in ["", "release", r#"{"dance":{}}"#] {
            assert!(matches!(desk.answer(text), FromStudyWorker::Unreadable { .. }), "{text}");
        }
    }
}
