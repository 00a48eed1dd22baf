//! The names agents see.
//!
//! MCP forbids `:` in names and model APIs reject `.`, so the canonical name does not go on the wire. A wire
//! name is never taken apart again: the section that made it has the reverse mapping.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use toolgate_core::{CanonicalName, DomainName, ServerName};

/// The limit of model APIs.
pub const NAME_CHARS_MAX: usize = 64;
const SUFFIX_CHARS: usize = 9;

/// The gateway's own tools. No server's tool is called like one of them.
pub const RESERVED_TOOLS: &[&str] = &[
    SEARCH_TOOLS,
    DESCRIBE_TOOLS,
    CALL_TOOL,
    "complete_workflow",
    "file_upload_url",
    "read_ref",
    "request_user_input",
    "store_artifact",
];
pub const SEARCH_TOOLS: &str = "search_tools";
pub const DESCRIBE_TOOLS: &str = "describe_tools";
pub const CALL_TOOL: &str = "call_tool";

/// The name under which policy and ledger know the gateway's own tools. No server is called so.
pub const RESERVED_SERVER: &str = toolgate_core::platform::OWN_SERVER;

/// True if a name belongs, or could belong, to the gateway's own tools: no other tool may have it.
pub fn is_reserved_name(name: &str) -> bool {
    let name = name.to_lowercase();
    let own = name.strip_prefix(RESERVED_SERVER).is_some_and(|rest| rest.starts_with(['.', ':']));
    own || RESERVED_TOOLS.contains(&name.as_str())
}

/// The wire name of a server's tool or prompt: only `[A-Za-z0-9_-]`, at most 64 characters. If the plain name
/// would lose something (a foreign character, the end of a long name) it ends in a hash of the canonical one.
pub fn wire_name(server: &ServerName, own: &str) -> String {
    let canonical = CanonicalName::of(server, own);
    let (plain, lossless) = legalise(canonical.as_str());
    if lossless && plain.len() <= NAME_CHARS_MAX { plain } else { suffixed(&plain, canonical.as_str()) }
}

/// The canonical name of a connector's tool that is written with dots: `connector.slack.post_message`.
pub(crate) fn canonical_of_connector(name: &str) -> Option<String> {
    let (server, own) = name.rsplit_once('.')?;
    let server = ServerName::new(server).ok().filter(|server| server.provider().is_some())?;
    Some(CanonicalName::of(&server, own).as_str().to_owned())
}

/// The wire name for something whose plain name is taken.
pub(crate) fn suffixed_name(server: &ServerName, own: &str) -> String {
    let canonical = CanonicalName::of(server, own);
    let (plain, _) = legalise(canonical.as_str());
    suffixed(&plain, canonical.as_str())
}

/// The wire name of a tool with its own domain name.
pub(crate) fn domain_wire_name(name: &DomainName) -> String {
    let (plain, _) = legalise(name.as_str());
    if plain.len() <= NAME_CHARS_MAX { plain } else { suffixed(&plain, name.as_str()) }
}

/// The prefix of the wire names of a server's tools.
fn wire_prefix(server: &ServerName) -> String {
    legalise(&format!("{server}:")).0
}

/// A server's name without the differences of case and dots.
pub(crate) fn look_of(server: &ServerName) -> String {
    let (plain, lossless) = legalise(server.as_str());
    if lossless { plain.to_lowercase() } else { server.as_str().to_lowercase() }
}

const SEPARATOR: &str = "__";

/// The prefixes of all servers with their places in the order.
pub(crate) struct Prefixes<'a>(HashMap<String, (usize, &'a ServerName)>);

impl<'a> Prefixes<'a> {
    pub(crate) fn of(servers: impl Iterator<Item = &'a ServerName>) -> Self {
        let mut places = HashMap::new();
        for (place, server) in servers.enumerate() {
            places.entry(wire_prefix(server)).or_insert((place, server));
        }
        Self(places)
    }

    /// A server before `place` that has a tool which could claim the name.
    pub(crate) fn earlier(&self, name: &str, place: usize) -> Option<&'a ServerName> {
        let ends = (SEPARATOR.len()..=name.len())
            .filter(|end| name.as_bytes()[..*end].ends_with(SEPARATOR.as_bytes()));
        // Every prefix ends in the separator, so nothing else needs to be looked up.
        let mut known = ends.filter_map(|end| self.0.get(&name[..end]));
        known.find(|(earlier, _)| *earlier < place).map(|(_, server)| *server)
    }
}

fn legalise(canonical: &str) -> (String, bool) {
    let mut plain = String::with_capacity(canonical.len() + 4);
    let mut lossless = true;
    for c in canonical.chars() {
        match c {
            ':' | '.' => plain.push_str("__"),
            'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' => plain.push(c),
            _ => {
                plain.push('_');
                lossless = false;
            }
        }
    }
    (plain, lossless)
}

fn suffixed(plain: &str, whole: &str) -> String {
    let digest = Sha256::digest(whole);
    let head = &plain[..plain.len().min(NAME_CHARS_MAX - SUFFIX_CHARS)];
    let hash = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
    format!("{head}_{hash:08x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(server: &str, own: &str) -> String {
        wire_name(&ServerName::new(server).expect("legal"), own)
    }

    #[test]
    fn colons_and_dots_become_two_underscores() {
        assert_eq!(wire("resume-profile-mcp", "parse_document"), "resume-profile-mcp__parse_document");
        assert_eq!(wire("com.example.files", "read.all"), "com__example__files__read__all");
        assert_eq!(wire("connector.slack", "post_message"), "connector__slack__post_message");
        assert_eq!(wire("connector.slack.sales", "post_message"), "connector__slack__sales__post_message");
    }

    #[test]
    fn a_connectors_tool_is_found_by_its_name_with_dots() {
        let found = |name: &str| canonical_of_connector(name);
        assert_eq!(found("connector.slack.post_message").as_deref(), Some("connector.slack:post_message"));
        assert_eq!(found("connector.slack.sales.read").as_deref(), Some("connector.slack.sales:read"));
        for none in ["connector.sync", "files.read", "connector..x", "post_message"] {
            assert_eq!(found(none), None, "{none}");
        }
    }

    #[test]
    fn long_and_foreign_names_are_legal_and_distinct() {
        let long = "x".repeat(128);
        let names = [
            wire("s", &long),
            wire("s", &long[..127]),
            wire("s", "日本"),
            wire("s", "中国"),
            wire("数据", "a b"),
        ];
        for (at, name) in names.iter().enumerate() {
            assert!(name.len() <= NAME_CHARS_MAX, "{name}");
            assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{name}");
            assert!(!names[..at].contains(name), "{name} twice");
        }
    }
}
