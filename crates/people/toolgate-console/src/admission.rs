//! The step before every page with a login: it identifies the user and turns problems into pages.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{Method, StatusCode};
use toolgate_core::codes;

use crate::csrf::csrf_of;
use crate::layout::{self, ConsolePage};
use crate::problem::{ApiProblem, ShownProblem};
use crate::visit::PageVisit;
use crate::{PageContext, entrance};

/// Runs before every page except those for logging in: identifies the user, and turns problems into pages.
pub(crate) async fn admit(State(context): State<PageContext>, mut request: Request, next: Next) -> Response {
    let visit = match find_out(&context, VisitRequest::of(&context, &request)).await {
        Ok(Some(visit)) => visit,
        Ok(None) => return entrance::ask_to_log_in(&context, &request),
        Err(problem) => {
            return layout::bare(problem.status(), "Temporarily unavailable", layout::problem(&problem));
        }
    };
    request.extensions_mut().insert(visit.clone());
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<ShownProblem>() {
        Some(ShownProblem(problem)) if problem.is(StatusCode::UNAUTHORIZED) => entrance::to_login("/"),
        Some(ShownProblem(problem)) => {
            layout::page(
                &visit,
                problem.status(),
                "That did not work",
                ConsolePage::None,
                layout::problem(&problem),
            )
            .await
        }
        None => response,
    }
}

/// The needed parts of a request, apart from the request itself: it must not be borrowed across an await.
struct VisitRequest {
    secret: Option<String>,
    place: Arc<str>,
}

impl VisitRequest {
    fn of(context: &PageContext, request: &Request) -> Self {
        let place = request.uri().path_and_query().map_or("/", |place| place.as_str());
        let place = if request.method() == Method::GET { place } else { "/" };
        Self { secret: context.cookies.secret(request.headers()), place: place.into() }
    }
}

async fn find_out(context: &PageContext, knock: VisitRequest) -> Result<Option<PageVisit>, Box<ApiProblem>> {
    let Some(secret) = knock.secret else { return Ok(None) };
    let csrf = csrf_of(&secret);
    let found = context.logins.who(secret).await.map_err(|_| {
        ApiProblem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            &codes::STORE_DOWN,
            "your login cannot be checked right now",
        )
        .hint("the database does not respond; try again in a moment")
    })?;
    Ok(found.map(|login| PageVisit {
        context: context.clone(),
        credential: login.credential,
        csrf: csrf.into(),
        place: knock.place,
        now_ms: context.clock.now_ms(),
        ends_at_ms: login.ends_at_ms,
    }))
}
