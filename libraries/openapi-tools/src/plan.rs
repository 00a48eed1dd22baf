//! The way of arguments into a request.

mod body;
mod multipart;
mod style;
mod target;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

pub(crate) use body::{BodyCodec, BodyField, BodyPlan, BodyShape, FieldContent};
pub(crate) use style::{ParameterStyle, ValueForm};
pub(crate) use target::PathTemplate;

use crate::bad::BadArguments;
use crate::method::Method;
use crate::security::SecretParameter;

/// How the arguments of a tool become a request.
#[derive(Clone, Debug)]
pub struct RequestPlan {
    pub(crate) method: Method,
    pub(crate) path: PathTemplate,
    pub(crate) parameters: Vec<PlannedParameter>,
    /// Headers that every request has. The media type of a body replaces the one here.
    pub(crate) fixed: Vec<(String, String)>,
    pub(crate) body: Option<BodyPlan>,
    pub(crate) secrets: Vec<SecretParameter>,
}

/// The place of an argument in a request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ParameterPlace {
    Path,
    Query,
    Header,
    Cookie,
}

/// An argument that becomes a parameter.
#[derive(Clone, Debug)]
pub(crate) struct PlannedParameter {
    pub(crate) argument: String,
    /// The name in the request.
    pub(crate) name: String,
    pub(crate) place: ParameterPlace,
    pub(crate) required: bool,
    pub(crate) form: ValueForm,
}

/// A request without its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiRequest {
    pub method: Method,
    /// Begins with `/` and is encoded. The path of the base is put before it.
    pub path_and_query: String,
    pub headers: Vec<(String, String)>,
    pub cookies: Vec<(String, String)>,
    pub body: Option<ApiBody>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiBody {
    pub media_type: String,
    pub bytes: Vec<u8>,
}

/// An argument that holds bytes as base64.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileArgument {
    /// The JSON Pointer of the argument; a last step `-` stands for every item of a list.
    pub pointer: String,
    pub media_type: Option<String>,
}

/// What a form says about a file beside its bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileLabel {
    pub name: Option<String>,
    pub media_type: Option<String>,
}

/// The labels of files by their argument, in the order of its files.
pub type FileLabels = BTreeMap<String, Vec<FileLabel>>;

impl RequestPlan {
    /// The request of these arguments, which should fit the tool's schema.
    pub fn request(&self, arguments: &Map<String, Value>) -> Result<ApiRequest, BadArguments> {
        self.request_with(arguments, &FileLabels::new())
    }

    /// The same, with names and media types for the files of a form.
    pub fn request_with(
        &self,
        arguments: &Map<String, Value>,
        labels: &FileLabels,
    ) -> Result<ApiRequest, BadArguments> {
        self.refuse_unknown(arguments)?;
        let mut request = ApiRequest {
            method: self.method,
            path_and_query: String::new(),
            headers: Vec::new(),
            cookies: Vec::new(),
            body: None,
        };
        let (mut path, mut query) = (Vec::new(), Vec::new());
        for parameter in &self.parameters {
            let Some(value) = parameter.value(arguments)? else { continue };
            match parameter.place {
                ParameterPlace::Path => path.push((parameter.name.as_str(), parameter.in_path(value)?)),
                ParameterPlace::Query => query.extend(style::pairs(&parameter.form, &parameter.name, value)),
                ParameterPlace::Header => request.headers.push(parameter.header(value)?),
                ParameterPlace::Cookie => request.cookies.extend(parameter.cookies(value)),
            }
        }
        request.path_and_query = self.path.fill(&path, &query)?;
        request.body = self.body.as_ref().map(|body| body.fill(arguments, labels)).transpose()?.flatten();
        let has_body = request.body.is_some();
        let fixed =
            self.fixed.iter().filter(|(name, _)| !(has_body && name.eq_ignore_ascii_case("content-type")));
        request.headers.extend(fixed.cloned());
        Ok(request)
    }

    /// The arguments that hold bytes as base64.
    pub fn files(&self) -> Vec<FileArgument> {
        self.body.as_ref().map(BodyPlan::files).unwrap_or_default()
    }

    /// The arguments whose files have a label in the request: those of a form.
    pub fn labelled(&self) -> Vec<&str> {
        self.body.as_ref().map(BodyPlan::labelled).unwrap_or_default()
    }

    /// Parameters of the operation that are secrets, so that no argument fills them in.
    pub fn security_parameters(&self) -> &[SecretParameter] {
        &self.secrets
    }

    /// The argument that becomes this parameter of the query.
    pub fn query_argument(&self, name: &str) -> Option<&str> {
        let is_it = |one: &&PlannedParameter| one.place == ParameterPlace::Query && one.name == name;
        self.parameters.iter().find(is_it).map(|one| one.argument.as_str())
    }

    fn refuse_unknown(&self, arguments: &Map<String, Value>) -> Result<(), BadArguments> {
        let is_known = |name: &str| {
            self.parameters.iter().any(|parameter| parameter.argument == name)
                || self.body.as_ref().is_some_and(|body| body.has(name))
        };
        match arguments.keys().find(|name| !is_known(name)) {
            Some(name) => Err(BadArguments::Unknown { name: name.clone() }),
            None => Ok(()),
        }
    }
}

impl PlannedParameter {
    /// The value, if there is one. Null stands for none, since no parameter can say it.
    fn value<'a>(&self, arguments: &'a Map<String, Value>) -> Result<Option<&'a Value>, BadArguments> {
        match arguments.get(&self.argument).filter(|value| !value.is_null()) {
            None if self.required => Err(BadArguments::Missing { name: self.argument.clone() }),
            value => Ok(value),
        }
    }

    fn bad(&self, says: &'static str) -> BadArguments {
        BadArguments::Value { name: self.argument.clone(), says }
    }

    /// A text that leads to another path than the one that was asked for is refused.
    fn in_path(&self, value: &Value) -> Result<String, BadArguments> {
        let text = style::segment(&self.form, &self.name, value);
        if text.is_empty() {
            return Err(self.bad("is empty, and a path has it between its slashes"));
        }
        Ok(text)
    }

    fn header(&self, value: &Value) -> Result<(String, String), BadArguments> {
        let text = style::header(&self.form, value);
        let is_plain = text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
        if !is_plain {
            return Err(self.bad("has a character that no header can carry"));
        }
        Ok((self.name.clone(), text))
    }

    fn cookies(&self, value: &Value) -> Vec<(String, String)> {
        style::pairs(&self.form, &self.name, value)
    }
}
