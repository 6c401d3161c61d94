use texas42_engine::*;
use texas42_vocab::*;
#[test]
fn smoke() {
    for layers in [
        "[]",
        r#"[{"type":"nello"},{"type":"plunge"},{"type":"splash"},{"type":"sevens"},{"type":"forced-bid"},{"type":"speed"},{"type":"hints"},{"type":"consensus"}]"#,
    ] {
        let mut lens = vec![];
        let mut chars = vec![];
        for seed in 0..200 {
            let config: Config =
                serde_json::from_str(&format!(r#"{{"seed":"game-{seed}","layers":{layers}}}"#)).unwrap();
            let mut game = Game::new(Context::compose(&config).unwrap());
            let mut rng = 1234567u64 + seed;
            while !game.state().phase.is_over() {
                let offers = game.legal();
                let usual: Vec<_> = offers.iter().filter(|a| !matches!(a, Action::Claim { .. })).collect();
                rng = rng.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let a = *usual[(rng >> 33) as usize % usual.len()];
                game.apply(a).unwrap();
            }
            lens.push(game.log().len());
            let code = code::encode(&game);
            chars.push(code.len());
            let c = code::Code::parse(&code).unwrap();
            assert_eq!(c.config(), &config);
            let again = c.game(Context::compose(c.config()).unwrap()).unwrap();
            assert_eq!(again.log(), game.log());
            let rec = record::Record::of(&game);
            assert_eq!(record::Record::from_json(&rec.to_json()).unwrap(), rec);
            assert!(game.snapshots_hold());
        }
        lens.sort();
        chars.sort();
        println!(
            "{} {} {} / {} {} {} size {}",
            lens[0],
            lens[100],
            lens[199],
            chars[0],
            chars[100],
            chars[199],
            size_of::<State>()
        );
    }
}
