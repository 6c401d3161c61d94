//! Phrases in the terminal: the commands about them, their list, and who is muted.

use std::{collections::BTreeSet, fmt::Write};

use texas42_phrases::{Language, Phrase};
use texas42_protocol::{GameView, PlayerId, PlayerView};
use texas42_vocab::Domino;

/// A command about phrases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpeechCommand {
    /// List the phrases.
    List,
    /// Say a phrase; a coach may point at a domino.
    Say(Phrase, Option<Domino>),
    /// Allow or forbid the coaches of this player to talk.
    AllowCoach(bool),
    /// Mute or unmute somebody, or everybody.
    Mute {
        /// The person; `None` means everybody.
        whom: Option<PlayerId>,
        /// Whether they are muted from now on.
        is_muted: bool,
    },
}

const NO_SUCH_PHRASE: &str = "There is no such phrase; say lists them.";
const COACH_ON_OR_OFF: &str = "coach on: your coach may talk to you; coach off: not now";
const NO_SUCH_PERSON: &str = "Nobody here has that name; mute all mutes everybody.";

/// The command about phrases in a line; `None` if the line is about something else.
pub fn read(line: &str, view: &GameView) -> Option<Result<SpeechCommand, &'static str>> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    match verb {
        "say" if rest.is_empty() => Some(Ok(SpeechCommand::List)),
        "say" => Some(saying(rest).ok_or(NO_SUCH_PHRASE)),
        "coach" => Some(match rest {
            "on" => Ok(SpeechCommand::AllowCoach(true)),
            "off" => Ok(SpeechCommand::AllowCoach(false)),
            _ => Err(COACH_ON_OR_OFF),
        }),
        "mute" | "unmute" => {
            let whom = whom(rest, view).ok_or(NO_SUCH_PERSON);
            Some(whom.map(|whom| SpeechCommand::Mute { whom, is_muted: verb == "mute" }))
        }
        _ => None,
    }
}

/// A phrase by its name, and perhaps a domino.
fn saying(text: &str) -> Option<SpeechCommand> {
    let (name, domino) = text.split_once(' ').map_or((text, None), |(name, domino)| (name, Some(domino.trim())));
    let phrase = Phrase::ALL.iter().find(|phrase| phrase.name().eq_ignore_ascii_case(name))?;
    let domino = domino.map(str::parse).transpose().ok()?;
    Some(SpeechCommand::Say(*phrase, domino))
}

/// Somebody by name, without regard to case. The inner `None` means everybody.
#[allow(clippy::option_option, reason = "nobody and everybody are different answers")]
fn whom(name: &str, view: &GameView) -> Option<Option<PlayerId>> {
    if name.eq_ignore_ascii_case("all") {
        return Some(None);
    }
    let is_named = |player: &&PlayerView| player.name.as_str().to_lowercase() == name.to_lowercase();
    view.players.iter().find(is_named).map(|player| Some(player.player_id.clone()))
}

/// The phrases with their names, as a coach or as somebody else can say them.
pub fn list(is_coach: bool) -> String {
    let words = Language::English.words();
    let mut text = String::from("say NAME:");
    for phrase in Phrase::offered(is_coach) {
        write!(text, " {} ({})", phrase.name(), words.phrase_text(phrase)).expect("a string can be written to");
    }
    if is_coach {
        let names: Vec<String> = Phrase::pointing().map(Phrase::name).collect();
        write!(text, "; with a domino, such as 6-4: {}", names.join(" ")).expect("a string can be written to");
    }
    text
}

/// What somebody said, as a sentence.
pub fn sentence(view: &GameView, player: &PlayerId, phrase: Phrase, domino: Option<Domino>) -> String {
    let known = view.players.iter().find(|known| known.player_id == *player);
    Language::English.words().said(known.map_or("?", |known| known.name.as_str()), phrase, domino)
}

/// The people whom this person has muted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Muted {
    is_everybody: bool,
    people: BTreeSet<PlayerId>,
}

impl Muted {
    /// Mutes somebody or everybody, or hears them again.
    pub fn set(&mut self, whom: Option<PlayerId>, is_muted: bool) {
        match (whom, is_muted) {
            (Some(player), true) => drop(self.people.insert(player)),
            (Some(player), false) => drop(self.people.remove(&player)),
            (None, _) => *self = Self { is_everybody: is_muted, people: BTreeSet::new() },
        }
    }

    /// Whether this person hears somebody.
    pub fn hears(&self, player: &PlayerId) -> bool {
        !self.is_everybody && !self.people.contains(player)
    }
}

#[cfg(test)]
mod tests {
    use texas42_room::HeadlessRoom;
    use texas42_vocab::{Config, Seat};

    use super::*;

    fn id(text: &str) -> PlayerId {
        PlayerId::try_from(text).unwrap()
    }

    fn view() -> GameView {
        let mut view = HeadlessRoom::new(&Config::default()).unwrap().view(Seat::ALL[0]);
        let player = serde_json::json!({
            "playerId": "p2", "playerIndex": 1, "name": "Bob", "controlType": "human", "isConnected": true,
            "capabilities": [],
        });
        view.players = vec![serde_json::from_value(player).unwrap()].into();
        view
    }

    #[test]
    fn lines_about_phrases_are_commands() {
        let say = |phrase, domino: Option<&str>| SpeechCommand::Say(phrase, domino.map(|text| text.parse().unwrap()));
        for (line, command) in [
            ("say", SpeechCommand::List),
            ("say nice-play", say(Phrase::NicePlay, None)),
            ("say lead-this 6-4", say(Phrase::LeadThis, Some("6-4"))),
            ("coach off", SpeechCommand::AllowCoach(false)),
            ("coach on", SpeechCommand::AllowCoach(true)),
            ("mute bob", SpeechCommand::Mute { whom: Some(id("p2")), is_muted: true }),
            ("unmute all", SpeechCommand::Mute { whom: None, is_muted: false }),
        ] {
            assert_eq!(read(line, &view()), Some(Ok(command)), "{line}");
        }
        for line in ["say I have the double", "say lead-this 9-9", "coach", "mute", "mute nobody"] {
            assert!(matches!(read(line, &view()), Some(Err(_))), "{line}");
        }
        assert_eq!(read("6-4", &view()), None);
    }

    #[test]
    fn the_list_has_every_phrase_that_can_be_said() {
        assert!(Phrase::offered(false).all(|phrase| list(false).contains(&phrase.name())));
        assert!(Phrase::ALL.iter().all(|phrase| list(true).contains(&phrase.name())));
        assert!(!list(false).contains("lead-this"));
        assert_eq!(sentence(&view(), &id("p2"), Phrase::Thanks, None), "Bob: Thanks!");
    }

    #[test]
    fn a_person_or_everybody_is_muted_and_heard_again() {
        let mut muted = Muted::default();
        let heard = |muted: &Muted| [id("p1"), id("p2")].map(|player| muted.hears(&player));
        muted.set(Some(id("p2")), true);
        assert_eq!(heard(&muted), [true, false]);
        muted.set(None, true);
        assert_eq!(heard(&muted), [false, false]);
        muted.set(None, false);
        assert_eq!(heard(&muted), [true, true]);
    }
}
