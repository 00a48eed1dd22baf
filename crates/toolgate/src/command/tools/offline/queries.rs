//! Queries with an id each.

use std::path::Path;

use anyhow::bail;
use serde::Deserialize;
use serde_json::Value;

use super::lines;

const EXPECTED: &str = r#"{"id": "q1", "query": "what is wanted"}; other members are left alone"#;

#[derive(Deserialize)]
pub(super) struct QueryLine {
    /// As written: a measuring program looks it up again.
    #[serde(deserialize_with = "id")]
    pub(super) id: Value,
    pub(super) query: String,
}

impl QueryLine {
    /// A query from the command line.
    pub(super) fn of(query: String) -> Self {
        Self { id: Value::Null, query }
    }

    pub(super) fn id_text(&self) -> String {
        match &self.id {
            Value::String(id) => id.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        }
    }
}

fn id<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    match Value::deserialize(deserializer)? {
        id @ (Value::String(_) | Value::Number(_)) => Ok(id),
        _ => Err(serde::de::Error::custom("`id` is neither text nor a number")),
    }
}

pub(super) fn read(path: &Path) -> anyhow::Result<Vec<QueryLine>> {
    let queries: Vec<QueryLine> =
        lines::read(path, "a query", EXPECTED)?.into_iter().map(|line| line.value).collect();
    if queries.is_empty() {
        bail!("{} has no queries\nhint: on each line {EXPECTED}", path.display());
    }
    Ok(queries)
}
