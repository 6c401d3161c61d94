//! The terminal: in full screen while a [`Screen`] exists, and restored afterwards, even after a panic or a signal.

use ratatui::{
    DefaultTerminal, Frame,
    crossterm::{
        event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyEvent, KeyEventKind},
        execute, queue,
        terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate},
    },
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{
    form::{self, Form, Start},
    form_keys::{self, FormResult},
};

/// An input from the terminal.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Key(KeyEvent),
    Paste(String),
    /// The size changed, or another event that needs only a redraw.
    Redraw,
    /// The terminal was closed, or a signal asks the program to end.
    End,
}

/// The terminal in full screen. At most one may exist at a time. Dropping it restores the terminal.
#[derive(Debug)]
pub struct Screen {
    terminal: DefaultTerminal,
    events: UnboundedReceiver<Event>,
    has_color: bool,
}

impl Screen {
    /// Switches the terminal to full screen. Respects `--color` and `NO_COLOR`.
    ///
    /// # Errors
    /// When there is no terminal.
    pub fn open() -> anyhow::Result<Self> {
        let terminal = ratatui::try_init()?;
        execute!(std::io::stdout(), EnableBracketedPaste)?;
        let has_color = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
        Ok(Self { terminal, events: read_events(), has_color })
    }

    pub(super) const fn has_color(&self) -> bool {
        self.has_color
    }

    /// Draws a frame as one update, so that a terminal never shows half of it.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> anyhow::Result<()> {
        queue!(std::io::stdout(), BeginSynchronizedUpdate)?;
        let drawn = self.terminal.draw(draw).map(drop);
        execute!(std::io::stdout(), EndSynchronizedUpdate)?;
        Ok(drawn?)
    }

    /// Waits for the next input. Cancel-safe: dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Input {
        let event = tokio::select! {
            event = self.events.recv() => event,
            () = end_signal() => None,
        };
        match event {
            None => Input::End,
            Some(Event::Key(key)) if key.kind != KeyEventKind::Release => Input::Key(key),
            Some(Event::Paste(text)) => Input::Paste(text),
            Some(_) => Input::Redraw,
        }
    }

    /// Shows the start form until a game begins; `None` if the person quits.
    ///
    /// # Errors
    /// When the terminal fails.
    pub async fn ask(&mut self, mut form: Form) -> anyhow::Result<Option<Start>> {
        form.has_color = self.has_color;
        loop {
            self.draw(|frame| form::draw(frame, &form))?;
            match self.next().await {
                Input::Key(key) => match form_keys::press(&mut form, key) {
                    // A form that starts a game changes no table.
                    FormResult::Open | FormResult::Change(_) => {}
                    FormResult::Begin(start) => return Ok(Some(*start)),
                    FormResult::Quit => return Ok(None),
                },
                Input::Paste(text) => text.trim().chars().for_each(|letter| form_keys::write(&mut form, letter)),
                Input::Redraw => {}
                Input::End => return Ok(None),
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        execute!(std::io::stdout(), DisableBracketedPaste).ok();
        ratatui::restore();
    }
}

/// Reads the terminal on its own thread for as long as the program runs, because a read cannot be cancelled.
fn read_events() -> UnboundedReceiver<Event> {
    let (sender, events) = unbounded_channel();
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if sender.send(event).is_err() {
                return;
            }
        }
    });
    events
}

/// Waits for a signal that asks the program to end. In full screen, Ctrl-C is a key and not a signal.
#[cfg(unix)]
async fn end_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

#[cfg(not(unix))]
async fn end_signal() {
    tokio::signal::ctrl_c().await.ok();
}
