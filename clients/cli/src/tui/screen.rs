//! The terminal: full screen while a [`Screen`] lives, and as it was before afterwards, also after a panic or a signal.

use ratatui::{
    DefaultTerminal, Frame,
    crossterm::{
        event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyEvent, KeyEventKind},
        execute,
    },
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{
    form::{self, Form, Start},
    form_keys::{self, Answer},
};

/// Something that comes from the terminal.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Key(KeyEvent),
    Paste(String),
    /// The size has changed, or something else that is answered by drawing again.
    Redraw,
    /// The terminal is gone, or a signal asks the program to end.
    End,
}

/// The terminal in full screen. One at a time.
#[derive(Debug)]
pub struct Screen {
    terminal: DefaultTerminal,
    events: UnboundedReceiver<Event>,
    has_colour: bool,
}

impl Screen {
    /// Takes the terminal over. `NO_COLOR` is honoured.
    ///
    /// # Errors
    /// When there is no terminal.
    pub fn open() -> anyhow::Result<Self> {
        let terminal = ratatui::try_init()?;
        execute!(std::io::stdout(), EnableBracketedPaste)?;
        let has_colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Ok(Self { terminal, events: read_events(), has_colour })
    }

    pub(super) const fn has_colour(&self) -> bool {
        self.has_colour
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> anyhow::Result<()> {
        self.terminal.draw(draw)?;
        Ok(())
    }

    /// The next input. It may be dropped while it waits, and nothing is lost.
    pub(super) async fn next(&mut self) -> Input {
        let event = tokio::select! {
            event = self.events.recv() => event,
            () = ended() => None,
        };
        match event {
            None => Input::End,
            Some(Event::Key(key)) if key.kind != KeyEventKind::Release => Input::Key(key),
            Some(Event::Paste(text)) => Input::Paste(text),
            Some(_) => Input::Redraw,
        }
    }

    /// Shows the start form until a game begins; nothing when the person wants none.
    ///
    /// # Errors
    /// When the terminal fails.
    pub async fn ask(&mut self, mut form: Form) -> anyhow::Result<Option<Start>> {
        form.has_colour = self.has_colour;
        loop {
            self.draw(|frame| form::draw(frame, &form))?;
            match self.next().await {
                Input::Key(key) => match form_keys::press(&mut form, key) {
                    Answer::Open => {}
                    Answer::Begin(start) => return Ok(Some(*start)),
                    Answer::Quit => return Ok(None),
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

/// Reads the terminal on a thread of its own, for as long as the program runs: a read cannot be called off.
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

/// A signal asks the program to end. In full screen Ctrl-C is a key, and no signal.
#[cfg(unix)]
async fn ended() {
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
async fn ended() {
    tokio::signal::ctrl_c().await.ok();
}
