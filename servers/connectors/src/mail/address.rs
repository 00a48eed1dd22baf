//! Addresses of mail. What could be read as the end of a header or of a command is refused.

use std::fmt;

use capability_kit::Trouble;
use url::Host;

use super::header;

const NAME_CHARS_MAX: usize = 128;
const LOCAL_BYTES_MAX: usize = 64;
const DOMAIN_BYTES_MAX: usize = 255;

/// One person's address, with or without a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MailAddress {
    pub(super) name: Option<String>,
    local: String,
    domain: String,
}

impl MailAddress {
    /// From `ada@example.com` or `Ada Lovelace <ada@example.com>`.
    pub(super) fn read(written: &str) -> Result<Self, Trouble> {
        let bad = |why: &str| {
            Trouble::bad_arguments(format!("{written:?} is no address of mail: {why}"))
                .hint("write each address as ada@example.com, or as Ada <ada@example.com>")
        };
        if written.chars().any(char::is_control) {
            return Err(bad("it has a line break or another control character"));
        }
        let (name, spec) = match written.trim().strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
            Some((name, spec)) => (name.trim().trim_matches('"').trim(), spec),
            None => ("", written.trim()),
        };
        if name.chars().count() > NAME_CHARS_MAX {
            return Err(bad("its name is too long"));
        }
        let (local, domain) = spec.rsplit_once('@').ok_or_else(|| bad("it has no @"))?;
        if !is_local(local) {
            return Err(bad(
                "the part before the @ has other characters than letters, digits and .!#$%&'*+/=?^_`{|}~-",
            ));
        }
        let domain = ascii_domain(domain).ok_or_else(|| bad("the part after the @ is no domain"))?;
        Ok(Self { name: (!name.is_empty()).then(|| name.to_owned()), local: local.to_owned(), domain })
    }

    pub(super) fn domain(&self) -> &str {
        &self.domain
    }

    /// The address alone, as commands have it.
    pub(super) fn spec(&self) -> String {
        format!("{}@{}", self.local, self.domain)
    }

    /// As it stands in a header.
    pub(super) fn in_header(&self) -> String {
        match &self.name {
            Some(name) => format!("{} <{}>", header::phrase(name), self.spec()),
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
        Host::Domain(name) if name.len() <= DOMAIN_BYTES_MAX && !name.ends_with('.') => {
            let is_label = |c: char| c.is_ascii_alphanumeric() || c == '-';
            name.split('.').all(|label| !label.is_empty() && label.chars().all(is_label)).then_some(name)
        }
        _ => None,
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
        ] {
            assert_eq!(MailAddress::read(written).unwrap().to_string(), shown, "{written}");
        }
    }

    #[test]
    fn nothing_that_ends_a_header_or_a_command_is_an_address() {
        for bad in [
            "",
            "ada",
            "ada@",
            "@example.com",
            "ada@example.com\r\nBcc: eve@evil.example",
            "Ada\nX: y <ada@example.com>",
            "ada@example.com> RCPT TO:<eve@evil.example",
            "a b@example.com",
            "ada..b@example.com",
            "ada@127.0.0.1",
            "ada@[127.0.0.1]",
            "ada@exa mple.com",
            "ädä@example.com",
            "ada\0@example.com",
            "\"a b\"@example.com",
        ] {
            assert!(MailAddress::read(bad).is_err(), "{bad:?}");
        }
    }
}
