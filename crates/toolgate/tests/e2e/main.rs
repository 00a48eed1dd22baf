//! The real binary, spoken to from outside. One test binary: booting is cheap, linking is not.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

mod agents;
mod attacks;
mod bad_input;
mod basics;
mod callers;
mod claims;
mod cli;
mod confined;
mod connectors;
mod console;
mod credentials;
mod discovery;
mod documents;
mod doors;
mod endings;
mod eras;
mod examples;
mod fidelity;
mod files;
mod governed;
mod house;
mod index;
mod job_application;
mod kit;
mod knowledge;
mod live;
mod models;
mod moved;
mod names;
mod neighbours;
mod network;
mod oauth;
mod openapi;
mod outside;
mod questions;
mod quotas;
mod reference;
mod registry_search;
mod run_tools;
mod runs;
mod schemas;
mod sdk;
mod servers;
mod substrate;
mod up;

use std::path::{Path, PathBuf};

use toolgate_testkit::gateway::Gateway;

/// The binary under test.
fn toolgate() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_toolgate"))
}

/// A program of the test kit, built beside the binary under test.
fn testkit(name: &str) -> PathBuf {
    let path = toolgate().parent().expect("binaries lie in a folder").join(name);
    assert!(path.exists(), "{} is missing; build it with `cargo build -p toolgate-testkit`", path.display());
    path
}

fn boot(toml: &str) -> Gateway {
    Gateway::boot(toolgate(), toml)
}

/// A `[[servers]]` entry for the conforming server of the test kit, as a child process.
fn conforming(name: &str, args: &[&str]) -> String {
    let program = testkit("conformance-server");
    let args = serde_json::json!([&["--stdio"], args].concat());
    format!("[[servers]]\nname = {name:?}\ncommand = {program:?}\nargs = {args}\n")
}
