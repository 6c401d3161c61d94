//! Which layer decides what at a table, for those who may see everything.

use alloc::string::{String, ToString};

use texas42_engine::{Context, DEALS_FROM, Effect, Ruling, explain};
use texas42_protocol::{Composition, EffectView, RulingView};

/// What the layers of a table decide.
pub fn composition(ctx: &Context) -> Composition {
    let explained = explain(ctx);
    Composition {
        layers: explained.layers.into_iter().map(ToString::to_string).collect(),
        rulings: explained.rulings.into_iter().map(ruling).collect(),
        effects: explained.effects.into_iter().map(effect).collect(),
    }
}

/// Where the deals come from is nobody's to read, also not for those who see the hands of now.
fn ruling(Ruling { rule, case, answer, decided_by }: Ruling) -> RulingView {
    RulingView {
        rule: rule.to_string(),
        case,
        answer: if rule == DEALS_FROM { String::new() } else { answer },
        decided_by: decided_by.to_string(),
    }
}

fn effect(Effect { decision, layer, effect }: Effect) -> EffectView {
    EffectView { decision: decision.to_string(), layer: layer.to_string(), effect }
}
