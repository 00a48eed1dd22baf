//! The outcome that a task wants: JSON that fits a schema.

use serde_json::{Value, json};
use toolgate_core::RawJson;

/// The summary of a run whose result says it all.
pub(crate) const FITS: &str = "the result fits the schema of the task";

/// The JSON of an answer, with or without a fence around it.
pub(crate) fn value_of(text: &str) -> Result<Value, String> {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inner = inner.and_then(|rest| rest.split_once('\n')).map_or(text, |(_, inner)| inner);
    serde_json::from_str(inner).map_err(|error| format!("the answer is no JSON: {error}."))
}

/// The result that a call of `complete_workflow` brings: its `result`, or its summary where that is JSON.
pub(crate) fn value_of_call(arguments: &RawJson) -> Result<Value, String> {
    let mut arguments: Value = arguments.decode().map_err(|error| error.to_string())?;
    match arguments["result"].take() {
        Value::Null => value_of(arguments["summary"].as_str().unwrap_or_default()),
        result => Ok(result),
    }
}

/// The arguments of `complete_workflow` with this result. A summary that is the result, or no text, is replaced.
pub(crate) fn completion_with(arguments: &RawJson, value: Value) -> RawJson {
    let mut arguments: Value = arguments.decode().unwrap_or_else(|_| json!({}));
    if arguments["result"].is_null() || !arguments["summary"].is_string() {
        arguments["summary"] = json!(FITS);
    }
    arguments["result"] = value;
    arguments.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_of_an_answer_is_found_with_and_without_a_fence() {
        for text in ["{\"a\":1}", " {\"a\": 1}\n", "```json\n{\"a\":1}\n```", "```\n{\"a\":1}\n```"] {
            assert_eq!(value_of(text), Ok(json!({ "a": 1 })), "{text}");
        }
        for text in ["", "done", "Here it is: {\"a\":1}"] {
            assert!(value_of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_completion_brings_its_result_or_its_summary() {
        let of = |arguments: Value| value_of_call(&RawJson::from(arguments));
        assert_eq!(of(json!({ "summary": "done", "result": [1] })), Ok(json!([1])));
        assert_eq!(of(json!({ "summary": "{\"a\":1}" })), Ok(json!({ "a": 1 })));
        assert!(of(json!({ "summary": "done" })).is_err());
        assert!(of(json!({})).is_err());
    }

    #[test]
    fn a_completion_is_made_with_its_result() {
        let with =
            |arguments: Value| completion_with(&RawJson::from(arguments), json!([1])).decode::<Value>();
        let kept = with(json!({ "summary": "done", "result": [1], "artifacts": ["a"] })).expect("an object");
        assert_eq!(kept, json!({ "summary": "done", "result": [1], "artifacts": ["a"] }));
        let moved = with(json!({ "summary": "[1]" })).expect("an object");
        assert_eq!(moved, json!({ "summary": FITS, "result": [1] }));
    }
}
