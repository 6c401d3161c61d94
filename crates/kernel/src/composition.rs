//! Which layer decides what at a table, for sessions that may see the full state.

use alloc::string::{String, ToString};

use texas42_engine::{Context, DEALS_FROM, LayerEffect, Ruling, explain};
use texas42_protocol::{Composition, EffectView, RulingView};

/// Explains the composition of a table's layers.
pub fn composition(ctx: &Context) -> Composition {
    let explained = explain(ctx);
    Composition {
        layers: explained.layers.into_iter().map(ToString::to_string).collect(),
        rulings: explained.rulings.into_iter().map(ruling).collect(),
        effects: explained.effects.into_iter().map(effect).collect(),
    }
}

/// Hides the source of the deals, even from viewers who may see all current hands.
fn ruling(Ruling { rule, case, answer, decided_by }: Ruling) -> RulingView {
    RulingView {
        rule: rule.to_string(),
        case,
        answer: if rule == DEALS_FROM { String::new() } else { answer },
        decided_by: decided_by.to_string(),
    }
}

fn effect(LayerEffect { decision, layer, effect }: LayerEffect) -> EffectView {
    EffectView { decision: decision.to_string(), layer: layer.to_string(), effect }
}
