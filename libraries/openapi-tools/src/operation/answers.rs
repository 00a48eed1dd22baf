//! Answers of an operation that succeeded.

use serde_json::Value;

use super::content;
use crate::limits::OUTPUT_BYTES_MAX;
use crate::reference::{DocumentSet, Spot};
use crate::schema::{SchemaDefinitions, SchemaDraft, SchemaRoot, SchemaSide, assemble};

/// The JSON that a success answers, and all media types of it.
#[derive(Default)]
pub(super) struct OperationAnswers<'d> {
    json: Option<Spot<'d>>,
    pub(super) media_types: Vec<String>,
}

/// The answers of the codes 200 to 299, the lowest first, and of `2XX`.
pub(super) fn of<'d>(set: &'d DocumentSet, operation: Spot<'d>) -> OperationAnswers<'d> {
    let responses = operation.value.get("responses").and_then(Value::as_object).into_iter().flatten();
    let mut successes: Vec<(&String, &Value)> = responses.filter(|(code, _)| is_success(code)).collect();
    successes.sort_by_key(|(code, _)| code.to_ascii_lowercase());
    let mut answers = OperationAnswers::default();
    for (_, value) in successes {
        let Some(response) = set.follow(Spot { part: operation.part, value }) else { continue };
        for (name, media) in response.value.get("content").and_then(Value::as_object).into_iter().flatten() {
            if !answers.media_types.contains(name) {
                answers.media_types.push(name.clone());
            }
            if answers.json.is_none() && content::is_json(&content::essence(name)) {
                answers.json = media.get("schema").map(|value| Spot { part: response.part, value });
            }
        }
    }
    answers
}

fn is_success(code: &str) -> bool {
    code.len() == 3 && code.starts_with('2')
}

impl<'d> OperationAnswers<'d> {
    pub(super) fn schema(&self, definitions: &mut SchemaDefinitions<'d>) -> Option<SchemaRoot> {
        let spot = self.json?;
        let mut draft = SchemaDraft::new(definitions, SchemaSide::Output);
        let value = draft.schema_itself(spot);
        // A schema that says nothing is none.
        value.as_object().filter(|members| !members.is_empty())?;
        let schema = draft.finish(value);
        Some(assemble(definitions, SchemaSide::Output, schema, OUTPUT_BYTES_MAX))
    }
}
