//! The programs in `examples/`, run as their READMEs say, against the real gateway.

mod agents;
mod citations;
mod connectors;
mod job_application;
mod monitoring;
mod pages;
mod policy;
mod replicas;
mod slack;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use toolgate_testkit::gateway::{Gateway, until};

use crate::doors::WAIT;
use crate::outside::repository;
use crate::toolgate;

/// The letter that the agents of the examples write.
const LETTER: &str = "{\"text\": \"Friday is fine.\", \"to\": \"ann@example.com\"}\n";

fn examples() -> PathBuf {
    repository().join("examples")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The letter box of the quick start, in its own folder.
struct LetterBox {
    gateway: Gateway,
}

impl LetterBox {
    fn open() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let from = examples().join("quick-start");
        std::fs::create_dir(folder.path().join("policy")).expect("the folder can be made");
        for name in ["letters.py", "policy/gates.cedar"] {
            std::fs::copy(from.join(name), folder.path().join(name)).expect("the example is there");
        }
        let toml = read(&from.join("toolgate.toml"));
        Self { gateway: Gateway::boot_in(toolgate(), &toml, folder) }
    }

    /// Runs a command that must succeed; returns its output.
    fn say(&self, words: &[&str]) -> String {
        let output = self.gateway.cli(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("commands print text")
    }

    /// The one approval that waits.
    fn waiting(&self) -> String {
        let pending = || {
            let list: Value =
                serde_json::from_str(&self.say(&["--json", "approvals", "list"])).expect("a list is JSON");
            list[0]["id"].as_str().map(str::to_owned)
        };
        until(WAIT, pending).expect("the agent asks")
    }

    /// The sent letters, one a line.
    fn sent(&self) -> String {
        std::fs::read_to_string(self.gateway.folder().join("outbox/letters.jsonl")).unwrap_or_default()
    }
}

/// A program of an example that runs.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(piped.spawn().expect("the example starts"))
    }

    /// Waits for its successful end; returns its output.
    fn finish(mut self) -> String {
        let ended = until(WAIT, || self.0.try_wait().expect("a child of ours"));
        assert!(ended.is_some(), "the example never ended");
        let [said, complained] = [self.0.stdout.take().map(all), self.0.stderr.take().map(all)];
        assert!(ended.is_some_and(|status| status.success()), "{ended:?}: {complained:?}");
        said.unwrap_or_default()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn all(mut stream: impl std::io::Read) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("text");
    text
}

/// A program that reaches this machine and no other.
fn local(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name);
    }
    command
}
