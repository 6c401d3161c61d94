//! Every language has every entry with every parameter, and every reason can be said in every language.
//!
//! The samples are made from the JSON Schema of the reasons, so that a new reason is tested without being listed here.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

use std::{collections::BTreeSet, fmt::Debug};

use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use texas42_phrases::{Hint, Language, OutcomeReason, Problem, Refusal, Remark, Words};

/// Stands for every free text. It is no letter, so that it is no word of any language.
const FREE_TEXT: &str = "§7";

fn texts(language: Language) -> Vec<&'static str> {
    let mut words = language.words().clone();
    words.texts_mut().into_iter().map(|text| *text).collect()
}

fn places(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|behind| behind.split_once('}')).map(|(place, _)| place).collect()
}

#[test]
fn every_language_has_the_places_of_english_and_nothing_is_empty() {
    for language in Language::ALL {
        for ((entry, english), text) in Words::ENTRIES.iter().zip(texts(Language::English)).zip(texts(*language)) {
            assert_eq!(places(text), places(english), "{language:?} {entry}");
            assert!(!text.trim().is_empty(), "{language:?} {entry}");
        }
    }
}

/// What stands in the place of a schema: a few values of every form.
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
    let all = fields.iter().fold(vec![Map::new()], |objects, (name, field)| {
        let with = |object: &Map<String, Value>, value: Value| {
            let mut object = object.clone();
            object.insert(name.clone(), value);
            object
        };
        let values = samples(field, defs);
        objects.iter().flat_map(|object| values.iter().map(move |value| with(object, value.clone()))).collect()
    });
    all.into_iter().map(Value::Object).collect()
}

/// A few values of each form of a reason.
fn all<R: JsonSchema + DeserializeOwned>() -> Vec<R> {
    let schema = schema_for!(R).to_value();
    let read = |value: Value| serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"));
    samples(&schema, &schema["$defs"]).into_iter().map(read).collect()
}

/// Says a reason in every language.
fn check<R: Debug>(reason: &R, say: impl Fn(&R, &Words) -> String) {
    let [english, spanish, pseudo] =
        [Language::English, Language::Spanish, Language::Pseudo].map(|language| say(reason, language.words()));
    for text in [&english, &spanish, &pseudo] {
        assert!(!text.is_empty() && !text.contains(['{', '}']), "{reason:?}: {text}");
        let has = format!("{reason:?}").contains(FREE_TEXT);
        assert_eq!(text.contains(FREE_TEXT), has, "{reason:?} lost a parameter: {text}");
    }
    assert_ne!(english, spanish, "{reason:?}");
    let plain: String = pseudo.chars().filter(char::is_ascii_alphabetic).collect();
    assert!(plain.is_empty(), "{reason:?} says {plain:?} without a catalogue: {pseudo}");
}

#[test]
fn every_refusal_is_said_in_every_language() {
    let refusals = all::<Refusal>();
    assert!(refusals.len() > 20);
    refusals.iter().for_each(|refusal| check(refusal, |refusal, words| words.refusal(*refusal)));
}

#[test]
fn every_problem_is_said_in_every_language() {
    let problems = all::<Problem>();
    assert!(problems.len() > 100);
    problems.iter().for_each(|problem| check(problem, |problem, words| words.problem(problem)));
}

#[test]
fn every_remark_is_said_in_every_language() {
    let remarks = all::<Remark>();
    assert!(remarks.len() > 100);
    remarks.iter().for_each(|remark| check(remark, |remark, words| words.remark(remark)));
}

#[test]
fn every_hint_and_outcome_is_said_in_every_language() {
    all::<Hint>().iter().for_each(|hint| check(hint, |hint, words| words.hint(*hint)));
    all::<OutcomeReason>().iter().for_each(|reason| check(reason, |reason, words| words.outcome(*reason).to_owned()));
}
