//! What a seat knows: its view, read once, with what follows from it for everybody who watched the play.
//!
//! Invariant: everything here comes from the view. Nothing else reaches a strategy.

use arrayvec::ArrayVec;
use texas42_engine::{Contract, Tally, Terms, declarer_under, terms_under};
use texas42_protocol::{GameView, TrickView};
use texas42_vocab::{Bid, BidKind, Config, Domino, Hand, Phase, Seat, Trump};

/// A trick: who led, and the dominoes in the order of play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaidTrick {
    /// Who led, or is to lead.
    pub leader: Seat,
    /// What lies there.
    pub dominoes: ArrayVec<Domino, 4>,
}

/// What one seat knows of a hand.
#[derive(Clone, Debug)]
pub struct Sight {
    /// Who looks.
    pub seat: Seat,
    /// The rules of the table: layers, scoring, target. Nothing of the deal.
    pub rules: Config,
    /// The own hand.
    pub hand: Hand,
    /// What each seat was seen to hold: the own hand, and any other that the view shows.
    pub shown: [Option<Hand>; 4],
    /// How many dominoes each seat holds.
    pub counts: [usize; 4],
    /// The calls so far.
    pub auction: ArrayVec<(Seat, Option<Bid>), 4>,
    /// What was bid and named, once trumps are.
    pub contract: Option<Contract>,
    /// How the hand is played, once trumps are named.
    pub terms: Option<Terms>,
    /// The tricks that were taken, and the one on the table last.
    pub tricks: ArrayVec<LaidTrick, 8>,
    /// What each team has taken.
    pub tally: Tally,
    /// What each seat has shown not to hold.
    pub lacks: [Hand; 4],
    /// The score, the own side first.
    pub score: [u16; 2],
}

impl Sight {
    /// What a seat sees; none where nothing is dealt.
    pub fn new(view: &GameView, seat: Seat) -> Option<Self> {
        let state = &view.state;
        if state.phase == Phase::Setup {
            return None;
        }
        let rules = Config {
            layers: state.layers.clone(),
            scoring: state.scoring,
            target: Some(state.target),
            play_on: state.play_on,
            ..Config::default()
        };
        let contract = contract(view);
        let terms = contract.map(|contract| terms_under(&rules, &contract));
        let shown = Seat::ALL.map(|of| shown(view, of, seat));
        let ours = seat.team();
        let mut sight = Self {
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
        sight.read_tricks(view);
        Some(sight)
    }

    fn read_tricks(&mut self, view: &GameView) {
        let Some(terms) = self.terms else { return };
        let mut leader = terms.leader;
        for trick in view.state.tricks.iter().chain(&view.state.trick).take(8) {
            let dominoes: ArrayVec<Domino, 4> = trick.plays.iter().take(4).map(|play| play.domino).collect();
            leader = trick.plays.first().map_or(leader, |play| play.player);
            self.note_lacks(&terms, trick);
            self.tricks.push(LaidTrick { leader, dominoes });
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

    /// Everything that lies or has lain face up.
    pub fn seen(&self) -> Hand {
        self.tricks.iter().flat_map(|trick| trick.dominoes.iter().copied()).collect()
    }

    /// What is in hands that the seat does not see.
    pub fn unseen(&self) -> Hand {
        self.shown.iter().flatten().fold(!self.seen(), |unseen, hand| unseen - *hand)
    }

    /// The trick on the table.
    pub fn on_table(&self) -> Option<&LaidTrick> {
        self.tricks.last()
    }

    /// Who has the trick on the table, and with what.
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

    /// Whether the seat is on the side of the bidder.
    pub fn is_bidders(&self) -> bool {
        self.terms.is_some_and(|terms| terms.bidder.team() == self.seat.team())
    }

    /// The standing bid and who made it.
    pub fn standing(&self) -> Option<(Seat, Bid)> {
        let bids = self.auction.iter().filter_map(|(seat, bid)| Some((*seat, (*bid)?)));
        bids.max_by_key(|(_, bid)| bid.worth())
    }

    /// Who has told that it holds doubles, by a plunge or a splash, and how many of them it has not played yet. A standing
    /// bid tells as much as one that won.
    pub fn doubles_bid(&self) -> Option<(Seat, usize)> {
        let told = |bid: Bid| match bid.kind {
            BidKind::Plunge => Some(4_usize),
            BidKind::Splash => Some(3),
            BidKind::Points | BidKind::Marks => None,
        };
        let (seat, least) = self.auction.iter().rev().find_map(|(seat, bid)| Some((*seat, told((*bid)?)?)))?;
        let of = |trick: &LaidTrick| self.played_by(trick, seat);
        let played = self.tricks.iter().filter_map(of).filter(|domino| domino.is_double()).count();
        Some((seat, least.saturating_sub(played)))
    }

    /// What a seat played to a trick.
    fn played_by(&self, trick: &LaidTrick, seat: Seat) -> Option<Domino> {
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

    /// How a hand would be played if this bid of this seat won and this were named.
    pub fn terms_if(&self, bidder: Seat, bid: Bid, trump: Trump) -> Terms {
        let declarer = declarer_under(&self.rules, bidder, bid);
        terms_under(&self.rules, &Contract { bidder, bid, declarer, trump })
    }
}

fn contract(view: &GameView) -> Option<Contract> {
    let contract = view.state.contract?;
    Some(Contract { bidder: contract.bidder, bid: contract.bid, declarer: contract.declarer, trump: contract.trump? })
}

/// A hand of which the view shows every domino. A hand that is empty is as good as shown.
fn shown(view: &GameView, of: Seat, seat: Seat) -> Option<Hand> {
    let player = &view.state.players[of.index()];
    (of == seat || player.hand.len() == usize::from(player.hand_count)).then_some(player.hand)
}
