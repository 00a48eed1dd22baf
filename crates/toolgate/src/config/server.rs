//! One `[[servers]]` table.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolgate_core::ServerName;
use toolgate_core::name::BadServerName;
use toolgate_core::server::{Isolation, ServerSpec, TransportSpec};

use super::problem::Problems;
use super::section::{At, Seconds, Section};
use super::value::{Context, OwnHeaders, UrlForm, Values};
use super::{References, ServerEntry, ToolFilter};

pub(super) const KEYS: [&str; 15] = [
    "name",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "timeout_seconds",
    "connect_timeout_seconds",
    "concurrency_max",
    "isolation",
    "prefix",
    "tools",
    "trust_annotations",
    "enabled",
];
const COMMAND_KEYS: [&str; 3] = ["args", "env", "cwd"];
const URL_KEYS: [&str; 1] = ["headers"];
const TOOLS_KEYS: [&str; 2] = ["allow", "deny"];

const ISOLATION: [(&str, Isolation); 2] =
    [("shared", Isolation::Shared), ("principal", Isolation::Principal)];
const ISOLATION_HINT: &str = "`shared`: one process for everyone; `principal`: one for each token";

const URL: UrlForm = UrlForm {
    expected: "an address such as `https://example.com/mcp`",
    instead_of_password: "put the credentials into `headers.Authorization`",
};

const TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
const CONCURRENCY_MAX: usize = 64;

/// Headers that make a request an MCP request over this connection: only the gateway can get them right.
pub(crate) const OWN_HEADERS: [&str; 10] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

const OWN_HEADERS_OF_MCP: OwnHeaders =
    OwnHeaders { names: &OWN_HEADERS, expected: "a header that MCP does not use" };

/// A server and where its parts stand, for the checks that compare servers.
pub(super) struct Read {
    pub(super) entry: ServerEntry,
    pub(super) name_span: Range<usize>,
    pub(super) prefix_span: Option<Range<usize>>,
}

/// Reads one server. `None` if a problem was added that leaves nothing to run.
pub(super) fn read(mut section: Section<'_>, ctx: &Context<'_>, problems: &mut Problems) -> Option<Read> {
    if let Some(name) = section.string("name", &mut Problems::default()) {
        section.rename(format!("server {:?}", name.value));
    } else {
        section.rename("a server".into());
    }
    section.refuse_unknown_keys(&KEYS, &[], problems);
    let enabled = section.boolean("enabled", problems).is_none_or(|enabled| enabled.value);
    // A server that is switched off may name secrets that this machine does not have.
    let references = if enabled { ctx.references } else { References::Keep };
    let values = Values { section: &section, source: ctx.source, references };
    let reader = Reader { section: &section, folder: ctx.folder, values };
    let name = reader.name(problems);
    let transport = reader.transport(problems);
    let prefix = section.boolean("prefix", problems);
    let timeout = section.seconds("timeout_seconds", Seconds::Positive, problems);
    let connect_timeout = section.seconds("connect_timeout_seconds", Seconds::Positive, problems);
    let concurrency_max = section.count("concurrency_max", 1..=100_000, problems);
    let isolation = section.word("isolation", &ISOLATION, ISOLATION_HINT, problems);
    let trust_annotations = section.boolean("trust_annotations", problems);
    let filter = reader.filter(problems);
    let name = name?;
    Some(Read {
        entry: ServerEntry {
            spec: ServerSpec {
                name: name.value,
                transport: transport?,
                timeout: timeout.unwrap_or(TIMEOUT),
                connect_timeout: connect_timeout.unwrap_or(CONNECT_TIMEOUT),
                concurrency_max: concurrency_max.unwrap_or(CONCURRENCY_MAX),
                isolation: isolation.unwrap_or(Isolation::Shared),
            },
            prefix: prefix.as_ref().is_none_or(|prefix| prefix.value),
            filter,
            trust_annotations: trust_annotations.is_none_or(|trust| trust.value),
            enabled,
        },
        name_span: name.span,
        prefix_span: prefix.map(|prefix| prefix.span),
    })
}

struct Reader<'a> {
    section: &'a Section<'a>,
    folder: &'a Path,
    values: Values<'a>,
}

impl Reader<'_> {
    fn name(&self, problems: &mut Problems) -> Option<At<ServerName>> {
        const EXPECTED: &str = "1 to 64 letters, digits, `-`, `_` and `.`";
        let Some(name) = self.section.string("name", problems) else {
            if self.section.key_span("name").is_none() {
                let hint = "add a line such as `name = \"files\"`";
                problems.add(self.section.span.clone(), "a server has no `name`", EXPECTED, hint);
            }
            return None;
        };
        match ServerName::new(name.value) {
            Ok(value) => Some(At { value, span: name.span }),
            Err(bad) => {
                problems.add(name.span, bad.to_string(), EXPECTED, name_hint(name.value, &bad));
                None
            }
        }
    }

    fn transport(&self, problems: &mut Problems) -> Option<TransportSpec> {
        let section = self.section;
        let title = section.title();
        match (section.key_span("command"), section.key_span("url")) {
            (Some(_), None) => {
                self.refuse_keys_of_the_other_kind(&URL_KEYS, "url", problems);
                self.stdio(problems)
            }
            (None, Some(_)) => {
                self.refuse_keys_of_the_other_kind(&COMMAND_KEYS, "command", problems);
                self.http(problems)
            }
            (Some(_), Some(url)) => {
                let what = format!("{title} has both `command` and `url`");
                let hint = "remove one of the two, or make two servers of it";
                problems.add(url, what, EITHER, hint);
                None
            }
            (None, None) => {
                let span = section.key_span("name").unwrap_or_else(|| section.span.clone());
                let what = format!("{title} has neither `command` nor `url`");
                problems.add(span, what, EITHER, "add `command = \"…\"` or `url = \"https://…\"`");
                None
            }
        }
    }

    fn refuse_keys_of_the_other_kind(&self, keys: &[&str], kind: &str, problems: &mut Problems) {
        for key in keys {
            if let Some(span) = self.section.key_span(key) {
                let what = format!("`{key}` in {} belongs to servers with a `{kind}`", self.section.title());
                problems.add(span, what, EITHER, format!("remove `{key}`"));
            }
        }
    }

    fn stdio(&self, problems: &mut Problems) -> Option<TransportSpec> {
        let command =
            self.section.string("command", problems).and_then(|command| self.command(&command, problems));
        let args = self.section.strings("args", problems);
        let args = args.iter().filter_map(|arg| self.values.plain("args", arg, problems)).collect();
        let env = self.env(problems);
        let cwd = self.section.string("cwd", problems).and_then(|cwd| self.cwd(&cwd, problems));
        Some(TransportSpec::Stdio { command: command?, args, env, cwd })
    }

    /// A bare word is looked up in `PATH`; anything with a slash is a path, from the folder of the file.
    fn command(&self, command: &At<&str>, problems: &mut Problems) -> Option<String> {
        let expanded = self.values.path_text("command", command, problems)?;
        if expanded.trim().is_empty() {
            let what = format!("`command` in {} is empty", self.section.title());
            let expected = "the name of a program in `PATH`, or the path of one";
            problems.add(command.span.clone(), what, expected, "for example `command = \"npx\"`");
            return None;
        }
        if self.values.is_kept(command.value) || !expanded.contains('/') {
            return Some(expanded);
        }
        Some(joined(self.folder, &expanded))
    }

    fn cwd(&self, cwd: &At<&str>, problems: &mut Problems) -> Option<PathBuf> {
        let expanded = self.values.path_text("cwd", cwd, problems)?;
        if self.values.is_kept(cwd.value) {
            return Some(expanded.into());
        }
        Some(self.folder.join(expanded))
    }

    fn env(&self, problems: &mut Problems) -> BTreeMap<String, String> {
        let mut env = BTreeMap::new();
        for (name, value) in self.section.string_map("env", problems) {
            if name.value.is_empty() || name.value.contains(['=', '\0']) {
                let what =
                    format!("{:?} in `env` of {} cannot name a variable", name.value, self.section.title());
                let expected = "a name without `=`, such as `API_KEY`";
                problems.add(name.span, what, expected, "write `NAME = \"value\"`");
                continue;
            }
            if let Some(expanded) = self.values.plain(&format!("env.{}", name.value), &value, problems) {
                env.insert(name.value.to_owned(), expanded);
            }
        }
        env
    }

    fn http(&self, problems: &mut Problems) -> Option<TransportSpec> {
        let url = self.values.url("url", &URL, problems);
        let headers = self.values.headers(&OWN_HEADERS_OF_MCP, problems);
        Some(TransportSpec::Http { url: url?, headers })
    }

    fn filter(&self, problems: &mut Problems) -> ToolFilter {
        let title = format!("`tools` of {}", self.section.title());
        let Some(tools) = self.section.section("tools", &title, problems) else {
            return ToolFilter::default();
        };
        tools.refuse_unknown_keys(&TOOLS_KEYS, &[], problems);
        ToolFilter { allow: globs(&tools, "allow", problems), deny: globs(&tools, "deny", problems) }
    }
}

const EITHER: &str = "either `command` (with `args`, `env`, `cwd`) or `url` (with `headers`)";

fn name_hint(name: &str, bad: &BadServerName) -> String {
    match bad {
        BadServerName::Empty => "for example `name = \"files\"`".into(),
        BadServerName::TooLong => "agents see the name in front of every tool: make it short".into(),
        BadServerName::Character(_) => format!("for example `name = {:?}`", legal_name(name)),
    }
}

/// `path` from `folder`, without the `.` in between.
pub(crate) fn joined(folder: &Path, path: &str) -> String {
    folder.join(path).components().collect::<PathBuf>().to_string_lossy().into_owned()
}

/// The nearest legal server name.
pub(crate) fn legal_name(name: &str) -> String {
    let mut legal = String::with_capacity(name.len());
    for c in name.trim().chars().take(ServerName::CHARS_MAX) {
        match c {
            c if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') => legal.push(c),
            _ if legal.ends_with('-') => {}
            _ => legal.push('-'),
        }
    }
    let legal = legal.trim_matches('-');
    if legal.is_empty() { "server".into() } else { legal.to_owned() }
}

fn globs(tools: &Section<'_>, key: &str, problems: &mut Problems) -> Vec<String> {
    let written = tools.strings(key, problems);
    written.into_iter().filter_map(|glob| checked_glob(tools.title(), key, &glob, problems)).collect()
}

fn checked_glob(title: &str, key: &str, glob: &At<&str>, problems: &mut Problems) -> Option<String> {
    let foreign = glob.value.chars().find(|c| matches!(c, '[' | ']' | '{' | '}' | '\\') || c.is_control());
    let (what, hint) = match foreign {
        Some(c) => {
            (format!("{c:?} in `{key}` has no meaning"), "list several patterns instead of `[…]` or `{…}`")
        }
        None if glob.value.is_empty() => {
            (format!("a pattern in `{key}` is empty"), "`*` stands for every tool")
        }
        None => return Some(glob.value.to_owned()),
    };
    let expected = "the tool's own name, with `*` for any characters and `?` for one";
    problems.add(glob.span.clone(), format!("{what} in {title}"), expected, hint);
    None
}
