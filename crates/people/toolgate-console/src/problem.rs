//! A problem, from the API or from the console itself: a page shows it in the same words.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use toolgate_core::codes::{self, Code};

/// An answer, or the problem to show instead.
pub(crate) type PageResult<T> = Result<T, Box<ApiProblem>>;

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ApiProblem {
    #[serde(default)]
    pub(crate) status: u16,
    #[serde(default)]
    pub(crate) code: String,
    #[serde(default)]
    pub(crate) detail: String,
    #[serde(default)]
    pub(crate) hint: Option<String>,
    /// The invalid argument or field, and other members.
    #[serde(flatten)]
    pub(crate) more: serde_json::Map<String, Value>,
}

impl ApiProblem {
    pub(crate) fn new(status: StatusCode, code: &'static Code, detail: impl Into<String>) -> Box<Self> {
        let hint = Some(code.standard_hint()).filter(|hint| !hint.is_empty()).map(str::to_owned);
        Box::new(Self {
            status: status.as_u16(),
            code: code.name.to_owned(),
            detail: detail.into(),
            hint,
            ..Self::default()
        })
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Box<Self> {
        Self::new(StatusCode::NOT_FOUND, &codes::NOT_FOUND, detail)
    }

    /// A form that no page of ours sends.
    pub(crate) fn bad_form(detail: impl Into<String>) -> Box<Self> {
        Self::new(StatusCode::BAD_REQUEST, &codes::FORM_INVALID, detail)
    }

    #[must_use]
    pub(crate) fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    pub(crate) fn is(&self, status: StatusCode) -> bool {
        self.status == status.as_u16()
    }
}

/// `layout::framed` turns it into a page: only there is the user known.
impl IntoResponse for Box<ApiProblem> {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(ShownProblem(self));
        response
    }
}

/// A problem that still has to become a page.
#[derive(Clone)]
pub(crate) struct ShownProblem(pub(crate) Box<ApiProblem>);
