//! One request of an action, as the file describes it.

use openapi_tools::{Method, RequestPlan};
use serde_json::{Map, Value};

use crate::bytes::bytes_of;
use crate::error::BadActionArguments;
use crate::words::{AnswerKind, Encoding, RequestPlace};

pub(crate) struct RequestStep {
    pub(crate) method: Method,
    pub(crate) target: StepTarget,
    pub(crate) answer: AnswerKind,
    /// It changes nothing that anybody sees, so it may be sent again.
    pub(crate) is_read: bool,
    /// Names for members of the answer, by pointer.
    pub(crate) take: Vec<(String, String)>,
    pub(crate) values: Vec<StepValue>,
}

pub(crate) enum StepTarget {
    /// A path with `{name}` in it, under the base address.
    Path(String),
    /// The whole address, under this name among what was taken.
    Taken(String),
    Operation(Box<RequestPlan>),
}

pub(crate) struct StepValue {
    pub(crate) source: ValueSource,
    pub(crate) place: RequestPlace,
    /// The provider's name for it; in a JSON body a pointer.
    pub(crate) name: String,
    pub(crate) encode: Option<Encoding>,
    /// The argument that names the file, in a multipart body.
    pub(crate) file_name: Option<String>,
}

pub(crate) enum ValueSource {
    Argument(String),
    Taken(String),
    Constant(Value),
    /// The number of bytes that an argument in Base64 stands for.
    LengthOf(String),
}

/// A value on its way into a request.
pub(crate) struct PlacedValue {
    /// The name that the caller knows.
    pub(crate) argument: String,
    pub(crate) place: RequestPlace,
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) encode: Option<Encoding>,
    pub(crate) file_name: Option<String>,
}

impl PlacedValue {
    pub(crate) fn plain(place: RequestPlace, name: &str, value: Value) -> Self {
        let argument = name.trim_start_matches('/').to_owned();
        let name = match place {
            RequestPlace::Body if !name.starts_with('/') => format!("/{name}"),
            _ => name.to_owned(),
        };
        Self { argument, place, name, value, encode: None, file_name: None }
    }
}

impl RequestStep {
    /// The name of what was taken, if that is its address.
    pub(crate) fn taken_address(&self) -> Option<&str> {
        match &self.target {
            StepTarget::Taken(name) => Some(name),
            StepTarget::Path(_) | StepTarget::Operation(_) => None,
        }
    }

    /// The values of this step. Arguments that were not given are left out, and so is `null`.
    pub(crate) fn placed(
        &self,
        arguments: &Map<String, Value>,
        taken: &Map<String, Value>,
    ) -> Result<Vec<PlacedValue>, BadActionArguments> {
        let mut placed = Vec::with_capacity(self.values.len());
        for one in &self.values {
            let (argument, value) = match &one.source {
                ValueSource::Argument(name) => (name.clone(), arguments.get(name).cloned()),
                ValueSource::Taken(name) => (name.clone(), taken.get(name).cloned()),
                ValueSource::Constant(value) => (one.name.clone(), Some(value.clone())),
                ValueSource::LengthOf(name) => (name.clone(), length_of(arguments, name)?),
            };
            let Some(value) = value.filter(|value| !value.is_null()) else { continue };
            let named = one.file_name.as_ref().and_then(|name| arguments.get(name));
            placed.push(PlacedValue {
                argument,
                place: one.place,
                name: one.name.clone(),
                value,
                encode: one.encode,
                file_name: named.and_then(Value::as_str).map(str::to_owned),
            });
        }
        Ok(placed)
    }
}

fn length_of(arguments: &Map<String, Value>, name: &str) -> Result<Option<Value>, BadActionArguments> {
    let Some(value) = arguments.get(name) else { return Ok(None) };
    let bytes = bytes_of(name, value)?;
    Ok(Some(Value::from(bytes.len())))
}
