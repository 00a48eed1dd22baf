//! The body of a request.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};

use super::multipart::{self, FormPart};
use super::style::{self, ParameterStyle, ValueForm};
use super::{ApiBody, FileArgument, FileLabel, FileLabels};
use crate::bad::BadArguments;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

const BINARY: &str = "application/octet-stream";

#[derive(Clone, Debug)]
pub(crate) struct BodyPlan {
    pub(crate) media_type: String,
    pub(crate) codec: BodyCodec,
    pub(crate) required: bool,
    pub(crate) shape: BodyShape,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyCodec {
    Json,
    Form,
    Multipart,
    /// A string as it is.
    Text,
    /// A string of base64, decoded.
    Bytes,
}

#[derive(Clone, Debug)]
pub(crate) enum BodyShape {
    /// One argument is the body.
    Whole { argument: String },
    /// Arguments are its properties.
    Fields(Vec<BodyField>),
}

/// A property of a body that is an argument.
#[derive(Clone, Debug)]
pub(crate) struct BodyField {
    pub(crate) argument: String,
    pub(crate) name: String,
    pub(crate) required: bool,
    /// How a form writes it; as text or JSON by its value if the document says nothing.
    pub(crate) form: Option<ValueForm>,
    /// The media type of a part, if the document names one.
    pub(crate) media_type: Option<String>,
    pub(crate) content: FieldContent,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FieldContent {
    Data,
    /// Base64, which is decoded where the codec has bytes.
    File,
    /// A list of the same.
    Files,
}

impl BodyPlan {
    pub(super) fn has(&self, name: &str) -> bool {
        match &self.shape {
            BodyShape::Whole { argument } => argument == name,
            BodyShape::Fields(fields) => fields.iter().any(|field| field.argument == name),
        }
    }

    pub(super) fn files(&self) -> Vec<FileArgument> {
        match &self.shape {
            BodyShape::Whole { argument } if self.codec == BodyCodec::Bytes => {
                vec![FileArgument { pointer: pointer(argument), media_type: Some(self.media_type.clone()) }]
            }
            BodyShape::Whole { .. } => Vec::new(),
            BodyShape::Fields(fields) => fields.iter().filter_map(BodyField::file).collect(),
        }
    }

    pub(super) fn labelled(&self) -> Vec<&str> {
        match &self.shape {
            BodyShape::Fields(fields) if self.codec == BodyCodec::Multipart => {
                let files = fields.iter().filter(|field| field.content != FieldContent::Data);
                files.map(|field| field.argument.as_str()).collect()
            }
            BodyShape::Fields(_) | BodyShape::Whole { .. } => Vec::new(),
        }
    }

    /// The body, unless it may be missing and no argument is part of it.
    pub(super) fn fill(
        &self,
        arguments: &Map<String, Value>,
        labels: &FileLabels,
    ) -> Result<Option<ApiBody>, BadArguments> {
        match &self.shape {
            BodyShape::Whole { argument } => match arguments.get(argument) {
                Some(value) => self.whole(argument, value).map(Some),
                None if self.required => Err(BadArguments::Missing { name: argument.clone() }),
                None => Ok(None),
            },
            BodyShape::Fields(fields) => {
                let given: Vec<(&BodyField, &Value)> = fields
                    .iter()
                    .filter_map(|field| Some((field, arguments.get(&field.argument)?)))
                    .collect();
                if given.is_empty() && !self.required {
                    return Ok(None);
                }
                let is_missing =
                    |field: &&BodyField| field.required && !arguments.contains_key(&field.argument);
                if let Some(field) = fields.iter().find(is_missing) {
                    return Err(BadArguments::Missing { name: field.argument.clone() });
                }
                self.fields(&given, labels).map(Some)
            }
        }
    }

    fn whole(&self, argument: &str, value: &Value) -> Result<ApiBody, BadArguments> {
        match (self.codec, value) {
            (BodyCodec::Json, value) => Ok(self.body(value.to_string().into_bytes())),
            (BodyCodec::Text, value) => Ok(self.body(style::text(value).into_owned().into_bytes())),
            (BodyCodec::Bytes, value) => Ok(self.body(decoded(argument, value)?)),
            (BodyCodec::Form | BodyCodec::Multipart, Value::Object(members)) => {
                let fields: Vec<(BodyField, &Value)> =
                    members.iter().map(|(name, value)| (BodyField::unsaid(argument, name), value)).collect();
                let given: Vec<(&BodyField, &Value)> =
                    fields.iter().map(|(field, value)| (field, *value)).collect();
                self.fields(&given, &FileLabels::new())
            }
            _ => Err(BadArguments::Value {
                name: argument.to_owned(),
                says: "is no object, and a form is one",
            }),
        }
    }

    fn fields(&self, given: &[(&BodyField, &Value)], labels: &FileLabels) -> Result<ApiBody, BadArguments> {
        match self.codec {
            BodyCodec::Form => {
                let given = given.iter().filter(|(_, value)| !value.is_null());
                let pairs = given.flat_map(|(field, value)| field.pairs(value));
                let pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
                Ok(self.body(pairs.join("&").into_bytes()))
            }
            BodyCodec::Multipart => {
                let mut parts = Vec::new();
                for (field, value) in given.iter().filter(|(_, value)| !value.is_null()) {
                    let labels = labels.get(&field.argument).map(Vec::as_slice).unwrap_or_default();
                    field.parts(value, labels, &mut parts)?;
                }
                let (boundary, bytes) = multipart::write(&parts);
                Ok(ApiBody { media_type: format!("{}; boundary={boundary}", self.media_type), bytes })
            }
            BodyCodec::Json | BodyCodec::Text | BodyCodec::Bytes => {
                let members = given.iter().map(|(field, value)| (field.name.clone(), (*value).clone()));
                Ok(self.body(Value::Object(members.collect()).to_string().into_bytes()))
            }
        }
    }

    fn body(&self, bytes: Vec<u8>) -> ApiBody {
        ApiBody { media_type: self.media_type.clone(), bytes }
    }
}

impl BodyField {
    /// A field that the document does not describe.
    fn unsaid(argument: &str, name: &str) -> BodyField {
        BodyField {
            argument: argument.to_owned(),
            name: name.to_owned(),
            required: false,
            form: None,
            media_type: None,
            content: FieldContent::Data,
        }
    }

    fn file(&self) -> Option<FileArgument> {
        let pointer = match self.content {
            FieldContent::Data => return None,
            FieldContent::File => pointer(&self.argument),
            FieldContent::Files => format!("{}/-", pointer(&self.argument)),
        };
        Some(FileArgument { pointer, media_type: self.media_type.clone() })
    }

    /// Names and values of a form. Lists repeat the name, and objects are JSON, unless the document says otherwise.
    fn pairs(&self, value: &Value) -> Vec<(String, String)> {
        let listed = ValueForm::Styled { style: ParameterStyle::Form, explode: true, allow_reserved: false };
        let form = match (self.form, value) {
            (Some(form), _) => form,
            (None, Value::Object(_)) => ValueForm::Json,
            (None, _) => listed,
        };
        style::pairs(&form, &self.name, value)
    }

    fn parts(
        &self,
        value: &Value,
        labels: &[FileLabel],
        parts: &mut Vec<FormPart>,
    ) -> Result<(), BadArguments> {
        let Value::Array(items) = value else {
            parts.push(self.part(value, labels.first())?);
            return Ok(());
        };
        // A list of JSON is one part; of anything else, each item is one.
        if self.media_type.as_deref().is_some_and(|media_type| media_type.contains("json")) {
            parts.push(self.part(value, None)?);
            return Ok(());
        }
        for (at, item) in items.iter().enumerate() {
            parts.push(self.part(item, labels.get(at))?);
        }
        Ok(())
    }

    fn part(&self, value: &Value, label: Option<&FileLabel>) -> Result<FormPart, BadArguments> {
        let (name, media_type) = (self.name.clone(), self.media_type.clone());
        if self.content != FieldContent::Data {
            let bytes = decoded(&self.argument, value)?;
            let label = label.cloned().unwrap_or_default();
            // What the file is counts more than what the document expects, as far as anybody knows it.
            let known = label.media_type.filter(|media_type| media_type != BINARY);
            let media_type = known.or(media_type).or_else(|| Some(BINARY.to_owned()));
            let filename = label.name.filter(|name| !name.is_empty()).or_else(|| Some(name.clone()));
            return Ok(FormPart { filename, name, media_type, bytes });
        }
        let is_json = value.is_object() || value.is_array();
        let media_type = media_type.or_else(|| is_json.then(|| "application/json".to_owned()));
        Ok(FormPart { name, filename: None, media_type, bytes: style::text(value).into_owned().into_bytes() })
    }
}

fn pointer(argument: &str) -> String {
    format!("/{}", argument.replace('~', "~0").replace('/', "~1"))
}

fn decoded(argument: &str, value: &Value) -> Result<Vec<u8>, BadArguments> {
    let bad = || BadArguments::Value { name: argument.to_owned(), says: "is not base64" };
    let text = value.as_str().ok_or_else(bad)?;
    BASE64.decode(text).map_err(|_| bad())
}
