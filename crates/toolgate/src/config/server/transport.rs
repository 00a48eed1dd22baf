//! The way to reach a server: a command to start, one address, several, those of its own registration, or that of an API.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use toolgate_core::server::{InstanceId, InstanceSpec, TransportSpec};

use super::super::problem::ConfigProblems;
use super::super::reference::VaultReferences;
use super::super::section::{ConfigSection, Located};
use super::super::value::{OwnHeaders, TableValues, UrlForm};
use super::ServerReader;
use super::api;

/// A server has exactly one of these keys.
const WAYS: [&str; 4] = ["command", "url", "urls", "registered"];
const COMMAND_KEYS: &[&str] = &["args", "env", "cwd", "sandbox"];
const URL_KEYS: &[&str] = &["headers", "oauth", "network"];
const INSTANCES_MAX: usize = 64;

const EITHER: &str = "one of `command` (with `args`, `env`, `cwd`, `sandbox`), `url`, `urls` and `registered` (with `headers`, `oauth`, `network`), or `openapi` and `connector` (with these, `base_url` and `query`)";

pub(super) const URL: UrlForm = UrlForm {
    expected: "an address such as `https://example.com/mcp`",
    instead_of_password: "put the credentials into `headers.Authorization`",
};

/// Headers that make a request an MCP request over this connection: only the gateway can set them correctly.
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

const OWN_HEADERS_OF_MCP: OwnHeaders = OwnHeaders {
    names: &OWN_HEADERS,
    expected: "a header that MCP does not use",
    vault: VaultReferences::Kept,
};

pub(super) struct TransportAddress {
    pub(super) transport: TransportSpec,
    /// True if its instances register.
    pub(super) registered: bool,
}

impl ServerReader<'_> {
    pub(super) fn address(&self, problems: &mut ConfigProblems) -> Option<TransportAddress> {
        let section = self.section;
        // `registered = false` has no effect, but must be a valid word.
        let registers = section.boolean("registered", problems).is_some_and(|registered| registered.value);
        let given = |way: &'static str| section.key_span(way).map(|span| (way, span));
        let ways = WAYS.into_iter().filter_map(given).filter(|(way, _)| *way != "registered" || registers);
        let described = api::DESCRIPTIONS.into_iter().filter_map(given).take(1);
        let ways: Vec<(&str, Range<usize>)> = ways.chain(described).collect();
        if !matches!(&ways[..], [("openapi" | "connector", _)]) {
            self.refuse_keys_of_others(api::KEYS, "`openapi` or `connector`", problems);
        }
        match &ways[..] {
            [("command", _)] => {
                self.refuse_keys_of_others(URL_KEYS, "an address", problems);
                self.stdio(problems).map(configured)
            }
            [(way, _)] => {
                self.refuse_keys_of_others(COMMAND_KEYS, "a `command`", problems);
                match *way {
                    "url" => self.one_address(problems).map(configured),
                    "urls" => self.several_addresses(problems).map(configured),
                    "openapi" | "connector" => self.api(problems).map(configured),
                    _ => Some(self.registered(problems)),
                }
            }
            [] => {
                let span = section.key_span("name").unwrap_or_else(|| section.span.clone());
                let what = format!("{} has neither `command` nor `url`", section.title());
                problems.add(span, what, EITHER, "add `command = \"…\"` or `url = \"https://…\"`");
                None
            }
            [(first, _), (second, span), ..] => {
                let what = format!("{} has both `{first}` and `{second}`", section.title());
                let hint = "remove one of the two, or make two servers of it";
                problems.add(span.clone(), what, EITHER, hint);
                None
            }
        }
    }

    fn refuse_keys_of_others(&self, keys: &[&str], kind: &str, problems: &mut ConfigProblems) {
        for key in keys {
            if let Some(span) = self.section.key_span(key) {
                let what = format!("`{key}` in {} belongs to servers with {kind}", self.section.title());
                problems.add(span, what, EITHER, format!("remove `{key}`"));
            }
        }
    }

    fn stdio(&self, problems: &mut ConfigProblems) -> Option<TransportSpec> {
        let command =
            self.section.string("command", problems).and_then(|command| self.command(&command, problems));
        let args = self.section.strings("args", problems);
        let args = args.iter().filter_map(|arg| self.values.plain("args", arg, problems)).collect();
        let env = env_of(self.section, &self.values, problems);
        let cwd = self.section.string("cwd", problems).and_then(|cwd| self.cwd(&cwd, problems));
        Some(TransportSpec::Stdio { command: command?, args, env, cwd, sandbox: self.sandbox(problems) })
    }

    /// A bare word is looked up in `PATH`; anything with a slash is a path, relative to the folder of the
    /// file.
    fn command(&self, command: &Located<&str>, problems: &mut ConfigProblems) -> Option<String> {
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

    fn cwd(&self, cwd: &Located<&str>, problems: &mut ConfigProblems) -> Option<PathBuf> {
        let expanded = self.values.path_text("cwd", cwd, problems)?;
        if self.values.is_kept(cwd.value) {
            return Some(expanded.into());
        }
        Some(self.folder.join(expanded))
    }

    fn one_address(&self, problems: &mut ConfigProblems) -> Option<TransportSpec> {
        let url = self.values.url("url", &URL, problems);
        let headers = self.values.headers(&OWN_HEADERS_OF_MCP, problems);
        Some(TransportSpec::http(url?, headers))
    }

    fn several_addresses(&self, problems: &mut ConfigProblems) -> Option<TransportSpec> {
        const EXPECTED: &str = "1 to 64 different addresses of one and the same server";
        let headers = self.values.headers(&OWN_HEADERS_OF_MCP, problems);
        let written = self.section.strings("urls", problems);
        let title = self.section.title();
        if written.is_empty() || written.len() > INSTANCES_MAX {
            let span = self.section.key_span("urls").expect("the key chose this way");
            let what = format!("`urls` in {title} has {} addresses", written.len());
            let hint = "`registered = true` waits for instances that register themselves";
            problems.add(span, what, EXPECTED, hint);
            return None;
        }
        let mut seen = BTreeSet::new();
        for url in &written {
            let Some(checked) = self.values.checked_url("urls", url, &URL, problems) else { continue };
            if !seen.insert(checked) {
                let what = format!("an address stands twice in `urls` of {title}");
                problems.add(url.span.clone(), what, EXPECTED, "remove one of the two");
            }
        }
        let checked =
            |url: &Located<&str>| self.values.checked_url("urls", url, &URL, &mut ConfigProblems::default());
        let urls: Option<Vec<String>> = written.iter().map(checked).collect();
        Some(TransportSpec::Http { instances: instances(urls?), headers })
    }

    fn registered(&self, problems: &mut ConfigProblems) -> TransportAddress {
        let headers = self.values.headers(&OWN_HEADERS_OF_MCP, problems);
        TransportAddress {
            transport: TransportSpec::Http { instances: Vec::new(), headers },
            registered: true,
        }
    }
}

/// `env` of a table: the environment of a program beyond `PATH` and the like.
pub(crate) fn env_of(
    section: &ConfigSection<'_>,
    values: &TableValues<'_>,
    problems: &mut ConfigProblems,
) -> BTreeMap<String, String> {
    let mut env = BTreeMap::new();
    for (name, value) in section.string_map("env", problems) {
        if name.value.is_empty() || name.value.contains(['=', '\0']) {
            let what = format!("{:?} in `env` of {} cannot name a variable", name.value, section.title());
            let expected = "a name without `=`, such as `API_KEY`";
            problems.add(name.span, what, expected, "write `NAME = \"value\"`");
            continue;
        }
        let key = format!("env.{}", name.value);
        if let Some(expanded) = values.plain_beside(&key, &value, VaultReferences::Kept, problems) {
            env.insert(name.value.to_owned(), expanded);
        }
    }
    env
}

fn configured(transport: TransportSpec) -> TransportAddress {
    TransportAddress { transport, registered: false }
}

/// Instances are named after their addresses, so that one keeps its name regardless of the others.
fn instances(urls: Vec<String>) -> Vec<InstanceSpec> {
    let mut taken = BTreeSet::new();
    let mut instance = |url: String| {
        let mut id = id_of(&url);
        let mut number = 2;
        while !taken.insert(id.clone()) {
            id = InstanceId::new(&format!("{}-{number}", id_of(&url))).expect("a short id stays one");
            number += 1;
        }
        InstanceSpec { id, ..InstanceSpec::only(url) }
    };
    urls.into_iter().map(&mut instance).collect()
}

fn id_of(url: &str) -> InstanceId {
    const CHARS_MAX: usize = 100;
    let plain = url.split_once("://").map_or(url, |(_, rest)| rest);
    let plain = plain.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' };
    let id: String = plain.chars().map(legal).take(CHARS_MAX).collect();
    InstanceId::new(&id).unwrap_or_else(|_| InstanceId::only())
}

/// `path` from `folder`, without the `.` in between.
pub(crate) fn joined(folder: &Path, path: &str) -> String {
    folder.join(path).components().collect::<PathBuf>().to_string_lossy().into_owned()
}
