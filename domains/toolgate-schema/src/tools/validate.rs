//! `schema.validate`: a value against a version.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use toolgate_core::Refusal;
use toolgate_core::schema::{ValueProblem, ValueVerdict};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::output::{SchemaOutput, namespace_usual, object_ref};
use crate::refusal::{invalid, unchecked};
use crate::schemas::SchemaVersions;

pub(super) const VALIDATE: ToolDefinition = ToolDefinition::reads(
    "schema.validate",
    "Validate a value",
    "Checks a value, or the JSON document in a file, ref or artifact, against a schema. Give value or source_id, not both.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ValidateArguments {
    #[serde(default = "namespace_usual")]
    namespace: String,
    name: String,
    /// Usually the active one
    version: Option<u64>,
    /// Any JSON value
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Value")]
    value: Option<Value>,
    /// Any file_id, ref_id or sha256:… of an artifact that is a JSON text
    source_id: Option<String>,
}

/// A value that is null was given all the same.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ValidateOutput {
    valid: bool,
    problems: Vec<ProblemOutput>,
    schema: SchemaOutput,
}

#[derive(Serialize, JsonSchema)]
struct ProblemOutput {
    /// A JSON pointer; empty for the whole value
    path: String,
    problem: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    expected: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl From<ValueProblem> for ProblemOutput {
    fn from(ValueProblem { path, problem, expected, hint }: ValueProblem) -> Self {
        Self { path, problem, expected, hint }
    }
}

pub(super) async fn validate(
    schemas: Arc<SchemaVersions>,
    context: ToolContext,
    arguments: ValidateArguments,
) -> Result<ToolReply<ValidateOutput>, Refusal> {
    let ValidateArguments { namespace, name, version, value, source_id } = arguments;
    let schema = schemas.version(&namespace, &name, version).await?;
    let value = match (value, source_id) {
        (Some(value), None) => value,
        (None, Some(id)) => schemas.document(&context.holder, &id).await?,
        (Some(_), Some(_)) => {
            return Err(
                invalid("both `value` and `source_id` are given", "source_id").hint("give one of them")
            );
        }
        (None, None) => {
            return Err(invalid("neither `value` nor `source_id` is given", "value").hint("give one of them"));
        }
    };
    let problems = match schemas.verdict(&schema, value).await {
        ValueVerdict::Fits => Vec::new(),
        ValueVerdict::Problems(problems) => problems.into_iter().map(ProblemOutput::from).collect(),
        ValueVerdict::Unchecked(reason) => return Err(unchecked(&reason)),
    };
    let data = ValidateOutput { valid: problems.is_empty(), problems, schema: SchemaOutput::of(&schema) };
    Ok(ToolReply::new(data).refs([object_ref(&schema)]))
}
