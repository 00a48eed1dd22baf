//! Schemas of tools: the first line of an input is one, the rest is a value. Compiling and checking
//! terminate, and the verdict is that of the validator alone, with a backtracking regex engine.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use toolgate_core::{Digest, RawJson, ServerName, Tool};
use toolgate_pipeline::schema::{SchemaCheck, Schemas, render};

/// Plenty for any input.
const BACKTRACKS_MAX: usize = 1_000_000;

pub(crate) fn try_one(input: &[u8]) {
    let mut parts = input.splitn(2, |byte| *byte == b'\n');
    let [Some(schema), Some(value)] = [parts.next(), parts.next()] else { return };
    let Ok(schema) = serde_json::from_slice::<Value>(schema) else { return };
    let Ok(value) = serde_json::from_slice::<Value>(value) else { return };
    let tool = tool(&schema);
    let schemas = Schemas::default();
    let (given, answered) = (schemas.check_input(&tool, &value), schemas.check_output(&tool, &value));
    if let SchemaCheck::Invalid(problems) = &given {
        assert!(!problems.is_empty() && !render(problems).is_empty(), "nothing is said to be wrong");
    }
    assert_eq!(
        matches!(given, SchemaCheck::Valid),
        matches!(answered, SchemaCheck::Valid),
        "input and output differ"
    );
    // Formats are the gateway's own.
    if !mentions_format(&schema)
        && let Some(validator) = plain(&schema)
    {
        agree(&given, validator.is_valid(&value), &schema);
    }
}

fn tool(schema: &Value) -> Tool {
    let server = ServerName::new("files").expect("it is a name");
    let schema = RawJson::from(schema.clone());
    Tool {
        version: Digest::of(schema.as_bytes()),
        input_schema: Some(schema.clone()),
        output_schema: Some(schema),
        ..Tool::unread(&server, "read")
    }
}

fn mentions_format(schema: &Value) -> bool {
    schema.to_string().contains("\"format\"")
}

fn plain(schema: &Value) -> Option<Validator> {
    let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS_MAX);
    let options = jsonschema::options().offline().should_validate_formats(false);
    options.with_pattern_options(patterns).build(schema).ok()
}

fn agree(ours: &SchemaCheck, theirs: bool, schema: &Value) {
    match ours {
        SchemaCheck::Valid => assert!(theirs, "we alone take a value: {schema}"),
        SchemaCheck::Invalid(problems) => assert!(!theirs, "we alone refuse a value: {schema}: {problems:?}"),
        // If a part cannot be checked, the other validator may refuse because of it.
        SchemaCheck::Partly(_) | SchemaCheck::Unchecked(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "we alone take a value")]
    fn a_verdict_that_differs_is_a_finding() {
        agree(&SchemaCheck::Valid, false, &Value::Null);
    }
}
