//! Mail to people: the configuration, the current state, and a test.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use toolgate_core::moment::rfc3339;
use utoipa::ToSchema;

use super::answer::json;
use crate::problem::{ApiResult, Problem};
use crate::{ApiContext, MailRecipient, MailState, MailTest};

/// Mail to people. Mails are counted since this gateway started
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Mail)]
pub(crate) struct MailView {
    /// True if the configuration has `[mail]`; without it, the rest is empty.
    configured: bool,
    /// Host and port.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "smtp.example.com:587")]
    server: Option<String>,
    /// `required`, `starttls` or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tls: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// What a mail is sent about at once.
    notices: Vec<&'static str>,
    /// Time of day and time zone; absent if there is no digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest_at: Option<String>,
    /// In the order of the configuration.
    recipients: Vec<MailRecipientView>,
}

/// An address that mails go to
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MailRecipient)]
pub(crate) struct MailRecipientView {
    to: String,
    /// The number of events that it was not told of yet.
    waiting: u64,
    delivered: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivered_at: Option<String>,
    /// The number of failed attempts since the last success.
    failures: u64,
    /// The number of events that it refused and that were skipped.
    passed_over: u64,
    /// The reason for the last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_at: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MailTestsPage {
    /// One for each address; only the first if the failure is none of the address.
    tests: Vec<MailTestView>,
}

/// The result of a test mail
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MailTest)]
pub(crate) struct MailTestView {
    to: String,
    delivered: bool,
    /// The steps that went well: `connection`, `encryption`, `sign-in`, `sender`, `recipient`, `mail`.
    passed: Vec<&'static str>,
    /// The step that failed, and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

/// Show mail
#[utoipa::path(get, path = "/mail", tag = "settings",
    responses((status = 200, description = "The configuration, and how deliveries go", body = MailView)))]
pub(crate) async fn show(State(context): State<ApiContext>) -> ApiResult<Response> {
    let view = context.mail.state().await?.map(MailView::from).unwrap_or_default();
    Ok(json(StatusCode::OK, &view))
}

/// Test mail
///
/// Sends one mail to each address right away, once, and says how far each came.
#[utoipa::path(post, path = "/mail/test", tag = "settings",
    responses((status = 200, description = "The results", body = MailTestsPage), (status = 404, description = "No mail is configured")))]
pub(crate) async fn test(State(context): State<ApiContext>) -> ApiResult<Response> {
    let Some(tests) = context.mail.test().await else {
        return Err(Problem::not_found("no mail is configured").hint(
            "a `[mail]` table in the configuration file makes it; the gateway takes it up after a restart",
        ));
    };
    Ok(json(StatusCode::OK, &MailTestsPage { tests: tests.into_iter().map(MailTestView::from).collect() }))
}

impl From<MailState> for MailView {
    fn from(state: MailState) -> Self {
        Self {
            configured: true,
            server: Some(state.server),
            tls: Some(state.encryption),
            from: Some(state.from),
            notices: state.notices,
            digest_at: state.digest_at,
            recipients: state.recipients.into_iter().map(MailRecipientView::from).collect(),
        }
    }
}

impl From<MailRecipient> for MailRecipientView {
    fn from(recipient: MailRecipient) -> Self {
        Self {
            to: recipient.to,
            waiting: recipient.waiting,
            delivered: recipient.delivered,
            delivered_at: recipient.delivered_at_ms.map(rfc3339),
            failures: recipient.failures,
            passed_over: recipient.passed_over,
            last_error: recipient.last_error,
            failed_at: recipient.failed_at_ms.map(rfc3339),
        }
    }
}

impl From<MailTest> for MailTestView {
    fn from(test: MailTest) -> Self {
        let MailTest { to, passed, error, hint } = test;
        Self { to, delivered: error.is_none(), passed, error, hint }
    }
}
