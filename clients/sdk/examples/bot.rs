//! A bot for any server. It plays until the game is over:
//!
//! ```sh
//! cargo run -p texas42-sdk --example bot -- 'http://localhost:4242/#join/TABLE/KEY'
//! ```

use std::{collections::hash_map::RandomState, error::Error, hash::BuildHasher};

use texas42_sdk::{ClientError, GameClient, InviteLink, Mode, protocol::GameView, vocab::Action};

/// Your strategy goes here: this one takes any valid action. A failed claim costs the hand, so it never claims.
fn choose(view: &GameView) -> Option<Action> {
    let actions = view.valid_actions.iter().map(|valid| valid.action);
    let actions: Vec<Action> = actions.filter(|action| !matches!(action, Action::Claim { .. })).collect();
    let random = RandomState::new().hash_one(actions.len()) as usize;
    actions.get(random % actions.len().max(1)).copied()
}

/// Joins the table of a link and plays one game. Returns the score.
pub(crate) async fn play(link: &str) -> Result<[u16; 2], Box<dyn Error>> {
    let invite: InviteLink = link.parse()?;
    let client = GameClient::new(Mode::WebSocket(invite.server.clone()));
    client.join_game(invite.credentials("Example".try_into()?)).await?;
    let mut table = client.subscribe();
    while let Some(now) = table.next().await {
        if now.view.state.phase.is_over() {
            return Ok(now.view.state.score);
        }
        if now.view.not_ready().count() > 0 {
            client.declare_ready().await.or_else(ignore_refusal)?;
        } else if let Some(action) = choose(&now.view) {
            client.execute_action(action).await.map(drop).or_else(ignore_refusal)?;
        }
    }
    Err("the session has ended".into())
}

/// A refused request has no effect: somebody else was faster, and the next view says what to decide now.
fn ignore_refusal(error: ClientError) -> Result<(), ClientError> {
    if matches!(error, ClientError::Refused(_) | ClientError::NotNow) { Ok(()) } else { Err(error) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let link = std::env::args().nth(1).ok_or("usage: bot LINK")?;
    let [one, other] = play(&link).await?;
    println!("the game is over, {one} to {other}");
    Ok(())
}
