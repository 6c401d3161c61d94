//! The server as a child process: started with an empty folder, observed through `/proc` and `/metrics`, killed and
//! checked.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::Context;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use crate::journal::{Acknowledged, Journal};

pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    folder: PathBuf,
}

/// The token for the metrics of the measured server.
const METRICS_TOKEN: &str = "load-generator-token";

impl Server {
    pub(crate) async fn start(program: &Path, data: &Path, is_grouped: bool) -> anyhow::Result<Self> {
        let folder = data.join(format!("{}", std::process::id()));
        std::fs::remove_dir_all(&folder).ok();
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--data"]).arg(&folder);
        // `--most-connections` is the older form of `--max-connections`: earlier versions, which `--beside` measures, know only it.
        for limit in ["--most-connections", "--address-connections", "--address-tables", "--address-requests"] {
            command.args([limit, "10000000"]);
        }
        command.args(["--messages", "100000", "--idle-seconds", "600", "--strategy", "random"]);
        // A variable, because earlier versions have no such flag.
        command.env("TEXAS42_METRICS_TOKEN", METRICS_TOKEN);
        if !is_grouped {
            command.arg("--no-grouping");
        }
        let mut child =
            command.stdout(Stdio::piped()).kill_on_drop(true).spawn().context("the server did not start")?;
        let output = child.stdout.take().context("the server's stdout is piped")?;
        let line = BufReader::new(output).lines().next_line().await?.context("the server printed nothing")?;
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(',').next()).context("no address")?;
        Ok(Self { address: address.parse()?, child, folder })
    }

    fn proc(&self, file: &str) -> String {
        proc(self.child.id().unwrap_or(0), file)
    }

    /// Resident memory in KiB.
    pub(crate) fn memory(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// CPU time used so far, in seconds.
    pub(crate) fn cpu(&self) -> f64 {
        cpu_of(&self.proc("stat"))
    }

    /// The value of a metric from `/metrics`.
    pub(crate) async fn metric(&self, name: &str) -> anyhow::Result<u64> {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = tokio::net::TcpStream::connect(self.address).await?;
        let request = format!(
            "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {METRICS_TOKEN}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|number| number.trim().parse().ok()).with_context(|| format!("no {name}"))
    }

    /// Kills the server and checks that every acknowledged request is stored exactly once.
    pub(crate) async fn end(self, acknowledged: &Acknowledged) -> anyhow::Result<()> {
        self.end_and_read().await?.check(acknowledged)?;
        println!(
            "  stored                  all {} acknowledged requests, each once, after SIGKILL",
            acknowledged.len()
        );
        Ok(())
    }

    /// Kills the server and reads its journal.
    pub(crate) async fn end_and_read(mut self) -> anyhow::Result<Journal> {
        self.child.kill().await?;
        let journal = Journal::of_server(&self.folder);
        std::fs::remove_dir_all(&self.folder).ok();
        journal
    }
}

/// Reads `/proc/<id>/<file>`.
pub(crate) fn proc(id: u32, file: &str) -> String {
    std::fs::read_to_string(format!("/proc/{id}/{file}")).unwrap_or_default()
}

/// Raises the soft limit of open files to the hard limit; the server does the same for itself.
pub(crate) fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).ok();
}

/// The maximum number of open files of this process, sockets included.
pub(crate) fn open_files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max open files"));
    line.and_then(|line| line.split_whitespace().nth(3)?.parse().ok()).unwrap_or(1024)
}

/// The CPU time from `/proc/<id>/stat` in seconds. A clock tick is 10 ms on Linux.
pub(crate) fn cpu_of(stat: &str) -> f64 {
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
