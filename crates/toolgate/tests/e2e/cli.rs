//! The command line from outside: the promises about flags, output, exit codes, files and processes.

mod discovery;
mod first_look;
mod login;
mod looking;
mod process;
mod ranking;
mod registry;
mod secrets;
mod servers;
mod service;
mod settings;
mod token;
mod tools;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::toolgate;

/// A folder with a configuration and data, and no running gateway. It is also the home of the user who runs
/// commands.
pub(crate) struct CliFolder(tempfile::TempDir);

impl CliFolder {
    pub(crate) fn new(toml: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("toolgate.toml");
        std::fs::write(&file, toml).expect("the configuration can be written");
        let place = Self(folder);
        place.agree();
        place
    }

    /// The user who runs commands here has agreed to the configuration.
    fn agree(&self) {
        let file = self.path("toolgate.toml").canonicalize().expect("the configuration is there");
        std::fs::create_dir_all(self.path(".local/state/toolgate")).expect("a folder");
        let line = format!("{}\n", file.display());
        std::fs::write(self.path(".local/state/toolgate/agreed"), line).expect("a file");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(toolgate());
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null()).env("HOME", self.0.path());
        for name in ["TOOLGATE_CONFIG", "TOOLGATE_DATA", "TOOLGATE_LOG", "XDG_CONFIG_HOME", "XDG_STATE_HOME"]
        {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        Said::from(self.command(args).output().expect("the binary runs"))
    }
}

/// The output of a command, and its exit code.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("commands print UTF-8");
        Self { stdout: text(output.stdout), stderr: text(output.stderr), code: output.status.code() }
    }
}

impl Said {
    #[track_caller]
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// It failed and printed all of this on standard error.
    #[track_caller]
    pub(crate) fn badly(self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing in {self:?}");
        }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }
}

fn is_alive(pid: u64) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

#[test]
fn global_flags_work_before_and_after_the_verb() {
    let place = CliFolder::new("");
    let other = place.path("other.toml");
    std::fs::write(&other, "[[servers]]\nname = \"elsewhere\"\nurl = \"http://127.0.0.1:9/mcp\"\n")
        .expect("a file");
    let before = place.run(&["--config", "other.toml", "--data", "d1", "--json", "servers", "list"]).well();
    let after = place.run(&["servers", "list", "--config", "other.toml", "--data", "d2", "--json"]).well();
    let between = place.run(&["servers", "--config", "other.toml", "--data=d3", "list", "--json"]).well();
    assert_eq!(before.json()[0]["name"], "elsewhere");
    assert_eq!(before.json(), after.json());
    assert_eq!(before.json(), between.json());
    let create = ["token", "create", "--role", "agent"];
    place.run(&[&["--data", "d1"], &create[..]].concat()).well();
    place.run(&[&create[..], &["--data", "d2"]].concat()).well();
    place.run(&["token", "--data=d3", "create", "--role", "agent"]).well();
    for data in ["d1", "d2", "d3"] {
        assert!(place.path(data).is_dir(), "--data was not obeyed");
    }
}

#[test]
fn people_get_tables_and_programs_get_json() {
    let place = CliFolder::new("[[servers]]\nname = \"far\"\nurl = \"http://127.0.0.1:9/mcp\"\n");
    let table = place.run(&["servers", "list"]).well();
    assert!(table.stdout.starts_with("SERVER"), "{table:?}");
    assert!(table.stdout.contains("far"), "{table:?}");
    assert_eq!(place.run(&["servers", "list", "--json"]).well().json()[0]["state"], "not running");
}

#[test]
fn unknown_flags_and_verbs_are_refused() {
    let place = CliFolder::new("");
    place.run(&["serve", "--frobnicate"]).badly(2, &["--frobnicate", "Usage: toolgate serve"]);
    place.run(&["serv"]).badly(2, &["serv", "serve"]);
    place.run(&["token", "create", "--role", "boss"]).badly(2, &["boss", "agent, admin"]);
}

#[test]
fn wrong_configuration_is_refused_with_its_place_and_a_hint() {
    let place = CliFolder::new("data = \"d\"\nlistn = \"127.0.0.1:0\"\n");
    for verb in [&["serve"][..], &["stdio"], &["servers", "list"], &["tools", "list"], &["token", "list"]] {
        place
            .run(verb)
            .badly(1, &["toolgate.toml:2:1", "unknown key `listn`", "hint: did you mean `listen`?"]);
    }
    assert!(!place.path("d").exists(), "nothing happens before the configuration is understood");
}

#[test]
fn every_problem_of_a_configuration_is_named() {
    let place = CliFolder::new(
        "[[servers]]\nname = \"a\"\ncommand = \"true\"\n\n[[servers]]\nname = \"a\"\nurl = \"http://127.0.0.1:9\"\n\n\
         [[servers]]\nname = \"b\"\nurl = \"not a url\"\ntimeout_seconds = \"soon\"\n",
    );
    let said = place.run(&["serve"]);
    said.badly(1, &["toolgate.toml:6:8", "toolgate.toml:11:7", "toolgate.toml:12:19", "expected", "hint:"]);
}

#[test]
fn a_missing_variable_is_named() {
    let place = CliFolder::new(
        "[[servers]]\nname = \"a\"\nurl = \"http://127.0.0.1:9\"\nheaders = { A = \"${NOT_SET_ANYWHERE}\" }\n",
    );
    place.run(&["serve"]).badly(1, &["toolgate.toml:4", "NOT_SET_ANYWHERE", "hint:"]);
    place.run(&["servers", "list"]).well();
}

#[test]
fn doctor_finds_nothing_wrong_where_nothing_is() {
    let place = CliFolder::new(&crate::conforming("conf", &[]));
    let said = place.run(&["doctor"]).well();
    assert!(said.stdout.contains("conf is healthy"), "{said:?}");
    assert!(!said.stdout.contains("WRONG"), "{said:?}");
}

#[test]
fn doctor_names_what_is_broken_and_what_to_do() {
    let missing = "[[servers]]\nname = \"gone\"\ncommand = \"no-such-program-anywhere\"\n\
                   [[servers]]\nname = \"far\"\nurl = \"http://127.0.0.1:9/mcp\"\n";
    let place = CliFolder::new(&(crate::conforming("conf", &[]) + missing));
    let said = place.run(&["doctor", "--json"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let report = said.json();
    assert_eq!(report["ok"], false);
    let about = |name: &str| {
        let findings = report["findings"].as_array().into_iter().flatten();
        let found = findings.filter(|finding| finding["about"].as_str() == Some(name)).collect::<Vec<_>>();
        assert_eq!(found.len(), 1, "{name} in {report}");
        found[0].clone()
    };
    assert_eq!(about("server conf")["ok"], true);
    for (server, word) in
        [("server gone", "no-such-program-anywhere"), ("server far", "http://127.0.0.1:9/mcp")]
    {
        let finding = about(server);
        assert_eq!(finding["ok"], false, "{finding}");
        assert!(finding["hint"].as_str().is_some_and(|hint| hint.contains(word)), "{finding}");
    }
    let text = place.run(&["doctor"]);
    assert_eq!(text.code, Some(1));
    assert!(text.stdout.contains("WRONG server gone") && text.stdout.contains("hint: "), "{text:?}");
}

#[test]
fn doctor_explains_a_configuration_it_cannot_read() {
    let place = CliFolder::new("[[servers]]\nname = 1\n");
    let said = place.run(&["doctor"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("toolgate.toml:2:8"), "{said:?}");
}

#[test]
fn completions_work_in_bash() {
    let place = CliFolder::new("");
    let script = place.run(&["completions", "bash"]).well().stdout;
    std::fs::write(place.path("completions"), script).expect("a file");
    let ask = "source ./completions; COMP_WORDS=(toolgate ser); COMP_CWORD=1; _toolgate toolgate ser toolgate; \
               printf '%s\\n' \"${COMPREPLY[@]}\"";
    let output = Command::new("bash")
        .args(["--norc", "-c", ask])
        .current_dir(place.path("."))
        .output()
        .expect("bash runs");
    let said = Said::from(output).well();
    assert_eq!(
        said.stdout.split_whitespace().collect::<Vec<_>>(),
        ["serve", "servers", "service"],
        "{said:?}"
    );
    for shell in ["zsh", "fish"] {
        assert!(!place.run(&["completions", shell]).well().stdout.is_empty());
    }
}

#[test]
fn a_reader_that_goes_away_ends_a_command_quietly() {
    let place = CliFolder::new("");
    for args in [&["completions", "bash"][..], &["token", "list"], &["servers", "list"], &["doctor"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let said = Said::from(place.command(args).stdout(writer).output().expect("the binary runs"));
        assert_eq!(said.code, Some(0), "{args:?}: {said:?}");
        assert!(!said.stderr.contains("panicked"), "{args:?}: {said:?}");
    }
}

#[test]
fn secrets_on_a_command_line_are_not_shown() {
    let place = CliFolder::new(
        "[[servers]]\nname = \"a\"\nurl = \"http://127.0.0.1:9/mcp?api_key=SECRET123\"\n\
         [[servers]]\nname = \"b\"\ncommand = \"no-such\"\nargs = [\"--api-key=SECRET123\", \"${PATH}\"]\n",
    );
    for args in
        [&["servers", "list"][..], &["servers", "list", "--json"], &["servers", "show", "a"], &["doctor"]]
    {
        let said = place.run(args);
        assert!(!said.stdout.contains("SECRET123"), "{args:?}: {said:?}");
    }
    assert!(place.run(&["servers", "show", "b"]).well().stdout.contains("${PATH}"));
}

#[test]
fn a_store_that_cannot_be_opened_is_told_once_with_a_hint() {
    let place = CliFolder::new("");
    std::fs::write(place.path("file"), "").expect("a file");
    let said = place.run(&["--data", "file", "token", "list"]);
    assert_eq!(said.stderr.matches("File exists").count(), 1, "{said:?}");
    said.badly(1, &["hint:", "--data"]);
}
