//! The API's data about schemas.

use maud::Markup;
use serde::Deserialize;
use serde_json::Value;

use crate::address::PageAddress;
use crate::parts::{self, BadgeTone};

#[derive(Deserialize)]
pub(super) struct SchemasData {
    pub(super) schemas: Vec<SchemaData>,
    #[serde(default)]
    pub(super) next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SchemaData {
    pub(super) id: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) version: u64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) compatibility: String,
    pub(super) status: String,
    pub(super) digest: String,
    #[serde(default)]
    pub(super) description: Option<String>,
    pub(super) created_by: String,
    pub(super) created_at: String,
    pub(super) status_by: String,
    pub(super) status_since: String,
}

#[derive(Deserialize)]
pub(super) struct SchemaDetailData {
    pub(super) schema: SchemaData,
    pub(super) definition: Value,
    #[serde(default)]
    pub(super) changes: Option<SchemaChangesData>,
    #[serde(default)]
    pub(super) compared: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct SchemaChangesData {
    /// The version that it is compared with.
    pub(super) from: u64,
    pub(super) summary: String,
    pub(super) changes: Vec<SchemaChangeData>,
}

#[derive(Deserialize)]
pub(super) struct SchemaChangeData {
    pub(super) words: String,
}

impl SchemaData {
    /// `invoice`, or `billing:invoice` in another namespace than the usual one.
    pub(super) fn path(&self) -> String {
        match self.namespace.as_str() {
            "default" => self.name.clone(),
            namespace => format!("{namespace}:{}", self.name),
        }
    }

    pub(super) fn address(&self) -> PageAddress {
        PageAddress::of(["console", "schemas", &self.id])
    }

    pub(super) fn badge(&self) -> Markup {
        let tone = match self.status.as_str() {
            "active" => BadgeTone::Good,
            "draft" => BadgeTone::Waiting,
            _ => BadgeTone::Plain,
        };
        parts::badge(&self.status, tone)
    }
}
