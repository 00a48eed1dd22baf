//! The arguments of an operation: one schema of all of them, and the plan that makes a request of them.

use serde_json::{Map, Value, json};

use super::content::{self, ChosenContent};
use super::fields::{self, ObjectFields};
use super::parameters::{DeclaredParameter, DeclaredParameters};
use crate::limits::INPUT_BYTES_MAX;
use crate::names;
use crate::plan::{
    BodyCodec, BodyField, BodyPlan, BodyShape, FieldContent, ParameterPlace, ParameterStyle,
    PlannedParameter, ValueForm,
};
use crate::reference::{DocumentSet, Spot};
use crate::schema::{ConvertedSchema, SchemaDefinitions, SchemaDraft, SchemaRoot, SchemaSide, assemble};

/// The body of an operation.
pub(super) struct DeclaredBody<'d> {
    pub(super) content: ChosenContent<'d>,
    pub(super) required: bool,
    pub(super) description: &'d str,
    /// Members that are credentials, which no argument fills in.
    pub(super) secrets: Vec<&'d str>,
}

/// What an operation takes.
pub(super) struct OperationArguments {
    pub(super) schema: SchemaRoot,
    pub(super) parameters: Vec<PlannedParameter>,
    pub(super) body: Option<BodyPlan>,
}

pub(super) fn of<'d>(
    set: &'d DocumentSet,
    definitions: &mut SchemaDefinitions<'d>,
    declared: &DeclaredParameters<'d>,
    body: Option<DeclaredBody<'d>>,
) -> OperationArguments {
    let fields = body.as_ref().and_then(|body| body_fields(set, definitions, body));
    let mut names = argument_names(declared, body.as_ref(), fields.as_ref()).into_iter();
    let mut maker = ArgumentMaker {
        set,
        draft: SchemaDraft::new(definitions, SchemaSide::Input),
        properties: Map::new(),
        required: Vec::new(),
        dependents: Map::new(),
    };
    let mut parameters = Vec::new();
    for (parameter, argument) in declared.arguments.iter().zip(names.by_ref()) {
        parameters.push(maker.parameter(parameter, argument));
    }
    let body = body.map(|body| match fields {
        Some(fields) => maker.fields(&body, &fields, names.by_ref()),
        None => maker.whole(&body, names.next().unwrap_or_else(|| BODY.to_owned())),
    });
    let schema = maker.finish();
    let schema = assemble(definitions, SchemaSide::Input, schema, INPUT_BYTES_MAX);
    OperationArguments { schema, parameters, body }
}

/// The name of the argument that is a whole body.
const BODY: &str = "body";

fn body_fields<'d>(
    set: &'d DocumentSet,
    definitions: &mut SchemaDefinitions<'d>,
    body: &DeclaredBody<'d>,
) -> Option<ObjectFields<'d>> {
    if matches!(body.content.codec, BodyCodec::Text | BodyCodec::Bytes) {
        return None;
    }
    let mut fields = fields::of(set, body.content.schema?, body.required)?;
    let mut draft = SchemaDraft::new(definitions, SchemaSide::Input);
    let mut hidden = Vec::new();
    fields.properties.retain(|(name, spot)| {
        let is_hidden = draft.is_hidden(*spot) || body.secrets.contains(&name.as_str());
        if is_hidden {
            hidden.push(name.as_str());
        }
        !is_hidden
    });
    fields.required.retain(|name| !hidden.contains(name));
    // What is required without being described is an argument that nothing says anything about.
    let described = |name: &&str| fields.properties.iter().any(|(known, _)| known.as_str() == *name);
    fields.required.iter().all(described).then_some(fields)
}

fn argument_names(
    declared: &DeclaredParameters<'_>,
    body: Option<&DeclaredBody<'_>>,
    fields: Option<&ObjectFields<'_>>,
) -> Vec<String> {
    let parameters =
        declared.arguments.iter().map(|parameter| (word(parameter.place), parameter.name.as_str()));
    let named =
        fields.into_iter().flat_map(|fields| &fields.properties).map(|(name, _)| (BODY, name.as_str()));
    let whole = body.filter(|_| fields.is_none()).map(|_| (BODY, BODY));
    names::arguments(parameters.chain(named).chain(whole))
}

fn word(place: ParameterPlace) -> &'static str {
    match place {
        ParameterPlace::Path => "path",
        ParameterPlace::Query => "query",
        ParameterPlace::Header => "header",
        ParameterPlace::Cookie => "cookie",
    }
}

struct ArgumentMaker<'s, 'd> {
    set: &'d DocumentSet,
    draft: SchemaDraft<'s, 'd>,
    properties: Map<String, Value>,
    required: Vec<String>,
    /// Arguments that are required as soon as another one is given.
    dependents: Map<String, Value>,
}

impl<'d> ArgumentMaker<'_, 'd> {
    fn parameter(&mut self, parameter: &DeclaredParameter<'d>, argument: String) -> PlannedParameter {
        let mut schema = match parameter.schema {
            Some(spot) => self.draft.schema(spot),
            None if parameter.place == ParameterPlace::Path => json!({ "type": "string" }),
            None => json!({}),
        };
        self.draft.describe(&mut schema, parameter.description);
        if let (true, Value::Object(members)) = (parameter.deprecated, &mut schema) {
            members.insert("deprecated".to_owned(), Value::Bool(true));
        }
        if parameter.place == ParameterPlace::Path {
            not_empty(&mut schema);
        }
        self.add(&argument, schema, parameter.required);
        PlannedParameter {
            argument,
            name: parameter.name.clone(),
            place: parameter.place,
            required: parameter.required,
            form: parameter.form,
        }
    }

    fn add(&mut self, argument: &str, schema: Value, required: bool) {
        self.draft.count(argument.len() + 4);
        self.properties.insert(argument.to_owned(), schema);
        if required {
            self.required.push(argument.to_owned());
        }
    }

    fn whole(&mut self, body: &DeclaredBody<'d>, argument: String) -> BodyPlan {
        let content = &body.content;
        let mut schema = match (content.codec, content.schema) {
            (BodyCodec::Bytes, _) => bytes_schema(Some(&content.media_type)),
            (BodyCodec::Text, schema) => self.text(schema, &content.media_type),
            (_, Some(spot)) if body.secrets.is_empty() => self.draft.schema(spot),
            (_, Some(spot)) => without(self.draft.schema_itself(spot), &body.secrets),
            (BodyCodec::Form | BodyCodec::Multipart, None) => json!({ "type": "object" }),
            (BodyCodec::Json, None) => json!({}),
        };
        self.draft.describe(&mut schema, body.description);
        self.add(&argument, schema, body.required);
        self.plan(body, BodyShape::Whole { argument })
    }

    /// A text in the form of its media type, such as XML. Only a schema of strings says anything about it.
    fn text(&mut self, schema: Option<Spot<'d>>, media_type: &str) -> Value {
        let is_string = |spot: &Spot<'d>| {
            self.set
                .follow(*spot)
                .is_some_and(|found| found.value.get("type").is_some_and(|kind| kind == "string"))
        };
        let schema = schema.filter(is_string).map(|spot| self.draft.schema(spot));
        schema.unwrap_or_else(|| json!({ "type": "string", "contentMediaType": media_type }))
    }

    fn fields(
        &mut self,
        body: &DeclaredBody<'d>,
        fields: &ObjectFields<'d>,
        names: impl Iterator<Item = String>,
    ) -> BodyPlan {
        let mut planned: Vec<BodyField> = Vec::new();
        for ((name, spot), argument) in fields.properties.iter().zip(names) {
            let required = fields.required.contains(&name.as_str());
            let field = self.field(body, name, *spot, argument);
            self.required.extend((required && body.required).then(|| field.argument.clone()));
            planned.push(BodyField { required, ..field });
        }
        if !body.required {
            self.depend(&planned);
        }
        self.plan(body, BodyShape::Fields(planned))
    }

    fn field(&mut self, body: &DeclaredBody<'d>, name: &str, spot: Spot<'d>, argument: String) -> BodyField {
        let encoding = body.content.encoding.and_then(|all| all.get(name));
        let media_type = encoding.and_then(|said| said.get("contentType")).and_then(Value::as_str);
        let media_type = media_type.map(|said| said.split(',').next().unwrap_or_default().trim());
        let media_type = media_type.filter(|said| !said.contains('*') && !said.is_empty());
        let content = if body.content.codec == BodyCodec::Multipart {
            file_content(self.set, spot)
        } else if is_base64(self.set, spot) {
            FieldContent::File
        } else {
            FieldContent::Data
        };
        let schema = match (body.content.codec, content) {
            (BodyCodec::Multipart, FieldContent::File) => self.file(spot, bytes_schema(media_type)),
            (BodyCodec::Multipart, FieldContent::Files) => {
                self.file(spot, json!({ "type": "array", "items": bytes_schema(media_type) }))
            }
            _ => self.draft.schema(spot),
        };
        self.add(&argument, schema, false);
        BodyField {
            argument,
            name: name.to_owned(),
            required: false,
            form: encoding.and_then(field_form),
            media_type: media_type.map(str::to_owned),
            content,
        }
    }

    /// Bytes have their own schema. Only the text about them is the document's.
    fn file(&mut self, spot: Spot<'d>, mut schema: Value) -> Value {
        let said = spot.value.get("description").and_then(Value::as_str);
        self.draft.describe(&mut schema, said.unwrap_or_default());
        schema
    }

    /// Where a body may be left out, one of its properties makes those necessary that it requires.
    fn depend(&mut self, planned: &[BodyField]) {
        let needed: Vec<&str> =
            planned.iter().filter(|field| field.required).map(|field| field.argument.as_str()).collect();
        for field in planned {
            let others: Vec<&str> = needed.iter().copied().filter(|name| *name != field.argument).collect();
            if !others.is_empty() {
                self.draft.count(others.iter().map(|name| name.len() + 4).sum());
                self.dependents.insert(field.argument.clone(), json!(others));
            }
        }
    }

    fn plan(&self, body: &DeclaredBody<'d>, shape: BodyShape) -> BodyPlan {
        let (media_type, codec) = (body.content.media_type.clone(), body.content.codec);
        BodyPlan { media_type, codec, required: body.required, shape }
    }

    fn finish(mut self) -> ConvertedSchema {
        self.draft.count(70);
        let mut root = Map::new();
        root.insert("type".to_owned(), json!("object"));
        root.insert("properties".to_owned(), Value::Object(self.properties));
        if !self.required.is_empty() {
            root.insert("required".to_owned(), json!(self.required));
        }
        if !self.dependents.is_empty() {
            root.insert("dependentRequired".to_owned(), Value::Object(self.dependents));
        }
        root.insert("additionalProperties".to_owned(), Value::Bool(false));
        self.draft.finish(Value::Object(root))
    }
}

/// A path has something between its slashes.
fn not_empty(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    if members.get("type").is_some_and(|kind| kind == "string") && !members.contains_key("enum") {
        let least = members.get("minLength").and_then(Value::as_u64).unwrap_or(0).max(1);
        members.insert("minLength".to_owned(), json!(least));
    }
}

/// A schema that does not tell of these members.
fn without(mut schema: Value, names: &[&str]) -> Value {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !names.contains(&name.as_str()));
    }
    schema
}

fn bytes_schema(media_type: Option<&str>) -> Value {
    let mut schema = json!({ "type": "string", "contentEncoding": "base64" });
    if let Some(media_type) = media_type {
        schema["contentMediaType"] = json!(media_type);
    }
    schema
}

fn is_base64(set: &DocumentSet, spot: Spot<'_>) -> bool {
    let found = set.follow(spot).map(|found| found.value);
    let text = |key: &str| found.and_then(|schema| schema.get(key)).and_then(Value::as_str);
    text("format") == Some("byte") || text("contentEncoding") == Some("base64")
}

fn file_content(set: &DocumentSet, spot: Spot<'_>) -> FieldContent {
    if content::is_binary(set, spot) {
        return FieldContent::File;
    }
    let items =
        set.follow(spot).and_then(|found| Some(Spot { part: found.part, value: found.value.get("items")? }));
    if items.is_some_and(|items| content::is_binary(set, items)) {
        return FieldContent::Files;
    }
    FieldContent::Data
}

/// The form that an encoding names. It names none if it only has a media type.
fn field_form(encoding: &Value) -> Option<ValueForm> {
    let style = encoding.get("style").and_then(Value::as_str).and_then(ParameterStyle::parse);
    let explode = encoding.get("explode").and_then(Value::as_bool);
    if style.is_none() && explode.is_none() {
        return None;
    }
    let style = style.unwrap_or(ParameterStyle::Form);
    let allow_reserved = encoding.get("allowReserved").and_then(Value::as_bool).unwrap_or(false);
    Some(ValueForm::Styled {
        style,
        explode: explode.unwrap_or(style == ParameterStyle::Form),
        allow_reserved,
    })
}
