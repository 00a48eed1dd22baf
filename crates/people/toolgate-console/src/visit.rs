//! A logged-in user who views a page.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use http::request::Parts;
use toolgate_core::Role;
use toolgate_core::scope::Credential;

use crate::PageContext;
use crate::address::PageAddress;
use crate::notice::DoneNotice;

/// The user, the address, and the API with the user's rights.
#[derive(Clone)]
pub(crate) struct PageVisit {
    pub(crate) context: PageContext,
    pub(crate) credential: Credential,
    /// The secret of every form of this login: no one else can know it.
    pub(crate) csrf: Arc<str>,
    /// The path and query of this page.
    pub(crate) place: Arc<str>,
    pub(crate) now_ms: i64,
    pub(crate) ends_at_ms: i64,
}

impl PageVisit {
    pub(crate) fn role(&self) -> Role {
        self.credential.principal.role
    }

    /// True if the user has one of these roles. Only the display depends on it; the API checks again.
    pub(crate) fn is_one_of(&self, roles: &[Role]) -> bool {
        roles.contains(&self.role())
    }

    /// May decide about approvals.
    pub(crate) fn decides(&self) -> bool {
        self.is_one_of(&[Role::Admin, Role::Approver])
    }

    /// May change how the gateway runs.
    pub(crate) fn operates(&self) -> bool {
        self.is_one_of(&[Role::Admin, Role::Operator])
    }

    /// May read the ledger.
    pub(crate) fn audits(&self) -> bool {
        self.is_one_of(&[Role::Admin, Role::Operator, Role::Auditor])
    }

    /// After an action: the page to view now, with a confirmation.
    pub(crate) fn go(&self, address: PageAddress, said: DoneNotice) -> Response {
        Redirect::to(address.with(DoneNotice::PARAMETER, said.as_str()).as_str()).into_response()
    }
}

impl<S: Sync> FromRequestParts<S> for PageVisit {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        parts.extensions.get::<PageVisit>().cloned().ok_or(StatusCode::UNAUTHORIZED)
    }
}
