//! From the text of a schema to a validator, within bounds: neither compiling nor checking may take long, for
//! any schema and any value.

use jsonschema::{PatternOptions, Retrieve, Uri, ValidationError, ValidationOptions, Validator};
use serde_json::{Value, json};
use toolgate_core::RawJson;

use super::cost::{NotBounded, SchemaDocument};
use super::elsewhere::ANYTHING;
use super::formats::{Formats, is_uuid};
use super::words::shortened;

/// The largest schema that is compiled.
pub(super) const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Scalars, arrays and objects in a value that is checked.
pub(super) const NODES_MAX: usize = 100_000;
/// The same where the schema has patterns with look-around: only those can make the engine go back.
pub(super) const NODES_WITH_LOOK_AROUND_MAX: usize = 2_000;
/// The maximum nesting depth of a checked value.
pub(super) const DEPTH_MAX: usize = 128;
/// The number of backtracks after which a match counts as failed.
const BACKTRACKS_MAX: usize = 10_000;
/// The maximum size of one compiled pattern.
const PATTERN_BYTES_MAX: usize = 1 << 20;
/// The number of characters of a compiler's complaint that are passed on.
const COMPLAINT_CHARS_MAX: usize = 300;

pub(super) enum CompiledSchema {
    Usable(Box<UsableSchema>),
    /// The reason why nothing is checked.
    Unusable(String),
}

#[derive(Debug, thiserror::Error)]
pub(super) enum SchemaError {
    #[error("its schema has {0} bytes; at most {SCHEMA_BYTES_MAX} are compiled")]
    TooLarge(usize),
    #[error("its schema cannot be read: {0}")]
    Unreadable(#[source] serde_json::Error),
    #[error("its schema is not used: {0}")]
    NotBounded(#[from] NotBounded),
    #[error("its schema does not compile: {0}")]
    NotCompiled(String),
}

pub(super) struct UsableSchema {
    pub(super) document: SchemaDocument,
    validator: Validator,
    nodes_max: usize,
}

impl UsableSchema {
    pub(super) fn compile(schema: &RawJson, formats: Formats) -> Result<UsableSchema, SchemaError> {
        if schema.as_bytes().len() > SCHEMA_BYTES_MAX {
            return Err(SchemaError::TooLarge(schema.as_bytes().len()));
        }
        let document = SchemaDocument::new(schema.decode().map_err(SchemaError::Unreadable)?)?;
        let (validator, nodes_max) = build(&document.schema, formats)?;
        Ok(UsableSchema { document, validator, nodes_max })
    }

    pub(super) fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    pub(super) fn errors<'a>(&'a self, value: &'a Value) -> impl Iterator<Item = ValidationError<'a>> {
        self.validator.iter_errors(value)
    }

    /// The limit that a value exceeds, if any.
    pub(super) fn too_large(&self, value: &Value) -> Option<String> {
        let mut nodes_left = self.nodes_max;
        match measure(value, DEPTH_MAX, &mut nodes_left) {
            Ok(()) => None,
            Err(SchemaExcess::Depth) => Some(format!("nests deeper than {DEPTH_MAX} levels")),
            Err(SchemaExcess::Nodes) => {
                Some(format!("has more than {} parts, too many to check", self.nodes_max))
            }
        }
    }
}

enum SchemaExcess {
    Depth,
    Nodes,
}

fn measure(value: &Value, depth_left: usize, nodes_left: &mut usize) -> Result<(), SchemaExcess> {
    *nodes_left = nodes_left.checked_sub(1).ok_or(SchemaExcess::Nodes)?;
    match value {
        Value::Array(items) => {
            let deeper = depth_left.checked_sub(1).ok_or(SchemaExcess::Depth)?;
            items.iter().try_for_each(|item| measure(item, deeper, nodes_left))
        }
        Value::Object(members) => {
            let deeper = depth_left.checked_sub(1).ok_or(SchemaExcess::Depth)?;
            members.values().try_for_each(|member| measure(member, deeper, nodes_left))
        }
        _ => Ok(()),
    }
}

/// Tries the engine with linear matching time first. Generated schemas do use look-around (for e-mail
/// addresses, for example), which that engine refuses; then the other one, with tight limits.
fn build(schema: &Value, formats: Formats) -> Result<(Validator, usize), SchemaError> {
    let options = || options(formats);
    let linear = PatternOptions::regex().size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_BYTES_MAX);
    if let Ok(validator) = options().with_pattern_options(linear).build(schema) {
        return Ok((validator, NODES_MAX));
    }
    let backtracking = PatternOptions::fancy_regex()
        .backtrack_limit(BACKTRACKS_MAX)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(PATTERN_BYTES_MAX);
    match options().with_pattern_options(backtracking).build(schema) {
        Ok(validator) => Ok((validator, NODES_WITH_LOOK_AROUND_MAX)),
        Err(error) => Err(SchemaError::NotCompiled(shortened(&error.to_string(), COMPLAINT_CHARS_MAX))),
    }
}

fn options(formats: Formats) -> ValidationOptions<'static> {
    let options = jsonschema::options().with_retriever(OpenRetriever);
    match formats {
        Formats::Ignored => options.should_validate_formats(false),
        // Older dialects have no `uuid`, and the schemas that name them do.
        Formats::Checked => options
            .should_validate_formats(true)
            .with_format("uuid", is_uuid)
            .with_format("regex", |_: &str| true),
    }
}

/// Answers every request for another document with the schema that everything fits.
struct OpenRetriever;

impl Retrieve for OpenRetriever {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        match uri.as_str() {
            ANYTHING => Ok(json!({})),
            other => Err(format!("{other} is not part of the schema, and nothing is fetched").into()),
        }
    }
}
