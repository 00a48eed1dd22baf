//! `toolgate servers import`: imports the servers of a client's configuration, or an API by its OpenAPI document.
//!
//! `read_client_config` parses the client's file, `plan` compares it with the current configuration and lists
//! the additions, `apply` writes. Nothing is written that `config` would refuse.

mod client;
pub(crate) mod openapi;
mod secret;
#[cfg(test)]
mod tests;
mod translate;

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use crate::config::replace::{ReplaceError, replace};
use crate::config::{Config, ConfigError, ConfigHints, ReferenceMode, ServerEntry};

pub(crate) use client::{jsonc, read_client_config};
pub(crate) use secret::{masked_line, masked_url};

/// A server for `toolgate.toml`: every text in the syntax of that file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImportedServer {
    pub(crate) name: String,
    pub(crate) transport: ImportedTransport,
    pub(crate) enabled: bool,
    /// Changes on the way, and tasks left for the operator.
    pub(crate) notes: Vec<String>,
    /// Keys with a secret in clear text, such as `env.API_KEY`.
    pub(crate) secrets: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ImportedTransport {
    Command {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: Option<String>,
    },
    Url {
        url: String,
        headers: BTreeMap<String, String>,
    },
    Api {
        openapi: String,
        base_url: Option<String>,
        headers: BTreeMap<String, String>,
        query: BTreeMap<String, String>,
    },
}

/// The content of a client's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImportedServers {
    pub(crate) servers: Vec<ImportedServer>,
    /// Name and reason.
    pub(crate) skipped: Vec<(String, String)>,
}

/// The facts about this machine that are needed to understand a client's file.
#[derive(Clone, Copy)]
pub(crate) struct ImportEnvironment<'a> {
    pub(crate) home: Option<&'a Path>,
    /// Toolgate's own address, so that it does not become a server of itself.
    pub(crate) listen: SocketAddr,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ImportError {
    #[error(
        "{path}:{line}:{column}: this is not JSON: {message}\nhint: comments and trailing commas are fine, all else must be JSON"
    )]
    Syntax { path: PathBuf, line: usize, column: usize, message: String },
    #[error(
        "{path}: no servers in this file\nexpected: `mcpServers` (Claude Desktop, Claude Code, Cursor), or `servers` or \
         `mcp.servers` (VS Code)\nhint: give the file that the client reads its MCP servers from"
    )]
    NoServers { path: PathBuf },
    #[error("the configuration that is there is refused, so nothing is added to it\n{0}")]
    Existing(ConfigError),
    #[error("with these servers the configuration would be refused, so nothing is written\n{0}")]
    Result(ConfigError),
    #[error(
        "{path}: `servers` is neither `[[servers]]` tables nor a list\nhint: write each server as a `[[servers]]` table"
    )]
    Shape { path: PathBuf },
    #[error(transparent)]
    Write(#[from] ReplaceError),
}

/// The effect of an import.
#[derive(Debug)]
pub(crate) struct ImportPlan {
    /// The `toolgate.toml` that is written.
    pub(crate) target: PathBuf,
    pub(crate) creates: bool,
    pub(crate) additions: Vec<ImportedServer>,
    pub(crate) skipped: Vec<(String, String)>,
    pub(crate) conflicts: Vec<Conflict>,
    text: String,
}

/// A name that a different server has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) name: String,
    pub(crate) suggested: String,
}

/// Compares the found servers with `target` (`current`, if the file exists) and composes the new text.
/// `renames` has other names for servers.
pub(crate) fn plan(
    found: ImportedServers,
    origin: &Path,
    target: &Path,
    current: Option<&str>,
    renames: &BTreeMap<String, String>,
) -> Result<ImportPlan, ImportError> {
    let before = match current {
        Some(text) => parse(text, target).map_err(ImportError::Existing)?.servers,
        None => Vec::new(),
    };
    let mut sorting = ImportSorting {
        known: before,
        target,
        additions: Vec::new(),
        skipped: found.skipped,
        conflicts: Vec::new(),
    };
    for mut server in found.servers {
        if let Some(name) = renames.get(&server.name) {
            server.name = name.clone();
        }
        sorting.place(server);
    }
    let ImportSorting { additions, skipped, conflicts, .. } = sorting;
    let text = appended(current, target, origin, &additions)?;
    parse(&text, target).map_err(ImportError::Result)?;
    Ok(ImportPlan {
        target: target.to_owned(),
        creates: current.is_none(),
        additions,
        skipped,
        conflicts,
        text,
    })
}

/// Writes the plan and returns the backup, if there was a file before. Without additions nothing is written.
pub(crate) fn apply(plan: &ImportPlan) -> Result<Option<PathBuf>, ImportError> {
    if plan.additions.is_empty() {
        return Ok(None);
    }
    Ok(replace(&plan.target, &plan.text)?)
}

const NEW_FILE: &str =
    "# Toolgate configuration. `toolgate.example.toml` in the repository shows every key.\n";

/// References stay as they are: variables are checked when the gateway starts.
fn parse(text: &str, target: &Path) -> Result<Config, ConfigError> {
    let nothing = |_: &str| Some(String::from("set"));
    let cwd = target.parent().unwrap_or(Path::new("/"));
    let at = ConfigHints { config: None, data: None, cwd, env: &nothing };
    Config::parse(text, &target.display().to_string(), target, &at, ReferenceMode::Keep)
}

/// Decides for each server whether it is added.
struct ImportSorting<'a> {
    /// The servers configured before, and those added so far.
    known: Vec<ServerEntry>,
    target: &'a Path,
    additions: Vec<ImportedServer>,
    skipped: Vec<(String, String)>,
    conflicts: Vec<Conflict>,
}

impl ImportSorting<'_> {
    fn place(&mut self, server: ImportedServer) {
        let entry = match self.checked(&server) {
            Ok(entry) => entry,
            Err(reason) => return self.skipped.push((server.name, reason)),
        };
        if let Some(same) = self.known.iter().find(|known| known.spec.transport == entry.spec.transport) {
            let reason = match same.spec.name == entry.spec.name {
                true => "is there already".to_owned(),
                false => format!("is there already as \"{}\"", same.spec.name),
            };
            return self.skipped.push((server.name, reason));
        }
        if self.is_taken(&server.name) {
            let suggested = self.free_name(&server.name);
            return self.conflicts.push(Conflict { name: server.name, suggested });
        }
        self.known.push(entry);
        self.additions.push(server);
    }

    /// The server as the gateway would read it; the reason if it would refuse.
    fn checked(&self, server: &ImportedServer) -> Result<ServerEntry, String> {
        let config = parse(&tables(Path::new(""), std::slice::from_ref(server)), self.target);
        let mut servers = config.map_err(|error| refusal(&error))?.servers;
        Ok(servers.remove(0))
    }

    fn is_taken(&self, name: &str) -> bool {
        self.known.iter().any(|known| known.spec.name.as_str().to_lowercase() == name.to_lowercase())
    }

    fn free_name(&self, name: &str) -> String {
        let free = (2..).map(|number| format!("{name}-{number}")).find(|name| !self.is_taken(name));
        free.expect("there are more numbers than servers")
    }
}

fn refusal(error: &ConfigError) -> String {
    let reasons: Vec<&str> = error.problems().iter().map(|problem| problem.what.as_str()).collect();
    reasons.join("; ")
}

/// The text with the servers at its end. The existing text keeps every byte.
fn appended(
    current: Option<&str>,
    target: &Path,
    origin: &Path,
    servers: &[ImportedServer],
) -> Result<String, ImportError> {
    let Some(current) = current else {
        return Ok(format!("{NEW_FILE}\n{}", tables(origin, servers)));
    };
    if servers.is_empty() {
        return Ok(current.to_owned());
    }
    let mut document: DocumentMut = current.parse().expect("the text was read as TOML before");
    match document.get_mut("servers") {
        Some(Item::Value(Value::Array(array))) => {
            servers.iter().for_each(|server| push_inline(array, table(server)));
            Ok(document.to_string())
        }
        None | Some(Item::ArrayOfTables(_)) => {
            let end = if current.is_empty() || current.ends_with('\n') { "" } else { "\n" };
            Ok(format!("{current}{end}\n{}", tables(origin, servers)))
        }
        Some(_) => Err(ImportError::Shape { path: target.to_owned() }),
    }
}

/// `[[servers]]` tables, the first below a line that names their origin.
fn tables(origin: &Path, servers: &[ImportedServer]) -> String {
    let mut tables = ArrayOfTables::new();
    for (index, server) in servers.iter().enumerate() {
        let mut table = table(server);
        let origin = format!("# From {}\n", origin.display());
        table.decor_mut().set_prefix(if index == 0 { origin } else { "\n".to_owned() });
        tables.push(table);
    }
    let mut document = DocumentMut::new();
    document.insert("servers", Item::ArrayOfTables(tables));
    document.to_string()
}

/// Adds to `servers = [{ … }]`, below the last entry and its comment.
fn push_inline(array: &mut Array, table: Table) {
    let trailing = array.trailing().as_str().unwrap_or_default().trim_end().to_owned();
    let last = array.len().checked_sub(1).and_then(|last| array.get_mut(last));
    let suffix = last.map(|last| {
        let suffix = last
            .decor()
            .suffix()
            .and_then(|suffix| suffix.as_str())
            .unwrap_or_default()
            .trim_end()
            .to_owned();
        last.decor_mut().set_suffix("");
        suffix
    });
    let before = format!("{}{trailing}\n    ", suffix.unwrap_or_default());
    let mut inline = table.into_inline_table();
    inline.decor_mut().clear();
    array.push_formatted(Value::InlineTable(inline).decorated(before, ""));
    array.set_trailing_comma(true);
    array.set_trailing("\n");
}

/// More than this many entries are easier to read below each other.
const INLINE_MAX: usize = 2;

fn table(server: &ImportedServer) -> Table {
    let mut table = Table::new();
    table.insert("name", text(&server.name));
    match &server.transport {
        ImportedTransport::Command { command, args, env, cwd } => {
            table.insert("command", text(command));
            if !args.is_empty() {
                table.insert("args", Item::Value(args.iter().collect::<Array>().into()));
            }
            if let Some(cwd) = cwd {
                table.insert("cwd", text(cwd));
            }
            insert_enabled(&mut table, server);
            insert_map(&mut table, "env", env);
        }
        ImportedTransport::Url { url, headers } => {
            table.insert("url", text(url));
            insert_enabled(&mut table, server);
            insert_map(&mut table, "headers", headers);
        }
        ImportedTransport::Api { openapi, base_url, headers, query } => {
            table.insert("openapi", text(openapi));
            if let Some(base_url) = base_url {
                table.insert("base_url", text(base_url));
            }
            insert_enabled(&mut table, server);
            insert_map(&mut table, "headers", headers);
            insert_map(&mut table, "query", query);
        }
    }
    table
}

fn text(text: &str) -> Item {
    toml_edit::value(text)
}

fn insert_enabled(table: &mut Table, server: &ImportedServer) {
    if !server.enabled {
        table.insert("enabled", toml_edit::value(false));
    }
}

fn insert_map(table: &mut Table, key: &str, map: &BTreeMap<String, String>) {
    let item = match map.len() {
        0 => return,
        1..=INLINE_MAX => Item::Value(map.iter().collect::<InlineTable>().into()),
        _ => Item::Table(map.iter().collect::<Table>()),
    };
    table.insert(key, item);
}

impl fmt::Display for ImportPlan {
    /// Secrets are not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self.target.display();
        match (self.additions.len(), self.creates) {
            (0, _) => writeln!(f, "Nothing to add to {target}.")?,
            (count, true) => writeln!(f, "Creates {target} with {}:", counted(count))?,
            (count, false) => writeln!(f, "Adds to {target} {}:", counted(count))?,
        }
        for server in &self.additions {
            writeln!(f, "\n  + {}{}", server.name, if server.enabled { "" } else { " (disabled)" })?;
            write_transport(f, server)?;
            for note in &server.notes {
                writeln!(f, "      note: {note}")?;
            }
            for key in &server.secrets {
                writeln!(
                    f,
                    "      warning: {key} holds a secret in clear; better write `${{NAME}}` and `export NAME=…`"
                )?;
            }
        }
        if !self.conflicts.is_empty() || !self.skipped.is_empty() {
            writeln!(f)?;
        }
        for Conflict { name, suggested } in &self.conflicts {
            writeln!(
                f,
                "  ! {name}: another server has this name; add it by hand under another, such as `{suggested}`"
            )?;
        }
        for (name, reason) in &self.skipped {
            writeln!(f, "  - {name}: skipped, {reason}")?;
        }
        Ok(())
    }
}

fn counted(count: usize) -> String {
    if count == 1 { "1 server".into() } else { format!("{count} servers") }
}

fn write_transport(f: &mut fmt::Formatter<'_>, server: &ImportedServer) -> fmt::Result {
    match &server.transport {
        ImportedTransport::Command { command, args, env, cwd } => {
            let words: Vec<String> =
                std::iter::once(command).chain(args).map(|word| shown_word(word)).collect();
            writeln!(f, "      command: {}", secret::masked_line(&words))?;
            if let Some(cwd) = cwd {
                writeln!(f, "      cwd: {cwd}")?;
            }
            write_map(f, "env", env, server)
        }
        ImportedTransport::Url { url, headers } => {
            let url =
                if server.secrets.iter().any(|key| key == "url") { secret::without_query(url) } else { url };
            writeln!(f, "      url: {url}")?;
            write_map(f, "headers", headers, server)
        }
        ImportedTransport::Api { openapi, base_url, headers, query } => {
            writeln!(f, "      openapi: {openapi}")?;
            if let Some(base_url) = base_url {
                writeln!(f, "      base_url: {base_url}")?;
            }
            write_map(f, "headers", headers, server)?;
            write_map(f, "query", query, server)
        }
    }
}

fn write_map(
    f: &mut fmt::Formatter<'_>,
    key: &str,
    map: &BTreeMap<String, String>,
    server: &ImportedServer,
) -> fmt::Result {
    for (name, value) in map {
        let full = format!("{key}.{name}");
        let shown = if server.secrets.contains(&full) { secret::MASK } else { value.as_str() };
        writeln!(f, "      {full}: {shown}")?;
    }
    Ok(())
}

fn shown_word(word: &str) -> String {
    if word.is_empty() || word.contains(char::is_whitespace) { format!("{word:?}") } else { word.to_owned() }
}
