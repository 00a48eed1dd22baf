//! Validation of arguments and results against a tool's JSON Schema, with exact problems and likely
//! corrections.
//!
//! A schema is compiled once for each version of a tool. A schema that cannot be used (it is too large, or
//! does not compile) does not make its tool unusable: the check reports that it did not happen. If a schema
//! refers to other documents, everything else in it is checked. `format` is checked if its name is known,
//! unless the operator declares that a server uses it loosely.

mod compile;
mod cost;
mod elsewhere;
mod explain;
mod formats;
mod similar;
#[cfg(test)]
mod tests;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use serde_json::Value;
use toolgate_core::schema::{SchemaValidator, ValueProblem, ValueVerdict};
use toolgate_core::{Digest, RawJson, Tool};

use compile::{CompiledSchema, UsableSchema};
use formats::Formats;

/// The number of tool versions with compiled schemas.
pub const VERSIONS_MAX: usize = 4096;
/// Problems listed for one value; the rest is counted.
pub const PROBLEMS_MAX: usize = 20;

/// The result of checking a value against a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaCheck {
    /// It fits, or the tool has no schema.
    Valid,
    Invalid(Vec<SchemaProblem>),
    /// The checked parts fit; others could not be checked, for this reason.
    Partly(String),
    /// Nothing was checked, for this reason.
    Unchecked(String),
}

/// The result of checking arguments against a schema.
pub type InputCheck = SchemaCheck;

/// One problem of a value.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SchemaProblem {
    /// A JSON pointer; the empty one is the whole value.
    pub path: String,
    /// The value that was found: `got "ten"`.
    pub problem: String,
    /// The expected value: `a number`. Empty if the problem is clear without it.
    pub expected: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The problems as text for a model: a line each, and their hints.
pub fn render(problems: &[SchemaProblem]) -> String {
    let mut lines = Vec::with_capacity(problems.len());
    for problem in problems {
        lines.push(render_line(problem));
        lines.extend(problem.hint.iter().map(|hint| format!("  hint: {hint}")));
    }
    lines.join("\n")
}

fn render_line(SchemaProblem { path, problem, expected, .. }: &SchemaProblem) -> String {
    let place = if path.is_empty() { "the whole value" } else { path };
    if expected.is_empty() { problem.clone() } else { format!("{place}: expected {expected}, {problem}") }
}

/// The compiled schemas of all tools. A lookup takes no lock, so event loops do not wait for each other.
#[derive(Default)]
pub struct Schemas {
    versions: ArcSwap<SchemaVersions>,
}

#[derive(Clone, Default)]
struct SchemaVersions {
    by_digest: HashMap<Digest, Arc<ToolSchemas>>,
    /// The number of schemas ever added, which orders them by age.
    added: u64,
}

#[derive(Default)]
struct ToolSchemas {
    age: u64,
    /// The validators for most tools, and those for tools whose formats are not checked.
    with_formats: SchemaPair,
    without_formats: SchemaPair,
}

#[derive(Default)]
struct SchemaPair {
    input: OnceLock<CompiledSchema>,
    output: OnceLock<CompiledSchema>,
}

impl ToolSchemas {
    fn pair(&self, formats: Formats) -> &SchemaPair {
        match formats {
            Formats::Checked => &self.with_formats,
            Formats::Ignored => &self.without_formats,
        }
    }
}

/// The reason why a tool's input schema, or a part of it, is not checked; `None` if all of it is.
pub fn unchecked(tool: &Tool) -> Option<String> {
    tool.input_schema.as_ref().and_then(|schema| unchecked_schema(schema, Formats::of(tool)))
}

/// The same for a schema as agents read it.
pub fn unchecked_text(schema: &RawJson) -> Option<String> {
    unchecked_schema(schema, Formats::Checked)
}

fn unchecked_schema(schema: &RawJson, formats: Formats) -> Option<String> {
    match CompiledSchema::new(schema, formats) {
        CompiledSchema::Unusable(reason) => Some(format!("nothing of it is checked: {reason}")),
        CompiledSchema::Usable(usable) => {
            let left_out = usable.document.left_out?;
            Some(format!("a part of it is not checked: {left_out}"))
        }
    }
}

impl Schemas {
    /// Holds arguments against the tool's `inputSchema`. Arguments too large to check do not fit: they must not be a
    /// way around the check.
    pub fn check_input(&self, tool: &Tool, arguments: &Value) -> InputCheck {
        let Some(schema) = &tool.input_schema else { return SchemaCheck::Valid };
        let formats = Formats::of(tool);
        self.with(key(tool, schema), |schemas| {
            check_strictly(
                schemas.pair(formats).input.get_or_init(|| CompiledSchema::new(schema, formats)),
                arguments,
            )
        })
    }

    /// Holds a result's `structuredContent` against the tool's `outputSchema`.
    pub fn check_output(&self, tool: &Tool, structured: &Value) -> SchemaCheck {
        let Some(schema) = &tool.output_schema else { return SchemaCheck::Valid };
        let formats = Formats::of(tool);
        self.with(tool.version, |schemas| {
            match schemas.pair(formats).output.get_or_init(|| CompiledSchema::new(schema, formats)) {
                CompiledSchema::Unusable(reason) => SchemaCheck::Unchecked(reason.clone()),
                CompiledSchema::Usable(usable) => match usable.too_large(structured) {
                    Some(reason) => SchemaCheck::Unchecked(format!("the value {reason}")),
                    None => check(usable, structured),
                },
            }
        })
    }

    /// Works on the entry of a version where it lies: counting references would make event loops share a cache line.
    fn with(&self, version: Digest, work: impl FnOnce(&ToolSchemas) -> SchemaCheck) -> SchemaCheck {
        if let Some(schemas) = self.versions.load().by_digest.get(&version) {
            return work(schemas);
        }
        self.versions.rcu(|versions| versions.with(version));
        // Concurrent additions may have evicted it again already.
        let schemas = self.versions.load().by_digest.get(&version).cloned().unwrap_or_default();
        work(&schemas)
    }
}

/// Schemas that the platform keeps are compiled once, too: by the digest of their text.
impl SchemaValidator for Schemas {
    fn unusable(&self, schema: &RawJson) -> Option<String> {
        unchecked_text(schema)
    }

    fn validate(&self, schema: &RawJson, value: &Value) -> ValueVerdict {
        let compiled = || CompiledSchema::new(schema, Formats::Checked);
        let key = Digest::of(schema.as_bytes());
        let checked =
            self.with(key, |schemas| check_strictly(schemas.with_formats.input.get_or_init(compiled), value));
        match checked {
            SchemaCheck::Valid => ValueVerdict::Fits,
            SchemaCheck::Invalid(problems) => {
                ValueVerdict::Problems(problems.into_iter().map(ValueProblem::from).collect())
            }
            SchemaCheck::Partly(reason) | SchemaCheck::Unchecked(reason) => ValueVerdict::Unchecked(reason),
        }
    }
}

impl From<SchemaProblem> for ValueProblem {
    fn from(SchemaProblem { path, problem, expected, hint }: SchemaProblem) -> Self {
        Self { path, problem, expected, hint }
    }
}

impl SchemaVersions {
    /// A copy with one more version, and without the oldest if there would be too many.
    fn with(&self, version: Digest) -> SchemaVersions {
        let mut copy = self.clone();
        if copy.by_digest.contains_key(&version) {
            return copy;
        }
        if copy.by_digest.len() >= VERSIONS_MAX
            && let Some(oldest) =
                copy.by_digest.iter().min_by_key(|(_, schemas)| schemas.age).map(|(digest, _)| *digest)
        {
            copy.by_digest.remove(&oldest);
        }
        copy.added += 1;
        copy.by_digest.insert(version, Arc::new(ToolSchemas { age: copy.added, ..ToolSchemas::default() }));
        copy
    }
}

impl CompiledSchema {
    fn new(schema: &RawJson, formats: Formats) -> CompiledSchema {
        match UsableSchema::compile(schema, formats) {
            Ok(usable) => CompiledSchema::Usable(Box::new(usable)),
            Err(unusable) => CompiledSchema::Unusable(unusable.to_string()),
        }
    }
}

/// The key of a tool's input schema. If files replace arguments, the operator's settings shape the schema
/// too, so the tool's version is not enough.
fn key(tool: &Tool, schema: &RawJson) -> Digest {
    match tool.handling.files.is_empty() {
        true => tool.version,
        false => Digest::of(format!("{}\n{}", tool.version, schema.as_str())),
    }
}

/// A value too large to check does not fit.
fn check_strictly(schema: &CompiledSchema, value: &Value) -> SchemaCheck {
    match schema {
        CompiledSchema::Unusable(reason) => SchemaCheck::Unchecked(reason.clone()),
        CompiledSchema::Usable(usable) => match usable.too_large(value) {
            Some(reason) => SchemaCheck::Invalid(vec![too_large(&reason)]),
            None => check(usable, value),
        },
    }
}

fn check(usable: &UsableSchema, value: &Value) -> SchemaCheck {
    if !usable.is_valid(value) {
        return SchemaCheck::Invalid(explain::problems(usable, value));
    }
    match &usable.document.left_out {
        None => SchemaCheck::Valid,
        Some(reason) => SchemaCheck::Partly(format!("its schema is not used in full: {reason}")),
    }
}

fn too_large(reason: &str) -> SchemaProblem {
    SchemaProblem {
        path: String::new(),
        problem: format!("the value {reason}"),
        expected: String::new(),
        hint: Some("send less in one call".to_owned()),
    }
}
