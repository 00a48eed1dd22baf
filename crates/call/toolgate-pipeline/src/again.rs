//! Results that are read again from the ledger, which has them without their secrets.

use toolgate_core::{RawJson, codes};

use crate::difference::with_note;
use crate::envelope::CallWarning;
use crate::redact::is_marked;

const MESSAGE: &str = "secrets were left out of what is kept of this call; only its first answer had them";
const RAN: &str = "This is the recorded result of a call that ran before. Where it says [redacted],";

/// The warning about a recorded result that something was taken out of.
pub(crate) fn warning(result: &RawJson) -> Option<CallWarning> {
    is_marked(result.as_str()).then(|| CallWarning::new(&codes::REDACTED, MESSAGE))
}

/// A recorded result, which says at its beginning if something was taken out of it.
pub fn read_again(result: &RawJson) -> RawJson {
    match is_marked(result.as_str()) {
        true => with_note(result, &format!("{RAN} {MESSAGE}.")),
        false => result.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_result_says_that_something_was_taken_out_of_it() {
        let whole: RawJson = json!({ "content": [{ "type": "text", "text": "done" }] }).into();
        assert_eq!(read_again(&whole), whole);
        assert_eq!(warning(&whole), None);
        let partial: RawJson = json!({ "content": [{ "type": "text", "text": "key [redacted]" }] }).into();
        let read: Value = read_again(&partial).decode().expect("JSON");
        assert!(
            read["content"][0]["text"].as_str().is_some_and(|said| said.contains("secrets were left out"))
        );
        assert_eq!(read["content"][1]["text"], "key [redacted]");
        assert_eq!(warning(&partial).map(|warning| warning.code), Some(&codes::REDACTED));
    }
}
