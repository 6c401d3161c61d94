//! The real program in a pseudo terminal: its screens, its keys, and the terminal after it ends.
//!
//! Every step waits for a certain screen, and sees complete frames only, so nothing depends on the speed of the machine.

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
use texas42_protocol::{BotLevel, Capability, SecretKey, TableOptions};
use texas42_vocab::{Config, Control, Layer, Lead, Nello};

const TEXAS42: &str = env!("CARGO_BIN_EXE_texas42");
/// How long a test waits for a screen.
const TIMEOUT: Duration = Duration::from_secs(120);

/// What the program writes before and after a frame.
const FRAME_BEGIN: &[u8] = b"\x1b[?2026h";
const FRAME_END: &[u8] = b"\x1b[?2026l";

/// A program in a pseudo terminal.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    /// The part of a frame that has arrived while the rest has not.
    incomplete: Vec<u8>,
    screen: vt100::Parser,
}

/// How many bytes of an output do not belong to an incomplete frame.
fn complete_len(output: &[u8]) -> usize {
    let last = |marker: &[u8]| output.windows(marker.len()).rposition(|bytes| bytes == marker);
    match (last(FRAME_BEGIN), last(FRAME_END)) {
        (Some(begin), end) if end.is_none_or(|end| end < begin) => begin,
        _ => {
            let cut_marker = (1..FRAME_BEGIN.len()).rev().find(|len| output.ends_with(&FRAME_BEGIN[..*len]));
            output.len() - cut_marker.unwrap_or(0)
        }
    }
}

#[test]
fn an_incomplete_frame_is_not_shown() {
    assert_eq!(complete_len(b"text"), 4);
    assert_eq!(complete_len(b"text\x1b[?20"), 4);
    assert_eq!(complete_len(b"text\x1b[?2026hframe"), 4);
    assert_eq!(complete_len(b"\x1b[?2026hframe\x1b[?2026l"), 21);
    assert_eq!(complete_len(b"\x1b[?2026hframe\x1b[?2026l\x1b[?2026hnext"), 21);
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
        command.env_remove("NO_COLOR");
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
        let screen = vt100::Parser::new(rows, columns, 0);
        Self { child, master: pair.master, keyboard, output, incomplete: Vec::new(), screen }
    }

    /// Shows an output of the program, up to the last complete frame.
    fn show(&mut self, output: &[u8]) {
        self.incomplete.extend(output);
        let complete = self.incomplete.drain(..complete_len(&self.incomplete)).collect::<Vec<_>>();
        self.screen.process(&complete);
    }

    /// A new offline game, the same in every run.
    fn new_game(data: &Path, columns: u16) -> Self {
        Self::new_game_with(data, columns, &[])
    }

    /// The same game, with more arguments.
    fn new_game_with(data: &Path, columns: u16, args: &[&str]) -> Self {
        let data = data.to_str().unwrap();
        let play = ["play", "--new", "--seed", "lubbock", "--pace", "0", "--strategy", "beginner", "--data", data];
        Self::open(&[&play[..], &["--name", "Ann"], args].concat(), columns, 24)
    }

    /// Whether any character on the screen has a color.
    fn has_color(&self) -> bool {
        let screen = self.screen.screen();
        let (rows, columns) = screen.size();
        let mut cells = (0..rows).flat_map(|row| (0..columns).filter_map(move |column| screen.cell(row, column)));
        cells.any(|cell| (cell.fgcolor(), cell.bgcolor()) != (vt100::Color::Default, vt100::Color::Default))
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the screen fulfills a condition, and returns its text.
    fn wait(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + TIMEOUT;
        while !is_there(&self.text()) {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.show(&bytes),
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

    /// Plays until the screen fulfills a condition. A key that comes too early or too late does no harm, because the loop looks
    /// at the screen again.
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

    /// Kills the program, which cannot clean up.
    fn kill(mut self) {
        let id = i32::try_from(self.child.process_id().unwrap()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(id).unwrap(), rustix::process::Signal::KILL)
            .unwrap();
        self.child.wait().unwrap();
    }

    /// Leaves the table, and returns the exit status of the program.
    fn quit(mut self) -> ExitStatus {
        self.press("q");
        self.see("Quit?");
        self.press("\r");
        self.end()
    }

    /// Waits for the end of the program, and checks that it restored the terminal.
    fn end(mut self) -> ExitStatus {
        let status = self.child.wait().unwrap();
        while let Ok(bytes) = self.output.recv_timeout(TIMEOUT) {
            self.show(&bytes);
            if !self.screen.screen().alternate_screen() && !self.screen.screen().hide_cursor() {
                return status;
            }
        }
        assert!(!self.screen.screen().alternate_screen(), "the terminal is as it was before");
        assert!(!self.screen.screen().hide_cursor(), "the cursor is back");
        status
    }
}

/// The keys for the decision that the screen asks for: a pass if possible, else the first choice.
fn keys_for(screen: &str) -> Option<&'static str> {
    const ARROW_AND_ENTER: &str = "\x1b[C\r";
    let is_asked = |questions: &[&str]| questions.iter().any(|question| screen.contains(question));
    if is_asked(&["▶ Your bid."]) && screen.contains("p Pass") {
        return Some("p");
    }
    if is_asked(&["▶ Your bid.", "▶ Call trumps.", "▶ Your lead.", "▶ Your turn."]) {
        return Some(ARROW_AND_ENTER);
    }
    is_asked(&["[Continue]"]).then_some("\r")
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
fn the_table_is_redrawn_when_the_terminal_is_resized() {
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

#[test]
fn the_full_screen_has_no_colors_with_color_never() {
    let data = Scratch::new();
    for (color, expected) in [("always", true), ("never", false)] {
        let mut terminal = Terminal::new_game_with(data.path(), 80, &["--color", color]);
        terminal.see("▶ Your bid.");
        assert_eq!(terminal.has_color(), expected, "--color {color}");
        assert!(terminal.quit().success());
    }
}

/// The saved game is the one that the person saw last, even if the program is killed.
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

/// The table, the contract and the hand: the screen without the log and the lines below the hand.
fn table_of(screen: &str) -> Vec<String> {
    screen.lines().take(20).map(|line| line.chars().take(53).collect()).collect()
}

#[test]
fn a_saved_game_is_replaced_only_with_new() {
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
    assert!(!refused.status.success() && said.contains("`texas42 play --new` replaces it"), "{said}");
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

/// Plays one hand in line mode, always with the first choice, and returns what was printed up to the replay link.
fn play_one_hand(data: &Path, args: &[&str]) -> Vec<String> {
    let mut command = Command::new(TEXAS42);
    command.args(["play", "--pace", "0", "--strategy", "beginner", "--data", data.to_str().unwrap()]).args(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    let mut said = Vec::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    for line in lines.by_ref() {
        if line.starts_with("   1. ") {
            writeln!(keyboard, "1").unwrap();
        }
        let is_last = line.contains("replay: ");
        said.push(line);
        if is_last {
            break;
        }
    }
    writeln!(keyboard, "q").unwrap();
    assert!(lines.all(|line| !line.contains("resumes it")), "a game that is over is not resumed");
    child.wait().unwrap();
    said
}

/// What `texas42 replay` says about the link in the last line.
fn replayed(said: &[String]) -> String {
    let link = said.last().unwrap().split_once("replay: ").unwrap().1;
    assert!(link.starts_with("#replay/"), "{link}");
    let output = Command::new(TEXAS42).args(["replay", "--log", "--code", link]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_daily_challenge_has_its_goal_from_the_start_and_ends_with_stars_and_links() {
    let data = Scratch::new();
    let said = play_one_hand(data.path(), &["--daily", "easy", "--day", "2026-01-15"]);
    let is_goal = |line: &&String| line.contains("Goal: 3 stars: ") && line.contains("1 star: ");
    let first_decision = said.iter().position(|line| line.starts_with("   1. ")).unwrap();
    assert!(said[..first_decision].iter().any(|line| is_goal(&line)), "{said:#?}");
    assert!(said.iter().all(|line| !line.contains(" 1 dominoes") && !line.ends_with(", to 7")), "{said:#?}");
    let is_repeated = |pair: &[String]| pair[0].starts_with("looking for") && pair[0] == pair[1];
    assert!(!said.windows(2).any(is_repeated), "{said:#?}");
    let stars = said.iter().find(|line| line.ends_with(" of 3 stars")).unwrap().trim();
    let shared = format!("Texas 42, 2026-01-15 (easy): {stars}");
    assert!(said.iter().any(|line| line.trim() == shared), "{shared}: {said:#?}");
    assert!(replayed(&said).contains("pick up the trick"));
}

#[test]
fn the_hand_of_a_seed_is_the_same_every_time() {
    let hands = [(); 2].map(|()| {
        let data = Scratch::new();
        let said = play_one_hand(data.path(), &["--one-hand", "monday-easy-3"]);
        assert!(said.iter().all(|line| !line.contains("Goal: ")), "only a daily challenge has a goal");
        replayed(&said)
    });
    assert_eq!(hands[0].lines().next(), hands[1].lines().next());
    assert_eq!(hands[0], hands[1], "the bots play the same way, too");
}

#[test]
fn days_to_come_and_contradictory_hands_are_refused() {
    for (args, why) in [
        (&["--daily", "easy", "--day", "9999-12-31"][..], "has not come yet"),
        (&["--daily", "brutal"], "easy, medium or hard"),
        (&["--day", "2026-01-15"], "--daily"),
        (&["--daily", "easy", "--day", "2026-02-30"], "2026-02-30"),
        (&["--daily", "easy", "--one-hand", "a"], "cannot be used with"),
        (&["--one-hand", "a", "--rules", "nello"], "its own rules"),
    ] {
        let data = Scratch::new();
        let folder = data.path().to_str().unwrap();
        let output = Command::new(TEXAS42).args(["play", "--data", folder]).args(args).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(why), "{args:?}: {said}");
    }
}

/// The host changes the rules in a form before the first game, and everybody sees it.
#[test]
fn the_host_of_a_table_changes_its_rules_in_the_full_screen() {
    const DOWN: &str = "\x1b[B";
    const RIGHT: &str = "\x1b[C";
    let native = Native::new();
    let server = format!("http://{}", native.address());
    let mut ann = Terminal::open(&["join", "--server", &server, "--name", "Ann", "--people", "2"], 80, 24);
    ann.see("c rules");
    ann.see("game to 7 marks");
    ann.press("c");
    ann.see("Enter use these rules");
    ann.press(&[DOWN, DOWN, RIGHT].concat());
    ann.see("‹ 10 marks ›");
    ann.press("\r");
    ann.see("game to 10 marks");
    ann.see("The rules of the");
    assert!(ann.quit().success());
}

/// The same in line mode, with the flags of a new table. What no flag names stays.
#[test]
fn the_host_of_a_table_changes_its_rules_line_by_line() {
    let mut native = Native::new();
    let server = format!("http://{}", native.address());
    let mut command = Command::new(TEXAS42);
    command.args(["join", "--plain", "--server", &server, "--name", "Ann", "--people", "2", "--clock", "60"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut see = |text: &str| lines.find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"));
    see("to 7");
    let link = see("/#join/");
    for (line, answer) in [
        ("rules --rules nello,tournament", "exclude each other"),
        ("rules --target many", "invalid value 'many'"),
        ("rules --forced-who first", "needs the rule forced-bid"),
        ("rules --preset nobody", "there are tournament, casual, family, points"),
        ("rules --rules nello,sevens --nello-lead left --bots expert --target 3", "to 3"),
        ("rules --target 5 --pause 900", "to 5"),
    ] {
        writeln!(keyboard, "{line}").unwrap();
        see(answer);
    }
    let (game, key) = link.split_once("/#join/").unwrap().1.split_once('/').unwrap();
    let key = SecretKey::try_from(key.to_owned()).unwrap();
    let bob = Player::join(&mut native, &game.try_into().unwrap(), Some(key), "Bob");
    let layers = &bob.view().state.layers;
    let nello = Layer::Nello(Nello { lead: Lead::Left, ..Nello::default() });
    assert!(layers.contains(&nello) && layers.len() == 2, "{layers:?}");
    let options = &bob.view().metadata.table;
    assert_eq!((options.turn_seconds, options.pause, options.bots[3]), (Some(60), 900, Some(BotLevel::Expert)));
    writeln!(keyboard, "q").unwrap();
    see("texas42 join");
    assert!(child.wait().unwrap().success());
}

/// A spectator who sees the hands keeps a table from becoming rated, until the invite is revoked.
#[test]
fn an_invite_is_revoked_line_by_line() {
    let mut native = Native::new();
    let server = format!("http://{}", native.address());
    let mut command = Command::new(TEXAS42);
    command.args(["join", "--plain", "--server", &server, "--name", "Ann", "--people", "2", "--open-hands"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut see = |text: &str| lines.find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"));
    let mut say = |line: &str| writeln!(keyboard, "{line}").unwrap();
    see("(revoke 1 revokes this invite)");
    say("invite watch");
    let link = see("/#watch/");
    see("(revoke 2 revokes this invite)");
    let (game, key) = link.split_once("/#watch/").unwrap().1.split_once('/').unwrap();
    let key = SecretKey::try_from(key.to_owned()).unwrap();
    let mut eve = Player::join(&mut native, &game.try_into().unwrap(), Some(key), "Eve");
    assert!(eve.client.capabilities().contains(&Capability::ObserveAllHands), "the table has open hands");
    say("rules --rated");
    see("no: ");
    say("revoke 9");
    see("no: there is no such invite");
    say("revoke 2");
    see("invite 2 is revoked");
    eve.next("LEFT");
    say("invite admin");
    see("Invite somebody who sees and manages everything: ");
    say("q");
    see("texas42 join");
    assert!(child.wait().unwrap().success());
}

/// In the full screen, between games too, where `r` plays again.
#[test]
fn an_invite_is_revoked_in_the_full_screen() {
    let mut native = Native::new();
    let server = format!("http://{}", native.address());
    let mut ann = Terminal::open(&["join", "--server", &server, "--name", "Ann", "--people", "2"], 200, 24);
    let screen = ann.see("/#join/");
    let link = screen.split_whitespace().find(|word| word.contains("/#join/")).unwrap();
    let (game, key) = link.split_once("/#join/").unwrap().1.split_once('/').unwrap();
    ann.press("links\r");
    ann.see("The number of a link revokes it.");
    ann.press("1");
    ann.see("The link is revoked.");
    let key = SecretKey::try_from(key.to_owned()).unwrap();
    let refused = Player::join(&mut native, &game.try_into().unwrap(), Some(key), "Bob");
    assert_eq!(refused.heard[0]["error"]["code"], "bad-key");
    assert!(ann.quit().success());
}

/// Each link has the label of its own request, also if the next one follows before the answer.
#[test]
fn invites_that_are_requested_at_once_have_their_own_labels() {
    let native = Native::new();
    let server = format!("http://{}", native.address());
    let join = ["join", "--server", &server, "--name", "Ann", "--people", "2"];
    let expected = [
        format!("Invite somebody to watch: {server}/#watch/"),
        format!("Invite your coach: {server}/#coach/"),
        format!("Invite a bot (texas42 bot --url LINK): {server}/#bot/"),
    ];
    let mut command = Command::new(TEXAS42);
    let mut child = command.args(join).arg("--plain").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("/#join/")));
    keyboard.write_all(b"invite watch\ninvite coach\ninvite bot\n").unwrap();
    for text in &expected {
        let line = lines.find(|line| line.starts_with("Invite ")).unwrap();
        assert!(line.starts_with(text), "{line}");
    }
    keyboard.write_all(b"q\n").unwrap();
    assert!(child.wait().unwrap().success());

    let mut terminal = Terminal::open(&join, 200, 40);
    terminal.see("/#join/");
    terminal.press(":invite watch\r:invite coach\r:invite bot\r");
    terminal.see("/#bot/");
    terminal.press("q");
    terminal.see("Quit?");
    terminal.press("\r");
    for text in &expected {
        terminal.see(text);
    }
    assert!(terminal.end().success());
}

#[test]
fn links_for_every_role_are_made_line_by_line() {
    let native = Native::new();
    let server = format!("http://{}", native.address());
    let mut command = Command::new(TEXAS42);
    command.args(["join", "--plain", "--server", &server, "--name", "Ann", "--people", "2"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut see = |text: &str| assert!(lines.any(|line| line.contains(text)), "{text}");
    see(&format!("Invite players: {server}/#join/"));
    for (line, link) in [
        ("invite watch", format!("Invite somebody to watch: {server}/#watch/")),
        ("invite coach", format!("Invite your coach: {server}/#coach/")),
        ("invite student", format!("Invite a student: {server}/#join/")),
        ("invite admin", "openHands".to_owned()),
        ("invite bot", format!("Invite a bot (texas42 bot --url LINK): {server}/#bot/")),
    ] {
        writeln!(keyboard, "{line}").unwrap();
        see(&link);
    }
    writeln!(keyboard, "q").unwrap();
    assert!(child.wait().unwrap().success());
}

/// `q` asks; then `l` leaves, and `g` gives the seat up.
#[test]
fn a_player_leaves_returns_and_gives_up_in_the_full_screen() {
    // So wide that no link is broken.
    const COLUMNS: u16 = 200;
    let mut native = Native::new();
    let mut ann = Player::create(&mut native, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let invite = format!("http://{}/#join/{}/{}", native.address(), ann.game(), String::from(key));
    let bob = |ann: &Player| {
        let listed = ann.view().players.iter().find(|player| player.name.as_str() == "Bob");
        listed.map(|player| player.control_type)
    };

    let mut terminal = Terminal::open(&["join", "--name", "Bob", &invite], COLUMNS, 24);
    terminal.see("Bidding");
    terminal.press("q");
    terminal.see("l: leave; a bot plays until you return");
    terminal.press("l");
    ann.wait("a bot for Bob", |ann| bob(ann) == Some(Control::Ai));
    let said = terminal.see("texas42 join --name");
    assert!(said.contains("Your seat is kept."), "{said}");
    let way = said.lines().find(|line| line.contains("texas42 join --name")).unwrap();
    let own_link = way.split('\'').nth(1).unwrap().to_owned();
    assert!(terminal.end().success());

    let mut terminal = Terminal::open(&["join", "--name", "Bob", &own_link], COLUMNS, 24);
    terminal.see("Bidding");
    ann.wait("Bob to return", |ann| bob(ann) == Some(Control::Human));
    terminal.press("q");
    terminal.see("g: give the seat up for good");
    terminal.press("g");
    ann.wait("Bob to give up", |ann| bob(ann).is_none());
    assert!(terminal.end().success());

    let mut command = Command::new(TEXAS42);
    command.args(["join", "--plain", "--name", "Bob", &own_link]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let _keyboard = child.stdin.take();
    let refused = child.wait_with_output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && said.contains("the key is not valid at this table"), "{said}");
}

/// A person with a code waits until the host, line by line, lets them in.
#[test]
fn a_code_leads_through_the_lobby() {
    let native = Native::new();
    let server = format!("http://{}", native.address());
    let mut command = Command::new(TEXAS42);
    command.args(["join", "--plain", "--server", &server, "--name", "Ann", "--people", "2"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut see = |text: &str| lines.find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"));
    see("Invite players:");
    writeln!(keyboard, "code").unwrap();
    let line = see("code ");
    let code = line.strip_prefix("code ").and_then(|line| line.split_once(',')).map(|(code, _)| code.to_lowercase());
    let code = code.unwrap_or_else(|| panic!("{line}"));

    let mut bob = Terminal::open(&["join", "--server", &server, "--name", "Bob", &code], 80, 24);
    bob.see("Waiting for Ann to let you in.");
    see("Bob wants to join.");
    writeln!(keyboard, "admit").unwrap();
    bob.see("Press y.");

    let mut cid = Terminal::open(&["join", "--server", &server, "--name", "Cid", &code], 80, 24);
    cid.see("Waiting for Ann to let you in.");
    see("Cid wants to join.");
    writeln!(keyboard, "deny").unwrap();
    cid.see("did not let you in");
    assert!(!cid.end().success());

    writeln!(keyboard, "end code").unwrap();
    see("no code leads to this table now");
    let mut late = Terminal::open(&["join", "--server", &server, "--name", "Dee", &code], 80, 24);
    late.see("no table has this code now");
    assert!(!late.end().success());
    writeln!(keyboard, "q").unwrap();
    assert!(child.wait().unwrap().success());
    assert!(bob.quit().success());
}

#[test]
fn join_accepts_a_link_and_a_table_id() {
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
    let mut spectator = Terminal::open(&["join", "--server", &server, game.as_str()], 40, 24);
    spectator.see("You're watching");
    spectator.press("q");
    spectator.see("Enter: quit");
    spectator.press("\r");
    assert!(spectator.end().success());

    assert!(bob.quit().success());
}
