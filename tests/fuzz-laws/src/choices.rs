//! Interprets bytes as choices: a table, an action, a whole game. Any bytes are valid.

use texas42_room::{HeadlessRoom, RandomPlayer};
use texas42_vocab::{
    Action, Bid, BidKind, Config, Control, DailyChallenge, Difficulty, Domino, Doubles, ForcedBid, Hand, Layer, Lead,
    Nello, OneHand, Phase, Scoring, Script, Seat, Speed, Trump, WhoMustBid,
};

/// The remaining bytes.
pub(crate) struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// A number below `bound`; 0 when no bytes are left.
    pub(crate) fn below(&mut self, bound: u8) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first % bound
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn one_in(&mut self, chances: u8) -> bool {
        self.below(chances) == chances - 1
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[usize::from(self.below(items.len() as u8))]
    }

    /// A table, most often a valid one.
    pub(crate) fn config(&mut self) -> Config {
        let mut layers = Vec::new();
        for layer in Layer::every() {
            if self.one_in(3) {
                let layer = self.with_parameters(layer);
                let at = usize::from(self.below(layers.len() as u8 + 1));
                layers.insert(at, layer);
            }
        }
        if !self.one_in(8) {
            make_compatible(&mut layers);
        }
        let points = !layers.iter().any(Layer::is_special_contract) && self.one_in(4);
        Config {
            layers,
            scoring: if points { Scoring::Points } else { Scoring::Marks },
            target: self.one_in(2).then(|| self.below(9).into()),
            seed: format!("table-{}", self.below(255)).parse().ok(),
            deals: (0..self.below(8) / 6).map(|_| self.deal()).collect(),
            shaker: self.one_in(3).then(|| self.pick(&Seat::ALL)),
            play_on: self.one_in(3),
            players: [(); 4].map(|()| self.pick(&[Control::Human, Control::Ai])),
        }
    }

    fn with_parameters(&mut self, layer: Layer) -> Layer {
        match layer {
            Layer::Nello(_) => Layer::Nello(Nello {
                minimum: self.below(4) + 1,
                lead: self.pick(&[Lead::Bidder, Lead::Left]),
                doubles: self.pick(&[Doubles::Own, Doubles::High, Doubles::Low]),
            }),
            Layer::ForcedBid(_) => Layer::ForcedBid(ForcedBid {
                minimum: 30 + self.below(13),
                who: self.pick(&[WhoMustBid::Shaker, WhoMustBid::First]),
            }),
            Layer::Speed(_) => Layer::Speed(Speed { delay: u16::from(self.below(255)) * 39 }),
            Layer::OneHand(_) => Layer::OneHand(OneHand {
                seed: None,
                difficulty: self.one_in(3).then_some(Difficulty::Easy),
                script: self.one_in(2).then(|| Script {
                    player: self.pick(&Seat::ALL),
                    bid: self.pick(&[BidKind::Points, BidKind::Marks]),
                    value: self.pick(&[30, 36, 41, 1, 2]),
                    trump: self.pick(&Trump::STRAIGHT),
                }),
            }),
            Layer::DailyChallenge(daily) => Layer::DailyChallenge(DailyChallenge {
                difficulty: self.pick(&[Difficulty::Easy, Difficulty::Medium, Difficulty::Hard]),
                deal: self.one_in(2).then(|| u32::from(self.below(255)) << self.below(25)),
                ..daily
            }),
            Layer::Plunge(_)
            | Layer::Splash(_)
            | Layer::Sevens(_)
            | Layer::Tournament(_)
            | Layer::Hints(_)
            | Layer::Consensus(_) => layer,
        }
    }

    /// Four hands of seven.
    fn deal(&mut self) -> [Hand; 4] {
        let mut left: Vec<Domino> = Domino::all().collect();
        [(); 4].map(|()| (0..Hand::DEALT).map(|_| left.remove(usize::from(self.below(left.len() as u8)))).collect())
    }

    /// An action to try: usually a legal one, otherwise any.
    pub(crate) fn action(&mut self, room: &HeadlessRoom) -> Action {
        let legal = room.legal();
        if legal.is_empty() || self.one_in(5) {
            return self.any_action(room);
        }
        legal.nth(usize::from(self.below(legal.len() as u8))).expect("the index is below the length")
    }

    fn any_action(&mut self, room: &HeadlessRoom) -> Action {
        let player = if self.one_in(2) { self.pick(&Seat::ALL) } else { room.state().turn };
        match self.below(13) {
            0 => {
                let kind = self.pick(&[BidKind::Points, BidKind::Marks, BidKind::Plunge, BidKind::Splash]);
                Action::Bid { player, bid: Bid { kind, value: self.below(255) % 64 } }
            }
            1 => Action::Pass { player },
            2 => Action::SelectTrump { player, trump: self.pick(&Trump::ALL) },
            3 | 4 => {
                let domino = Domino::from_index(self.below(Domino::COUNT as u8)).expect("the index is below 28");
                Action::Play { player, domino }
            }
            5 => Action::AgreeCompleteTrick { player },
            6 => Action::CompleteTrick,
            7 => Action::AgreeScoreHand { player },
            8 => self.pick(&[Action::ScoreHand, Action::EndGame]),
            9 => Action::Redeal,
            10 => Action::Claim { player },
            11 => Action::Undo { to: u16::from(self.below(255)) << self.below(3) },
            _ => Action::SetControl { player, control_type: self.pick(&[Control::Human, Control::Ai]) },
        }
    }
}

/// Removes layers that exclude each other.
fn make_compatible(layers: &mut Vec<Layer>) {
    let is_scripted = layers.iter().any(|layer| matches!(layer, Layer::OneHand(OneHand { script: Some(_), .. })));
    let has_special = layers.iter().any(Layer::is_special_contract);
    layers.retain(|layer| !(has_special && layer.forbids_special_contracts() || is_scripted && layer.forces_bid()));
}

/// A random game with undos and changes of control, at any point or at its end.
pub(crate) fn any_game(dice: &mut RandomPlayer) -> HeadlessRoom {
    let bytes: Vec<u8> = (0..64).map(|_| dice.below(256) as u8).collect();
    let config = Choices::new(&bytes).config();
    let mut room = HeadlessRoom::new(&config)
        .unwrap_or_else(|_| HeadlessRoom::new(&Config::default()).expect("straight 42 can be played"));
    let events = dice.below(220);
    while (room.game().log().len() as u64) < events {
        let Some(event) = any_event(&room, dice) else { break };
        room.execute(event).expect("a legal event is accepted");
    }
    room
}

fn any_event(room: &HeadlessRoom, dice: &mut RandomPlayer) -> Option<Action> {
    let past = room.game().log().len() as u64;
    match dice.below(60) {
        0 if past > 0 => Some(Action::Undo { to: dice.below(past) as u16 }),
        1 => {
            let player = Seat::ALL[dice.below(4) as usize];
            let control_type = if room.state().humans.contains(player) { Control::Ai } else { Control::Human };
            Some(Action::SetControl { player, control_type })
        }
        _ => dice.pick(&room.legal()).filter(|_| room.state().phase != Phase::Setup),
    }
}
