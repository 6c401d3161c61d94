//! Synthesized sounds: a domino put down, the person's turn. Off by default.

use std::cell::OnceCell;

use web_sys::{AudioContext, OscillatorType};

thread_local! {
    static CONTEXT: OnceCell<Option<AudioContext>> = const { OnceCell::new() };
}

/// A domino is put down.
pub(crate) fn clack() {
    tone(&Tone { shape: OscillatorType::Triangle, from: 320.0, to: 90.0, after: 0.0, seconds: CLACK, volume: 0.35 });
    tone(&Tone { shape: OscillatorType::Square, from: 1400.0, to: 500.0, after: 0.0, seconds: 0.025, volume: 0.05 });
}

/// It is your turn. Waits for the end of a clack that sounds at the same time.
pub(crate) fn knock(after_clack: bool) {
    let after = if after_clack { CLACK } else { 0.0 };
    tone(&Tone { shape: OscillatorType::Sine, from: 520.0, to: 500.0, after, seconds: 0.12, volume: 0.12 });
}

/// How long a clack sounds, in seconds.
const CLACK: f64 = 0.09;

/// A tone that slides from one pitch to another while it fades. Times are in seconds.
struct Tone {
    shape: OscillatorType,
    from: f32,
    to: f32,
    after: f64,
    seconds: f64,
    volume: f32,
}

fn tone(tone: &Tone) {
    CONTEXT.with(|context| {
        let Some(context) = context.get_or_init(|| AudioContext::new().ok()) else { return };
        // Errors are ignored: a browser may refuse to play sound.
        play(context, tone).ok();
    });
}

fn play(context: &AudioContext, tone: &Tone) -> Result<(), wasm_bindgen::JsValue> {
    let start = context.current_time() + tone.after;
    let end = start + tone.seconds;
    let (oscillator, gain) = (context.create_oscillator()?, context.create_gain()?);
    oscillator.set_type(tone.shape);
    oscillator.frequency().set_value_at_time(tone.from, start)?;
    oscillator.frequency().exponential_ramp_to_value_at_time(tone.to, end)?;
    gain.gain().set_value_at_time(tone.volume, start)?;
    gain.gain().exponential_ramp_to_value_at_time(0.001, end)?;
    oscillator.connect_with_audio_node(&gain)?.connect_with_audio_node(&context.destination())?;
    oscillator.start_with_when(start)?;
    oscillator.stop_with_when(end)
}
