//! The gateway under test: the real binary in its own folder.
//!
//! Lives here: its configuration, starting it, creating a token, waiting until it serves. Does not live here:
//! measuring it (`compare`, `start`, `callgrind`, `memory`).

use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use tempfile::TempDir;
use tokio::process::Command;

use crate::child::Watched;
use crate::client::{self, BenchClient, BenchTarget};
use crate::wire::BenchEra;

/// Generous, since under callgrind a start takes fifty times as long.
const START_MAX: Duration = Duration::from_secs(120);
const TOOLS_MAX: Duration = Duration::from_secs(120);
/// Short, because start-up is measured by it.
const READY_POLL: Duration = Duration::from_micros(500);
const TOOLS_POLL: Duration = Duration::from_millis(50);

/// Every tool only reads and is not recorded.
pub(crate) const PASS_ON: &str = "[[tools]]\nname = \"*:*\"\neffects = [\"read\"]\naudit = \"none\"\n";

/// A server as the configuration names it.
pub(crate) struct ServerEntry {
    pub(crate) name: String,
    pub(crate) url: String,
}

/// The folder of one gateway's configuration and data; removed when dropped, and reusable for several starts
/// in a row.
pub(crate) struct Home {
    folder: TempDir,
    /// Addresses of servers, which the gateway may print before its own.
    foreign: Vec<SocketAddr>,
}

impl Home {
    /// A gateway that passes calls on: every tool only reads and is not recorded, and no policy asks anything.
    pub(crate) fn new(servers: &[ServerEntry]) -> anyhow::Result<Home> {
        Self::with(servers, PASS_ON)
    }

    /// The same with other settings.
    pub(crate) fn with(servers: &[ServerEntry], settings: &str) -> anyhow::Result<Home> {
        let folder = TempDir::with_prefix("toolgate-bench-").context("make a temporary folder")?;
        let home =
            Home { folder, foreign: servers.iter().filter_map(|entry| endpoint_in(&entry.url)).collect() };
        std::fs::write(home.config(), format!("{settings}\n{}", configuration(servers)))
            .context("write toolgate.toml")?;
        Ok(home)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn config(&self) -> PathBuf {
        self.path().join("toolgate.toml")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    #[expect(clippy::disallowed_methods, reason = "the measured program inherits the environment")]
    fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        // Settings of the user who runs the benchmark must not affect the measured program.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TOOLGATE_") || name == "RUST_LOG" {
                command.env_remove(name);
            }
        }
        command
    }

    /// What a command of this program prints, on the data of a gateway that has ended.
    pub(crate) async fn run(&self, program: &Path, words: &[&str]) -> anyhow::Result<Vec<u8>> {
        let mut command = self.command(program.as_os_str());
        command.args(words);
        self.add_global_flags(&mut command);
        let output = command.output().await.with_context(|| format!("run {words:?}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{words:?} failed: {}", said.trim());
        Ok(output.stdout)
    }

    fn add_global_flags(&self, command: &mut Command) {
        command.arg("--config").arg(self.config()).arg("--data").arg(self.data());
    }
}

fn configuration(servers: &[ServerEntry]) -> String {
    servers
        .iter()
        .map(|entry| format!("[[servers]]\nname = {:?}\nurl = {:?}\n\n", entry.name, entry.url))
        .collect()
}

/// The loopback endpoint a line names, if it names one.
fn endpoint_in(line: &str) -> Option<SocketAddr> {
    let (_, after_scheme) = line.split_once("http://127.0.0.1:")?;
    let digits = after_scheme.bytes().take_while(u8::is_ascii_digit).count();
    let (port, path) = after_scheme.split_at(digits);
    if !path.starts_with("/mcp") {
        return endpoint_in(path);
    }
    Some(SocketAddr::from(([127, 0, 0, 1], port.parse().ok()?)))
}

pub(crate) struct BenchGateway {
    watched: Watched,
    program: PathBuf,
    pub(crate) address: SocketAddr,
}

/// The runner of the binary: none, or a tool such as valgrind with its own arguments and environment.
#[derive(Default)]
pub(crate) struct Launcher {
    pub(crate) program_and_arguments: Vec<OsString>,
    pub(crate) environment: Vec<(&'static str, &'static str)>,
}

impl BenchGateway {
    pub(crate) async fn start(
        program: &Path,
        home: &Home,
        launcher: &Launcher,
    ) -> anyhow::Result<BenchGateway> {
        ensure!(
            program.is_file(),
            "there is no gateway binary at {}\nhint: build it with `cargo build --profile dist -p toolgate`, or name it with --toolgate",
            program.display()
        );
        let mut words =
            launcher.program_and_arguments.iter().map(OsString::as_os_str).chain([program.as_os_str()]);
        let mut command = home.command(words.next().expect("the binary is always there"));
        command
            .args(words)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .envs(launcher.environment.iter().copied());
        home.add_global_flags(&mut command);
        let mut watched = Watched::spawn(command)?;
        let find = |line: &str| endpoint_in(line).filter(|address| !home.foreign.contains(address));
        let address = watched.wait_for_line(START_MAX, find).await.context("start the gateway")?;
        Ok(BenchGateway { watched, program: program.to_owned(), address })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.watched.pid()
    }

    /// Its last output, for an error message.
    pub(crate) fn last_words(&self) -> String {
        self.watched.last_words()
    }

    /// Waits for the first 200 on `/readyz`.
    pub(crate) async fn ready(&self) -> anyhow::Result<()> {
        let deadline = Instant::now() + START_MAX;
        while !client::answers_ok(self.address, "/readyz").await.unwrap_or(false) {
            if Instant::now() > deadline {
                bail!("/readyz did not answer 200 within {START_MAX:?}\n{}", self.last_words());
            }
            tokio::time::sleep(READY_POLL).await;
        }
        Ok(())
    }

    /// Makes an agent's token with the command line, as an operator would while the gateway runs.
    pub(crate) async fn target(&self, home: &Home) -> anyhow::Result<BenchTarget> {
        self.target_as(home, "agent").await
    }

    /// The same for any role.
    pub(crate) async fn target_as(&self, home: &Home, role: &str) -> anyhow::Result<BenchTarget> {
        let mut command = home.command(self.program.as_os_str());
        command.args(["token", "create", "--role", role]);
        home.add_global_flags(&mut command);
        let output = command.output().await.context("run `toolgate token create`")?;
        ensure!(
            output.status.success(),
            "`toolgate token create` failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        let token = String::from_utf8(output.stdout).context("read the token")?.trim().to_owned();
        ensure!(!token.is_empty(), "`toolgate token create` printed no token");
        Ok(BenchTarget { address: self.address, token: Some(token) })
    }

    /// Waits until the list has every one of the tools.
    pub(crate) async fn wait_for_tools(&self, target: &BenchTarget, wanted: &[String]) -> anyhow::Result<()> {
        let deadline = Instant::now() + TOOLS_MAX;
        loop {
            let listed = list_tools(target).await;
            match &listed {
                Ok(names) if wanted.iter().all(|name| names.contains(name)) => return Ok(()),
                _ if Instant::now() > deadline => {}
                _ => {
                    tokio::time::sleep(TOOLS_POLL).await;
                    continue;
                }
            }
            let seen = match listed {
                Ok(names) => format!("it lists {} tools", names.len()),
                Err(error) => format!("{error:#}"),
            };
            bail!(
                "the gateway does not list {:?} and {} more within {TOOLS_MAX:?}: {seen}\n{}",
                wanted.first(),
                wanted.len().saturating_sub(1),
                self.last_words()
            );
        }
    }

    /// Ends it as a crash would.
    pub(crate) async fn kill(self) -> anyhow::Result<()> {
        self.watched.kill().await.context("kill the gateway").map(drop)
    }

    pub(crate) async fn end(self) -> anyhow::Result<()> {
        let words = self.last_words();
        let status = self.watched.end().await.context("end the gateway")?;
        ensure!(status.success(), "the gateway ended with {status} after SIGTERM\n{words}");
        Ok(())
    }
}

async fn list_tools(target: &BenchTarget) -> anyhow::Result<Vec<String>> {
    BenchClient::open(target, BenchEra::Modern).await?.tool_names().await
}

/// The binary that was asked for, or the one built beside this program.
pub(crate) fn program(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    match named {
        Some(path) => Ok(path),
        None => Ok(std::env::current_exe().context("find this program")?.with_file_name("toolgate")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_is_found_in_a_line_of_prose() {
        let address = |port| Some(SocketAddr::from(([127, 0, 0, 1], port)));
        assert_eq!(endpoint_in("MCP endpoint: http://127.0.0.1:8700/mcp"), address(8700));
        assert_eq!(endpoint_in(r#"  "url": "http://127.0.0.1:41/mcp","#), address(41));
        assert_eq!(endpoint_in("console http://127.0.0.1:1/ui, mcp http://127.0.0.1:2/mcp"), address(2));
        assert_eq!(endpoint_in("http://127.0.0.1:/mcp"), None);
        assert_eq!(endpoint_in("listening on 127.0.0.1:8700"), None);
    }

    #[test]
    fn the_configuration_lists_every_server() {
        let entry =
            |name: &str| ServerEntry { name: name.to_owned(), url: "http://127.0.0.1:1/mcp".to_owned() };
        assert_eq!(
            configuration(&[entry("a"), entry("b")]),
            "[[servers]]\nname = \"a\"\nurl = \"http://127.0.0.1:1/mcp\"\n\n\
             [[servers]]\nname = \"b\"\nurl = \"http://127.0.0.1:1/mcp\"\n\n"
        );
        assert_eq!(configuration(&[]), "");
    }
}
