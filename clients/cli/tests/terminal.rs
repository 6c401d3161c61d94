//! The real program in a pseudo terminal: what is on the screen, which keys are pressed, and what is left behind.
//!
//! Every step waits for what the screen shows. Nothing depends on how fast a machine is.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]
#![cfg(unix)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use texas42_conformance::{
    native::Native,
    player::{Player, seat_grant, seats},
    scratch::Scratch,
};
use texas42_protocol::TableOptions;
use texas42_vocab::Config;

const TEXAS42: &str = env!("CARGO_BIN_EXE_texas42");
/// When something is not shown for so long, a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program in a pseudo terminal.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

const fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    fn open(args: &[&str], columns: u16, rows: u16) -> Self {
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        let mut command = CommandBuilder::new(TEXAS42);
        command.args(args);
        command.env("TERM", "xterm-256color");
        command.env_remove("TEXAS42_PLAY_DATA");
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        Self { child, master: pair.master, keyboard, output, screen: vt100::Parser::new(rows, columns, 0) }
    }

    /// A new offline game, the same in every run.
    fn new_game(data: &Path, columns: u16) -> Self {
        let data = data.to_str().unwrap();
        let args = ["play", "--new", "--seed", "lubbock", "--pace", "0", "--strategy", "beginner", "--data", data];
        Self::open(&[&args[..], &["--name", "Ann"]].concat(), columns, 24)
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the screen is as wanted.
    fn wait(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        while !is_there(&self.text()) {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(_) => panic!("waited in vain for {what}:\n{}", self.text()),
            }
        }
        self.text()
    }

    fn see(&mut self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.screen.screen_mut().set_size(rows, columns);
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// Answers what is asked, until the screen is as wanted. A key that comes too early or too late does no harm: the loop
    /// looks again, and presses again.
    fn play_until(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        loop {
            let screen = self.wait("a decision", |screen| is_there(screen) || keys_for(screen).is_some());
            if is_there(&screen) {
                return screen;
            }
            self.press(keys_for(&screen).expect("a decision was seen"));
            self.wait(what, |now| now != screen);
        }
    }

    /// Kills the program. It cannot tidy up.
    fn kill(mut self) {
        let id = i32::try_from(self.child.process_id().unwrap()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(id).unwrap(), rustix::process::Signal::KILL)
            .unwrap();
        self.child.wait().unwrap();
    }

    /// Leaves, and says how the program ended.
    fn quit(mut self) -> ExitStatus {
        self.press("q");
        self.see("Leave the table?");
        self.press("\r");
        self.end()
    }

    /// Waits for the end of the program, and checks that it gave the terminal back.
    fn end(mut self) -> ExitStatus {
        let status = self.child.wait().unwrap();
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.screen.process(&bytes);
            if !self.screen.screen().alternate_screen() && !self.screen.screen().hide_cursor() {
                return status;
            }
        }
        assert!(!self.screen.screen().alternate_screen(), "the terminal is as it was before");
        assert!(!self.screen.screen().hide_cursor(), "the cursor is back");
        status
    }
}

/// The keys that answer what the screen asks for: a pass where one can be made, or the first choice.
fn keys_for(screen: &str) -> Option<&'static str> {
    const ARROW_AND_ENTER: &str = "\x1b[C\r";
    let is_asked = |questions: &[&str]| questions.iter().any(|question| screen.contains(question));
    if is_asked(&["▶ Your bid."]) && screen.contains("p Pass") {
        return Some("p");
    }
    if is_asked(&["▶ Your bid.", "▶ Name trumps.", "▶ Your lead.", "▶ Your turn."]) {
        return Some(ARROW_AND_ENTER);
    }
    is_asked(&["[Go on]"]).then_some("\r")
}

#[test]
fn a_hand_is_played_offline_in_the_full_screen() {
    let data = Scratch::new();
    for columns in [80, 40] {
        let mut terminal = Terminal::new_game(data.path(), columns);
        let screen = terminal.see("▶ Your");
        assert!(screen.contains("hand 1 · Us 0, Them 0"), "{screen}");
        terminal.play_until("the next hand", |screen| screen.contains("hand 2 ·"));
        assert!(terminal.quit().success());
    }
}

#[test]
fn the_table_is_drawn_again_in_a_terminal_of_another_size() {
    let data = Scratch::new();
    let mut terminal = Terminal::new_game(data.path(), 80);
    terminal.see("Texas 42 · offline · hand 1");
    // Everybody waits for Ann: only the new size is drawn from here on.
    terminal.see("▶ Your bid.");
    terminal.resize(40, 24);
    let screen = terminal.wait("a narrow table", |screen| screen.starts_with("hand 1 · Us 0, Them 0 · to 7 marks"));
    assert!(!screen.contains("offline"), "{screen}");
    terminal.press("?");
    terminal.see("Keys (any key closes this)");
    terminal.press("x");
    // Ctrl-C.
    terminal.press("\x03");
    assert!(terminal.end().success());
}

/// What is saved is what the person saw last, also when the program is killed.
#[test]
fn a_killed_game_is_resumed_where_it_was() {
    let data = Scratch::new();
    let mut terminal = Terminal::new_game(data.path(), 80);
    let own_turn = |screen: &str| screen.contains("▶ Your") && screen.contains("Trick 3 of 7");
    let before = terminal.play_until("the third trick", own_turn);
    terminal.kill();

    let folder = data.path().to_str().unwrap();
    let play = ["play", "--pace", "0", "--strategy", "beginner", "--data", folder];
    let mut terminal = Terminal::open(&play, 80, 24);
    terminal.see("resume your saved game");
    terminal.press("\r");
    terminal.wait("the same table", |screen| table_of(screen) == table_of(&before));
    terminal.play_until("the next hand", |screen| screen.contains("hand 2 ·"));
    assert!(terminal.quit().success());
}

/// The table, the contract and the hand: the screen without the log, and without what is told below the hand.
fn table_of(screen: &str) -> Vec<String> {
    screen.lines().take(20).map(|line| line.chars().take(53).collect()).collect()
}

#[test]
fn a_saved_game_is_not_given_up_by_accident() {
    let data = Scratch::new();
    let folder = data.path().to_str().unwrap();
    let play = |args: &[&str]| {
        let mut command = Command::new(TEXAS42);
        command.arg("play").args(args).args(["--pace", "0", "--data", folder]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut child = play(&["--new", "--seed", "lubbock"]);
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.contains(" 1. ")), "line mode offers choices");
    writeln!(child.stdin.take().unwrap(), "q").unwrap();
    assert!(said.any(|line| line.contains("`texas42 play` resumes it")));
    assert!(child.wait().unwrap().success());
    let refused = play(&["--seed", "amarillo"]).wait_with_output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && said.contains("--new gives it up"), "{said}");
    let mut child = play(&[]);
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.contains(" 1. ")), "without options it goes on");
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn rules_that_exclude_each_other_are_refused() {
    for rules in ["tournament,nello", "nello,tournament"] {
        let output = Command::new(TEXAS42).args(["play", "--new", "--rules", rules]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("exclude each other"), "{said}");
    }
}

#[test]
fn a_link_and_a_table_id_lead_to_a_table_of_a_server() {
    let mut native = Native::new();
    let config = Config { players: seats("hhaa"), ..Config::default() };
    let options = TableOptions { open_to_spectators: true, ready: true, pause: 0, ..TableOptions::default() };
    let mut ann = Player::create_with(&mut native, config, options);
    let (key, _) = ann.invite(seat_grant(1));
    let server = format!("http://{}", native.address());
    let link = format!("{server}/#join/{}/{}", ann.game(), String::from(key));

    let mut bob = Terminal::open(&["join", "--name", "Bob", &link], 80, 24);
    bob.see("Waiting for players");
    bob.see("Press y.");
    bob.press("y");
    bob.wait("Bob to be ready", |screen| screen.contains("Bob (you): ready"));
    ann.declare_ready();
    bob.see("Bidding");

    let game = ann.game();
    let mut watcher = Terminal::open(&["join", "--server", &server, game.as_str()], 40, 24);
    watcher.see("You are watching");
    watcher.press("q");
    watcher.see("Enter: quit");
    watcher.press("\r");
    assert!(watcher.end().success());

    assert!(bob.quit().success());
}
