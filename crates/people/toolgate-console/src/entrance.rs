//! Logging in with a token or with a link that works once, and logging out.

use axum::extract::{Path, Query, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Limited};
use maud::{Markup, html};
use serde::Deserialize;
use toolgate_core::codes;

use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::parts::text;
use crate::ports::{LoginError, NewLogin};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;
use crate::{PageContext, layout};

const LOGIN: [&str; 2] = ["console", "login"];
/// Enough for a token and an address.
const FORM_BYTES_MAX: usize = 16 << 10;

#[derive(Deserialize)]
pub(crate) struct LoginQuery {
    #[serde(default)]
    next: Option<String>,
    #[serde(default)]
    ended: Option<String>,
}

pub(crate) async fn login_page(
    State(context): State<PageContext>,
    Query(query): Query<LoginQuery>,
) -> Response {
    let told = query.ended.map(|_| "Your login has expired. Log in again to return to the page you were on.");
    login_form(&context, StatusCode::OK, told, &inside(query.next.as_deref()))
}

/// A form before the login: the cookie it earns protects all others.
pub(crate) async fn log_in(State(context): State<PageContext>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if !is_from_here(&parts.headers) {
        return login_form(
            &context,
            StatusCode::FORBIDDEN,
            Some("This form was sent from another site."),
            "/",
        );
    }
    let read = Limited::new(body, FORM_BYTES_MAX).collect().await;
    let bytes = read.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let field = |wanted: &str| {
        let mut pairs = url::form_urlencoded::parse(&bytes);
        pairs.find(|(name, _)| name == wanted).map(|(_, value)| value.trim().to_owned())
    };
    let next = inside(field("next").as_deref());
    match context.logins.with_token(field("token").unwrap_or_default()).await {
        Ok(login) => enter(&context, &login, &parts.headers, &next),
        Err(why) => {
            let (status, told) = told(&why);
            login_form(&context, status, Some(&told), &next)
        }
    }
}

/// Opening a link only shows a button: programs that look at links in advance do not use it up.
pub(crate) async fn link_page(Path(link): Path<String>) -> Response {
    let body = html! {
        form.card.narrow method="post" action=(PageAddress::of(["console", "enter", &link])) {
            h1 { "Log in to Toolgate" }
            p { "This link works once. It logs you in as the person who runs this gateway." }
            button.button.primary type="submit" autofocus { "Log in" }
        }
    };
    layout::bare(StatusCode::OK, "Log in", body)
}

pub(crate) async fn enter_by_link(
    State(context): State<PageContext>,
    Path(link): Path<String>,
    headers: HeaderMap,
) -> Response {
    if !is_from_here(&headers) {
        return login_form(
            &context,
            StatusCode::FORBIDDEN,
            Some("This form was sent from another site."),
            "/",
        );
    }
    match context.logins.with_link(link).await {
        Ok(login) => enter(&context, &login, &headers, "/"),
        Err(why) => {
            let (status, told) = told(&why);
            login_form(&context, status, Some(&told), "/")
        }
    }
}

pub(crate) async fn log_out(
    visit: PageVisit,
    State(context): State<PageContext>,
    headers: HeaderMap,
    _checked: FormFields,
) -> Response {
    if let Some(secret) = context.cookies.secret(&headers)
        && let Err(error) = context.logins.end(secret).await
    {
        tracing::warn!(%error, who = %visit.credential.principal.id, "a login could not be ended in the store");
    }
    forgotten(&context, PageAddress::of(LOGIN))
}

/// On every device of this person. Whoever holds a token may log in again.
pub(crate) async fn log_out_everywhere(
    visit: PageVisit,
    State(context): State<PageContext>,
    _checked: FormFields,
) -> PageResult<Response> {
    match context.logins.end_all(visit.credential.principal.id.clone()).await {
        Ok(_) => Ok(forgotten(&context, PageAddress::of(LOGIN))),
        Err(error) => {
            tracing::warn!(%error, who = %visit.credential.principal.id, "logins could not be ended in the store");
            Err(ApiProblem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                &codes::STORE_DOWN,
                "the logins could not be ended",
            ))
        }
    }
}

fn forgotten(context: &PageContext, next: PageAddress) -> Response {
    let mut response = Redirect::to(next.as_str()).into_response();
    for gone in context.cookies.forgotten() {
        response.headers_mut().append(SET_COOKIE, gone);
    }
    response
}

/// The page for a visitor without a login, or with an expired one.
pub(crate) fn ask_to_log_in(context: &PageContext, request: &Request) -> Response {
    let place = request.uri().path_and_query().map_or("/", |place| place.as_str());
    let next = if request.method() == Method::GET { place } else { "/" };
    match context.cookies.secret(request.headers()) {
        Some(_) => {
            Redirect::to(PageAddress::of(LOGIN).with("ended", 1).with("next", next).as_str()).into_response()
        }
        None => to_login(next),
    }
}

pub(crate) fn to_login(next: &str) -> Response {
    Redirect::to(PageAddress::of(LOGIN).with("next", next).as_str()).into_response()
}

fn enter(context: &PageContext, login: &NewLogin, headers: &HeaderMap, next: &str) -> Response {
    let mut response = Redirect::to(next).into_response();
    let kept = context.cookies.kept(headers, &login.secret, login.seconds);
    response.headers_mut().append(SET_COOKIE, kept);
    response
}

/// True if the browser states that our own page sent this. A client without the header is not a browser, and
/// has no cookie to lose.
fn is_from_here(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    matches!(site, None | Some(b"same-origin" | b"none"))
}

/// A page of the console, for any requested address.
pub(crate) fn inside(next: Option<&str>) -> String {
    let ours = |next: &&str| {
        let path = next.split(['?', '#']).next().unwrap_or_default();
        let is_page =
            path == "/" || (path.starts_with("/console/") && !path.contains("//") && !path.contains('\\'));
        is_page && !next.chars().any(char::is_control)
    };
    next.filter(ours).unwrap_or("/").to_owned()
}

pub(crate) fn told(why: &LoginError) -> (StatusCode, String) {
    match why {
        LoginError::UnknownToken => {
            (StatusCode::UNAUTHORIZED, "This token is unknown to the gateway or has been revoked.".to_owned())
        }
        LoginError::Role(role) => (
            StatusCode::FORBIDDEN,
            format!(
                "A token with the role {role} cannot log in here. Use one with the role admin, operator, approver or auditor."
            ),
        ),
        LoginError::UnknownLink => (
            StatusCode::UNAUTHORIZED,
            "This link has been used or has expired. Run `toolgate console` for a new one.".to_owned(),
        ),
        LoginError::Provider(words) => (StatusCode::FORBIDDEN, words.clone()),
        LoginError::Down => (
            StatusCode::SERVICE_UNAVAILABLE,
            "The database does not respond, so logging in is not possible right now. Try again in a moment."
                .to_owned(),
        ),
    }
}

pub(crate) fn login_form(
    context: &PageContext,
    status: StatusCode,
    told: Option<&str>,
    next: &str,
) -> Response {
    let provider = context.logins.provider();
    let body: Markup = html! {
        form.card.narrow method="post" action=(PageAddress::of(LOGIN)) {
            h1 { "Log in to Toolgate" }
            @if let Some(told) = told { p.notice role="alert" { (told) } }
            @if let Some(provider) = &provider {
                p { a.button.primary href=(PageAddress::of(["console", "provider"]).with("next", next)) { "Log in with " (text::short(provider)) } }
                p.help { "Or with a token of the gateway:" }
            }
            div.field {
                label for="token" { "Token" }
                input #token type="password" name="token" required autofocus[provider.is_none()] autocomplete="current-password"
                    spellcheck="false" aria-describedby="token-help";
                p.help #token-help {
                    "It needs the role admin, operator, approver or auditor; "
                    code { "toolgate token create --role approver --principal ann" } " creates one."
                }
            }
            input type="hidden" name="next" value=(next);
            button.button.primary type="submit" { "Log in" }
            p.help { "On the gateway's machine, " code { "toolgate console" } " prints a link that logs you in." }
            p.help { a href="/docs" { "Documentation" } }
        }
    };
    layout::bare(status, "Log in", body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_pages_of_this_console_only() {
        for good in ["/", "/console/inbox", "/console/calls?tool=a%3Ab", "/?said=saved"] {
            assert_eq!(inside(Some(good)), good);
        }
        for bad in [
            "//evil.example",
            "https://evil.example",
            "/console//evil",
            "/console/\\evil",
            "/console/inbox\r\nx: y",
            "/mcp",
            "",
        ] {
            assert_eq!(inside(Some(bad)), "/", "{bad}");
        }
    }
}
