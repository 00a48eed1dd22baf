//! Addresses of mail. What could be read as the end of a header or of a command is refused.

use std::fmt;

use url::Host;

use crate::header::phrase;

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

/// The reason why something is no address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadMailAddress {
    #[error("it has a line break or another control character")]
    Control,
    #[error("its name is too long")]
    Name,
    #[error("it has no @")]
    NoAt,
    #[error("the part before the @ has other characters than letters, digits and .!#$%&'*+/=?^_`{{|}}~-")]
    Local,
    #[error("the part after the @ is no domain")]
    Domain,
}

impl MailAddress {
    /// From `ada@example.com` or `Ada Lovelace <ada@example.com>`.
    pub fn read(written: &str) -> Result<Self, BadMailAddress> {
        if written.chars().any(char::is_control) {
            return Err(BadMailAddress::Control);
        }
        let (name, spec) = match written.trim().strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
            Some((name, spec)) => (name.trim().trim_matches('"').trim(), spec),
            None => ("", written.trim()),
        };
        if name.chars().count() > NAME_CHARS_MAX {
            return Err(BadMailAddress::Name);
        }
        let (local, domain) = spec.rsplit_once('@').ok_or(BadMailAddress::NoAt)?;
        if !is_local(local) {
            return Err(BadMailAddress::Local);
        }
        let domain = ascii_domain(domain).ok_or(BadMailAddress::Domain)?;
        Ok(Self { name: (!name.is_empty()).then(|| name.to_owned()), local: local.to_owned(), domain })
    }

    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// The address alone, as commands have it.
    pub fn spec(&self) -> String {
        format!("{}@{}", self.local, self.domain)
    }

    /// As it stands in a header.
    pub fn in_header(&self) -> String {
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

/// No address of a machine, and no dot at the end.
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
        for (written, shown) in [
            ("ada@example.com", "ada@example.com"),
            (" Ada Lovelace <ada@example.com> ", "Ada Lovelace <ada@example.com>"),
            ("\"Lovelace, Ada\" <ada+jobs@example.com>", "Lovelace, Ada <ada+jobs@example.com>"),
            ("ada@müller.example", "ada@xn--mller-kva.example"),
            ("<ada@EXAMPLE.com>", "ada@example.com"),
            ("root@localhost", "root@localhost"),
        ] {
            assert_eq!(MailAddress::read(written).unwrap().to_string(), shown, "{written}");
        }
    }

    #[test]
    fn nothing_that_ends_a_header_or_a_command_is_an_address() {
        use BadMailAddress::{Control, Domain, Local, Name, NoAt};
        let long = format!("{} <ada@example.com>", "a".repeat(NAME_CHARS_MAX + 1));
        for (bad, why) in [
            ("", NoAt),
            ("ada", NoAt),
            ("ada@", Domain),
            ("@example.com", Local),
            ("ada@example.com\r\nBcc: eve@evil.example", Control),
            ("Ada\nX: y <ada@example.com>", Control),
            ("ada@example.com> RCPT TO:<eve@evil.example", Local),
            ("a b@example.com", Local),
            ("ada..b@example.com", Local),
            ("ada@127.0.0.1", Domain),
            ("ada@[127.0.0.1]", Domain),
            ("ada@exa mple.com", Domain),
            ("ada@example.com.", Domain),
            ("ädä@example.com", Local),
            ("ada\0@example.com", Control),
            ("\"a b\"@example.com", Local),
            (&long, Name),
        ] {
            assert_eq!(MailAddress::read(bad), Err(why), "{bad:?}");
        }
    }
}
