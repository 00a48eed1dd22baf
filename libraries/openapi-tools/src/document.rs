//! A document that was read.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::bad::BadDocument;
use crate::limits::{DOCUMENTS_MAX, ReadLimits};
use crate::operation;
use crate::reading;
use crate::reference::DocumentSet;
use crate::security::{self, SecurityScheme};
use crate::servers::{self, ApiServer};
use crate::swagger;
use crate::tool::{ApiTool, ApiTools, LeftOutOperation};

/// An OpenAPI document, with the documents it refers to as far as they were supplied.
#[derive(Clone, Debug)]
pub struct ApiDocument {
    set: DocumentSet,
    version: String,
    digest: [u8; 32],
}

/// Reads JSON or YAML. A document of version 2.0 is converted.
pub fn read(bytes: &[u8], limits: &ReadLimits) -> Result<ApiDocument, BadDocument> {
    let root = reading::value(bytes, limits)?;
    let root = current(root)?;
    let version = scalar(&root["info"]["version"]);
    Ok(ApiDocument { set: DocumentSet::new(root), version, digest: Sha256::digest(bytes).into() })
}

/// The document in a version whose operations are understood.
fn current(root: Value) -> Result<Value, BadDocument> {
    let members = root.as_object().ok_or_else(|| BadDocument::NoObject { found: noun(&root) })?;
    let said = members.get("openapi").or_else(|| members.get("swagger")).map(scalar);
    let version = said.ok_or(BadDocument::NoVersion)?;
    let is_two = members.contains_key("swagger") && (version == "2.0" || version == "2");
    let is_three = ["3.0", "3.1", "3.2"].iter().any(|known| {
        version.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    });
    if !is_two && !is_three {
        return Err(BadDocument::OtherVersion { version });
    }
    let has_more = members.contains_key("components") || members.contains_key("webhooks");
    if !members.get("paths").is_some_and(Value::is_object) && !has_more {
        return Err(BadDocument::NoPaths);
    }
    Ok(if is_two { swagger::converted(root) } else { root })
}

/// A version may be written as a number.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl ApiDocument {
    pub fn title(&self) -> &str {
        self.set.root()["info"]["title"].as_str().unwrap_or_default()
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn description(&self) -> Option<&str> {
        self.set.root()["info"]["description"].as_str()
    }

    /// The SHA-256 of the bytes.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Documents that references name and that were not supplied, without fragments: relative to this document, or absolute.
    /// Documents that are supplied can name more.
    pub fn external_references(&self) -> Vec<String> {
        self.set.missing()
    }

    /// Adds a document that `external_references` named.
    pub fn supply(&mut self, reference: &str, bytes: &[u8], limits: &ReadLimits) -> Result<(), BadDocument> {
        if !self.set.missing().iter().any(|name| name == reference) {
            return Err(BadDocument::NotReferenced { reference: reference.to_owned() });
        }
        if self.set.len() > DOCUMENTS_MAX {
            return Err(BadDocument::TooManyDocuments { max: DOCUMENTS_MAX });
        }
        self.set.add(reference.to_owned(), reading::value(bytes, limits)?);
        Ok(())
    }

    /// The addresses that the document lists. If it lists none, requests go to the root of where it was found.
    pub fn servers(&self) -> Vec<ApiServer> {
        servers::listed(self.set.root())
    }

    pub fn security(&self) -> Vec<SecurityScheme> {
        security::schemes(&self.set)
    }

    /// All tools, in the order of the document.
    pub fn tools(&self) -> ApiTools {
        let mut tools = Vec::new();
        let left_out = self.each_tool(|tool| tools.push(tool));
        ApiTools { tools, left_out }
    }

    /// Gives tools one by one, so that not all of their schemas are held at once.
    pub fn each_tool(&self, take: impl FnMut(ApiTool)) -> Vec<LeftOutOperation> {
        operation::each_tool(&self.set, take)
    }
}
