//! The values of credentials that this context has been given, so that they can be hidden wherever they turn up.

use capability_kit::Secret;
use parking_lot::Mutex;
use url::form_urlencoded;

/// A shorter value would hide letters of every text.
const VALUE_CHARS_MIN: usize = 3;
/// Values that are remembered; a form has few.
const SECRETS_MAX: usize = 256;

#[derive(Default)]
pub(crate) struct SecretMemory(Mutex<Vec<HiddenValue>>);

struct HiddenValue {
    handle: String,
    value: String,
    /// As it stands in texts and in addresses.
    spellings: Vec<String>,
}

impl SecretMemory {
    /// The longest first, so that no part of a longer value is left standing.
    pub(crate) fn remember(&self, secret: &Secret) {
        let mut known = self.0.lock();
        let is_known = known.iter().any(|one| one.value == secret.to_hide());
        if is_known || secret.to_hide().is_empty() || known.len() == SECRETS_MAX {
            return;
        }
        known.push(HiddenValue::new(secret.handle(), secret.to_hide()));
        known.sort_by_key(|one| std::cmp::Reverse(one.value.len()));
    }

    pub(crate) fn mask(&self, mut text: String) -> String {
        for hidden in self.0.lock().iter() {
            for spelling in &hidden.spellings {
                if text.contains(spelling.as_str()) {
                    text = text.replace(spelling.as_str(), &format!("[secret {}]", hidden.handle));
                }
            }
        }
        text
    }

    pub(crate) fn values(&self) -> Vec<String> {
        self.0.lock().iter().map(|hidden| hidden.value.clone()).collect()
    }
}

impl HiddenValue {
    fn new(handle: &str, value: &str) -> Self {
        let form: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
        let mut spellings = vec![value.to_owned(), form.replace('+', "%20"), form];
        spellings.dedup();
        spellings.retain(|one| one.chars().count() >= VALUE_CHARS_MIN);
        Self { handle: handle.to_owned(), value: value.to_owned(), spellings }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    fn secret(handle: &str, value: &str) -> Secret {
        from_value(json!({ "handle": handle, "origin": "https://a.example", "value": value })).unwrap()
    }

    #[test]
    fn a_value_is_masked_in_texts_and_addresses_and_longer_ones_first() {
        let memory = SecretMemory::default();
        memory.remember(&secret("cred_1.pin", "hunter"));
        memory.remember(&secret("cred_2.password", "hunter 2&ü"));
        memory.remember(&secret("cred_3.letter", "e"));
        let masked =
            memory.mask("hunter hunter 2&ü ?p=hunter+2%26%C3%BC ?p=hunter%202%26%C3%BC here".to_owned());
        assert_eq!(
            masked,
            "[secret cred_1.pin] [secret cred_2.password] ?p=[secret cred_2.password] ?p=[secret cred_2.password] here"
        );
        assert_eq!(memory.values().len(), 3);
    }
}
