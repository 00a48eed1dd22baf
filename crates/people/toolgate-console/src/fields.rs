//! The fields of a submitted form, once it is known to come from our own page.

use axum::extract::{FromRequest, Request};
use http::StatusCode;
use http_body_util::{BodyExt, Limited};
use toolgate_core::codes;

use crate::PageContext;
use crate::csrf::{CSRF, check_csrf, csrf_of};
use crate::problem::{ApiProblem, PageResult};

/// Name and value, in the order of the form.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl From<Vec<(String, String)>> for FormFields {
    fn from(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }
}

impl FormFields {
    #[cfg(test)]
    pub(crate) fn of(pairs: &[(&str, &str)]) -> Self {
        Self(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    /// The first of this name, also an empty one.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// The first of this name, unless it is blank.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// A field that every form of this kind has.
    pub(crate) fn needed(&self, name: &str) -> PageResult<&str> {
        self.text(name).ok_or_else(|| ApiProblem::bad_form(format!("the field {name:?} is empty")))
    }

    pub(crate) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// True if a box is checked.
    pub(crate) fn ticked(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl FromRequest<PageContext> for FormFields {
    type Rejection = Box<ApiProblem>;

    async fn from_request(request: Request, context: &PageContext) -> PageResult<Self> {
        let expected = context.cookies.secret(request.headers()).map(|secret| csrf_of(&secret));
        let read = Limited::new(request.into_body(), context.form_bytes_max).collect().await;
        let body = read.map_err(|_| {
            let detail = format!("the form is larger than {} bytes", context.form_bytes_max);
            ApiProblem::new(StatusCode::PAYLOAD_TOO_LARGE, &codes::BODY_TOO_LARGE, detail)
                .hint("upload long contents as a file and name its id")
        })?;
        let pairs = url::form_urlencoded::parse(&body.to_bytes()).into_owned().collect();
        let fields = Self(pairs);
        check_csrf(fields.get(CSRF), expected.as_deref())?;
        Ok(fields)
    }
}
