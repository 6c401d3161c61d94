//! Synthesized sounds: a domino put down, the person's turn. Off by default.

use std::cell::OnceCell;

use web_sys::{AudioContext, OscillatorType};

thread_local! {
    static CONTEXT: OnceCell<Option<AudioContext>> = const { OnceCell::new() };
}

/// A domino is put down.
pub(crate) fn clack() {
    tone(OscillatorType::Triangle, 320.0, 90.0, 0.09, 0.35);
    tone(OscillatorType::Square, 1400.0, 500.0, 0.025, 0.05);
}

/// It is your turn.
pub(crate) fn knock() {
    tone(OscillatorType::Sine, 520.0, 500.0, 0.12, 0.12);
}

/// A tone that slides from one pitch to another while it fades.
fn tone(shape: OscillatorType, from: f32, to: f32, seconds: f64, volume: f32) {
    CONTEXT.with(|context| {
        let Some(context) = context.get_or_init(|| AudioContext::new().ok()) else { return };
        // Errors are ignored: a browser may refuse to play sound.
        play(context, shape, from, to, seconds, volume).ok();
    });
}

fn play(
    context: &AudioContext,
    shape: OscillatorType,
    from: f32,
    to: f32,
    seconds: f64,
    volume: f32,
) -> Result<(), wasm_bindgen::JsValue> {
    let now = context.current_time();
    let (oscillator, gain) = (context.create_oscillator()?, context.create_gain()?);
    oscillator.set_type(shape);
    oscillator.frequency().set_value_at_time(from, now)?;
    oscillator.frequency().exponential_ramp_to_value_at_time(to, now + seconds)?;
    gain.gain().set_value_at_time(volume, now)?;
    gain.gain().exponential_ramp_to_value_at_time(0.001, now + seconds)?;
    oscillator.connect_with_audio_node(&gain)?.connect_with_audio_node(&context.destination())?;
    oscillator.start()?;
    oscillator.stop_with_when(now + seconds)
}
