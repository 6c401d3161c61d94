//! What a seat knows: its view, parsed once, with what can be inferred from the play.
//!
//! Invariant: everything here is derived from the view, and strategies get nothing else.

use alloc::vec::Vec;

use arrayvec::ArrayVec;
use texas42_engine::{Contract, Tally, Terms, declarer_under, terms_under};
use texas42_protocol::{GameView, TrickView};
use texas42_vocab::{Bid, BidKind, Config, Domino, Hand, Layer, Phase, Seat, Trump};

/// A trick: who led, and the dominoes in the order of play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTrick {
    /// The seat that led, or is to lead.
    pub leader: Seat,
    /// The dominoes in the order of play.
    pub dominoes: ArrayVec<Domino, 4>,
}

/// What one seat knows about the current hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    /// The observing seat.
    pub seat: Seat,
    /// The rules of the table: layers, scoring, target. Nothing of the deal.
    pub rules: Config,
    /// The hand of the seat.
    pub hand: Hand,
    /// The visible hands: the seat's own, and any other that the view shows.
    pub shown: [Option<Hand>; 4],
    /// How many dominoes each seat holds.
    pub counts: [usize; 4],
    /// The calls so far.
    pub auction: ArrayVec<(Seat, Option<Bid>), 4>,
    /// The contract, once trumps are named.
    pub contract: Option<Contract>,
    /// The terms of the hand, once trumps are named.
    pub terms: Option<Terms>,
    /// The taken tricks, followed by the trick on the table.
    pub tricks: ArrayVec<KnownTrick, 8>,
    /// What each team has taken.
    pub tally: Tally,
    /// The dominoes that each seat cannot hold, inferred from its plays.
    pub lacks: [Hand; 4],
    /// The score, the seat's own team first.
    pub score: [u16; 2],
}

impl Knowledge {
    /// What a seat knows from its view; `None` before the first deal.
    pub fn new(view: &GameView, seat: Seat) -> Option<Self> {
        let state = &view.state;
        if state.phase == Phase::Setup {
            return None;
        }
        let rules = Config {
            layers: state.layers.iter().copied().filter(Layer::affects_play).collect(),
            scoring: state.scoring,
            target: Some(state.target),
            play_on: state.play_on,
            ..Config::default()
        };
        let contract = contract(view);
        let terms = contract.map(|contract| terms_under(&rules, &contract));
        let shown = Seat::ALL.map(|of| shown(view, of, seat));
        let ours = seat.team();
        let mut knowledge = Self {
            seat,
            hand: state.players[seat.index()].hand,
            shown,
            counts: Seat::ALL.map(|of| usize::from(state.players[of.index()].hand_count)),
            auction: state.auction.iter().take(4).map(|call| (call.player, call.bid)).collect(),
            contract,
            terms,
            tricks: ArrayVec::new(),
            tally: Tally { points: state.points, tricks: state.tricks_taken },
            lacks: [Hand::EMPTY; 4],
            score: [ours, ours.other()].map(|team| state.score[team.index()]),
            rules,
        };
        knowledge.read_tricks(view);
        Some(knowledge)
    }

    fn read_tricks(&mut self, view: &GameView) {
        let Some(terms) = self.terms else { return };
        let mut leader = terms.leader;
        for trick in view.state.tricks.iter().chain(&view.state.trick).take(8) {
            let dominoes: ArrayVec<Domino, 4> = trick.plays.iter().take(4).map(|play| play.domino).collect();
            leader = trick.plays.first().map_or(leader, |play| play.player);
            self.note_lacks(&terms, trick);
            self.tricks.push(KnownTrick { leader, dominoes });
            leader = trick.winner.unwrap_or(leader);
        }
    }

    fn note_lacks(&mut self, terms: &Terms, trick: &TrickView) {
        let Some(lead) = trick.plays.first() else { return };
        let called = terms.suits.called(lead.domino);
        for play in &trick.plays {
            self.lacks[play.player.index()] |= terms.suits.ruled_out(called, play.domino);
        }
    }

    /// What another seat would know if these were the hands. Hands that are visible to this seat are visible to all.
    pub(crate) fn seen_by(&self, seat: Seat, hands: &[Hand; 4]) -> Self {
        let is_open = |of: Seat| of != self.seat && self.shown[of.index()].is_some();
        let sees = |of: Seat| of == seat || is_open(of) || self.counts[of.index()] == 0;
        let shown = Seat::ALL.map(|of| sees(of).then_some(hands[of.index()]));
        let [ours, theirs] = self.score;
        let score = if seat.team() == self.seat.team() { [ours, theirs] } else { [theirs, ours] };
        Self { seat, hand: hands[seat.index()], shown, score, ..self.clone() }
    }

    /// Updates the knowledge after trumps are named.
    pub(crate) fn begin(&mut self, bidder: Seat, bid: Bid, trump: Trump) {
        let contract = Contract { bidder, bid, declarer: declarer_under(&self.rules, bidder, bid), trump };
        let terms = terms_under(&self.rules, &contract);
        (self.contract, self.terms) = (Some(contract), Some(terms));
        self.tricks = [KnownTrick { leader: terms.leader, dominoes: ArrayVec::new() }].into_iter().collect();
    }

    /// Updates the knowledge after a play, and takes a complete trick.
    pub(crate) fn lay(&mut self, seat: Seat, domino: Domino) {
        let (Some(terms), Some(trick)) = (self.terms, self.tricks.last_mut()) else { return };
        trick.dominoes.push(domino);
        let called = terms.suits.called(trick.dominoes[0]);
        let points = 1 + trick.dominoes.iter().map(|domino| domino.count()).sum::<u8>();
        let is_complete = trick.dominoes.len() == terms.trick_size();
        self.lacks[seat.index()] |= terms.suits.ruled_out(called, domino);
        self.counts[seat.index()] -= 1;
        if is_complete && let Some((leader, _)) = self.best_on_table() {
            self.tally.points[leader.team().index()] += points;
            self.tally.tricks[leader.team().index()] += 1;
            self.tricks.push(KnownTrick { leader, dominoes: ArrayVec::new() });
        }
    }

    /// The seat to play.
    pub(crate) fn to_play(&self) -> Option<Seat> {
        let (terms, trick) = (self.terms?, self.on_table()?);
        Some(trick.dominoes.iter().fold(trick.leader, |seat, _| terms.next_player(seat)))
    }

    /// What the seat may play to the trick on the table.
    pub(crate) fn playable(&self) -> Hand {
        let called = |terms: Terms| Some(terms.suits.called(*self.on_table()?.dominoes.first()?));
        self.terms.map_or(Hand::EMPTY, |terms| terms.suits.playable(self.hand, called(terms)))
    }

    /// Every domino that has been played.
    pub fn seen(&self) -> Hand {
        self.tricks.iter().flat_map(|trick| trick.dominoes.iter().copied()).collect()
    }

    /// The dominoes in hands that the seat does not see.
    pub fn unseen(&self) -> Hand {
        self.shown.iter().flatten().fold(!self.seen(), |unseen, hand| unseen - *hand)
    }

    /// The trick on the table.
    pub fn on_table(&self) -> Option<&KnownTrick> {
        self.tricks.last()
    }

    /// The seat that is winning the trick on the table, and its domino.
    pub fn best_on_table(&self) -> Option<(Seat, Domino)> {
        let (terms, trick) = (self.terms?, self.on_table()?);
        let called = terms.suits.called(*trick.dominoes.first()?);
        let power = |domino| terms.suits.power(called, domino);
        let mut seat = trick.leader;
        let mut best = None::<(Seat, Domino)>;
        for domino in &trick.dominoes {
            if best.is_none_or(|(_, other)| power(*domino) > power(other)) {
                best = Some((seat, *domino));
            }
            seat = terms.next_player(seat);
        }
        best
    }

    /// Whether the seat is on the bidding team.
    pub fn is_bidders(&self) -> bool {
        self.terms.is_some_and(|terms| terms.bidder.team() == self.seat.team())
    }

    /// The highest bid so far and who made it.
    pub fn standing(&self) -> Option<(Seat, Bid)> {
        let bids = self.auction.iter().filter_map(|(seat, bid)| Some((*seat, (*bid)?)));
        bids.max_by_key(|(_, bid)| bid.worth())
    }

    /// The minimum number of doubles that a seat still holds, implied by a plunge or splash bid and its plays since.
    /// The bid need not have won the auction.
    pub fn promised_doubles(&self, seat: Seat) -> usize {
        let required =
            self.auction.iter().filter(|(of, _)| *of == seat).find_map(|(_, bid)| match bid.as_ref()?.kind {
                BidKind::Plunge => Some(4_usize),
                BidKind::Splash => Some(3),
                BidKind::Points | BidKind::Marks => None,
            });
        let of = |trick: &KnownTrick| self.played_by(trick, seat);
        let played = self.tricks.iter().filter_map(of).filter(|domino| domino.is_double()).count();
        required.unwrap_or(0).saturating_sub(played)
    }

    /// The domino that a seat played to a trick.
    fn played_by(&self, trick: &KnownTrick, seat: Seat) -> Option<Domino> {
        let terms = self.terms?;
        let mut at = trick.leader;
        for domino in &trick.dominoes {
            if at == seat {
                return Some(*domino);
            }
            at = terms.next_player(at);
        }
        None
    }

    /// The special declarations of the table, each with its minimum bid in marks.
    pub(crate) fn special_contracts(&self) -> Vec<(u8, Trump)> {
        let special = |layer: &Layer| match layer {
            Layer::Nello(nello) => Some((nello.minimum, Trump::Nello)),
            Layer::Sevens(_) => Some((1, Trump::Sevens)),
            // A plunge and a splash are bids, not declarations.
            Layer::Plunge(_) | Layer::Splash(_) => None,
            Layer::Tournament(_)
            | Layer::ForcedBid(_)
            | Layer::Speed(_)
            | Layer::Hints(_)
            | Layer::Consensus(_)
            | Layer::OneHand(_)
            | Layer::DailyChallenge(_) => None,
        };
        self.rules.layers.iter().filter_map(special).collect()
    }

    /// The terms of a hypothetical contract.
    pub fn terms_if(&self, bidder: Seat, bid: Bid, trump: Trump) -> Terms {
        let declarer = declarer_under(&self.rules, bidder, bid);
        terms_under(&self.rules, &Contract { bidder, bid, declarer, trump })
    }
}

fn contract(view: &GameView) -> Option<Contract> {
    let contract = view.state.contract?;
    Some(Contract { bidder: contract.bidder, bid: contract.bid, declarer: contract.declarer, trump: contract.trump? })
}

/// The hand of a seat, if the view shows all of it. Empty hands count as shown.
fn shown(view: &GameView, of: Seat, seat: Seat) -> Option<Hand> {
    let player = &view.state.players[of.index()];
    (of == seat || player.hand.len() == usize::from(player.hand_count)).then_some(player.hand)
}

#[cfg(test)]
pub(crate) mod tests {
    use alloc::format;

    use texas42_room::HeadlessRoom;
    use texas42_vocab::Action;

    use super::*;
    use crate::{DecisionPoint, Random, Strategy, Worlds};

    /// Random games at a table with every contract: `lay` and `seen_by` give what the next player reads from its view.
    #[test]
    fn hypothetical_plays_match_the_view_of_the_next_player() {
        let mut plays = [0; 3];
        for seed in 0..30 {
            let mut room = table(&format!("lay-{seed}"));
            while let Some(action) = next(&room) {
                let before = room.state().to_act().and_then(|seat| Knowledge::new(&room.view(seat), seat));
                room.execute(action).unwrap();
                if let (Action::Play { player, domino }, Some(mut knowledge)) = (action, before)
                    && room.state().phase == Phase::Playing
                {
                    knowledge.lay(player, domino);
                    compare(&knowledge, &room);
                    plays[match knowledge.contract.unwrap().trump {
                        Trump::Nello => 1,
                        Trump::Sevens => 2,
                        _ => 0,
                    }] += 1;
                }
            }
        }
        assert!(plays.iter().all(|plays| *plays > 50), "{plays:?}");
    }

    fn compare(supposed: &Knowledge, room: &HeadlessRoom) {
        let Some(seat) = room.state().to_act() else { return };
        assert_eq!(supposed.to_play(), Some(seat));
        let supposed = supposed.seen_by(seat, &room.state().hands);
        assert_eq!(Some(&supposed), Knowledge::new(&room.view(seat), seat).as_ref());
        let offered = |domino| room.legal().contains(&Action::Play { player: seat, domino });
        assert_eq!(supposed.playable(), Domino::all().filter(|domino| offered(*domino)).collect());
    }

    /// A table with every contract.
    pub(crate) fn table(seed: &str) -> HeadlessRoom {
        let layers =
            r#"[{"type":"forced-bid"},{"type":"nello"},{"type":"plunge"},{"type":"splash"},{"type":"sevens"}]"#;
        let layers = serde_json::from_str(layers).unwrap();
        HeadlessRoom::new(&Config { layers, seed: Some(seed.parse().unwrap()), ..Config::default() }).unwrap()
    }

    /// A table with these rules at which seat 0 speaks first, and the first seats hold these hands.
    pub(crate) fn table_with(rules: &str, first: &[&str]) -> HeadlessRoom {
        let hand = |text: &&str| text.split(' ').map(|domino| domino.parse::<Domino>().unwrap()).collect();
        let mut hands: Vec<Hand> = first.iter().map(hand).collect();
        let rest: Vec<Domino> = (!hands.iter().fold(Hand::EMPTY, |all, hand| all | *hand)).into_iter().collect();
        hands.extend(rest.chunks(Hand::DEALT).map(|hand| hand.iter().copied().collect::<Hand>()));
        let config: Config = serde_json::from_str(rules).unwrap();
        let deals = alloc::vec![hands.try_into().unwrap()];
        HeadlessRoom::new(&Config { deals, shaker: Some(Seat::ALL[3]), ..config }).unwrap()
    }

    /// Seat 0 bids this, and the others pass.
    pub(crate) fn bid_alone(room: &mut HeadlessRoom, bid: Bid) {
        let [player, others @ ..] = Seat::ALL;
        room.execute(Action::Bid { player, bid }).unwrap();
        others.into_iter().for_each(|player| room.execute(Action::Pass { player }).map(|_| ()).unwrap());
    }

    fn next(room: &HeadlessRoom) -> Option<Action> {
        let Some(seat) = room.state().to_act() else { return room.legal().nth(0) };
        let ask_seed = room.game().log().len() as u64;
        Strategy::Random.decide(&DecisionPoint::new(&room.view(seat), seat, ask_seed)).map(|decision| decision.action)
    }

    /// One seat bids on three doubles and the next on four, so the other seats know where all seven are.
    #[test]
    fn worlds_respect_doubles_implied_by_bids() {
        let rules = r#"{"layers":[{"type":"splash"},{"type":"plunge"}]}"#;
        let mut room = table_with(rules, &["0-0 1-1 2-2 4-0 5-0 6-0 6-1", "3-3 4-4 5-5 6-6 1-0 2-0 3-0"]);
        for (player, kind, value) in [(Seat::ALL[0], BidKind::Splash, 2), (Seat::ALL[1], BidKind::Plunge, 4)] {
            room.execute(Action::Bid { player, bid: Bid { kind, value } }).unwrap();
        }
        let seat = room.state().to_act().unwrap();
        let knowledge = Knowledge::new(&room.view(seat), seat).unwrap();
        assert_eq!(Seat::ALL.map(|seat| knowledge.promised_doubles(seat)), [3, 4, 0, 0]);
        let worlds = Worlds::new(&knowledge).sample(100, &mut Random::new(1));
        assert!(worlds.iter().all(|hands| hands.map(Hand::doubles) == [3, 4, 0, 0]), "{worlds:?}");
    }

    #[test]
    fn seen_by_reveals_no_other_hand() {
        let mut room =
            HeadlessRoom::new(&Config { seed: Some("blind".parse().unwrap()), ..Config::default() }).unwrap();
        while room.state().phase != Phase::Playing {
            room.execute(next(&room).unwrap()).unwrap();
        }
        let (seat, mut hands) = (room.state().turn, room.state().hands);
        let knowledge = Knowledge::new(&room.view(seat), seat).unwrap();
        let seen = knowledge.seen_by(seat.left(), &hands);
        hands.swap(seat.index(), seat.partner().index());
        assert_eq!(knowledge.seen_by(seat.left(), &hands), seen);
    }
}
