//! All operations of a document, in its order, each as a tool or with the reason why it is none.

use std::collections::HashMap;

use serde_json::Value;

use super::answers;
use super::arguments::{self, DeclaredBody};
use super::body_secrets;
use super::content;
use super::parameters;
use crate::limits::{DESCRIPTION_CHARS_MAX, TOOLS_BYTES_MAX};
use crate::method::Method;
use crate::names;
use crate::plan::{PathTemplate, RequestPlan};
use crate::reference::{DocumentSet, Spot, reference_of};
use crate::schema::{SchemaDefinitions, beginning};
use crate::security::{self, SecretParameter, SecretPlace, SecurityScheme};
use crate::servers;
use crate::tool::{ApiTool, SkippedOperation};

/// An operation of a path.
struct ListedOperation<'d> {
    method: Method,
    path: &'d str,
    item: Spot<'d>,
    operation: Spot<'d>,
    name: String,
}

/// Gives every tool, and returns what is left out.
pub(crate) fn each_tool(set: &DocumentSet, mut take: impl FnMut(ApiTool)) -> Vec<SkippedOperation> {
    let mut left_out = Vec::new();
    let mut operations = listed(set, &mut left_out);
    tell_apart(&mut operations);
    let mut maker = ToolMaker {
        set,
        definitions: SchemaDefinitions::new(set),
        schemes: security::schemes(set),
        bytes: 0,
    };
    for operation in operations {
        match maker.tool(&operation) {
            Ok(tool) => take(tool),
            Err(reason) => left_out.push(left(operation.method.key(), operation.path, reason)),
        }
    }
    left_out
}

fn left(method: &str, path: &str, reason: impl Into<String>) -> SkippedOperation {
    SkippedOperation { method: method.to_owned(), path: path.to_owned(), reason: reason.into() }
}

fn listed<'d>(set: &'d DocumentSet, left_out: &mut Vec<SkippedOperation>) -> Vec<ListedOperation<'d>> {
    let mut operations = Vec::new();
    let paths = set.root().get("paths").and_then(Value::as_object).into_iter().flatten();
    for (path, value) in paths.filter(|(path, _)| !path.starts_with("x-")) {
        if !path.starts_with('/') {
            left_out.push(left("*", path, "the path does not begin with a slash"));
            continue;
        }
        let own = Spot { part: 0, value };
        let Some(item) = path_item(set, own) else {
            let reference = reference_of(value).unwrap_or_default();
            left_out.push(left("*", path, format!("the reference {reference:?} to a path leads nowhere")));
            continue;
        };
        for (key, value) in item.value.as_object().into_iter().flatten() {
            let Some(method) = Method::ALL.into_iter().find(|method| method.key() == key) else { continue };
            if !value.is_object() {
                left_out.push(left(key, path, "the operation is no object"));
                continue;
            }
            let operation = Spot { part: item.part, value };
            let name = names::tool(operation_id(value), method, path);
            operations.push(ListedOperation { method, path, item, operation, name });
        }
    }
    operations
}

/// A path item may stand elsewhere. One that has operations itself is not looked for.
fn path_item<'d>(set: &'d DocumentSet, own: Spot<'d>) -> Option<Spot<'d>> {
    let has_operations = Method::ALL.iter().any(|method| own.value.get(method.key()).is_some());
    if has_operations { Some(own) } else { set.follow(own) }
}

fn operation_id(operation: &Value) -> Option<&str> {
    operation.get("operationId").and_then(Value::as_str)
}

/// Operations of one name all get a hash, so that a name never passes from one of them to another.
fn tell_apart(operations: &mut [ListedOperation<'_>]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for operation in operations.iter() {
        *counts.entry(operation.name.clone()).or_default() += 1;
    }
    for operation in operations.iter_mut().filter(|operation| counts[&operation.name] > 1) {
        operation.name = names::tool_apart(&operation.name, operation.method, operation.path);
    }
}

struct ToolMaker<'d> {
    set: &'d DocumentSet,
    definitions: SchemaDefinitions<'d>,
    schemes: Vec<SecurityScheme>,
    /// Bytes of all schemas so far.
    bytes: usize,
}

impl<'d> ToolMaker<'d> {
    fn tool(&mut self, listed: &ListedOperation<'d>) -> Result<ApiTool, String> {
        if self.bytes > TOOLS_BYTES_MAX {
            return Err(format!("the tools before it have more than {TOOLS_BYTES_MAX} bytes"));
        }
        let operation = listed.operation;
        let path = PathTemplate::parse(listed.path);
        let owners = [listed.item, operation];
        let declared = parameters::declared(self.set, &self.schemes, &path, owners)?;
        let body = self.body(operation)?;
        let of_body = body.iter().flat_map(|body| &body.secrets).map(|name| SecretParameter {
            place: SecretPlace::Body,
            name: (*name).to_owned(),
            required: false,
        });
        let secrets = declared.secrets.iter().cloned().chain(of_body).collect();
        let arguments = arguments::of(self.set, &mut self.definitions, &declared, body);
        let answers = answers::of(self.set, operation);
        let output = answers.schema(&mut self.definitions);
        self.bytes += arguments.schema.bytes + output.as_ref().map_or(0, |schema| schema.bytes);
        let texts = OperationTexts::of(listed);
        Ok(ApiTool {
            name: listed.name.clone(),
            title: texts.title,
            description: texts.description,
            input_schema: arguments.schema.value,
            output_schema: output.map(|schema| schema.value),
            method: listed.method,
            path: listed.path.to_owned(),
            operation_id: operation_id(operation.value).map(str::to_owned),
            effects: listed.method.effects(),
            deprecated: operation.value.get("deprecated").and_then(Value::as_bool).unwrap_or(false),
            tags: tags(operation.value),
            produces: answers.media_types,
            server: own_server(listed),
            plan: RequestPlan {
                method: listed.method,
                path,
                parameters: arguments.parameters,
                fixed: declared.fixed,
                body: arguments.body,
                secrets,
            },
        })
    }

    fn body(&self, operation: Spot<'d>) -> Result<Option<DeclaredBody<'d>>, String> {
        let Some(value) = operation.value.get("requestBody") else { return Ok(None) };
        let Some(body) = self.set.follow(Spot { part: operation.part, value }) else {
            let reference = reference_of(value).unwrap_or_default();
            return Err(format!("the reference {reference:?} to a body leads nowhere"));
        };
        let Some(content) = content::chosen(self.set, body) else { return Ok(None) };
        let required = body.value.get("required").and_then(Value::as_bool).unwrap_or(false);
        let description = body.value.get("description").and_then(Value::as_str).unwrap_or_default();
        let secrets = body_secrets::of(self.set, &self.schemes, &content)?;
        Ok(Some(DeclaredBody { content, required, description, secrets }))
    }
}

/// The words about an operation.
struct OperationTexts {
    title: Option<String>,
    description: String,
}

impl OperationTexts {
    fn of(listed: &ListedOperation<'_>) -> Self {
        let text = |owner: &Value, key: &str| {
            let text = owner.get(key).and_then(Value::as_str).map(str::trim);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let (operation, item) = (listed.operation.value, listed.item.value);
        let title = text(operation, "summary").or_else(|| text(item, "summary"));
        let about = text(operation, "description").or_else(|| text(item, "description"));
        let description = match (&title, about) {
            (Some(title), Some(about)) if about.starts_with(title.as_str()) => about,
            (Some(title), Some(about)) => format!("{title}\n\n{about}"),
            (Some(title), None) => title.clone(),
            (None, Some(about)) => about,
            (None, None) => format!("{} {}", listed.method, listed.path),
        };
        OperationTexts { title, description: beginning(&description, DESCRIPTION_CHARS_MAX) }
    }
}

fn tags(operation: &Value) -> Vec<String> {
    let tags = operation.get("tags").and_then(Value::as_array).into_iter().flatten();
    tags.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn own_server(listed: &ListedOperation<'_>) -> Option<String> {
    let of = |owner: &Value| servers::listed(owner).into_iter().next().map(|server| server.url);
    of(listed.operation.value).or_else(|| of(listed.item.value))
}
