//! Parameters of Swagger 2.0, of which some are now the body.

use serde_json::{Map, Value, json};

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// The parameters of one operation.
#[derive(Default)]
pub(super) struct SwaggerParameters<'r> {
    body: Option<&'r Value>,
    form: Vec<&'r Value>,
    others: Vec<&'r Value>,
}

fn text<'r>(parameter: &'r Value, key: &str) -> &'r str {
    parameter.get(key).and_then(Value::as_str).unwrap_or_default()
}

impl<'r> SwaggerParameters<'r> {
    /// A later parameter replaces an earlier one of its name and place.
    pub(super) fn take(&mut self, parameter: &'r Value) {
        let is_other = |known: &&Value| {
            text(known, "name") != text(parameter, "name") || text(known, "in") != text(parameter, "in")
        };
        match text(parameter, "in") {
            "body" => self.body = Some(parameter),
            "formData" => {
                self.form.retain(is_other);
                self.form.push(parameter);
            }
            "" => self.others.push(parameter),
            _ => {
                self.others.retain(is_other);
                self.others.push(parameter);
            }
        }
    }

    pub(super) fn body(&self, consumes: &[String]) -> Option<Value> {
        if let Some(body) = self.body {
            let media = json!({ "schema": body.get("schema").cloned().unwrap_or_else(|| json!({})) });
            let content: Map<String, Value> =
                consumes.iter().map(|name| (name.clone(), media.clone())).collect();
            return Some(json!({
                "description": text(body, "description"), "required": is_required(body), "content": content,
            }));
        }
        (!self.form.is_empty()).then(|| self.form_body(consumes))
    }

    fn form_body(&self, consumes: &[String]) -> Value {
        let has_file = self.form.iter().any(|field| text(field, "type") == "file");
        let is_multipart = has_file
            || !consumes.iter().any(|name| name.starts_with(FORM))
                && consumes.iter().any(|name| name.starts_with("multipart/"));
        let (mut properties, mut encoding) = (Map::new(), Map::new());
        for field in &self.form {
            let name = text(field, "name").to_owned();
            if text(field, "type") == "array" {
                encoding.insert(name.clone(), Value::Object(styled(field)));
            }
            properties.insert(name, schema(field));
        }
        let required: Vec<&str> =
            self.form.iter().filter(|field| is_required(field)).map(|field| text(field, "name")).collect();
        let mut object = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            object["required"] = json!(required);
        }
        let media = json!({ "schema": object, "encoding": encoding });
        let mut content = Map::new();
        content.insert(if is_multipart { MULTIPART } else { FORM }.to_owned(), media);
        json!({ "required": !required.is_empty(), "content": content })
    }

    /// The parameters that still are some.
    pub(super) fn others(&self) -> Value {
        let of = |parameter: &&Value| {
            if parameter.get("in").is_none() {
                return (*parameter).clone();
            }
            let mut made = styled(parameter);
            for key in ["name", "in", "description", "required", "deprecated"] {
                if let Some(value) = parameter.get(key) {
                    made.insert(key.to_owned(), value.clone());
                }
            }
            made.insert("schema".to_owned(), schema(parameter));
            Value::Object(made)
        };
        Value::Array(self.others.iter().map(of).collect())
    }
}

fn is_required(parameter: &Value) -> bool {
    parameter.get("required").and_then(Value::as_bool).unwrap_or(false)
}

/// The style of a list; everything else has the usual one.
fn styled(parameter: &Value) -> Map<String, Value> {
    let is_query = matches!(text(parameter, "in"), "query" | "formData");
    let (style, explode) = match text(parameter, "collectionFormat") {
        _ if text(parameter, "type") != "array" => return Map::new(),
        "multi" if is_query => ("form", true),
        "ssv" if is_query => ("spaceDelimited", false),
        "pipes" if is_query => ("pipeDelimited", false),
        _ if is_query => ("form", false),
        _ => ("simple", false),
    };
    [("style".to_owned(), json!(style)), ("explode".to_owned(), json!(explode))].into_iter().collect()
}

/// Keywords that stood in the parameter itself.
const SCHEMA_KEYWORDS: [&str; 17] = [
    "type",
    "format",
    "items",
    "default",
    "enum",
    "maximum",
    "minimum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "x-nullable",
];

fn schema(parameter: &Value) -> Value {
    let own = |key: &&str| Some(((*key).to_owned(), parameter.get(*key)?.clone()));
    let mut schema: Map<String, Value> = SCHEMA_KEYWORDS.iter().filter_map(own).collect();
    if text(parameter, "type") == "file" {
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("format".to_owned(), json!("binary"));
    }
    if let Some(description) = parameter.get("description").filter(|_| text(parameter, "in") == "formData") {
        schema.insert("description".to_owned(), description.clone());
    }
    Value::Object(schema)
}
