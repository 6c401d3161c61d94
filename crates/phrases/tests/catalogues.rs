//! Every language has every entry with every placeholder, and renders every reason.
//!
//! The samples are generated from the JSON Schema of the reasons, so that a new reason is tested automatically.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{collections::BTreeSet, fmt::Debug};

use schemars::{JsonSchema, schema_for};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use texas42_phrases::{Hint, Language, OutcomeReason, Problem, Refusal, Remark, Words, capitalized};

/// The sample for every free text. It has no letters, so it cannot be a word of any language.
const FREE_TEXT: &str = "§7";

fn texts(language: Language) -> Vec<&'static str> {
    language.words().texts().to_vec()
}

#[test]
fn a_catalogue_can_be_loaded_from_its_texts() {
    for language in Language::ALL {
        let mut words = *Language::English.words();
        let mut texts = language.words().texts().into_iter();
        words.change_texts(|entry| *entry = texts.next().unwrap());
        assert_eq!(words.texts(), language.words().texts(), "{language:?}");
    }
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|behind| behind.split_once('}')).map(|(placeholder, _)| placeholder).collect()
}

#[test]
fn every_language_has_the_placeholders_of_english_and_no_empty_entry() {
    for language in Language::ALL {
        for ((entry, english), text) in Words::ENTRIES.iter().zip(texts(Language::English)).zip(texts(*language)) {
            assert_eq!(placeholders(text), placeholders(english), "{language:?} {entry}");
            assert!(!text.trim().is_empty(), "{language:?} {entry}");
        }
    }
}

/// `capitalized` knows the letters of these languages only.
#[test]
fn every_text_of_a_language_can_be_capitalized() {
    for language in [Language::English, Language::Spanish] {
        for text in texts(language) {
            let first = |text: &str| text.chars().next().unwrap();
            assert!(first(text).to_uppercase().eq([first(&capitalized(text))]), "{language:?}: {text}");
        }
    }
}

/// A remark is about the hand of the reader or of somebody else.
#[test]
fn no_remark_is_in_the_first_person() {
    const FIRST_PERSON: [&str; 14] =
        ["i", "i'm", "my", "mine", "me", "we", "our", "mi", "mis", "yo", "nos", "mato", "regalo", "tumbamos"];
    for language in [Language::English, Language::Spanish] {
        let is_remark = |(entry, _): &(&&str, &'static str)| entry.starts_with("remark_") || entry.starts_with("hint_");
        for (entry, text) in Words::ENTRIES.iter().zip(texts(language)).filter(is_remark) {
            let lower = text.to_lowercase();
            let mut words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
            assert!(!words.any(|word| FIRST_PERSON.contains(&word)), "{language:?} {entry}: {text}");
        }
    }
}

/// A few sample values for each form of a schema.
fn samples(schema: &Value, defs: &Value) -> Vec<Value> {
    if let Some(name) = schema["$ref"].as_str() {
        return samples(&defs[name.rsplit('/').next().unwrap()], defs);
    }
    if let Some(only) = schema.get("const") {
        return vec![only.clone()];
    }
    for list in ["enum", "oneOf", "anyOf"] {
        if let Some(forms) = schema[list].as_array() {
            let of = |form: &Value| if list == "enum" { vec![form.clone()] } else { samples(form, defs) };
            return forms.iter().flat_map(of).collect();
        }
    }
    match &schema["type"] {
        Value::Array(types) => types.iter().flat_map(|one| typed(one.as_str().unwrap(), schema, defs)).collect(),
        one => typed(one.as_str().unwrap_or_else(|| panic!("{schema}")), schema, defs),
    }
}

fn typed(kind: &str, schema: &Value, defs: &Value) -> Vec<Value> {
    match kind {
        "null" => vec![Value::Null],
        "boolean" => vec![json!(false), json!(true)],
        "integer" => vec![json!(1), json!(3)],
        "string" if schema["pattern"].is_string() => vec![json!("6-4")],
        "string" => vec![json!(FREE_TEXT)],
        "array" => {
            let items = samples(&schema["items"], defs);
            vec![json!([items[0]]), json!([items[0], items[items.len() - 1]])]
        }
        "object" => objects(schema, defs),
        other => panic!("no sample of {other}: {schema}"),
    }
}

/// All combinations of the samples of the fields.
fn objects(schema: &Value, defs: &Value) -> Vec<Value> {
    let fields = schema["properties"].as_object().unwrap();
    let all_samples = fields.iter().fold(vec![Map::new()], |objects, (name, field)| {
        let with = |object: &Map<String, Value>, value: Value| {
            let mut object = object.clone();
            object.insert(name.clone(), value);
            object
        };
        let values = samples(field, defs);
        objects.iter().flat_map(|object| values.iter().map(move |value| with(object, value.clone()))).collect()
    });
    all_samples.into_iter().map(Value::Object).collect()
}

/// A few sample values for each variant of a reason. Each of them survives serialization.
fn all_samples<R: JsonSchema + Serialize + DeserializeOwned + PartialEq + Debug>() -> Vec<R> {
    let schema = schema_for!(R).to_value();
    let read = |value: Value| -> R {
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"))
    };
    let reasons: Vec<R> = samples(&schema, &schema["$defs"]).into_iter().map(read).collect();
    reasons.iter().for_each(|reason| assert_eq!(read(serde_json::to_value(reason).unwrap()), *reason));
    reasons
}

/// Renders a reason in every language and checks the texts.
fn check_in_every_language<R: Debug>(reason: &R, say: impl Fn(&R, &Words) -> String) {
    let [english, spanish, pseudo] =
        [Language::English, Language::Spanish, Language::Pseudo].map(|language| say(reason, language.words()));
    for text in [&english, &spanish, &pseudo] {
        assert!(!text.is_empty() && !text.contains(['{', '}']), "{reason:?}: {text}");
        let has = format!("{reason:?}").contains(FREE_TEXT);
        assert_eq!(text.contains(FREE_TEXT), has, "{reason:?} lost a parameter: {text}");
    }
    assert_ne!(english, spanish, "{reason:?}");
    let plain: String = pseudo.chars().filter(char::is_ascii_alphabetic).collect();
    assert!(plain.is_empty(), "{reason:?} has {plain:?} that is not from a catalogue: {pseudo}");
}

#[test]
fn every_refusal_renders_in_every_language() {
    let refusals = all_samples::<Refusal>();
    assert!(refusals.len() > 20);
    refusals.iter().for_each(|refusal| check_in_every_language(refusal, |refusal, words| words.refusal(*refusal)));
}

#[test]
fn every_problem_renders_in_every_language() {
    let problems = all_samples::<Problem>();
    assert!(problems.len() > 100);
    problems.iter().for_each(|problem| check_in_every_language(problem, |problem, words| words.problem(problem)));
}

/// Whether a text is the sentence of a comment, which has `…` in place of each parameter.
fn is_sentence_of(comment: &str, text: &str) -> bool {
    let mut pieces = comment.split('…');
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    for piece in pieces {
        let Some((parameter, behind)) = rest.split_once(piece) else { return false };
        if parameter.is_empty() {
            return false;
        }
        rest = behind;
    }
    rest.is_empty()
}

/// `docs/protocol.md` publishes the comments of the problems as their sentences.
#[test]
fn the_comment_of_every_problem_is_its_english_sentence() {
    let schema = schema_for!(Problem).to_value();
    let words = Language::English.words();
    let mut different = Vec::new();
    for form in schema["oneOf"].as_array().unwrap() {
        let comment = form["description"].as_str().unwrap();
        for sample in samples(form, &schema["$defs"]) {
            let problem: Problem = serde_json::from_value(sample).unwrap();
            let sentence = words.problem(&problem) + ".";
            let is_same = [sentence.clone(), capitalized(&sentence)].iter().any(|text| is_sentence_of(comment, text));
            different.extend((!is_same).then(|| format!("the comment {comment:?} is not {sentence:?}")));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn every_remark_renders_in_every_language() {
    let remarks = all_samples::<Remark>();
    assert!(remarks.len() > 100);
    remarks.iter().for_each(|remark| check_in_every_language(remark, |remark, words| words.remark(remark)));
}

#[test]
fn every_hint_and_outcome_renders_in_every_language() {
    all_samples::<Hint>().iter().for_each(|hint| check_in_every_language(hint, |hint, words| words.hint(*hint)));
    all_samples::<OutcomeReason>()
        .iter()
        .for_each(|reason| check_in_every_language(reason, |reason, words| words.outcome(*reason).to_owned()));
}

/// Whether a field of a reason counts from 0: a seat, or a deal of a configuration.
fn counts_from_0(name: &str, schema: &Value) -> bool {
    schema["$ref"].as_str().is_some_and(|noun| noun.ends_with("/Seat")) || ["seat", "deal"].contains(&name)
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

/// Renders each reason with each seat and deal in every language. Returns how many fields there are.
fn check_counts_from_1<R: JsonSchema + DeserializeOwned>(say: impl Fn(&R, &Words) -> String) -> usize {
    let schema = schema_for!(R).to_value();
    let fields_of = |form: &Value| form["properties"].as_object().unwrap().clone();
    let mut fields = 0;
    for form in schema["oneOf"].as_array().unwrap() {
        let sample = samples(form, &schema["$defs"]).remove(0);
        // Without names, this is told to the player of the seat.
        let is_own = sample["rule"] == "not-in-hand";
        let counted = |(name, field): &(String, Value)| counts_from_0(name, field) && !is_own;
        for (name, _) in fields_of(form).into_iter().filter(counted) {
            fields += 1;
            for index in 0..4 {
                let mut reason = sample.clone();
                reason[&name] = json!(index);
                let read: R = serde_json::from_value(reason.clone()).unwrap();
                for language in Language::ALL {
                    let text = say(&read, language.words());
                    assert!(numbers(&text).contains(&(index + 1)), "{reason} counts from 0: {text}");
                }
            }
        }
    }
    fields
}

#[test]
fn every_reason_counts_seats_and_deals_from_1() {
    assert!(check_counts_from_1::<Refusal>(|refusal, words| words.refusal(*refusal)) >= 3);
    assert!(check_counts_from_1::<Problem>(|problem, words| words.problem(problem)) >= 6);
}
