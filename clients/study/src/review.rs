//! The review of a game as far as it is known, and the texts and drawings about it.

use texas42_display::words::{Words, fill};
use texas42_protocol::review::{
    ChartPoint, MoveClass, OpenResult, PunishedLine, ReviewedChoice, ReviewedDecision, ReviewedHand, SeatAccuracy,
};
use texas42_vocab::{Action, Scoring, Seat};
use texas42_worker_protocol::ReviewPart;

use crate::replay::seat_name;

/// With points scoring, one mark of the review stands for this many points.
const POINTS_PER_MARK: f64 = 40.0;

/// What is known of a review.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewModel {
    /// The steps that are done, and all of them.
    pub done: u32,
    /// See `done`.
    pub total: u32,
    scoring: Scoring,
    /// The number of events before each step of the replay.
    events: Vec<u32>,
    decisions: Vec<ReviewedDecision>,
    hands: Vec<ReviewedHand>,
    seats: [SeatAccuracy; 4],
}

impl ReviewModel {
    /// Adds a part.
    pub fn add(&mut self, part: ReviewPart) {
        let ReviewPart { done, total, scoring, events, decision, hand, seats } = part;
        (self.done, self.total, self.scoring, self.events, self.seats) = (done, total, scoring, events, seats);
        self.decisions.extend(decision);
        if let Some(hand) = hand {
            self.hands.retain(|known| known.hand_number != hand.hand_number);
            self.hands.push(hand);
        }
    }

    /// Whether everything is reviewed.
    pub const fn is_finished(&self) -> bool {
        self.total > 0 && self.done == self.total
    }

    /// The step of the replay at which an event is about to happen.
    pub fn step_before(&self, event: u32) -> u32 {
        (self.events.partition_point(|events| *events <= event) as u32).saturating_sub(1)
    }

    /// The decision that is about to be made at a step.
    pub fn decision_at(&self, step: u32) -> Option<&ReviewedDecision> {
        self.decisions.iter().find(|decision| self.step_before(decision.event) == step)
    }

    /// The decision of an event.
    pub fn decision_of(&self, event: u32) -> Option<&ReviewedDecision> {
        self.decisions.iter().find(|decision| decision.event == event)
    }

    /// The decisions of a seat.
    pub fn decisions_of(&self, seat: Seat) -> impl Iterator<Item = &ReviewedDecision> {
        self.decisions.iter().filter(move |decision| decision.seat == seat)
    }

    /// How well a seat played.
    pub const fn seat(&self, seat: Seat) -> SeatAccuracy {
        self.seats[seat.index()]
    }

    /// A hand, as far as it is reviewed.
    pub fn hand(&self, number: u32) -> Option<&ReviewedHand> {
        self.hands.iter().find(|hand| hand.hand_number == number)
    }

    /// The errors of a seat that a person can learn from, in order.
    pub fn errors_of(&self, seat: Seat) -> Vec<u32> {
        let errors = self.decisions_of(seat).filter(|decision| decision.class.is_error());
        errors.map(|decision| decision.event).collect()
    }

    /// Expected marks, or points in the game to 250, with their sign.
    pub fn gain_text(&self, marks: f64) -> String {
        match self.scoring {
            Scoring::Marks => signed(format!("{marks:+.2}")),
            Scoring::Points => signed(format!("{:+.0}", POINTS_PER_MARK * marks)),
        }
    }
}

/// A number with a minus that screen readers know.
fn signed(text: String) -> String {
    text.replace('-', "\u{2212}")
}

/// A chance in percent.
pub fn percent(chance: f64, words: &Words) -> String {
    fill(words.percent, &[&format!("{:.0}", 100.0 * chance)])
}

/// The name of a class.
pub const fn class_text(class: MoveClass, words: &Words) -> &'static str {
    match class {
        MoveClass::Best => words.class_best,
        MoveClass::OnlyMove => words.class_only,
        MoveClass::TooClose => words.class_close,
        MoveClass::Good => words.class_good,
        MoveClass::Inaccuracy => words.class_inaccuracy,
        MoveClass::Mistake => words.class_mistake,
        MoveClass::Blunder => words.class_blunder,
    }
}

/// The name of a class in the style sheet.
pub const fn class_style(class: MoveClass) -> &'static str {
    match class {
        MoveClass::Best | MoveClass::OnlyMove | MoveClass::TooClose | MoveClass::Good => "fine",
        MoveClass::Inaccuracy => "inaccuracy",
        MoveClass::Mistake => "mistake",
        MoveClass::Blunder => "blunder",
    }
}

/// The sign in the dot of a class, so that the color is not needed.
pub const fn class_sign(class: MoveClass) -> &'static str {
    match class {
        MoveClass::Best | MoveClass::OnlyMove => "\u{2713}",
        MoveClass::TooClose => "=",
        MoveClass::Good => "\u{b7}",
        MoveClass::Inaccuracy => "?!",
        MoveClass::Mistake => "?",
        MoveClass::Blunder => "??",
    }
}

/// What is said of the action taken: its class, whether it was punished, and whether it was the turning point.
pub fn verdict_text(decision: &ReviewedDecision, is_turning_point: bool, words: &Words) -> String {
    let punished =
        decision.punished.map(|punished| if punished { words.review_punished } else { words.review_unpunished });
    let turning_point = is_turning_point.then_some(words.review_turning_point);
    [Some(class_text(decision.class, words)), punished, turning_point]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

/// Who did what, and how good it was.
pub fn done_text(decision: &ReviewedDecision, is_turning_point: bool, words: &Words) -> String {
    let (seat, action) = (seat_name(decision.seat, words), choice_text(decision.done, words));
    fill(words.review_did, &[&seat, &action, &verdict_text(decision, is_turning_point, words)])
}

/// The better choice and its reason, in one sentence; `None` if nothing was better.
pub fn better_text(decision: &ReviewedDecision, words: &Words) -> Option<String> {
    let is_behind = decision.taken().is_some_and(|taken| taken.behind > 0.0);
    (is_behind && decision.best != decision.done)
        .then(|| fill(words.review_better, &[&choice_text(decision.best, words), &words.remarks(&decision.why)]))
}

/// A choice: for a play its domino, otherwise the label of its button.
pub fn choice_text(action: Action, words: &Words) -> String {
    match action {
        Action::Play { domino, .. } => words.domino_text(domino),
        _ => words.action_text(action),
    }
}

/// How far a choice is behind the best, with twice its standard error, in percentage points.
pub fn loss_text(choice: &ReviewedChoice, words: &Words) -> String {
    let points = |share: f64| format!("{:.0}", 100.0 * share);
    match (choice.behind, choice.error) {
        (behind, _) if behind <= 0.0 => "0".to_owned(),
        (behind, error) if error <= 0.0 => points(behind),
        (behind, error) => fill(words.review_loss_with_error, &[&points(behind), &points(2.0 * error)]),
    }
}

/// The result of a choice with all hands open; a dash for a pass, which leads to no contract.
pub fn open_text(open: Option<OpenResult>, words: &Words) -> String {
    let Some(open) = open else { return "\u{2013}".to_owned() };
    let result = if open.made { words.review_made } else { words.review_set };
    match open.points {
        Some(points) => fill(words.review_with_points, &[result, &points.to_string()]),
        None => result.to_owned(),
    }
}

/// The moment of a point of the chart.
pub fn moment_text(point: &ChartPoint, words: &Words) -> String {
    match point.action {
        Action::CompleteTrick => fill(words.review_after_trick, &[&point.tricks.to_string()]),
        Action::Bid { .. } => format!("{}: {}", seat_name(point.bidder, words), words.action_text(point.action)),
        action => words.action_text(action),
    }
}

/// What follows from a choice with all hands open.
pub fn line_text(line: &PunishedLine, words: &Words) -> String {
    if !line.punished {
        return words.learn_line_free.to_owned();
    }
    let play =
        |(seat, domino): (Seat, _)| fill(words.learn_line_play, &[&seat_name(seat, words), &words.domino_text(domino)]);
    let plays: Vec<String> = line.plays.iter().map(|of| play((of.seat, of.domino))).collect();
    match plays.is_empty() {
        true => words.review_contract_set.to_owned(),
        false => fill(words.learn_line, &[&plays.join(", ")]),
    }
}

/// The size of the chart, in its own units.
pub const CHART_WIDTH: f64 = 320.0;
/// See [`CHART_WIDTH`].
pub const CHART_HEIGHT: f64 = 120.0;
/// Space for the points at the edges.
const CHART_EDGE: f64 = 12.0;

/// Where the points of a chart are drawn.
pub fn chart_places(chart: &[ChartPoint]) -> Vec<(f64, f64)> {
    let step = (CHART_WIDTH - 2.0 * CHART_EDGE) / (chart.len().saturating_sub(1).max(1)) as f64;
    let height = CHART_HEIGHT - 2.0 * CHART_EDGE;
    let place =
        |(at, point): (usize, &ChartPoint)| (CHART_EDGE + step * at as f64, CHART_EDGE + height * (1.0 - point.chance));
    chart.iter().enumerate().map(place).collect()
}

/// The point of a chart at which an event counts: the first that is not before it.
pub fn point_of(chart: &[ChartPoint], event: u32) -> Option<usize> {
    chart.iter().position(|point| point.event >= event)
}

#[cfg(test)]
mod tests {
    use texas42_display::words::Language;
    use texas42_protocol::review::LinePlay;
    use texas42_vocab::{Bid, Domino};

    use super::*;

    fn domino(text: &str) -> Domino {
        text.parse().unwrap_or_else(|_| panic!("{text}"))
    }

    fn choice(name: &str, behind: f64, class: MoveClass) -> ReviewedChoice {
        let action = Action::Play { player: Seat::ALL[1], domino: domino(name) };
        let (chance, marks) = (0.8 - behind, 0.6 - 2.0 * behind);
        ReviewedChoice { action, chance, marks, behind, error: 0.03, points: None, class, open: None }
    }

    fn decision(event: u32, class: MoveClass) -> ReviewedDecision {
        let choices = vec![choice("6-6", 0.0, MoveClass::Best), choice("5-0", 0.15, class)];
        ReviewedDecision {
            event,
            hand_number: 0,
            seat: Seat::ALL[1],
            done: choices[1].action,
            best: choices[0].action,
            class,
            why: vec![texas42_display::words::Remark::TakesTrick { domino: domino("6-6") }],
            choices,
            regret: 0.3,
            turned: false,
            punished: Some(true),
            worlds: 100,
            exact: false,
        }
    }

    fn part(decision: ReviewedDecision) -> ReviewPart {
        ReviewPart {
            done: 1,
            total: 2,
            scoring: Scoring::Marks,
            // Event 3 is not shown.
            events: vec![0, 1, 2, 4, 5],
            decision: Some(decision),
            hand: Some(ReviewedHand::default()),
            seats: [SeatAccuracy::default(); 4],
        }
    }

    #[test]
    fn parts_add_up_and_decisions_are_found_by_their_step() {
        let mut model = ReviewModel::default();
        model.add(part(decision(2, MoveClass::Mistake)));
        model.add(ReviewPart { done: 2, ..part(decision(4, MoveClass::Good)) });
        assert!(model.is_finished() && model.hands.len() == 1);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|event| model.step_before(event)), [0, 1, 2, 2, 3, 4]);
        assert_eq!(model.decision_at(2).map(|decision| decision.event), Some(2));
        assert_eq!(model.decision_at(3).map(|decision| decision.event), Some(4));
        assert_eq!(model.decision_at(1), None);
        assert_eq!(model.errors_of(Seat::ALL[1]), [2]);
        assert_eq!(model.gain_text(-0.25), "\u{2212}0.25");
    }

    #[test]
    fn a_decision_is_told_in_sentences() {
        let [english, spanish] = [Language::English, Language::Spanish].map(Language::words);
        let decision = decision(2, MoveClass::Mistake);
        assert_eq!(done_text(&decision, true, english), "Seat 2: 5-0 (mistake, punished, turning point).");
        assert_eq!(better_text(&decision, english).as_deref(), Some("6-6 was better. 6-6 takes the trick."));
        assert!(done_text(&decision, false, spanish).ends_with("5-0 (error, con castigo)."));
        let taken = decision.taken().copied().unwrap_or_else(|| panic!("it was evaluated"));
        assert_eq!(
            (percent(taken.chance, english), loss_text(&taken, english)),
            ("65%".to_owned(), "15 ± 6".to_owned())
        );
        assert_eq!(open_text(Some(OpenResult { made: false, points: Some(29) }), english), "set, 29 points");
        let plays = vec![LinePlay { seat: Seat::ALL[2], domino: domino("5-5") }];
        let line = PunishedLine { plays, result: OpenResult { made: true, points: None }, punished: true };
        assert_eq!(line_text(&line, english), "With all hands open, it goes on: Seat 3 5-5.");
        assert_eq!(line_text(&PunishedLine { punished: false, ..line }, english), english.learn_line_free);
    }

    #[test]
    fn a_chart_goes_from_edge_to_edge() {
        let action = Action::Bid { player: Seat::ALL[0], bid: Bid::points(30) };
        let point = |event, chance| ChartPoint { event, action, tricks: 0, bidder: Seat::ALL[0], chance, open: true };
        let chart = [point(0, 0.0), point(4, 0.5), point(9, 1.0)];
        assert_eq!(chart_places(&chart), [(12.0, 108.0), (160.0, 60.0), (308.0, 12.0)]);
        assert_eq!(chart_places(&chart[..1]), [(12.0, 108.0)]);
        assert_eq!(moment_text(&chart[0], Language::English.words()), "Seat 1: 30");
        assert_eq!([0, 1, 9, 10].map(|event| point_of(&chart, event)), [Some(0), Some(1), Some(2), None]);
    }
}
