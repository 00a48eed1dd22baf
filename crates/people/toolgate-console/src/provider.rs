//! Logging in by an identity provider: the way there, and the way back.

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{REFRESH, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};
use maud::html;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Deserialize;

use crate::entrance::{inside, login_form, told};
use crate::ports::{LoginError, ProviderReturn};
use crate::{PageContext, layout};

/// The time that a person has at the provider.
const TICKET_SECONDS: u64 = 15 * 60;
/// Between the ticket and the page that was wanted. No ticket has it.
const BETWEEN: char = '.';
/// Browsers drop cookies of more than 4 KiB, and each byte may become three.
const NEXT_BYTES_MAX: usize = 1_000;

#[derive(Deserialize)]
pub(crate) struct ProviderQuery {
    #[serde(default)]
    next: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct ReturnQuery {
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    iss: Option<String>,
    #[serde(default)]
    error: Option<String>,
}

pub(crate) async fn go(
    State(context): State<PageContext>,
    Query(query): Query<ProviderQuery>,
    headers: HeaderMap,
) -> Response {
    let next = inside(query.next.as_deref().filter(|next| next.len() <= NEXT_BYTES_MAX));
    match context.logins.to_provider(context.cookies.origin(&headers)).await {
        Ok(trip) => {
            let kept = format!("{}{BETWEEN}{}", trip.ticket, utf8_percent_encode(&next, NON_ALPHANUMERIC));
            let mut response = Redirect::to(&trip.address).into_response();
            let cookie = context.cookies.ticket_kept(&headers, &kept, TICKET_SECONDS);
            response.headers_mut().append(SET_COOKIE, cookie);
            response
        }
        Err(why) => refused(&context, &why, &next),
    }
}

/// The login's cookie is for requests from this site alone, and this one comes from another. So a page of ours goes on from here.
pub(crate) async fn come_back(
    State(context): State<PageContext>,
    Query(query): Query<ReturnQuery>,
    headers: HeaderMap,
) -> Response {
    let kept = context.cookies.ticket(&headers).unwrap_or_default();
    let (ticket, next) = kept.split_once(BETWEEN).unwrap_or_default();
    let next = percent_decode_str(next).decode_utf8_lossy();
    let next = inside(Some(&next));
    let ReturnQuery { code, state, iss: issuer, error } = query;
    let (ticket, origin) = (ticket.to_owned(), context.cookies.origin(&headers));
    let back = ProviderReturn { code, state, issuer, error, ticket, origin };
    let mut response = match context.logins.back_from_provider(back).await {
        Ok(login) => {
            let mut response = entered(&next);
            let cookie = context.cookies.kept(&headers, &login.secret, login.seconds);
            response.headers_mut().append(SET_COOKIE, cookie);
            response
        }
        Err(why) => refused(&context, &why, &next),
    };
    // A ticket is good once.
    response.headers_mut().append(SET_COOKIE, context.cookies.ticket_kept(&headers, "", 0));
    response
}

fn entered(next: &str) -> Response {
    let body = html! {
        section.card.narrow {
            h1 { "You are logged in" }
            p { a.button.primary href=(next) { "Continue to Toolgate" } }
        }
    };
    let mut response = layout::bare(StatusCode::OK, "Logged in", body);
    if let Ok(refresh) = HeaderValue::from_str(&format!("0; url={next}")) {
        response.headers_mut().insert(REFRESH, refresh);
    }
    response
}

fn refused(context: &PageContext, why: &LoginError, next: &str) -> Response {
    let (status, words) = told(why);
    login_form(context, status, Some(&words), next)
}
