//! Methods of HTTP, and the effects that each of them promises.

use std::fmt;

/// A method that an operation of a document can have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Method {
    Get,
    Head,
    Options,
    Trace,
    Post,
    Put,
    Patch,
    Delete,
}

/// Effects as HTTP defines them for a method. An API may break them; rules of the operator correct that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ApiEffects {
    pub read_only: bool,
    /// True unless the method promises that nothing is lost: of `POST` nobody knows.
    pub destructive: bool,
    pub idempotent: bool,
}

impl Method {
    pub const ALL: [Method; 8] = [
        Method::Get,
        Method::Head,
        Method::Options,
        Method::Trace,
        Method::Post,
        Method::Put,
        Method::Patch,
        Method::Delete,
    ];

    /// The name as a request line has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Options => "OPTIONS",
            Method::Trace => "TRACE",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
        }
    }

    /// The key of a path item.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Method::Get => "get",
            Method::Head => "head",
            Method::Options => "options",
            Method::Trace => "trace",
            Method::Post => "post",
            Method::Put => "put",
            Method::Patch => "patch",
            Method::Delete => "delete",
        }
    }

    /// The method of a name in any case.
    pub fn parse(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(name))
    }

    pub fn effects(self) -> ApiEffects {
        let read_only = matches!(self, Method::Get | Method::Head | Method::Options | Method::Trace);
        let idempotent = read_only || matches!(self, Method::Put | Method::Delete);
        ApiEffects { read_only, destructive: !read_only, idempotent }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
