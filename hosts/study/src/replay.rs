//! Replays finished games from the codes in their links. A replay needs no table, no storage and no network.

use texas42_engine::{Game, code::CodeError};
use texas42_room::{HeadlessRoom, OpenError};
use texas42_vocab::{Action, Seat};
use texas42_worker_protocol::{FromStudyWorker, ReplayFault};

/// The game that is being replayed. It is decoded once, and not again for every step.
#[derive(Debug, Default)]
pub struct Replay(Option<OpenGame>);

#[derive(Debug)]
struct OpenGame {
    code: String,
    room: HeadlessRoom,
    /// The number of events at each step.
    steps: Vec<usize>,
}

impl Replay {
    /// Shows a step of the game of a code, as the player at `viewer` sees it or with all hands open. A step beyond the
    /// end is the last one.
    pub fn show(&mut self, code: &str, step: u32, viewer: Option<Seat>) -> FromStudyWorker {
        self.open(code).map_or_else(FromStudyWorker::NotReplayed, |game| game.show(step, viewer))
    }

    /// Answers a question about the game of a code and the numbers of events before each step.
    pub(crate) fn ask(
        &mut self,
        code: &str,
        answer: impl FnOnce(&Game, &[usize]) -> FromStudyWorker,
    ) -> FromStudyWorker {
        match self.open(code) {
            Ok(open) => answer(open.room.game(), &open.steps),
            Err(fault) => FromStudyWorker::NotReplayed(fault),
        }
    }

    fn open(&mut self, code: &str) -> Result<&OpenGame, ReplayFault> {
        let known = self.0.take().filter(|game| game.code == code);
        let game = known.map_or_else(|| OpenGame::decode(code), Ok)?;
        Ok(self.0.insert(game))
    }
}

impl OpenGame {
    fn decode(code: &str) -> Result<Self, ReplayFault> {
        let room = HeadlessRoom::from_link(code).map_err(|error| fault(&error))?;
        let steps = steps(room.game().log());
        Ok(Self { code: code.to_owned(), room, steps })
    }

    fn show(&self, step: u32, viewer: Option<Seat>) -> FromStudyWorker {
        let last = self.steps.len() - 1;
        let step = usize::try_from(step).map_or(last, |step| step.min(last));
        match self.room.view_after(self.steps[step], viewer) {
            Some(view) => {
                FromStudyWorker::Replayed { step: step as u32, steps: last as u32, viewer, view: Box::new(view) }
            }
            None => FromStudyWorker::NotReplayed(ReplayFault::Damaged),
        }
    }
}

/// The numbers of events after which something has changed on the table: the first deal, each event that everybody can
/// see, and the end.
fn steps(log: &[Action]) -> Vec<usize> {
    let visible = log.iter().enumerate().filter(|(_, action)| is_visible(**action)).map(|(at, _)| at + 1);
    let mut steps: Vec<usize> = std::iter::once(0).chain(visible).collect();
    if steps.last() != Some(&log.len()) {
        steps.push(log.len());
    }
    steps
}

/// Whether an event changes what lies on the table. Agreeing to go on, or a bot that takes over, does not.
const fn is_visible(action: Action) -> bool {
    match action {
        Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. } | Action::SetControl { .. } => false,
        Action::Bid { .. }
        | Action::Pass { .. }
        | Action::SelectTrump { .. }
        | Action::Play { .. }
        | Action::CompleteTrick
        | Action::ScoreHand
        | Action::Redeal
        | Action::Claim { .. }
        | Action::EndGame
        | Action::Undo { .. } => true,
    }
}

const fn fault(error: &OpenError) -> ReplayFault {
    match error {
        OpenError::Code(CodeError::LaterRules { .. }) => ReplayFault::LaterRules,
        OpenError::Code(CodeError::OtherRules { .. }) | OpenError::Config(_) => ReplayFault::OtherRules,
        OpenError::Code(CodeError::TooLong | CodeError::Version | CodeError::Characters | CodeError::Damaged)
        | OpenError::Replay(_)
        | OpenError::Record(_)
        | OpenError::Proof(_) => ReplayFault::Damaged,
    }
}

#[cfg(test)]
mod tests {
    use texas42_protocol::GameView;
    use texas42_room::RandomPlayer;
    use texas42_vocab::{Config, Consensus, Layer, OneHand, Phase};

    use super::*;

    /// The code of a hand that was played to its end, where everybody agrees to each trick.
    fn code() -> String {
        let layers = vec![Layer::Consensus(Consensus {}), Layer::OneHand(OneHand::default())];
        let config = Config { layers, seed: Some("replay".parse().unwrap()), ..Config::default() };
        let (mut room, mut player) = (HeadlessRoom::new(&config).unwrap(), RandomPlayer::new(7));
        while !room.state().phase.is_over() {
            let action = player.pick(&room.legal()).unwrap();
            room.execute(action).unwrap();
        }
        room.code()
    }

    fn replayed(answer: FromStudyWorker) -> (u32, u32, GameView) {
        match answer {
            FromStudyWorker::Replayed { step, steps, view, .. } => (step, steps, *view),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_step_changes_the_table_and_the_last_has_the_result() {
        let (code, mut replay) = (code(), Replay::default());
        let (first, steps, dealt) = replayed(replay.show(&code, 0, None));
        assert_eq!((first, dealt.state.phase, dealt.metadata.result.is_none()), (0, Phase::Bidding, true));
        let mut before = dealt;
        for step in 1..=steps {
            let (shown, _, view) = replayed(replay.show(&code, step, None));
            assert_eq!(shown, step);
            let (old, new) = (&before.state, &view.state);
            assert!(
                (&old.auction, &old.contract, &old.trick, &old.tricks, old.phase)
                    != (&new.auction, &new.contract, &new.trick, &new.tricks, new.phase),
                "step {step} must show something new"
            );
            before = view;
        }
        let result = before.metadata.result.as_ref().expect("the game is over");
        assert_eq!(result.replay_link, Some(format!("#replay/{code}")));
        assert_eq!(replayed(replay.show(&code, u32::MAX, None)).0, steps);
    }

    #[test]
    fn a_seat_sees_its_own_hand_only() {
        let (code, mut replay) = (code(), Replay::default());
        let shown = |view: &GameView| Seat::ALL.map(|seat| view.state.players[seat.index()].hand.len());
        assert_eq!(shown(&replayed(replay.show(&code, 0, None)).2), [7; 4]);
        assert_eq!(shown(&replayed(replay.show(&code, 0, Some(Seat::ALL[2]))).2), [0, 0, 7, 0]);
    }

    #[test]
    fn a_code_that_leads_to_no_game_is_refused_with_the_reason() {
        let mut replay = Replay::default();
        let refused = |answer| match answer {
            FromStudyWorker::NotReplayed(fault) => fault,
            other => panic!("{other:?}"),
        };
        let code = code();
        for damaged in ["", "b", "zzz", "%%%", &code[..code.len() - 1], &code.replacen('b', "c", 1)] {
            assert_eq!(refused(replay.show(damaged, 0, None)), ReplayFault::Damaged, "{damaged}");
        }
        assert_eq!(refused(replay.show(LATER, 0, None)), ReplayFault::LaterRules);
        assert_eq!(replayed(replay.show(&code, 0, None)).0, 0, "a fault must not prevent the next replay");
    }

    /// A code of rules version 255, with an intact checksum.
    const LATER: &str = "b_2xhdGVygVam";
}
