//! The server as a process: started with a fresh folder, looked at from outside, ended and checked.

use std::{
    collections::HashSet,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, bail, ensure};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    folder: PathBuf,
}

impl Server {
    pub(crate) async fn start(program: &Path, data: &Path, is_grouped: bool) -> anyhow::Result<Self> {
        let folder = data.join(format!("{}", std::process::id()));
        std::fs::remove_dir_all(&folder).ok();
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--data"]).arg(&folder);
        for limit in ["--most-connections", "--address-connections", "--address-tables", "--address-requests"] {
            command.args([limit, "10000000"]);
        }
        command.args(["--messages", "100000", "--idle-seconds", "600", "--strategy", "random"]);
        if !is_grouped {
            command.arg("--no-grouping");
        }
        let mut child =
            command.stdout(Stdio::piped()).kill_on_drop(true).spawn().context("the server does not start")?;
        let output = child.stdout.take().context("the server has an output")?;
        let line = BufReader::new(output).lines().next_line().await?.context("the server says nothing")?;
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(',').next()).context("no address")?;
        Ok(Self { address: address.parse()?, child, folder })
    }

    fn proc(&self, file: &str) -> String {
        let id = self.child.id().unwrap_or(0);
        std::fs::read_to_string(format!("/proc/{id}/{file}")).unwrap_or_default()
    }

    /// Kibibytes of memory.
    pub(crate) fn memory(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// Seconds of processor that it has used.
    pub(crate) fn cpu(&self) -> f64 {
        cpu_of(&self.proc("stat"))
    }

    /// A number of `/metrics`.
    pub(crate) async fn metric(&self, name: &str) -> anyhow::Result<u64> {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = tokio::net::TcpStream::connect(self.address).await?;
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|number| number.trim().parse().ok()).with_context(|| format!("no {name}"))
    }

    /// Kills it and checks that every acknowledged request is in its journal, once.
    pub(crate) async fn end(mut self, acknowledged: &[(String, String)]) -> anyhow::Result<()> {
        self.child.kill().await?;
        let result = check(&self.folder, acknowledged);
        std::fs::remove_dir_all(&self.folder).ok();
        result
    }
}

/// Lets this process have as many files open as the system allows it; the server does the same for itself.
pub(crate) fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).ok();
}

/// How many files a process may have open, connections included.
pub(crate) fn open_files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max open files"));
    line.and_then(|line| line.split_whitespace().nth(3)?.parse().ok()).unwrap_or(1024)
}

/// The processor time in `/proc/…/stat`; a tick is a hundredth of a second on every Linux.
pub(crate) fn cpu_of(stat: &str) -> f64 {
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn check(folder: &Path, acknowledged: &[(String, String)]) -> anyhow::Result<()> {
    let file = rusqlite::Connection::open(folder.join("texas42.sqlite"))?;
    let mut rows = file.prepare("SELECT games.id, log.events FROM log JOIN games ON games.number = log.game")?;
    let rows = rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut stored = HashSet::new();
    for row in rows {
        let (game, events) = row?;
        for request in events.split("\"requestId\":\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            ensure!(stored.insert((game.clone(), request.to_owned())), "{request} was done twice at {game}");
        }
    }
    if let Some(lost) = acknowledged.iter().find(|request| !stored.contains(request)) {
        bail!("{lost:?} was acknowledged and is lost");
    }
    println!("  stored                  all {} acknowledged requests, each once, after SIGKILL", acknowledged.len());
    Ok(())
}
