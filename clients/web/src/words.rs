//! Every word that the page says, in English and Spanish, side by side.
//!
//! A text may have places for what is put in: `{0}`, `{1}`. The table itself speaks English; what it says in whole
//! sentences is known here by heart ([`Words::of_the_table`]) and said in the player's language.

use texas42_vocab::{Action, Bid, BidKind, Domino, Layer, Trump};

mod reasons;

use reasons::{in_spanish, values};

/// What the page can be read in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Spanish.
    Spanish,
}

impl Language {
    /// Both.
    pub const ALL: [Self; 2] = [Self::English, Self::Spanish];

    /// Its code, as in HTML.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// Its own name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Spanish => "Español",
        }
    }

    /// The language of a code such as `es-MX`; English when it is none of ours.
    pub fn of_code(code: &str) -> Self {
        if code.starts_with("es") { Self::Spanish } else { Self::English }
    }

    /// Its words.
    pub const fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::Spanish => &SPANISH,
        }
    }
}

macro_rules! words {
    ($($name:ident: $english:literal, $spanish:literal;)+) => {
        /// The words of one language.
        #[derive(Debug)]
        #[allow(missing_docs)]
        pub struct Words {
            pub language: Language,
            $(pub $name: &'static str,)+
        }

        const ENGLISH: Words = Words { language: Language::English, $($name: $english,)+ };
        const SPANISH: Words = Words { language: Language::Spanish, $($name: $spanish,)+ };

        #[cfg(test)]
        const PAIRS: &[(&str, &str, &str)] = &[$((stringify!($name), $english, $spanish),)+];
    };
}

words! {
    // The house.
    title: "Texas 42", "Texas 42";
    tagline: "The national game of Texas. Four players, two teams, twenty-eight dominoes.", "El juego nacional de Texas. Cuatro jugadores, dos equipos, veintiocho fichas.";
    play_now: "Play now", "Jugar ahora";
    play_now_more: "Against three programs, right here. No account, no network.", "Contra tres programas, aquí mismo. Sin cuenta y sin red.";
    go_on_game: "Continue your game", "Continuar tu partida";
    go_on_game_more: "It is just as you left it.", "Está tal como la dejaste.";
    learn: "Learn the game", "Aprender a jugar";
    learn_more: "One hand with hints, at your own pace.", "Una mano con consejos, a tu ritmo.";
    daily: "Hand of the day", "La mano del día";
    daily_more: "The same deal for everybody. How many stars?", "El mismo reparto para todos. ¿Cuántas estrellas?";
    easy: "Easy", "Fácil";
    medium: "Medium", "Media";
    hard: "Hard", "Difícil";
    create_table: "Play with friends", "Jugar con amigos";
    create_table_more: "Set a table, send a link. Programs fill empty seats.", "Prepara una mesa y manda un enlace. Los programas ocupan los asientos vacíos.";
    join_table: "Join with a link or a code", "Unirse con un enlace o un código";
    join_hint: "Paste the invitation here", "Pega aquí la invitación";
    join: "Join", "Unirse";
    bad_link: "This is not an invitation to a table. Ask for the whole link or code.", "Esto no es una invitación a una mesa. Pide el enlace o el código completo.";
    no_such_table: "This browser has no seat at that table. Ask for an invitation.", "Este navegador no tiene asiento en esa mesa. Pide una invitación.";
    bad_seed: "No hands can be dealt from this link.", "De este enlace no sale ningún reparto.";
    home: "Home", "Inicio";
    menu: "Menu", "Menú";
    settings: "Settings", "Ajustes";
    rules: "How to play", "Cómo se juega";
    close: "Close", "Cerrar";
    cancel: "Cancel", "Cancelar";
    loading: "Setting the table…", "Poniendo la mesa…";
    looking: "Looking for a hand… {0} %", "Buscando una mano… {0} %";
    new_version: "A new version is ready.", "Hay una versión nueva.";
    use_new_version: "Use it now", "Usarla ahora";
    skip_to_table: "Skip to the table", "Ir a la mesa";
    worker_failed: "The table stumbled and was set up again from what was written down.", "La mesa tropezó y se ha vuelto a poner con lo que estaba escrito.";
    other_tab: "This game is open in another tab, and goes on there.", "Esta partida está abierta en otra pestaña y sigue allí.";
    take_game_here: "Play it here", "Jugarla aquí";
    not_kept: "This browser keeps nothing, so a reload will lose the game.", "Este navegador no guarda nada: al recargar se perderá la partida.";

    // People and sides.
    you: "You", "Tú";
    guest: "Guest", "Invitado";
    us: "Us", "Nosotros";
    them: "Them", "Ellos";
    side_even: "Side A", "Bando A";
    side_odd: "Side B", "Bando B";
    partner: "partner", "compañero";
    program: "program", "programa";
    nobody: "Empty seat", "Asiento libre";
    away: "away", "ausente";
    shaker: "Shaker", "Revuelve";
    sits_out: "sits out", "no juega";
    left_of_you: "to your left", "a tu izquierda";
    right_of_you: "to your right", "a tu derecha";
    across: "across", "enfrente";
    dominoes_left: "{0} dominoes", "{0} fichas";

    // The status line.
    your_bid: "Your bid", "Tu puja";
    your_trumps: "Name trumps", "Elige triunfos";
    your_lead: "Your lead", "Sales tú";
    your_turn: "Your turn", "Te toca";
    waits_bid: "{0} is bidding", "Puja {0}";
    waits_trumps: "{0} names trumps", "{0} elige triunfos";
    waits_play: "{0} to play", "Juega {0}";
    trick_taken: "{0} takes the trick", "{0} gana la baza";
    trick_yours: "You take the trick", "Ganas la baza";
    trick_worth: "worth {0}", "vale {0}";
    gathering: "Waiting for players", "Esperando jugadores";
    i_am_ready: "I am ready", "Por mí, empezamos";
    ready: "ready", "a punto";
    all_here: "Everybody is here. Ready?", "Ya están todos. ¿Empezamos?";
    begins_when_ready: "The game begins when everybody is ready.", "La partida empieza cuando todo el mundo esté a punto.";
    watching: "You are watching.", "Estás mirando.";
    seconds_left: "{0} s", "{0} s";
    says_hurry: "Ten seconds left.", "Quedan diez segundos.";
    time_out: "Time ran out: a program plays for {0}.", "Se acabó el tiempo: un programa juega por {0}.";
    time_out_yours: "Your time ran out: a program plays for you.", "Se acabó tu tiempo: un programa juega por ti.";
    thrown_in: "Everybody passed: shaken again", "Todos pasan: se revuelve otra vez";

    // Bidding.
    bid: "Bid", "Puja";
    pass: "Pass", "Paso";
    bids: "bids {0}", "puja {0}";
    points_bid_means: "Take at least that many of 42 points. One mark is at stake.", "Llévate al menos esos puntos de 42. Se juega una marca.";
    mark: "1 mark", "1 marca";
    marks: "{0} marks", "{0} marcas";
    all_tricks: "every trick", "todas las bazas";
    plunge: "Plunge", "Plunge";
    splash: "Splash", "Splash";
    partner_names: "partner names trumps", "tu compañero elige";
    points: "Points", "Puntos";
    marks_heading: "Marks", "Marcas";
    to_beat: "To beat: {0} ({1})", "A superar: {0} ({1})";
    nobody_bid: "Nobody has bid yet", "Nadie ha pujado aún";
    must_bid: "You have to bid: everybody else passed", "Tienes que pujar: los demás han pasado";
    calls: "The auction", "La subasta";

    // Trumps.
    trumps: "Trumps", "Triunfos";
    blanks: "blanks", "blancas";
    ones: "ones", "unos";
    twos: "twos", "doses";
    threes: "threes", "treses";
    fours: "fours", "cuatros";
    fives: "fives", "cincos";
    sixes: "sixes", "seises";
    doubles: "doubles", "dobles";
    follow_me: "follow me", "sígueme";
    nello: "nello", "nello";
    sevens: "sevens", "sietes";
    means_doubles: "The seven doubles are trumps", "Los siete dobles son triunfo";
    means_follow_me: "No trumps; doubles are high", "Sin triunfos; los dobles mandan";
    means_nello: "Take no trick, alone", "No ganar ninguna baza, a solas";
    means_sevens: "Nearest to seven dots wins", "Gana lo más cercano a siete puntos";
    in_hand: "{0} in hand", "{0} en mano";
    led: "Led", "Salida";

    // Play.
    play_domino: "Play {0}", "Jugar {0}";
    tap_again: "Once more to play {0}", "Otra vez para jugar {0}";
    not_your_turn: "It is not your turn yet.", "Todavía no te toca.";
    claim: "Claim the rest", "Reclamar el resto";
    claim_ask: "Lay down your hand and claim every trick that is left? If it is not certain, the claim fails and costs you the hand.", "¿Mostrar tu mano y reclamar todas las bazas que quedan? Si no es seguro, falla y pierdes la mano.";
    claim_yes: "Claim", "Reclamar";
    take_back: "Take my last move back", "Deshacer mi última jugada";
    asks_to_take_back: "{0} would like to take a move back.", "{0} quiere deshacer una jugada.";
    agree: "Agree", "De acuerdo";
    others_have_to_agree: "The others have to agree to take it back.", "Los demás tienen que estar de acuerdo.";
    go_on: "Go on", "Seguir";
    last_trick: "Last trick", "Última baza";
    history: "This hand", "Esta mano";
    no_tricks: "No trick has been taken yet.", "Aún no hay ninguna baza.";
    domino_count: "counts {0}", "vale {0}";
    blocked: "blocked", "bloqueada";
    your_hand: "Your hand", "Tu mano";
    hand_of: "Hand of {0}", "Mano de {0}";
    winning: "highest so far", "la más alta por ahora";
    the_trick: "The trick", "La baza";
    contract: "Contract", "Contrato";
    hand_number: "Hand {0}", "Mano {0}";
    tricks: "Tricks", "Bazas";
    one_trick: "1 trick", "1 baza";
    some_tricks: "{0} tricks", "{0} bazas";

    // Scores.
    score: "Score", "Marcador";
    of_marks: "{0} of {1} marks", "{0} de {1} marcas";
    of_one_mark: "{0} of 1 mark", "{0} de 1 marca";
    of_points: "{0} of {1} points", "{0} de {1} puntos";
    made: "Made!", "¡Hecho!";
    set: "Set!", "¡Caído!";
    you_made: "You made it!", "¡Lo logramos!";
    you_set: "You were set", "Hemos caído";
    they_made: "They made it", "Ellos lo logran";
    they_set: "You set them!", "¡Los tumbamos!";
    bid_and_took: "{0} bid {1} and took {2}.", "{0}: puja {1}, gana {2}.";
    one_point: "1 point", "1 punto";
    some_points: "{0} points", "{0} puntos";
    gain: "+{0}", "+{0}";
    claim_stood: "{0} claimed the rest, and it held.", "{0} reclamó el resto, con razón.";
    claim_failed: "{0} claimed the rest, and it did not hold.", "{0} reclamó el resto, sin razón.";
    waiting_for: "Waiting for {0}", "Esperando a {0}";
    hand_result: "Result of the hand", "Resultado de la mano";

    // The end.
    you_win: "You win the game!", "¡Ganamos la partida!";
    you_lose: "They win the game", "Ellos ganan la partida";
    side_wins: "{0} wins the game", "{0} gana la partida";
    story: "The story of the game", "La historia de la partida";
    next_game: "The next game has begun. The story stays until you join in.", "Ha empezado la siguiente partida. La historia sigue aquí hasta que entres.";
    join_in: "Join in", "Entrar";
    rematch: "Play again", "Otra partida";
    new_game: "New game", "Partida nueva";
    replace_ask: "Your game in this browser is not over. Give it up and begin another?", "Tu partida en este navegador no ha terminado. ¿Dejarla y empezar otra?";
    leave: "Leave the table", "Dejar la mesa";
    stars: "{0} of 3 stars", "{0} de 3 estrellas";
    share: "Share", "Compartir";
    copied: "Copied", "Copiado";
    fair: "Fair deals", "Repartos limpios";
    fair_more: "Before each hand the table showed a fingerprint of its secret; now the secret is open, and anybody can deal the hands again: `texas42 verify-deal`.", "Antes de cada mano la mesa mostró la huella de su secreto; ahora está abierto y cualquiera puede repetir el reparto: `texas42 verify-deal`.";
    check_deals: "Check the deals", "Comprobar los repartos";
    deals_are_fair: "{0} checked: each hand was dealt as it was promised before.", "{0} comprobadas: cada mano se repartió como estaba prometido.";
    deals_are_unfair: "Not as promised: hand {0}. Do not trust this table.", "No como estaba prometido: mano {0}. No te fíes de esta mesa.";
    fingerprint: "Fingerprint", "Huella";
    secret: "Secret", "Secreto";
    bidder: "Bidder", "Pujador";
    result: "Result", "Resultado";
    took: "Took", "Ganó";

    // The lobby.
    new_table: "Set a table", "Preparar una mesa";
    your_name: "Your name", "Tu nombre";
    bad_name: "This name has characters that cannot be seen. Write it anew.", "Este nombre tiene caracteres que no se ven. Escríbelo de nuevo.";
    what_to_play: "What do you play?", "¿A qué se juega?";
    preset_tournament: "Tournament", "Torneo";
    preset_tournament_more: "Straight 42 to seven marks. No special contracts, no hints.", "42 clásico a siete marcas. Sin contratos especiales ni consejos.";
    preset_casual: "Casual", "Casual";
    preset_casual_more: "Straight 42 with nello; the shaker has to bid when all pass.", "42 clásico con nello; quien revuelve tiene que pujar si todos pasan.";
    preset_family: "Family", "Familiar";
    preset_family_more: "Everything is allowed, with hints for those who learn.", "Todo vale, con consejos para quien aprende.";
    house_rules: "House rules", "Reglas de la casa";
    layer_nello: "Nello: after a marks bid you may promise to take no trick; your partner sits out.", "Nello: tras pujar marcas puedes prometer no ganar ninguna baza; tu compañero no juega.";
    layer_plunge: "Plunge: with four doubles you may bid four marks; your partner names trumps.", "Plunge: con cuatro dobles puedes pujar cuatro marcas; tu compañero elige triunfos.";
    layer_splash: "Splash: with three doubles you may bid two or three marks; your partner names trumps.", "Splash: con tres dobles puedes pujar dos o tres marcas; tu compañero elige triunfos.";
    layer_sevens: "Sevens: after a marks bid, the domino nearest to seven dots takes each trick.", "Sietes: tras pujar marcas, cada baza es de la ficha más cercana a siete puntos.";
    layer_tournament: "Tournament: no special contracts at all.", "Torneo: sin contratos especiales.";
    layer_forced_bid: "Forced bid: when three have passed, the shaker has to bid at least 30.", "Puja forzada: si tres pasan, quien revuelve tiene que pujar al menos 30.";
    layer_speed: "Speed: a domino that is your only choice is played for you.", "Rápido: si solo puedes jugar una ficha, se juega sola.";
    layer_hints: "Hints: every choice comes with a word of advice.", "Consejos: cada opción viene con un consejo.";
    layer_consensus: "Together: each trick and each result stays until every person has seen it.", "Juntos: cada baza y cada resultado esperan hasta que todos los hayan visto.";
    target: "The game goes to", "Se juega a";
    clock: "Time for a turn", "Tiempo por turno";
    no_clock: "no clock", "sin reloj";
    seconds: "{0} seconds", "{0} segundos";
    watchers: "Anybody with the address may watch", "Cualquiera con la dirección puede mirar";
    seats: "Seats", "Asientos";
    seat_person: "Person", "Persona";
    seat_program: "Program", "Programa";
    set_table: "Set the table", "Poner la mesa";
    invite: "Invite", "Invitar";
    invite_more: "Whoever opens this link sits down at a free seat. Send it only to the people you want to play with.", "Quien abra este enlace se sienta en un sitio libre. Mándalo solo a quienes quieras.";
    full_table: "Every seat is taken. The link leads in again when one becomes free.", "No queda ningún asiento. El enlace vale de nuevo si se libera uno.";
    invite_play: "Link to play", "Enlace para jugar";
    invite_watch: "Link to watch", "Enlace para mirar";
    invite_watch_more: "Whoever opens this link watches the table.", "Quien abra este enlace mira la mesa.";
    invite_coach: "Link for my coach", "Enlace para quien me entrena";
    invite_coach_more: "Whoever opens this link sees your hand, and hints where the table has them.", "Quien abra este enlace ve tu mano, y consejos si la mesa los tiene.";
    invite_admin: "Link behind the scenes", "Enlace entre bastidores";
    invite_admin_more: "Whoever opens this link sees and may change everything. Nothing is hidden at this table.", "Quien abra este enlace lo ve todo y puede cambiarlo todo. En esta mesa nada está oculto.";
    open_hands: "Open hands: whoever is invited to watch sees every hand. Such a table never counts.", "Manos abiertas: quien esté invitado a mirar ve todas las manos. Una mesa así nunca cuenta.";
    copy_link: "Copy the link", "Copiar el enlace";
    qr: "QR code of the invitation", "Código QR de la invitación";
    fill_with_programs: "Start now, programs take the free seats", "Empezar ya: los programas ocupan los asientos libres";
    sit_down: "Sit down", "Sentarse";
    watch: "Watch", "Mirar";
    invited: "You are invited to a table", "Te invitan a una mesa";
    invited_to_watch: "You are invited to watch", "Te invitan a mirar";
    watch_means: "You will watch the game. Nothing is asked of you.", "Mirarás la partida. No tienes que hacer nada.";
    invited_to_coach: "You are invited to coach", "Te invitan a entrenar";
    coach_means: "You will sit behind the player who sent you this link, and see their hand, and hints where the table has them.", "Te sentarás detrás de quien te mandó este enlace, y verás su mano, y consejos si la mesa los tiene.";
    sit_behind: "Sit behind them", "Sentarse detrás";
    invited_behind: "You are invited behind the scenes", "Te invitan entre bastidores";
    behind_means: "You will see every hand, and may change everything at this table.", "Verás todas las manos, y podrás cambiarlo todo en esta mesa.";
    go_behind: "Go behind the scenes", "Entrar entre bastidores";
    any_seat: "Any free seat", "Cualquier asiento libre";
    seat_of_program: "a program, which makes room", "un programa, que deja sitio";
    seat_gone: "Somebody else has sat down there meanwhile. Choose another seat.", "Alguien se ha sentado ahí mientras tanto. Elige otro asiento.";
    all_taken: "People sit on all four seats. Ask for a link to watch.", "Hay personas en los cuatro asientos. Pide un enlace para mirar.";
    invitation_gone: "This invitation cannot be used any more. Ask for another.", "Esta invitación ya no vale. Pide otra.";
    seat: "Seat {0}", "Asiento {0}";
    needs_server: "No server answers here. You can play on offline.", "Aquí no responde ningún servidor. Puedes seguir sin conexión.";
    let_program: "Let a program play for me", "Que un programa juegue por mí";
    let_program_for: "Let a program play for {0}", "Que un programa juegue por {0}";
    take_back_seat: "Take my seat back", "Recuperar mi asiento";
    go_online: "Take this game online", "Llevar esta partida a la red";
    going_online: "Taking the game online…", "Llevando la partida a la red…";
    stays_offline: "The game goes on here. The server says: {0}", "La partida sigue aquí. El servidor dice: {0}";

    // The line.
    connecting: "Connecting…", "Conectando…";
    reconnecting: "The line dropped. Trying again…", "Se cortó la conexión. Reintentando…";
    online_table: "Online table", "Mesa en línea";
    refused: "That did not work: {0}", "No ha podido ser: {0}";

    // Settings.
    language_heading: "Language", "Idioma";
    theme: "Colours", "Colores";
    theme_auto: "As the device", "Como el dispositivo";
    theme_light: "Light", "Claro";
    theme_dark: "Dark", "Oscuro";
    theme_contrast: "High contrast", "Alto contraste";
    pips_coloured: "A colour for each number", "Un color por número";
    pace: "Pace", "Ritmo";
    pace_slow: "Calm", "Tranquilo";
    pace_normal: "Normal", "Normal";
    pace_fast: "Fast", "Rápido";
    pace_tap: "Wait for my tap after each trick", "Esperar a que toque tras cada baza";
    motion_off: "Keep still", "Sin movimiento";
    sounds: "Sounds", "Sonidos";
    confirm: "Ask for a second tap before a domino is played", "Pedir un segundo toque antes de jugar una ficha";
    opponents: "The programs play like", "Los programas juegan como";
    level_beginner: "Beginners", "Principiantes";
    level_intermediate: "Regulars", "Habituales";
    level_expert: "Experts", "Expertos";
    keys: "Keys", "Teclas";
    keys_domino: "both ends, e.g. 6 4", "los dos extremos, p. ej. 6 4";
    keys_bid: "the number; M 1 for a mark; P to pass", "el número; M 1 para una marca; P para pasar";
    keys_trumps: "the number; D doubles; F follow me", "el número; D dobles; F sígueme";
    keys_arrows: "arrow keys move through your hand", "las flechas recorren tu mano";
    keys_other: "L last trick, H this hand, S settings, ? keys", "L última baza, H esta mano, S ajustes, ? teclas";
    key_play: "Play", "Jugar";
    key_bid: "Bid", "Pujar";
    key_trumps: "Trumps", "Triunfos";
    key_hand: "Hand", "Mano";
    key_other: "More", "Más";
    key_go_on: "Enter", "Intro";

    // For those who may see everything.
    save_record: "Save the record", "Guardar el registro";
    no_record: "No hand is over yet, so there is nothing to save.", "Aún no ha terminado ninguna mano, así que no hay nada que guardar.";
    developer: "Behind the scenes", "Entre bastidores";
    developer_state: "The view", "La vista";
    developer_log: "What happened", "Lo que pasó";
    developer_frames: "Messages", "Mensajes";
    developer_layers: "The rules, layer by layer", "Las reglas, capa por capa";
    developer_last_word: "Layers are asked from top to bottom. Each rule stands below the layer that has the last word on it.", "Se pregunta a las capas de arriba abajo. Cada regla está bajo la capa que tiene la última palabra.";
    layer_base: "Straight 42: seven tricks, 42 points, and whoever bids most names trumps.", "42 clásico: siete bazas, 42 puntos, y quien más puja elige triunfos.";
    brought: "This game began on another player's device, which dealt the hand. The next game is dealt by the server.", "Esta partida empezó en el dispositivo de otra persona, que repartió la mano. La próxima la reparte el servidor.";
    perspective: "See the table from {0}", "Ver la mesa desde {0}";
    coach: "Coach of {0}.", "Entrenas a {0}.";
    experts_choice: "an expert's choice", "es lo que haría un experto";

    // Announcements.
    says_deal: "Hand {0} is dealt. You hold {1}.", "Mano {0} repartida. Tienes {1}.";
    says_deal_watching: "Hand {0} is dealt.", "Mano {0} repartida.";
    says_bid: "{0} bids {1}.", "{0} puja {1}.";
    says_pass: "{0} passes.", "{0} pasa.";
    says_wins_bid: "{0} wins the auction with {1}.", "{0} gana la subasta con {1}.";
    says_here: "{0} is here.", "{0} está aquí.";
    says_away: "{0} is away.", "{0} está ausente.";
    says_program: "A program plays for {0}.", "Un programa juega por {0}.";
    says_taken_back: "A move was taken back.", "Se ha deshecho una jugada.";
    says_left: "{0} has left the table.", "{0} ha dejado la mesa.";
    says_ready: "{0} is ready.", "{0} está a punto.";
    says_sits_out: "{0} sits out this hand.", "{0} no juega esta mano.";
    says_trumps: "{0} names {1}.", "{0} elige {1}.";
    says_play: "{0} plays {1}.", "{0} juega {1}.";
    says_trick: "{0} takes the trick, worth {1}.", "{0} gana la baza, vale {1}.";
    says_made: "The contract is made: {0} to {1}.", "Contrato hecho: {0} a {1}.";
    says_set: "The contract is set: {0} to {1}.", "Contrato caído: {0} a {1}.";
    says_score: "Score: us {0}, them {1}.", "Marcador: nosotros {0}, ellos {1}.";
    says_sides: "Score: {0} to {1}.", "Marcador: {0} a {1}.";
    says_over: "The game is over.", "La partida ha terminado.";
    says_your_turn_bid: "Your bid.", "Tu puja.";
    says_your_turn_trumps: "Name trumps.", "Elige triunfos.";
    says_your_turn_play: "Your turn. You may play {0}.", "Te toca. Puedes jugar {0}.";
    says_your_lead: "Your lead.", "Sales tú.";

    // The rules in short.
    rules_1: "Partners sit across from each other. Everybody gets seven dominoes.", "Los compañeros se sientan enfrente. Cada uno recibe siete fichas.";
    rules_2: "Each seat bids once, beginning left of the shaker: 30 to 41 points, or marks for all 42.", "Cada uno puja una vez, empezando a la izquierda de quien revuelve: de 30 a 41 puntos, o marcas por los 42.";
    rules_3: "Whoever bids most names trumps and leads.", "Quien más puja elige triunfos y sale.";
    rules_4: "A domino that is led calls its higher end, or trumps. Follow if you can; otherwise play anything.", "La ficha de salida pide su extremo mayor, o triunfos. Sirve si puedes; si no, juega cualquiera.";
    rules_5: "The highest trump takes the trick, else the highest of the suit. The double is the highest of its suit.", "Gana el triunfo más alto, o si no el más alto del palo. El doble es el más alto de su palo.";
    rules_6: "A trick is worth 1. The 5-5 and 6-4 count 10 more; 5-0, 4-1 and 3-2 count 5 more. That makes 42.", "Cada baza vale 1. El 5-5 y el 6-4 valen 10 más; el 5-0, el 4-1 y el 3-2 valen 5 más. En total 42.";
    rules_7: "Make your bid and your side gets the marks; fall short and the other side gets them. Seven marks spell ALL and win.", "Si cumples la puja, las marcas son vuestras; si no, del otro bando. Siete marcas forman ALL y ganan.";
}

impl Words {
    /// A bid in a player's words.
    pub fn bid_text(&self, bid: Bid) -> String {
        match bid.kind {
            BidKind::Points => bid.value.to_string(),
            BidKind::Marks => self.marks_text(u16::from(bid.value)),
            BidKind::Plunge => format!("{} · {}", self.plunge, self.marks_text(u16::from(bid.value))),
            BidKind::Splash => format!("{} · {}", self.splash, self.marks_text(u16::from(bid.value))),
        }
    }

    /// So many marks.
    pub fn marks_text(&self, marks: u16) -> String {
        if marks == 1 { self.mark.to_owned() } else { fill(self.marks, &[&marks.to_string()]) }
    }

    /// So many points.
    pub fn points_text(&self, points: u8) -> String {
        if points == 1 { self.one_point.to_owned() } else { fill(self.some_points, &[&points.to_string()]) }
    }

    /// So many tricks.
    pub fn tricks_text(&self, tricks: u8) -> String {
        if tricks == 1 { self.one_trick.to_owned() } else { fill(self.some_tricks, &[&tricks.to_string()]) }
    }

    /// What is named.
    pub const fn trump_text(&self, trump: Trump) -> &'static str {
        match trump {
            Trump::Blanks => self.blanks,
            Trump::Ones => self.ones,
            Trump::Twos => self.twos,
            Trump::Threes => self.threes,
            Trump::Fours => self.fours,
            Trump::Fives => self.fives,
            Trump::Sixes => self.sixes,
            Trump::Doubles => self.doubles,
            Trump::FollowMe => self.follow_me,
            Trump::Nello => self.nello,
            Trump::Sevens => self.sevens,
        }
    }

    /// What a special declaration means.
    pub const fn trump_means(&self, trump: Trump) -> Option<&'static str> {
        match trump {
            Trump::Doubles => Some(self.means_doubles),
            Trump::FollowMe => Some(self.means_follow_me),
            Trump::Nello => Some(self.means_nello),
            Trump::Sevens => Some(self.means_sevens),
            _ => None,
        }
    }

    /// The name of a suit that the table says in English.
    pub fn suit_text(&self, suit: &str) -> String {
        let known = Trump::ALL.into_iter().find(|trump| trump.name() == suit);
        known.map_or_else(|| suit.to_owned(), |trump| self.trump_text(trump).to_owned())
    }

    /// A domino, as it is read out.
    pub fn domino_text(&self, domino: Domino) -> String {
        format!("{}-{}", domino.high(), domino.low())
    }

    /// A layer and what it does.
    pub const fn layer_text(&self, layer: &Layer) -> Option<&'static str> {
        match layer {
            Layer::Nello(_) => Some(self.layer_nello),
            Layer::Plunge(_) => Some(self.layer_plunge),
            Layer::Splash(_) => Some(self.layer_splash),
            Layer::Sevens(_) => Some(self.layer_sevens),
            Layer::Tournament(_) => Some(self.layer_tournament),
            Layer::ForcedBid(_) => Some(self.layer_forced_bid),
            Layer::Speed(_) => Some(self.layer_speed),
            Layer::Hints(_) => Some(self.layer_hints),
            Layer::Consensus(_) => Some(self.layer_consensus),
            Layer::OneHand(_) | Layer::DailyChallenge(_) => None,
        }
    }

    /// An offered action in the player's language; `label` is what the table calls it.
    pub fn action_text(&self, action: Action, label: &str) -> String {
        match action {
            Action::Bid { bid, .. } => self.bid_text(bid),
            Action::Pass { .. } => self.pass.to_owned(),
            Action::SelectTrump { trump, .. } => self.trump_text(trump).to_owned(),
            Action::Play { domino, .. } => fill(self.play_domino, &[&self.domino_text(domino)]),
            Action::Claim { .. } => self.claim.to_owned(),
            Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. } => self.go_on.to_owned(),
            _ => label.to_owned(),
        }
    }

    /// A sentence of the table, or of a program at it, in the player's language: as it is where it is not known by heart.
    pub fn of_the_table(&self, sentence: &str) -> String {
        if self.language == Language::English {
            return capitalised(sentence);
        }
        let known = TABLE_SENTENCES.iter().find_map(|(english, spanish)| {
            let values: Vec<String> = values(english, sentence)?.into_iter().map(|suit| self.suit_text(suit)).collect();
            Some(fill(spanish, &values.iter().map(String::as_str).collect::<Vec<_>>()))
        });
        capitalised(known.or_else(|| in_spanish(sentence, self)).as_deref().unwrap_or(sentence))
    }
}

/// What the table says in sentences: hints, refusals, outcomes. `{0}` stands for a word or a number.
const TABLE_SENTENCES: &[(&str, &str)] = &[
    ("Your only choice.", "Tu única opción."),
    ("Nothing that is still out can beat it.", "Nada de lo que falta puede ganarle."),
    ("It beats what lies there, but it can be beaten.", "Gana a lo que hay en la mesa, pero se le puede ganar."),
    ("Your partner has the trick so far: count for your side.", "La baza va para tu compañero: dale valor."),
    ("It cannot win this trick, and it gives count away.", "No puede ganar esta baza y regala valor."),
    ("It cannot win this trick, and costs nothing.", "No puede ganar esta baza y no cuesta nada."),
    ("You hold {0} of them, the highest among them.", "Tienes {0}, con la más alta."),
    ("You hold {0} of them, but not the highest.", "Tienes {0}, pero no la más alta."),
    ("You hold none of them.", "No tienes ninguna."),
    ("About {0} sure tricks.", "Unas {0} bazas seguras."),
    ("The rest is yours, whatever the others hold.", "El resto es tuyo, tengan lo que tengan los demás."),
    (
        "The rest is not certain: a claim that fails costs you the hand.",
        "El resto no es seguro: si fallas, pierdes la mano.",
    ),
    ("Texas 42, {0} (easy): {1} of 3 stars", "Texas 42, {0} (fácil): {1} de 3 estrellas"),
    ("Texas 42, {0} (medium): {1} of 3 stars", "Texas 42, {0} (media): {1} de 3 estrellas"),
    ("Texas 42, {0} (hard): {1} of 3 stars", "Texas 42, {0} (difícil): {1} de 3 estrellas"),
    ("the bidders have the points they bid", "quienes pujaron ya tienen sus puntos"),
    ("the bid is out of reach", "la puja ya no se puede alcanzar"),
    ("the bidders lost a trick and needed them all", "quienes pujaron han perdido una baza y las necesitaban todas"),
    ("the bidder took a trick and was to take none", "quien pujó ha ganado una baza y no debía ganar ninguna"),
    ("the last trick is played", "se ha jugado la última baza"),
    ("the claim of the rest stands", "la reclamación del resto vale"),
    ("the claim of the rest does not stand", "la reclamación del resto no vale"),
    ("{0} were called and have to be followed", "han salido {0} y hay que servir"),
    ("the domino nearest to seven has to be played", "hay que jugar la ficha más cercana a siete"),
    ("the game is over", "la partida ha terminado"),
    ("it is seat {0}'s turn", "le toca al asiento {0}"),
    ("the trick is complete and has to be taken in first", "la baza está completa y hay que recogerla antes"),
    ("the trick is not complete yet", "la baza aún no está completa"),
    ("the bid has to beat {0}", "la puja tiene que superar {0}"),
    ("a bid of {0} cannot be made here and now", "aquí y ahora no se puede pujar {0}"),
    (
        "this seat may not pass: everybody else has passed, or the rules make it bid",
        "este asiento no puede pasar: los demás han pasado, o las reglas le hacen pujar",
    ),
    ("{0} cannot be named with this bid at this table", "con esta puja no se puede elegir {0} en esta mesa"),
    ("only the bidder can claim in this contract", "en este contrato solo puede reclamar quien pujó"),
    ("the table waits for everybody to agree", "la mesa espera a que todos estén de acuerdo"),
    ("the game has as many events as a game may have", "la partida no admite más jugadas"),
    (
        "too many claims have been taken back; play the hand out",
        "se han deshecho demasiadas reclamaciones; juega la mano hasta el final",
    ),
    ("the rules of this table do not offer that now", "las reglas de esta mesa no lo permiten ahora"),
    ("the table has moved on; here is how it stands now", "la mesa ha seguido; así está ahora"),
    ("there is nothing to take back", "no hay nada que deshacer"),
    ("you have asked for that; the others have to agree", "ya lo has pedido; los demás tienen que estar de acuerdo"),
    ("taking back was asked for too often; play on first", "se ha pedido deshacer demasiadas veces; sigue jugando"),
    (
        "hidden dominoes have been seen since; this table counts",
        "desde entonces se han visto fichas ocultas, y esta mesa cuenta",
    ),
    (
        "the secret of the deals is out, so the game is over; play again",
        "el secreto de los repartos ya se sabe: la partida ha terminado; juega otra",
    ),
    ("only those who play take back", "solo deshace quien juega"),
    (
        "seats were handed over too often in this game",
        "los asientos han cambiado de manos demasiadas veces en esta partida",
    ),
    ("that seat is moved like that already", "ese asiento ya se mueve así"),
    ("that seat is taken, or none is free", "ese asiento está ocupado, o no queda ninguno"),
    ("the invitation was used already; ask for another", "la invitación ya se ha usado; pide otra"),
    ("the invitation is for another seat", "la invitación es para otro asiento"),
    ("the key opens nothing at this table", "la llave no abre nada en esta mesa"),
    ("the players are still gathering", "los jugadores aún están llegando"),
    ("this table waits for nobody to be ready", "esta mesa no espera a nadie"),
    ("you have said that; the others are not ready yet", "ya lo has dicho; los demás aún no están a punto"),
    ("the table is full", "la mesa está llena"),
    ("there is no such game here", "aquí no hay ninguna partida así"),
    ("there is no such game in this browser", "en este navegador no hay ninguna partida así"),
    ("this session cannot invite", "esta sesión no puede invitar"),
    ("this table is by invitation; a key is needed", "a esta mesa se entra con invitación; hace falta la llave"),
    ("this table has seen as much as a table can; set up a new one", "esta mesa no admite más; prepara una nueva"),
    ("too many invitations are open; revoke some", "hay demasiadas invitaciones abiertas"),
    ("without an invitation one can only watch", "sin invitación solo se puede mirar"),
];

/// Puts the values into the places of a text.
pub fn fill(text: &str, values: &[&str]) -> String {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        let value = |(number, after): (&str, &'_ str)| Some((*values.get(number.parse::<usize>().ok()?)?, after.len()));
        match behind.split_once('}').and_then(value) {
            Some((value, left)) => {
                filled.push_str(value);
                rest = &behind[behind.len() - left..];
            }
            None => {
                filled.push('{');
                rest = behind;
            }
        }
    }
    filled + rest
}

/// With a capital letter in front. The letters of our two languages: the table of all others is heavier than every word.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(capital).into_iter().chain(letters).collect()
}

fn capital(letter: char) -> char {
    match letter {
        'à'..='ö' | 'ø'..='þ' => char::from(letter as u8 - 32),
        other => other.to_ascii_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<bool> {
        (0..4).map(|number| text.contains(&format!("{{{number}}}"))).collect()
    }

    #[test]
    fn both_languages_have_the_same_places_and_nothing_is_empty() {
        for (name, english, spanish) in PAIRS {
            assert_eq!(places(english), places(spanish), "{name}");
            assert!(!english.is_empty() && !spanish.is_empty(), "{name}");
        }
        for (english, spanish) in TABLE_SENTENCES.iter().chain(reasons::REASONS) {
            assert_eq!(places(english), places(spanish), "{english}");
        }
    }

    #[test]
    fn what_is_filled_in_is_not_filled_itself() {
        assert_eq!(fill("{0} bids {1}.", &["{1}{0}", "31"]), "{1}{0} bids 31.");
        assert_eq!(fill("{ {2} {x} }", &["a"]), "{ {2} {x} }");
    }

    #[test]
    fn a_sentence_of_the_table_is_said_in_spanish() {
        let words = Language::Spanish.words();
        assert_eq!(
            words.of_the_table("threes were called and have to be followed"),
            "Han salido treses y hay que servir"
        );
        assert_eq!(words.of_the_table("You hold 3 of them, but not the highest."), "Tienes 3, pero no la más alta.");
        assert_eq!(words.of_the_table("the bid is out of reach"), "La puja ya no se puede alcanzar");
        assert_eq!(
            words.of_the_table("Texas 42, 2026-11-17 (hard): 2 of 3 stars"),
            "Texas 42, 2026-11-17 (difícil): 2 de 3 estrellas"
        );
        assert_eq!(words.of_the_table("something new"), "Something new");
    }

    #[test]
    fn marks_are_said_as_marks() {
        let words = Language::English.words();
        assert_eq!(words.bid_text(Bid::marks(1)), "1 mark");
        assert_eq!(words.bid_text(Bid::marks(2)), "2 marks");
        assert_eq!(words.bid_text(Bid::points(31)), "31");
    }
}
