//! Requests that are not MCP: a service beside it gets them once Host, Origin and token are checked.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::Credential;

use crate::doors::patience::PatientBody;

pub type RestBody = UnsyncBoxBody<Bytes, Infallible>;

/// A service for the paths that MCP does not have.
pub trait RestService: Send + Sync {
    /// The callers for whom it serves this path, if any.
    fn serves(&self, path: &str) -> ServedCallers;
    fn serve(
        &self,
        credential: Option<Credential>,
        request: http::Request<PatientBody>,
    ) -> BoxFuture<'static, http::Response<RestBody>>;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServedCallers {
    Nothing,
    /// Those with a token.
    Principals,
    /// Anyone: the request proves itself.
    Anyone,
}
