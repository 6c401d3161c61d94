//! A program with its own table: three computer players, and one player that the program controls. It plays one hand:
//!
//! ```sh
//! cargo run -p texas42-sdk --example embedded_table
//! ```

use std::error::Error;

use texas42_sdk::{
    BotSettings, GameClient, MemoryStore, Mode, Pace, Strategy, TableOptions,
    vocab::{Config, Control, Layer, OneHand},
};

/// Plays one hand. Returns how many decisions the program made, and the score.
pub(crate) async fn play_one_hand() -> Result<(usize, [u16; 2]), Box<dyn Error>> {
    let bots =
        BotSettings { pace: Pace::IMMEDIATE, strategy: Strategy::Beginner, adviser: Strategy::Beginner, worlds: None };
    let client = GameClient::new(Mode::InProcess { store: Box::new(MemoryStore::default()), bots });
    let config = Config {
        layers: vec![Layer::OneHand(OneHand::default())],
        players: [Control::Human, Control::Ai, Control::Ai, Control::Ai],
        ..Config::default()
    };
    client.create_game("Program".try_into()?, config, TableOptions { pause: 0, ..TableOptions::default() }).await?;
    let mut decisions = 0;
    let mut table = client.subscribe();
    while let Some(now) = table.next().await {
        if now.view.state.phase.is_over() {
            return Ok((decisions, now.view.state.score));
        }
        if let Some(valid) = now.view.valid_actions.first() {
            client.execute_action(valid.action).await?;
            decisions += 1;
        }
    }
    Err("the session has ended".into())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (decisions, [ours, theirs]) = play_one_hand().await?;
    println!("{decisions} decisions, {ours} to {theirs}");
    Ok(())
}
