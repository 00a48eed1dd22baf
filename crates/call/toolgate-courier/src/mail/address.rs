//! Addresses of mail. What could be read as the end of a header or of a command is refused.

use std::fmt;

use url::Host;

use super::letter::phrase;

const NAME_CHARS_MAX: usize = 128;
const LOCAL_BYTES_MAX: usize = 64;
const DOMAIN_BYTES_MAX: usize = 255;

/// The address of a person or of a list, with or without a name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MailAddress {
    name: Option<String>,
    local: String,
    domain: String,
}

impl MailAddress {
    /// From `ann@example.com` or `Ann Lee <ann@example.com>`.
    pub fn read(written: &str) -> Option<Self> {
        if written.chars().any(char::is_control) {
            return None;
        }
        let (name, spec) = match written.trim().strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
            Some((name, spec)) => (name.trim().trim_matches('"').trim(), spec),
            None => ("", written.trim()),
        };
        let (local, domain) = spec.rsplit_once('@')?;
        if name.chars().count() > NAME_CHARS_MAX || !is_local(local) {
            return None;
        }
        let domain = ascii_domain(domain)?;
        Some(Self { name: (!name.is_empty()).then(|| name.to_owned()), local: local.to_owned(), domain })
    }

    pub(super) fn domain(&self) -> &str {
        &self.domain
    }

    /// The address alone, as commands have it.
    pub fn spec(&self) -> String {
        format!("{}@{}", self.local, self.domain)
    }

    /// As it stands in a header.
    pub(super) fn in_header(&self) -> String {
        match &self.name {
            Some(name) => format!("{} <{}>", phrase(name), self.spec()),
            None => self.spec(),
        }
    }
}

impl fmt::Display for MailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} <{}>", self.spec()),
            None => f.write_str(&self.spec()),
        }
    }
}

/// A dot-atom of RFC 5322; quoted ones and others than ASCII are not sent anywhere.
fn is_local(local: &str) -> bool {
    let is_atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    local.len() <= LOCAL_BYTES_MAX
        && local.split('.').all(|word| !word.is_empty() && word.chars().all(is_atom))
}

fn ascii_domain(domain: &str) -> Option<String> {
    match Host::parse(domain).ok()? {
        Host::Domain(name) if name.len() <= DOMAIN_BYTES_MAX => {
            let is_label = |c: char| c.is_ascii_alphanumeric() || c == '-';
            name.split('.').all(|label| !label.is_empty() && label.chars().all(is_label)).then_some(name)
        }
        Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (written, told) in [
            ("ann@example.com", "ann@example.com"),
            (" Ann Lee <ann@example.com> ", "Ann Lee <ann@example.com>"),
            ("\"Lee, Ann\" <ann+gate@EXAMPLE.com>", "Lee, Ann <ann+gate@example.com>"),
            ("root@localhost", "root@localhost"),
        ] {
            assert_eq!(MailAddress::read(written).expect(written).to_string(), told);
        }
    }

    #[test]
    fn nothing_that_ends_a_header_or_a_command_is_an_address() {
        for bad in [
            "",
            "ann",
            "ann@",
            "@example.com",
            "ann@example.com\r\nBcc: eve@evil.example",
            "Ann\nX: y <ann@example.com>",
            "ann@example.com> RCPT TO:<eve@evil.example",
            "a b@example.com",
            "ann..b@example.com",
            "ann@127.0.0.1",
            "ann@exa mple.com",
            "ann\0@example.com",
        ] {
            assert_eq!(MailAddress::read(bad), None, "{bad:?}");
        }
    }
}
