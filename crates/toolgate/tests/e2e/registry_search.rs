//! Servers from an MCP registry: found, looked at, added strictly, compared. The registry is a stand-in that also misbehaves.

mod adding;
mod drifting;
mod faults;
mod hostile;
mod people;
mod searching;
mod waiting;
mod watching;

use serde_json::{Value, json};
use toolgate_testkit::registry::StandInRegistry;

use crate::cli::CliFolder;

const WEATHER: &str = "io.github.ann/weather";

/// A folder whose configuration names this registry, with these lines more.
fn place(registry: &StandInRegistry, more: &str) -> CliFolder {
    CliFolder::new(&format!("{}{more}", table(registry)))
}

fn table(registry: &StandInRegistry) -> String {
    format!("[registry]\nurl = {:?}\n", registry.address)
}

fn config(place: &CliFolder) -> String {
    std::fs::read_to_string(place.path("toolgate.toml")).expect("the configuration is there")
}

/// The server `io.github.ann/weather`, with these members more.
fn weather(version: &str, more: Value) -> Value {
    let mut server = json!({
        "name": WEATHER,
        "description": "Weather and forecasts for every place",
        "version": version,
        "repository": { "url": "https://github.com/ann/weather", "source": "github" },
    });
    for (key, value) in more.as_object().expect("members") {
        server[key] = value.clone();
    }
    server
}

/// The same as a package of npm, with these members more.
fn packaged(version: &str, more: Value) -> Value {
    let mut package = json!({
        "registryType": "npm", "identifier": "@ann/weather", "version": version, "transport": { "type": "stdio" },
    });
    for (key, value) in more.as_object().expect("members") {
        package[key] = value.clone();
    }
    weather(version, json!({ "packages": [package] }))
}

/// The same as a remote, with these headers.
fn remote(version: &str, url: &str, headers: Value) -> Value {
    weather(version, json!({ "remotes": [{ "type": "streamable-http", "url": url, "headers": headers }] }))
}
