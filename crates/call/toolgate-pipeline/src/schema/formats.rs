//! `format`: descriptions of the known ones. An unknown name says nothing about a value; neither does
//! `regex`, as every server has its own dialect.

use toolgate_core::Tool;

/// The treatment of `format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Formats {
    Checked,
    /// The operator declared that the server uses it loosely.
    Ignored,
}

impl Formats {
    pub(super) fn of(tool: &Tool) -> Self {
        match tool.handling.formats {
            None | Some(true) => Formats::Checked,
            Some(false) => Formats::Ignored,
        }
    }
}

const WORDS: [(&str, &str); 16] = [
    ("date", "a date such as 2026-08-31"),
    ("date-time", "a date and time with its offset, such as 2026-08-31T12:00:00Z"),
    ("time", "a time of day with its offset, such as 12:00:00Z"),
    ("duration", "a duration such as P1DT12H"),
    ("email", "an e-mail address"),
    ("hostname", "a host name such as api.example.com"),
    ("ipv4", "an IPv4 address such as 192.0.2.1"),
    ("ipv6", "an IPv6 address such as 2001:db8::1"),
    ("uri", "a whole URI with its scheme, such as https://example.com/a"),
    ("uri-reference", "a URI or a path of one"),
    ("iri", "a whole URI with its scheme, such as https://example.com/a"),
    ("iri-reference", "a URI or a path of one"),
    ("uri-template", "a template of a URI, such as /users/{id}"),
    ("uuid", "a UUID such as 0198f0a2-7c1d-7b3e-9d52-3f0c1a6b5e11"),
    ("json-pointer", "a JSON pointer such as /a/0"),
    ("relative-json-pointer", "a relative JSON pointer such as 1/a"),
];

/// A description of values of this format.
pub(super) fn described(format: &str) -> String {
    match WORDS.iter().find(|(name, _)| *name == format) {
        Some((_, words)) => (*words).to_owned(),
        None => format!("text of the format `{format}`"),
    }
}

/// Five groups of hexadecimal digits.
pub(super) fn is_uuid(text: &str) -> bool {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    let mut groups = text.split('-');
    let fits = |digits: usize, group: &str| {
        group.len() == digits && group.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    GROUPS.iter().all(|digits| groups.next().is_some_and(|group| fits(*digits, group)))
        && groups.next().is_none()
}
