//! Runs the edge host on the real runtime: a workerd process with the bundled Worker and a storage folder.
//!
//! `cargo xtask edge test` bundles the Worker, installs workerd and runs the tests. `WORKERD` is the path of its binary.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a failing test should panic where it fails")]

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;
use texas42_conformance::{
    Connection, Host,
    native::{SocketConnection, http},
    player::Player,
    scratch::Scratch,
};

/// A running workerd process with its own storage folder. Dropping it kills the process.
pub struct Workerd {
    child: Child,
    address: SocketAddr,
    settings: Vec<(String, String)>,
    config: PathBuf,
    data: Scratch,
}

impl Workerd {
    /// Starts workerd with bots that move at once and a very high rate limit.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// Starts workerd with additional or overridden variables.
    pub fn with(settings: &[(&str, &str)]) -> Self {
        Self::with_config(&target("edge-dist/workerd.capnp"), settings)
    }

    /// Starts workerd with another configuration file and overridden variables.
    pub fn with_config(config: &Path, settings: &[(&str, &str)]) -> Self {
        let mut variables =
            vec![("PACE", "0-0"), ("PLAYER", "random"), ("MESSAGES", "1000000"), ("LOOKUPS", "1000000")];
        variables.retain(|(name, _)| settings.iter().all(|(other, _)| name != other));
        variables.extend(settings);
        let settings: Vec<_> = variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let data = Scratch::new();
        let (child, address) = start(config, data.path(), &settings, 0);
        Self { child, address, settings, config: config.to_owned(), data }
    }

    /// The address that it listens on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process without a graceful shutdown.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts the process again on the same address and storage.
    pub fn start_again(&mut self) {
        (self.child, self.address) = start(&self.config, self.data.path(), &self.settings, self.address.port());
    }

    /// The storage folder. Read it only while the process is stopped.
    pub fn folder(&self) -> &Path {
        self.data.path()
    }
}

impl Default for Workerd {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Workerd {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// A file or folder in cargo's target directory.
fn target(path: &str) -> PathBuf {
    let directory = std::env::var_os("CARGO_TARGET_DIR").expect("CARGO_TARGET_DIR is set by `cargo xtask edge test`");
    PathBuf::from(directory).join(path)
}

fn start(config: &Path, data: &Path, settings: &[(String, String)], port: u16) -> (Child, SocketAddr) {
    let program = std::env::var("WORKERD").expect("WORKERD is set by `cargo xtask edge test`");
    let mut command = Command::new(program);
    command.arg("serve").arg(config).args(["--control-fd=1", "--verbose"]);
    command.arg(format!("--socket-addr=http=127.0.0.1:{port}"));
    command.arg(format!("--directory-path=storage={}", data.display()));
    command.arg(format!("--directory-path=files={}", page_folder().display()));
    command.envs(settings.iter().map(|(name, value)| (name, value)));
    let log = std::env::var("WORKERD_LOG").map_or_else(|_| Stdio::null(), |_| Stdio::inherit());
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap()).lines();
    let listening = events.find_map(|line| {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        (event["event"] == "listen").then(|| event["port"].as_u64().unwrap() as u16)
    });
    let address = SocketAddr::from(([127, 0, 0, 1], listening.expect("workerd reports the port that it listens on")));
    (child, address)
}

/// The folder of the bundled page, or its static sources if there is no bundle.
fn page_folder() -> PathBuf {
    let page = target("web-dist");
    if page.exists() { page } else { root().join("clients/web/static") }
}

impl Host for Workerd {
    fn connect(&mut self) -> Box<dyn Connection> {
        Box::new(SocketConnection::open(self.address, "/api/ws").unwrap())
    }

    fn restart(&mut self) {
        self.kill();
        self.start_again();
    }

    fn request(&mut self, method: &str, path: &str, key: Option<&str>, body: &Value) -> Option<(u16, Value)> {
        let headers: Vec<String> = key.map(|key| format!("Authorization: Bearer {key}")).into_iter().collect();
        let (status, text) = http(self.address, method, path, &headers, &body.to_string());
        Some((status, serde_json::from_str(&text).unwrap_or(Value::Null)))
    }
}

/// Starts workerd with the Worker instrumented by `tests/edge/src/watched.js`.
pub fn watched(settings: &[(&str, &str)]) -> Workerd {
    static CONFIG: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    let config = CONFIG.get_or_init(|| {
        // Use a copy, because `edge-dist` is what gets deployed.
        let folder = target("edge-watched");
        copy(&target("edge-dist"), &folder);
        let plain = std::fs::read_to_string(folder.join("workerd.capnp")).unwrap();
        let marker = "modules = [\n";
        assert!(plain.contains(marker));
        let with_module = format!("{marker}    (name = \"watched.js\", esModule = embed \"watched.js\"),\n");
        std::fs::write(folder.join("watched.js"), include_str!("watched.js")).unwrap();
        std::fs::write(folder.join("watched.capnp"), plain.replacen(marker, &with_module, 1)).unwrap();
        folder.join("watched.capnp")
    });
    Workerd::with_config(config, settings)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Plays one seat until the game is over. Returns the number of actions sent.
pub fn play_alone(player: &mut Player) -> u64 {
    let mut messages = 0;
    while !player.is_over() {
        match player.choice() {
            Some(choice) => {
                player.act(choice);
                messages += 1;
            }
            None => {
                let version = player.version();
                player.wait("the table to go on", |player| player.version() > version);
            }
        }
    }
    messages
}

/// A [`Host`] that connects directly to the object of one game, as the page does.
pub struct DirectHost<'a> {
    /// The host.
    pub host: &'a mut Workerd,
    /// The id of the game.
    pub game: String,
}

impl Host for DirectHost<'_> {
    fn connect(&mut self) -> Box<dyn Connection> {
        let path = format!("/api/games/{}/ws", self.game);
        Box::new(SocketConnection::open(self.host.address(), &path).unwrap())
    }

    fn restart(&mut self) {
        self.host.restart();
    }

    fn request(&mut self, method: &str, path: &str, key: Option<&str>, body: &Value) -> Option<(u16, Value)> {
        self.host.request(method, path, key, body)
    }
}
