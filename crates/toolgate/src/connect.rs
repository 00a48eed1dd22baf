//! `toolgate connect`: the entry that points a client at Toolgate, printed or written into the client's own file.
//!
//! Clients that speak HTTP get the address and a token. Claude Desktop only starts processes, so it gets
//! `toolgate stdio` on the same data folder, which needs no token.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use toolgate_core::scope::AgentName;

use crate::config::replace::{ReplaceError, replace};
use crate::import::jsonc;

/// A program that can be pointed at Toolgate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClientProgram {
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    VsCode,
    /// Any other that reads `mcpServers` and speaks streamable HTTP.
    Generic,
}

/// The ways to reach Toolgate.
#[derive(Clone, Copy)]
pub(crate) struct GatewayAccess<'a> {
    /// The endpoint, with its path.
    pub(crate) url: &'a str,
    pub(crate) token: &'a str,
    /// The program itself, for clients that start it.
    pub(crate) program: &'a Path,
    pub(crate) data: &'a Path,
    pub(crate) config: Option<&'a Path>,
    /// The agent that the client acts as, for clients that start the program; for others it is part of `url`.
    pub(crate) agent: Option<&'a AgentName>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Os {
    Linux,
    Mac,
    Windows,
}

impl Os {
    /// The system this program was built for; everything that is neither macOS nor Windows keeps its files
    /// like Linux.
    pub(crate) fn this() -> Os {
        match std::env::consts::OS {
            "macos" => Os::Mac,
            "windows" => Os::Windows,
            _ => Os::Linux,
        }
    }
}

/// The places of clients' files.
#[derive(Clone, Copy)]
pub(crate) struct ClientPlaces<'a> {
    pub(crate) os: Os,
    pub(crate) home: &'a Path,
    /// `XDG_CONFIG_HOME`, or `APPDATA` on Windows, if set.
    pub(crate) settings: Option<&'a Path>,
    pub(crate) cwd: &'a Path,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error("no client is called {given:?}\nexpected: {known}\nhint: {hint}", known = ClientProgram::known())]
    UnknownClient { given: String, hint: String },
    #[error(
        "where {client} keeps its configuration is not known\nhint: paste the entry where your client reads its MCP servers"
    )]
    NoPlace { client: &'static str },
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error(
        "{path}:{line}:{column}: this is not JSON: {message}\nhint: the file was not changed; repair it, or paste the entry by hand"
    )]
    Syntax { path: PathBuf, line: usize, column: usize, message: String },
    #[error(
        "{path}: {what} is not an object\nhint: the file was not changed; repair it, or paste the entry by hand"
    )]
    Shape { path: PathBuf, what: String },
    #[error(transparent)]
    Write(#[from] ReplaceError),
}

/// The result of `write`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// The same entry was there already.
    Unchanged,
    Changed {
        /// The previous content of the file, if there was one.
        backup: Option<PathBuf>,
    },
}

/// The name Toolgate has in a client's list of servers.
pub(crate) const ENTRY: &str = "toolgate";

impl ClientProgram {
    pub(crate) const ALL: [ClientProgram; 5] = [
        ClientProgram::ClaudeDesktop,
        ClientProgram::ClaudeCode,
        ClientProgram::Cursor,
        ClientProgram::VsCode,
        ClientProgram::Generic,
    ];

    pub(crate) fn name(self) -> &'static str {
        self.names()[0]
    }

    /// The name, then its aliases.
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            ClientProgram::ClaudeDesktop => &["claude-desktop", "claudedesktop", "desktop"],
            ClientProgram::ClaudeCode => &["claude-code", "claudecode", "claude"],
            ClientProgram::Cursor => &["cursor"],
            ClientProgram::VsCode => &["vscode", "vs-code", "code", "copilot"],
            ClientProgram::Generic => &["generic", "other", "json"],
        }
    }

    pub(crate) fn parse(given: &str) -> Result<ClientProgram, ConnectError> {
        let wanted = given.to_lowercase().replace([' ', '_'], "-");
        let client = ClientProgram::ALL.into_iter().find(|client| client.names().contains(&wanted.as_str()));
        client.ok_or_else(|| ConnectError::UnknownClient { given: given.into(), hint: nearest(&wanted) })
    }

    fn known() -> String {
        ClientProgram::ALL.map(ClientProgram::name).join(", ")
    }

    /// The key under which the client lists its servers.
    fn section(self) -> &'static str {
        match self {
            ClientProgram::VsCode => "servers",
            ClientProgram::ClaudeDesktop
            | ClientProgram::ClaudeCode
            | ClientProgram::Cursor
            | ClientProgram::Generic => "mcpServers",
        }
    }

    /// True if the entry contains a token, so that the file must be private.
    pub(crate) fn holds_token(self) -> bool {
        self != ClientProgram::ClaudeDesktop
    }

    /// The file the client reads: its user's for Claude Desktop and Cursor, the project's in the working folder for
    /// Claude Code and VS Code.
    pub(crate) fn config_path(self, machine: &ClientPlaces<'_>) -> Result<PathBuf, ConnectError> {
        match self {
            ClientProgram::ClaudeDesktop => {
                Ok(machine.settings_folder().join("Claude/claude_desktop_config.json"))
            }
            ClientProgram::ClaudeCode => Ok(machine.cwd.join(".mcp.json")),
            ClientProgram::Cursor => Ok(machine.home.join(".cursor/mcp.json")),
            ClientProgram::VsCode => Ok(machine.cwd.join(".vscode/mcp.json")),
            ClientProgram::Generic => Err(ConnectError::NoPlace { client: "such a client" }),
        }
    }
}

impl ClientPlaces<'_> {
    fn settings_folder(&self) -> PathBuf {
        match (self.os, self.settings) {
            (Os::Mac, _) => self.home.join("Library/Application Support"),
            (Os::Linux | Os::Windows, Some(settings)) => settings.to_owned(),
            (Os::Linux, None) => self.home.join(".config"),
            (Os::Windows, None) => self.home.join("AppData/Roaming"),
        }
    }
}

fn nearest(wanted: &str) -> String {
    let names = ClientProgram::ALL
        .into_iter()
        .flat_map(|client| client.names().iter().map(move |name| (client, name)));
    let likeness = |(_, name): &(ClientProgram, &&str)| strsim::jaro_winkler(wanted, name);
    let best = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b))).filter(|best| likeness(best) >= 0.8);
    match best {
        Some((client, _)) => format!("did you mean `{}`?", client.name()),
        None => "`generic` fits every client that reads `mcpServers`".into(),
    }
}

/// The whole JSON text to paste into a client that has no servers yet, without a line break at its end.
pub(crate) fn render(client: ClientProgram, gate: &GatewayAccess<'_>) -> String {
    let text = merged("", client, gate, Path::new("")).expect("an empty text takes the entry");
    text.trim_end().to_owned()
}

/// A client's file that can take the entry, before it does.
pub(crate) struct ClientFile {
    client: ClientProgram,
    path: PathBuf,
    /// Empty if there is no file yet.
    text: String,
}

impl ClientFile {
    /// Reads the file and refuses one that the entry cannot be merged into.
    pub(crate) fn read(path: PathBuf, client: ClientProgram) -> Result<Self, ConnectError> {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(ConnectError::Read { path, source }),
        };
        servers(&text, client, &path)?;
        Ok(Self { client, path, text })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The token in the existing entry for Toolgate.
    pub(crate) fn token(&self) -> Option<String> {
        let file = as_json(&self.text)?;
        let header = file[self.client.section()][ENTRY]["headers"]["Authorization"].as_str()?;
        header.strip_prefix("Bearer ").map(str::to_owned)
    }

    /// Merges the entry into the file, which keeps everything else, comments included.
    pub(crate) fn write(&self, gate: &GatewayAccess<'_>) -> Result<WriteOutcome, ConnectError> {
        let text = merged(&self.text, self.client, gate, &self.path)?;
        if text == self.text {
            return Ok(WriteOutcome::Unchanged);
        }
        Ok(WriteOutcome::Changed { backup: replace(&self.path, &text)? })
    }
}

fn merged(
    current: &str,
    client: ClientProgram,
    gate: &GatewayAccess<'_>,
    path: &Path,
) -> Result<String, ConnectError> {
    let (root, servers) = servers(current, client, path)?;
    put(&servers, entry(client, gate));
    let text = root.to_string();
    Ok(if text.ends_with('\n') { text } else { text + "\n" })
}

/// The file and the place in it where the client lists its servers, created if it is missing.
fn servers(
    current: &str,
    client: ClientProgram,
    path: &Path,
) -> Result<(CstRootNode, CstObject), ConnectError> {
    let root = CstRootNode::parse(current, &jsonc()).map_err(|error| ConnectError::Syntax {
        path: path.to_owned(),
        line: error.line_display(),
        column: error.column_display(),
        message: error.kind().to_string(),
    })?;
    let shape = |what: &str| ConnectError::Shape { path: path.to_owned(), what: what.into() };
    let top = root.object_value_or_create().ok_or_else(|| shape("the file"))?;
    let section = client.section();
    let servers = top.object_value_or_create(section).ok_or_else(|| shape(&format!("`{section}`")))?;
    Ok((root, servers))
}

/// Sets the entry, and leaves an equal one untouched, in any layout.
fn put(servers: &CstObject, entry: CstInputValue) {
    let Some(old) = servers.get(ENTRY) else {
        servers.append(ENTRY, entry);
        return;
    };
    let same = old.value().and_then(|value| as_json(&value.to_string())) == as_json(&compact(&entry));
    if !same {
        old.set_value(entry);
    }
}

fn as_json(text: &str) -> Option<serde_json::Value> {
    jsonc_parser::parse_to_serde_value(text, &jsonc()).ok()
}

fn compact(entry: &CstInputValue) -> String {
    let root = CstRootNode::parse("", &jsonc()).expect("an empty text is no error");
    root.set_value(entry.clone());
    root.to_string()
}

fn entry(client: ClientProgram, gate: &GatewayAccess<'_>) -> CstInputValue {
    let headers = || object([("Authorization", format!("Bearer {}", gate.token).into())]);
    match client {
        ClientProgram::ClaudeDesktop => {
            object([("command", shown(gate.program)), ("args", CstInputValue::Array(stdio_args(gate)))])
        }
        ClientProgram::ClaudeCode | ClientProgram::VsCode | ClientProgram::Generic => {
            object([("type", "http".into()), ("url", gate.url.into()), ("headers", headers())])
        }
        ClientProgram::Cursor => object([("url", gate.url.into()), ("headers", headers())]),
    }
}

fn stdio_args(gate: &GatewayAccess<'_>) -> Vec<CstInputValue> {
    let mut args = vec!["stdio".into(), "--data".into(), shown(gate.data)];
    if let Some(config) = gate.config {
        args.extend(["--config".into(), shown(config)]);
    }
    if let Some(agent) = gate.agent {
        args.extend(["--agent".into(), agent.as_str().into()]);
    }
    args
}

fn shown(path: &Path) -> CstInputValue {
    path.to_string_lossy().into_owned().into()
}

fn object<const N: usize>(members: [(&str, CstInputValue); N]) -> CstInputValue {
    CstInputValue::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
