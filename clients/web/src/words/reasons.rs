//! What programs say of their choices, in Spanish. They speak English, in parts with places for dominoes, suits, bids and numbers;
//! every part is known here, and so are the words that stand in its places.
//!
//! Invariant: whatever `crates/ai` says has its place here; a test lets programs talk through whole games and listens.

use super::{Words, fill};

/// The parts of reasons, without a capital letter in front and the point behind.
pub(super) const REASONS: &[(&str, &str)] = &[
    // What a domino does that is led.
    ("{0} walks, nothing that is out is nearer to seven", "{0} pasa: nada de lo que falta está más cerca de siete"),
    ("{0} walks, nothing of {1} is higher", "{0} pasa: no hay nada más alto en {1}"),
    ("{0} walks, what is higher in {1} is mine", "{0} pasa: lo más alto en {1} es mío"),
    ("{0} walks unless somebody trumps it", "{0} pasa si nadie mata con triunfo"),
    ("{0} are walked, {1} is the highest that is left", "en {0} ya no queda nada por encima de {1}"),
    ("{0} asks for {1}", "{0} busca {1}"),
    // One that is played to a trick.
    ("{0} takes the trick", "{0} gana la baza"),
    ("{0} takes it, nothing that is out beats it", "{0} gana: nada de lo que falta puede con ella"),
    ("{0} goes over, {1} beats it", "{0} va por encima, pero {1} le gana"),
    ("{0} goes over, {1} beat it", "{0} va por encima, pero {1} le ganan"),
    ("{0} carries no count", "{0} no lleva valor"),
    ("{0} to my partner's trick", "{0} para la baza de mi compañero"),
    ("{0} is what I can spare", "{0} es lo que me sobra"),
    // Nello, from both sides.
    ("{0} is led, nothing that is out goes over it", "sale {0}: nada de lo que falta va por encima"),
    ("{0} is led, {1} goes over it", "sale {0}: {1} va por encima"),
    ("{0} is led, {1} go over it", "sale {0}: {1} van por encima"),
    ("{0} is led for the bidder to go over, with {1} out", "sale {0} para que quien pujó vaya por encima: falta {1}"),
    ("{0} stays below", "{0} se queda por debajo"),
    ("{0} goes over, {1} could go higher", "{0} va por encima, aunque falta {1}"),
    ("{0} leaves the bidder the trick", "{0} deja la baza a quien pujó"),
    ("{0} has to go over the bidder", "{0} tiene que ir por encima de quien pujó"),
    ("{0} lies there for the bidder to go over", "{0} espera a que quien pujó vaya por encima"),
    ("{0} goes while the bidder is below", "{0} se va mientras quien pujó está por debajo"),
    // What is known about the others.
    ("{0} shows no {1}", "{0} ha mostrado que no tiene {1}"),
    ("{0} show no {1}", "{0} han mostrado que no tienen {1}"),
    // How often it ends well.
    ("the contract is decided", "el contrato ya está decidido"),
    ("there is no other", "no hay otra"),
    ("made {0} of the time, like the next", "se cumple el {0} de las veces, como con la siguiente"),
    ("made {0} of the time, {1} with the next", "se cumple el {0} de las veces, y el {1} con la siguiente"),
    ("set {0} of the time, like the next", "los tumbamos el {0} de las veces, como con la siguiente"),
    ("set {0} of the time, {1} with the next", "los tumbamos el {0} de las veces, y el {1} con la siguiente"),
    // Trumps and bids.
    ("one of {0} in hand", "una ficha de {0} en la mano"),
    ("one double in hand", "un doble en la mano"),
    ("{0} {1} in hand", "{0} {1} en la mano"),
    ("low all over", "todo es bajo"),
    ("near seven all over", "todo está cerca de siete"),
    ("{0}: {1} is made {2} of the time, {3} on average", "{0}: {1} se cumple el {2} de las veces, {3} de media"),
    ("{0}: {1} are made {2} of the time, {3} on average", "{0}: {1} se cumplen el {2} de las veces, {3} de media"),
    ("{0} is made {1} of the time, like the next best", "{0} se cumple el {1} de las veces, como con lo siguiente"),
    ("{0} are made {1} of the time, like the next best", "{0} se cumplen el {1} de las veces, como con lo siguiente"),
    (
        "{0} is made {1} of the time, {2} with the next best",
        "{0} se cumple el {1} de las veces, y el {2} con lo siguiente",
    ),
    (
        "{0} are made {1} of the time, {2} with the next best",
        "{0} se cumplen el {1} de las veces, y el {2} con lo siguiente",
    ),
    ("{0} is made {1} of the time", "{0} se cumple el {1} de las veces"),
    ("{0} are made {1} of the time", "{0} se cumplen el {1} de las veces"),
    ("my partner has it", "la puja es de mi compañero"),
    ("nothing here that pays", "aquí no hay nada que compense"),
    ("a pass brings {0} on average", "pasar da {0} de media"),
    // What is beside the choice of an expert.
    ("works {0} of the time, {1} on average", "sale bien el {0} de las veces, {1} de media"),
    ("with one trick to go it comes to the same", "con una sola baza da lo mismo"),
    (
        "it is not sure, whatever the others hold, so a claim would fail",
        "no es seguro tengan lo que tengan los demás: no valdría",
    ),
    ("playing on comes to the same, only later", "seguir jugando da lo mismo, pero más tarde"),
    ("with these the hand looks like {0} points", "con este triunfo la mano parece valer {0} puntos"),
    ("the hand is not made for it", "la mano no es para eso"),
    ("not worth a try", "no vale la pena"),
    ("no trick for me, whatever the others hold", "ninguna baza para mí, tengan lo que tengan los demás"),
    ("the rest is mine, whatever the others hold", "el resto es mío, tengan lo que tengan los demás"),
    // Rules of thumb.
    ("low all over: {0}", "todo es bajo: {0}"),
    ("low all over, a hand for {0}: {1}", "todo es bajo, una mano para {0}: {1}"),
    ("near seven all over: {0}", "todo está cerca de siete: {0}"),
    ("near seven all over, a hand for {0}: {1}", "todo está cerca de siete, una mano para {0}: {1}"),
    ("{0} look best, about {1} points", "lo mejor es {0}: unos {1} puntos"),
    ("{0} as trumps look like {1} points: {2}", "con {0} de triunfo parecen {1} puntos: {2}"),
    ("at best about {0} points: not enough", "como mucho unos {0} puntos: no basta"),
    ("somebody has to bid, so as little as can be", "alguien tiene que pujar: lo menos posible"),
    ("that will do", "con esto basta"),
    ("as high as I can go below", "lo más alto que puedo por debajo"),
    ("the bidder has to take one of these", "quien pujó tiene que llevarse una de estas"),
    ("draw their trumps first", "primero, sacarles los triunfos"),
    ("a double walks", "un doble pasa"),
    ("let us see who has the rest of it", "a ver quién tiene el resto"),
    ("count for my partner", "valor para mi compañero"),
    ("trump it", "mato con triunfo"),
    ("this one should be ours", "esta debería ser nuestra"),
    ("it has to go", "tiene que salir"),
    ("nothing to give away here", "aquí no regalo nada"),
    ("there is nothing else to do", "no hay otra cosa que hacer"),
    ("it has to be something", "algo hay que hacer"),
    ("a shot in the dark", "a ciegas"),
];

/// The words that stand in the places of reasons, beside dominoes, numbers and the names of suits.
const VALUES: &[(&str, &str)] = &[
    ("and", "y"),
    ("more", "más"),
    ("nothing", "nada"),
    ("mark", "marca"),
    ("marks", "marcas"),
    ("points", "puntos"),
    ("for", "por"),
    ("partner", "mi compañero"),
    ("left", "la izquierda"),
    ("right", "la derecha"),
];

/// A reason in Spanish; nothing where a part of it is not known.
pub(super) fn in_spanish(reason: &str, words: &Words) -> Option<String> {
    let reason = reason.strip_suffix('.')?;
    let parts: Option<Vec<String>> = reason.split("; ").map(|part| part_in_spanish(part, words)).collect();
    Some(parts?.join("; ") + ".")
}

fn part_in_spanish(part: &str, words: &Words) -> Option<String> {
    let part = uncapitalised(part);
    REASONS.iter().find_map(|(english, spanish)| {
        let values: Vec<String> = values(english, &part)?.into_iter().map(|value| said(value, words)).collect();
        Some(fill(spanish, &values.iter().map(String::as_str).collect::<Vec<_>>()))
    })
}

/// What stands in the places of a text, which come in their order; nothing where the sentence is another one.
pub(super) fn values<'a>(text: &str, sentence: &'a str) -> Option<Vec<&'a str>> {
    let mut pieces = text.split(['{', '}']).step_by(2);
    let mut rest = sentence.strip_prefix(pieces.next()?)?;
    let mut values = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        // The last piece is the end of the sentence, and not only somewhere in it.
        let (value, behind) = match pieces.peek() {
            None => (rest.strip_suffix(piece)?, ""),
            Some(_) => rest.split_once(piece)?,
        };
        values.push(value);
        rest = behind;
    }
    rest.is_empty().then_some(values)
}

/// A value in Spanish, word by word; commas stay where they are.
fn said(value: &str, words: &Words) -> String {
    if value == "whatever my partner names" {
        return "lo que elija mi compañero".to_owned();
    }
    let word = |word: &str| {
        let (bare, comma) = word.strip_suffix(',').map_or((word, ""), |bare| (bare, ","));
        let known = VALUES.iter().find(|(english, _)| *english == bare);
        known.map_or_else(|| words.suit_text(bare), |(_, spanish)| (*spanish).to_owned()) + comma
    };
    value.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn uncapitalised(text: &str) -> String {
    let mut text = text.to_owned();
    text.get_mut(..1).map(str::make_ascii_lowercase);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Language;

    fn spanish(reason: &str) -> Option<String> {
        in_spanish(reason, Language::Spanish.words())
    }

    #[test]
    fn reasons_are_said_part_by_part() {
        assert_eq!(
            spanish("6-6 walks, nothing of sixes is higher; partner and left show no sixes; made 83 % of the time, 71 % with the next.").unwrap(),
            "6-6 pasa: no hay nada más alto en seises; mi compañero y la izquierda han mostrado que no tienen seises; \
             se cumple el 83 % de las veces, y el 71 % con la siguiente."
        );
        assert_eq!(
            spanish("Sixes: 2 marks are made 54 % of the time, +0.16 marks on average.").unwrap(),
            "seises: 2 marcas se cumplen el 54 % de las veces, +0.16 marcas de media."
        );
        assert_eq!(spanish("6-4 asks for 6-6, 6-5 and 2 more.").unwrap(), "6-4 busca 6-6, 6-5 y 2 más.");
        assert_eq!(
            spanish("Low all over, a hand for nello: 2 marks.").unwrap(),
            "todo es bajo, una mano para nello: 2 marcas."
        );
    }

    #[test]
    fn what_is_not_known_is_not_half_translated() {
        assert_eq!(spanish("6-4 takes the trick; it rains."), None);
        assert_eq!(spanish("It rains"), None);
    }

    #[test]
    fn places_are_filled_by_what_stands_there_and_nothing_else() {
        assert_eq!(values("{0} of {1}", "a of b"), Some(vec!["a", "b"]));
        assert_eq!(values("{0} of {1}!", "a of b"), None);
        assert_eq!(values("no place", "no place"), Some(vec![]));
        assert_eq!(values("no place", "no place here"), None);
    }
}
