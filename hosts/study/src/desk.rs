//! Answers the messages of the screens that study a game.

use texas42_worker_protocol::{FromStudyWorker, ToStudyWorker};

use crate::Replay;

/// What is open in the worker. One desk serves one screen.
#[derive(Debug, Default)]
pub struct Desk {
    replay: Replay,
}

impl Desk {
    /// Answers a [`ToStudyWorker`] as text. Text that is no message is answered with [`FromStudyWorker::Unreadable`].
    pub fn answer(&mut self, text: &str) -> FromStudyWorker {
        match ToStudyWorker::read(text) {
            Ok(ToStudyWorker::Replay { code, step, viewer }) => self.replay.show(&code, step, viewer),
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
