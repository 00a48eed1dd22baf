//! Addresses built from arbitrary parts: of the API's routes and of the console's own pages.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything except the unreserved characters of a path and a query.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A path with its query. The values in it cannot change its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PageAddress {
    text: String,
    has_query: bool,
}

impl PageAddress {
    /// `PageAddress::of(["approvals", id, "decide"])` is `/approvals/apr_…/decide`.
    pub(crate) fn of<const N: usize>(parts: [&str; N]) -> Self {
        let mut text = String::new();
        for part in parts {
            text.push('/');
            text.extend(utf8_percent_encode(part, ESCAPED));
        }
        Self { text, has_query: false }
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.text.push(if self.has_query { '&' } else { '?' });
        self.has_query = true;
        self.text.extend(utf8_percent_encode(name, ESCAPED));
        self.text.push('=');
        self.text.extend(utf8_percent_encode(&value.to_string(), ESCAPED));
        self
    }

    /// Omitted if it is absent or blank.
    #[must_use]
    pub(crate) fn maybe(self, name: &str, value: Option<&str>) -> Self {
        match value.map(str::trim).filter(|value| !value.is_empty()) {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for PageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cannot_lead_elsewhere() {
        let address = PageAddress::of(["console", "tools", "a/../b?c#d"]).with("q", "x&y=z");
        assert_eq!(address.as_str(), "/console/tools/a%2F..%2Fb%3Fc%23d?q=x%26y%3Dz");
    }

    #[test]
    fn what_is_empty_is_left_out() {
        let address =
            PageAddress::of(["calls"]).maybe("tool", Some("  ")).maybe("run", None).with("limit", 5);
        assert_eq!(address.as_str(), "/calls?limit=5");
    }
}
