#![doc = include_str!("../README.md")]

// The door: logins, forms and headers.
mod admission;
mod compression;
mod cookie;
mod csrf;
mod entrance;
mod fields;
mod headers;
mod provider;
mod visit;

// Pages.
mod docs;
mod layout;
mod notice;
mod pages;
mod problem;

// Their parts.
mod address;
mod assets;
mod parts;
mod schema_form;

// The API behind them.
mod asking;
mod ports;
mod setup;

use std::sync::Arc;

use bytes::Bytes;
use tower::ServiceExt;

pub use axum::body::Body;
pub use cookie::Cookies;
pub use ports::{
    ApiResponse, Backend, Login, LoginError, Logins, NewLogin, PROVIDER_RETURN, ProviderReturn, ProviderTrip,
};
pub use setup::ConsoleSetup;
pub(crate) use setup::PageContext;

/// The console and the documentation, behind the edge: Host and Origin are checked before a request comes here.
#[derive(Clone)]
pub struct Console {
    router: axum::Router,
}

impl Console {
    pub fn new(setup: ConsoleSetup) -> Console {
        Console { router: pages::router(Arc::new(setup)) }
    }

    /// True if [`Console::serve`] should get requests to a path.
    pub fn handles(path: &str) -> bool {
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        matches!(first, "" | "console" | "docs" | "favicon.ico")
    }

    /// Answers one request, which proves itself with a cookie where it needs to.
    pub async fn serve<B>(&self, request: http::Request<B>) -> ApiResponse
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let served = self.router.clone().oneshot(request.map(Body::new)).await;
        served.unwrap_or_else(|never| match never {})
    }
}
