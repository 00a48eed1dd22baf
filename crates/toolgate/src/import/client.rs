//! The clients' files with MCP servers, read into one form.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Map, Value};
use url::{Host, Url};

use super::secret::{has_secret_query, is_secret, secret_args};
use super::translate::{ReferenceTerms, TranslatedText, translate};
use super::{ImportEnvironment, ImportError, ImportedServer, ImportedServers, ImportedTransport};
use crate::config::server::{OWN_HEADERS, joined, legal_name};

/// JSON as these clients write it: with comments and trailing commas, and no other liberties.
pub(crate) fn jsonc() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Reads the file at `path` (absolute) of any client.
pub(crate) fn read_client_config(
    path: &Path,
    text: &str,
    around: &ImportEnvironment<'_>,
) -> Result<ImportedServers, ImportError> {
    let mut document: Value =
        parse_to_serde_value(text.trim_start_matches('\u{feff}'), &jsonc()).map_err(|error| {
            ImportError::Syntax {
                path: path.to_owned(),
                line: error.line_display(),
                column: error.column_display(),
                message: error.kind().to_string(),
            }
        })?;
    // The same servers come in the same order, in whatever order a client last wrote them.
    document.sort_all_objects();
    let Some((servers, inputs)) = sections(&document) else {
        return Err(ImportError::NoServers { path: path.to_owned() });
    };
    let inputs = input_descriptions(inputs);
    let project = project_of(path, around.home);
    let terms = ReferenceTerms { project, inputs: &inputs };
    let mut found = ImportedServers::default();
    for (name, entry) in servers {
        match read_entry(entry, &terms, around) {
            Ok(mut server) => {
                server.name = unused_name(name, &mut server.notes, &found.servers);
                found.servers.push(server);
            }
            Err(reason) => found.skipped.push((name.clone(), reason)),
        }
    }
    note_projects(&document, &mut found);
    Ok(found)
}

/// The servers, and VS Code's prompts for its user.
fn sections(document: &Value) -> Option<(&Map<String, Value>, Option<&Value>)> {
    let in_settings = |key| document.get("mcp").and_then(|mcp| mcp.get(key));
    if let Some(servers) = document.get("mcpServers").and_then(Value::as_object) {
        return Some((servers, document.get("inputs")));
    }
    if let Some(servers) = document.get("servers").and_then(Value::as_object) {
        return Some((servers, document.get("inputs")));
    }
    let servers = in_settings("servers").or_else(|| document.get("mcp.servers"))?.as_object()?;
    Some((servers, in_settings("inputs").or_else(|| document.get("mcp.inputs"))))
}

fn input_descriptions(inputs: Option<&Value>) -> Vec<(String, String)> {
    let text = |input: &Value, key| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let inputs = inputs.and_then(Value::as_array).into_iter().flatten();
    inputs.map(|input| (text(input, "id"), text(input, "description"))).collect()
}

/// The project of this file; `None` for a user's global files.
fn project_of<'p>(path: &'p Path, home: Option<&Path>) -> Option<&'p Path> {
    let folder = path.parent()?;
    let project = match folder.file_name().and_then(|name| name.to_str()) {
        Some(".vscode" | ".cursor") => folder.parent()?,
        _ if path.file_name().is_some_and(|name| name == ".mcp.json") => folder,
        _ => return None,
    };
    (Some(project) != home).then_some(project)
}

/// Claude Code keeps further servers for single projects in the file of the user.
fn note_projects(document: &Value, found: &mut ImportedServers) {
    let projects = document.get("projects").and_then(Value::as_object).into_iter().flatten();
    for (project, settings) in projects {
        let servers = settings.get("mcpServers").and_then(Value::as_object).into_iter().flatten();
        for (name, _) in servers {
            found.skipped.push((name.clone(), format!("belongs to the project {project} alone")));
        }
    }
}

fn unused_name(name: &str, notes: &mut Vec<String>, servers: &[ImportedServer]) -> String {
    let legal = legal_name(name);
    let taken = |name: &String| servers.iter().any(|other| other.name.to_lowercase() == name.to_lowercase());
    let numbered = std::iter::once(legal.clone()).chain((2..).map(|number| format!("{legal}-{number}")));
    let unused = numbered.into_iter().find(|name| !taken(name)).expect("there are more numbers than servers");
    if unused != name {
        notes.push(format!("it was called {name:?}"));
    }
    unused
}

const TAKEN_OVER: [&str; 15] = [
    "type",
    "transport",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "serverUrl",
    "httpUrl",
    "headers",
    "disabled",
    "enabled",
    // Descriptions for people, without effect.
    "description",
    "name",
    "$schema",
];

fn read_entry(
    entry: &Value,
    terms: &ReferenceTerms<'_>,
    around: &ImportEnvironment<'_>,
) -> Result<ImportedServer, String> {
    let entry = entry.as_object().ok_or("is not an object")?;
    let mut reading = EntryReading { entry, terms, notes: Vec::new(), secrets: Vec::new() };
    let transport = match reading.kind()? {
        ServerEntryKind::Command => reading.command()?,
        ServerEntryKind::Url => reading.url()?,
    };
    if is_toolgate(&transport, around) {
        return Err("points at Toolgate itself".into());
    }
    let left: Vec<String> = entry
        .keys()
        .filter(|key| !TAKEN_OVER.contains(&key.as_str()))
        .map(|key| format!("`{key}`"))
        .collect();
    if !left.is_empty() {
        reading.notes.push(format!("not taken over: {}", left.join(", ")));
    }
    reading.notes.dedup();
    Ok(ImportedServer {
        name: String::new(),
        transport,
        enabled: reading.is_enabled(),
        notes: reading.notes,
        secrets: reading.secrets,
        published: None,
    })
}

enum ServerEntryKind {
    Command,
    Url,
}

struct EntryReading<'a> {
    entry: &'a Map<String, Value>,
    terms: &'a ReferenceTerms<'a>,
    notes: Vec<String>,
    secrets: Vec<String>,
}

impl EntryReading<'_> {
    fn kind(&self) -> Result<ServerEntryKind, String> {
        let said = self.entry.get("type").or_else(|| self.entry.get("transport")).and_then(Value::as_str);
        let has_command = self.entry.contains_key("command");
        let has_url = self.url_text().is_some();
        match said.map(str::to_ascii_lowercase).as_deref() {
            Some("stdio" | "local") if has_command => Ok(ServerEntryKind::Command),
            Some("http" | "sse" | "streamable-http" | "streamable_http" | "streamablehttp" | "remote")
                if has_url =>
            {
                Ok(ServerEntryKind::Url)
            }
            Some("stdio" | "local") => Err("has no `command`".into()),
            Some("http" | "sse" | "streamable-http" | "streamable_http" | "streamablehttp" | "remote") => {
                Err("has no `url`".into())
            }
            Some(other) => Err(format!("has the type {other:?}, which Toolgate does not speak")),
            None if has_command && has_url => Err("has both `command` and `url`".into()),
            None if has_command => Ok(ServerEntryKind::Command),
            None if has_url => Ok(ServerEntryKind::Url),
            None => Err("has neither `command` nor `url`".into()),
        }
    }

    fn url_text(&self) -> Option<&str> {
        ["url", "serverUrl", "httpUrl"].iter().find_map(|key| self.entry.get(*key)).and_then(Value::as_str)
    }

    fn is_enabled(&self) -> bool {
        let flag = |key| self.entry.get(key).and_then(Value::as_bool);
        !flag("disabled").unwrap_or(false) && flag("enabled").unwrap_or(true)
    }

    fn command(&mut self) -> Result<ImportedTransport, String> {
        let command =
            self.entry.get("command").and_then(Value::as_str).ok_or("has a `command` that is not text")?;
        let command = from_home(&self.translated(command)?.text);
        let args = self.args()?;
        let env = self.map("env")?;
        let cwd = match self.entry.get("cwd").and_then(Value::as_str) {
            Some(cwd) => Some(from_home(&self.translated(cwd)?.text)),
            None => None,
        };
        let project = self.terms.project;
        Ok(ImportedTransport::Command {
            command: if command.contains('/') { from_project(&command, project) } else { command },
            args,
            env,
            // The client starts the servers of a project in its folder, and their arguments may rely on it.
            cwd: match cwd {
                Some(cwd) => Some(from_project(&cwd, project)),
                None => project.map(|project| project.to_string_lossy().into_owned()),
            },
        })
    }

    fn args(&mut self) -> Result<Vec<String>, String> {
        let mut args = Vec::new();
        match self.entry.get("args") {
            None | Some(Value::Null) => {}
            Some(Value::Array(written)) => {
                for arg in written {
                    let arg = plain(arg).ok_or("has `args` that are not text")?;
                    args.push(self.translated(&arg)?.text);
                }
            }
            Some(_) => return Err("has `args` that are not a list".into()),
        }
        self.secrets.extend(secret_args(&args).into_iter().map(|index| format!("args[{index}]")));
        Ok(args)
    }

    fn url(&mut self) -> Result<ImportedTransport, String> {
        let url = self.url_text().ok_or("has a `url` that is not text")?.to_owned();
        let url = self.translated(&url)?.text;
        if has_secret_query(&url) {
            self.secrets.push("url".into());
        }
        let mut headers = self.map("headers")?;
        let own = |name: &String| OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str());
        let dropped: Vec<String> = headers.keys().filter(|name| own(name)).cloned().collect();
        for name in dropped {
            headers.remove(&name);
            self.notes.push(format!("the header `{name}` is left out: Toolgate sets it itself"));
        }
        Ok(ImportedTransport::Url { url, headers })
    }

    fn map(&mut self, key: &str) -> Result<BTreeMap<String, String>, String> {
        let mut map = BTreeMap::new();
        let written = match self.entry.get(key) {
            None | Some(Value::Null) => return Ok(map),
            Some(Value::Object(written)) => written,
            Some(_) => return Err(format!("has `{key}` that is not an object")),
        };
        for (name, value) in written {
            if value.is_null() {
                continue;
            }
            let value = plain(value).ok_or_else(|| format!("has `{key}.{name}` that is not text"))?;
            let translated = self.translated(&value)?;
            if !translated.has_reference && is_secret(name, &value) {
                self.secrets.push(format!("{key}.{name}"));
            }
            map.insert(name.clone(), translated.text);
        }
        Ok(map)
    }

    fn translated(&mut self, text: &str) -> Result<TranslatedText, String> {
        let mut translated = translate(text, self.terms)?;
        self.notes.append(&mut translated.notes);
        Ok(translated)
    }
}

/// Text, or an unquoted value.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn from_home(path: &str) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("${{HOME}}{rest}"),
        _ => path.to_owned(),
    }
}

fn from_project(path: &str, project: Option<&Path>) -> String {
    match project {
        Some(project) if !path.starts_with("${") => joined(project, path),
        _ => path.to_owned(),
    }
}

/// The program itself, or an address it listens on, also behind one of the programs that bridge stdio to HTTP.
fn is_toolgate(transport: &ImportedTransport, around: &ImportEnvironment<'_>) -> bool {
    match transport {
        ImportedTransport::Command { command, args, .. } => {
            let program = Path::new(command).file_stem().and_then(|stem| stem.to_str());
            program == Some("toolgate") || args.iter().any(|arg| is_own_address(arg, around))
        }
        ImportedTransport::Url { url, .. } => is_own_address(url, around),
        ImportedTransport::Api { .. } => false,
    }
}

fn is_own_address(text: &str, around: &ImportEnvironment<'_>) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let own = around.listen;
    let host = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => is_local(IpAddr::V4(address), own.ip()),
        Some(Host::Ipv6(address)) => is_local(IpAddr::V6(address), own.ip()),
        None => false,
    };
    host && url.port_or_known_default() == Some(own.port())
}

fn is_local(address: IpAddr, own: IpAddr) -> bool {
    address.is_loopback() || address.is_unspecified() || address == own
}
