//! The fields of a passage in `tantivy`.

use engine_protocol::{EngineFault, FieldWeights, Stemming};
use serde_json::{Map, Value};
use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, SchemaBuilder, TextFieldIndexing,
    TextOptions,
};

use super::faults::unreadable;
use super::tokens::tokenizer_name;

pub(super) const ORD_FIELD: &str = "ord";
/// The number of fields whose words are scored.
pub(super) const SCORED: usize = 4;
/// Their names in explanations.
pub(super) const SCORED_NAMES: [&str; SCORED] = ["title", "headings", "body", "path"];
/// A longer value of the metadata is not compared.
const METADATA_BYTES_MAX: usize = 16 << 10;

#[derive(Clone, Copy, Debug)]
pub(super) struct PassageFields {
    /// The whole path, by which documents are removed and filtered.
    pub(super) path: Field,
    pub(super) media_type: Field,
    /// Terms `key=json`.
    pub(super) metadata: Field,
    pub(super) ord: Field,
    pub(super) stored: Field,
    /// Title, headings, body, words of the path.
    pub(super) scored: [Field; SCORED],
}

pub(super) fn schema(stemming: Stemming) -> Schema {
    let mut schema = SchemaBuilder::new();
    for name in ["path", "media_type", "metadata"] {
        schema.add_text_field(name, whole());
    }
    schema.add_u64_field(ORD_FIELD, NumericOptions::default().set_fast());
    schema.add_bytes_field("stored", BytesOptions::default().set_stored());
    for (name, option) in [
        ("title", IndexRecordOption::WithFreqs),
        ("headings", IndexRecordOption::WithFreqs),
        ("body", IndexRecordOption::WithFreqsAndPositions),
        ("path_words", IndexRecordOption::WithFreqs),
    ] {
        schema.add_text_field(name, worded(stemming, option));
    }
    schema.build()
}

impl PassageFields {
    pub(super) fn of(schema: &Schema) -> Result<Self, EngineFault> {
        let field = |name| schema.get_field(name).map_err(unreadable);
        Ok(Self {
            path: field("path")?,
            media_type: field("media_type")?,
            metadata: field("metadata")?,
            ord: field(ORD_FIELD)?,
            stored: field("stored")?,
            scored: [field("title")?, field("headings")?, field("body")?, field("path_words")?],
        })
    }
}

pub(super) fn scored_weights(weights: &FieldWeights) -> [f32; SCORED] {
    [weights.title, weights.headings, weights.body, weights.path].map(|weight| weight.max(0.0))
}

/// The terms of a document's metadata. Each part of a list counts as a value, too.
pub(super) fn metadata_terms(metadata: &Map<String, Value>) -> Vec<String> {
    let mut terms = Vec::new();
    for (key, value) in metadata {
        terms.push(metadata_term(key, value));
        if let Value::Array(parts) = value {
            terms.extend(parts.iter().map(|part| metadata_term(key, part)));
        }
    }
    terms.retain(|term| term.len() <= METADATA_BYTES_MAX);
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Equal values have equal terms, however their numbers and keys are written.
pub(super) fn metadata_term(key: &str, value: &Value) -> String {
    format!("{}={}", Value::from(key), canonical(value))
}

fn canonical(value: &Value) -> Value {
    match value {
        Value::Array(parts) => parts.iter().map(canonical).collect(),
        Value::Object(parts) => {
            let mut parts: Vec<(&String, &Value)> = parts.iter().collect();
            parts.sort_unstable_by_key(|(key, _)| *key);
            parts.into_iter().map(|(key, value)| (key.clone(), canonical(value))).collect()
        }
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => Value::from(float as i64),
            _ => value.clone(),
        },
        plain => plain.clone(),
    }
}

fn whole() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    TextOptions::default().set_indexing_options(indexing)
}

fn worded(stemming: Stemming, option: IndexRecordOption) -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(tokenizer_name(stemming))
        .set_fieldnorms(true)
        .set_index_option(option);
    TextOptions::default().set_indexing_options(indexing)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_of_metadata_have_equal_terms() {
        assert_eq!(metadata_term("a", &json!(1)), metadata_term("a", &json!(1.0)));
        assert_eq!(
            metadata_term("a", &json!({"x": 1, "y": 2})),
            metadata_term("a", &json!({"y": 2, "x": 1}))
        );
        assert_ne!(metadata_term("a", &json!("1")), metadata_term("a", &json!(1)));
        assert_ne!(metadata_term("a=b", &json!("c")), metadata_term("a", &json!("b=c")));
        let metadata = json!({"tags": ["x", "y"]});
        let terms = metadata_terms(metadata.as_object().expect("it is an object"));
        assert!(terms.contains(&metadata_term("tags", &json!("y"))), "{terms:?}");
    }
}
