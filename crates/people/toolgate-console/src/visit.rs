//! A logged-in user who views a page.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::request::Parts;
use http::{Method, StatusCode};
use maud::Markup;
use sha2::{Digest, Sha256};
use toolgate_core::Role;
use toolgate_core::codes;
use toolgate_core::scope::Credential;

use crate::address::Address;
use crate::layout::{self, Room};
use crate::problem::{Problem, Shown};
use crate::said::Said;
use crate::{Context, entrance};

/// The user, the address, and the API with the user's rights.
#[derive(Clone)]
pub(crate) struct Visit {
    pub(crate) context: Context,
    pub(crate) credential: Credential,
    /// The secret of every form of this login: no one else can know it.
    pub(crate) csrf: Arc<str>,
    /// The path and query of this page.
    pub(crate) place: Arc<str>,
    pub(crate) now_ms: i64,
    pub(crate) ends_at_ms: i64,
}

impl Visit {
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

    /// A whole page.
    pub(crate) async fn page(&self, title: &str, room: Room, body: Markup) -> Response {
        layout::page(self, StatusCode::OK, title, room, body).await
    }

    /// The same, for a form that must be filled in again.
    pub(crate) async fn page_with(
        &self,
        status: StatusCode,
        title: &str,
        room: Room,
        body: Markup,
    ) -> Response {
        layout::page(self, status, title, room, body).await
    }

    /// After an action: the page to view now, with a confirmation.
    pub(crate) fn go(&self, address: Address, said: Said) -> Response {
        Redirect::to(address.with(Said::PARAMETER, said.as_str()).as_str()).into_response()
    }
}

impl<S: Sync> FromRequestParts<S> for Visit {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        parts.extensions.get::<Visit>().cloned().ok_or(StatusCode::UNAUTHORIZED)
    }
}

/// Runs before every page except those for logging in: identifies the user, and turns problems into pages.
pub(crate) async fn admit(State(context): State<Context>, mut request: Request, next: Next) -> Response {
    let visit = match find_out(&context, Knock::of(&context, &request)).await {
        Ok(Some(visit)) => visit,
        Ok(None) => return entrance::ask_to_log_in(&context, &request),
        Err(problem) => {
            return layout::bare(problem.status(), "Temporarily unavailable", layout::problem(&problem));
        }
    };
    request.extensions_mut().insert(visit.clone());
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<Shown>() {
        Some(Shown(problem)) if problem.is(StatusCode::UNAUTHORIZED) => entrance::to_login("/"),
        Some(Shown(problem)) => {
            layout::page(&visit, problem.status(), "That did not work", Room::None, layout::problem(&problem))
                .await
        }
        None => response,
    }
}

/// The needed parts of a request, apart from the request itself: it must not be borrowed across an await.
struct Knock {
    secret: Option<String>,
    place: Arc<str>,
}

impl Knock {
    fn of(context: &Context, request: &Request) -> Self {
        let place = request.uri().path_and_query().map_or("/", |place| place.as_str());
        let place = if request.method() == Method::GET { place } else { "/" };
        Self { secret: context.cookies.secret(request.headers()), place: place.into() }
    }
}

async fn find_out(context: &Context, knock: Knock) -> Result<Option<Visit>, Box<Problem>> {
    let Some(secret) = knock.secret else { return Ok(None) };
    let csrf = csrf_of(&secret);
    let found = context.logins.who(secret).await.map_err(|_| {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            &codes::STORE_DOWN,
            "your login cannot be checked right now",
        )
        .hint("the database does not respond; try again in a moment")
    })?;
    Ok(found.map(|login| Visit {
        context: context.clone(),
        credential: login.credential,
        csrf: csrf.into(),
        place: knock.place,
        now_ms: context.clock.now_ms(),
        ends_at_ms: login.ends_at_ms,
    }))
}

/// Follows from the secret of the login, and does not tell it.
pub(crate) fn csrf_of(secret: &str) -> String {
    use base64::Engine;
    let digest = Sha256::new().chain_update(b"toolgate console form\0").chain_update(secret.as_bytes());
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest.finalize())
}
