//! Results of runs, checked against the schema that their task wants.

use serde_json::Value;
use toolgate_core::RawJson;
use toolgate_core::schema::{SchemaValidator as _, ValueProblem, ValueVerdict};
use toolgate_pipeline::schema::Schemas;
use toolgate_runs::OutcomeCheck;

/// Checks results of runs against the schema of their task.
#[derive(Default)]
pub(crate) struct SchemaOutcomes(Schemas);

impl OutcomeCheck for SchemaOutcomes {
    fn check(&self, schema: &RawJson, value: &Value) -> Result<(), String> {
        match self.0.validate(schema, value) {
            ValueVerdict::Fits => Ok(()),
            ValueVerdict::Problems(problems) => Err(problems.iter().map(line).collect::<Vec<_>>().join("\n")),
            ValueVerdict::Unchecked(why) => Err(format!("the schema of the task cannot be checked: {why}")),
        }
    }
}

fn line(problem: &ValueProblem) -> String {
    let ValueProblem { path, problem, expected, hint } = problem;
    let place = if path.is_empty() { "the whole value" } else { path };
    let wanted = if expected.is_empty() { String::new() } else { format!("expected {expected}, ") };
    let hint = hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{place}: {wanted}{problem}{hint}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_that_does_not_fit_says_where() {
        let outcomes = SchemaOutcomes::default();
        let schema = RawJson::from(json!({ "type": "object", "properties": { "n": { "type": "integer" } } }));
        assert_eq!(outcomes.check(&schema, &json!({ "n": 1 })), Ok(()));
        let told = outcomes.check(&schema, &json!({ "n": "one" })).expect_err("no number");
        assert!(told.starts_with("/n: expected "), "{told}");
    }
}
