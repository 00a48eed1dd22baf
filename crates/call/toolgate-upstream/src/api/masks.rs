//! Secrets in what an API says: some repeat in an error what they were shown. Nobody behind the gateway gets to see it.

use std::borrow::Cow;

/// The text in place of a secret.
pub(super) const MASK: &str = "••••";

/// Shorter values stand in any text by chance.
const SECRET_CHARS_MIN: usize = 6;

/// The secrets that go out with one request.
#[derive(Default)]
pub(super) struct SecretMasks(Vec<String>);

impl SecretMasks {
    /// Of each value also the form that it has in an address.
    pub(super) fn of(values: Vec<String>) -> Self {
        let mut all = Vec::new();
        for value in values.into_iter().filter(|value| value.len() >= SECRET_CHARS_MIN) {
            let encoded: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
            let escaped = serde_json::Value::from(value.as_str()).to_string();
            let escaped = escaped.trim_matches('"').to_owned();
            all.extend([escaped, encoded, value]);
        }
        // Longer ones first: one may be the beginning of another.
        all.sort_by_key(|value| std::cmp::Reverse(value.len()));
        all.dedup();
        Self(all)
    }

    pub(super) fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        for secret in &self.0 {
            if masked.contains(secret.as_str()) {
                masked = Cow::Owned(masked.replace(secret.as_str(), MASK));
            }
        }
        masked
    }

    /// True if binary content has a secret in it as it is.
    pub(super) fn stand_in(&self, bytes: &[u8]) -> bool {
        self.0.iter().any(|secret| memchr::memmem::find(bytes, secret.as_bytes()).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_masked_in_each_form_that_an_answer_may_give_it() {
        let masks = SecretMasks::of(vec!["s3cr3t\"+key".into(), "s3cr3t\"+key-two".into(), "a".into()]);
        for (said, masked) in [
            ("bad token s3cr3t\"+key!", "bad token ••••!"),
            (r#"{"token":"s3cr3t\"+key-two"}"#, r#"{"token":"••••"}"#),
            ("/search?key=s3cr3t%22%2Bkey", "/search?key=••••"),
            ("a fine answer", "a fine answer"),
        ] {
            assert_eq!(masks.masked(said), masked);
        }
        assert!(masks.stand_in(b"\x00s3cr3t\"+key\xff") && !masks.stand_in(b"\x00\xff"));
    }
}
