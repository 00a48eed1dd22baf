//! The way of arguments into a request.

use serde_json::{Map, Value};

use crate::bad::BadArguments;
use crate::method::Method;
use crate::security::SecretParameter;

/// How the arguments of a tool become a request.
#[derive(Clone, Debug)]
pub struct RequestPlan {
    pub(crate) method: Method,
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

impl RequestPlan {
    /// The request of these arguments, which should fit the tool's schema.
    pub fn request(&self, arguments: &Map<String, Value>) -> Result<ApiRequest, BadArguments> {
        let _ = arguments;
        Ok(ApiRequest {
            method: self.method,
            path_and_query: String::new(),
            headers: vec![],
            cookies: vec![],
            body: None,
        })
    }

    /// The arguments that hold bytes as base64.
    pub fn files(&self) -> Vec<FileArgument> {
        Vec::new()
    }

    /// Parameters of the operation that are secrets, so that no argument fills them in.
    pub fn security_parameters(&self) -> &[SecretParameter] {
        &[]
    }
}
