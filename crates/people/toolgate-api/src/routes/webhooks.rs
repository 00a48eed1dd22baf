//! Decisions that another program sends, signed as Standard Webhooks has it.

use axum::extract::{Path, Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::id::ApprovalId;
use toolgate_core::signature::{ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER};
use toolgate_core::{Digest, Principal, PrincipalId, PrincipalKind, Role};
use utoipa::ToSchema;

use super::approvals::{DecideBody, DecidedView, DecisionWord, VoteSource, decided_view};
use crate::problem::{ApiResult, Problem};
use crate::read::{read_body, read_json};
use crate::replay::TOLERANCE_MS;
use crate::{ApiContext, IncomingWebhook};

const PERSON_CHARS_MAX: usize = 200;
const ID_CHARS_MAX: usize = 200;

/// A person's decision, sent by the program through which they decided
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookDecision {
    approval_id: String,
    decision: DecisionWord,
    #[serde(default)]
    reason: Option<String>,
    /// For `edit`: the arguments to run with instead.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    arguments: Option<Value>,
    /// The person, as the sender knows them. Each counts as one person, however often they decide; if the
    /// configuration does not name the `persons` of the webhook, all of them count as one.
    person: String,
    /// `effective` of the approval as it was shown. If it has changed since, nothing is decided.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    effective: Option<Digest>,
}

/// Decide through another program
///
/// The message is signed with the secret of the webhook; no token is needed. Each message is accepted once,
/// and within five minutes.
#[utoipa::path(post, path = "/webhooks/{name}/decisions", tag = "approvals", request_body = WebhookDecision,
    params(("name" = String, Path, description = "The webhook's name in the configuration"),
        ("webhook-id" = String, Header, description = "The message's own id"),
        ("webhook-timestamp" = String, Header, description = "Seconds since 1970"),
        ("webhook-signature" = String, Header, description = "`v1,` and the base64 of HMAC-SHA256 over \"id.timestamp.body\"")),
    responses((status = 200, description = "The approval in its new state", body = DecidedView),
        (status = 401, description = "The signature is missing, wrong or too old"),
        (status = 403, description = "The webhook may not decide for this person"),
        (status = 409, description = "The message was already received, or the approval was decided otherwise or edited in the meantime")))]
pub(crate) async fn decide(
    State(context): State<ApiContext>,
    Path(name): Path<String>,
    request: Request,
) -> ApiResult<Response> {
    let (parts, body) = request.into_parts();
    let signed = SignatureHeaders::of(&parts.headers)?;
    let body = read_body(body, context.limits.request_bytes_max).await?;
    let now_ms = context.clock.now_ms();
    let webhook = signed.verify(&context, &name, &body, now_ms)?;
    let decision: WebhookDecision = read_json(&body)?;
    let seen = format!("{name}/{}", signed.id);
    if !context.0.seen.take(&seen, now_ms) {
        let detail = format!("the message {:?} came before", signed.id);
        return Err(Problem::new(&codes::WEBHOOK_REPLAYED, detail));
    }
    let decided = decision.decide(&context, webhook).await;
    if decided.as_ref().is_err_and(|problem| problem.retry) {
        context.0.seen.give_back(&seen);
    }
    decided
}

/// The headers of a signed message.
pub(super) struct SignatureHeaders {
    pub(super) id: String,
    pub(super) timestamp: String,
    pub(super) signatures: String,
}

impl SignatureHeaders {
    pub(super) fn of(headers: &HeaderMap) -> ApiResult<Self> {
        let header = |name: &str| {
            let value = headers.get(name).and_then(|value| value.to_str().ok());
            value.filter(|value| !value.is_empty()).map(str::to_owned).ok_or_else(|| {
                Problem::new(
                    &codes::SIGNATURE_MISSING,
                    format!("this needs a signature: there is no `{name}`"),
                )
                .hint("sign with the webhook's secret, as Standard Webhooks describes")
            })
        };
        Ok(Self {
            id: header(ID_HEADER)?,
            timestamp: header(TIMESTAMP_HEADER)?,
            signatures: header(SIGNATURE_HEADER)?,
        })
    }

    /// An unknown webhook looks like a wrong signature, which reveals no names.
    fn verify<'a>(
        &self,
        context: &'a ApiContext,
        name: &str,
        body: &Bytes,
        now_ms: i64,
    ) -> ApiResult<&'a IncomingWebhook> {
        let wrong =
            || Problem::new(&codes::SIGNATURE_WRONG, "the signature is not that of a webhook with this name");
        let webhook = context.webhooks.iter().find(|webhook| webhook.name == name).ok_or_else(wrong)?;
        if self.id.len() > ID_CHARS_MAX
            || !webhook.key.verifies(&self.id, &self.timestamp, body, &self.signatures)
        {
            return Err(wrong());
        }
        let at_ms = self.timestamp.parse().ok().and_then(|seconds: i64| seconds.checked_mul(1000));
        let age_ms = at_ms.map(|at_ms| now_ms.saturating_sub(at_ms).saturating_abs());
        if age_ms.is_some_and(|age_ms| age_ms <= TOLERANCE_MS) {
            return Ok(webhook);
        }
        Err(Problem::new(
            &codes::SIGNATURE_STALE,
            "the message was signed more than five minutes ago, or ahead of time",
        ))
    }
}

impl WebhookDecision {
    async fn decide(self, context: &ApiContext, webhook: &IncomingWebhook) -> ApiResult<Response> {
        let voice = voice(webhook, &self.person)?;
        let body = DecideBody::new(self.decision, self.reason, self.arguments, self.effective);
        let decided = body.decide(context, ApprovalId::new(self.approval_id), voice).await?;
        Ok(decided_view(context, decided))
    }
}

/// A person who decides through a webhook belongs to its groups. A name is the same person through any
/// channel, so that no one counts twice and no one approves their own request; the ledger records which
/// webhook vouched for it. One secret must not make a quorum: its holder speaks for the persons that the
/// configuration names, or counts once.
fn voice(webhook: &IncomingWebhook, person: &str) -> ApiResult<VoteSource> {
    let reserved =
        ["gateway", "local", "stdio"].contains(&person.trim()) || person.trim().starts_with("tok_");
    let named = !reserved && !person.trim().is_empty() && !person.chars().any(char::is_control);
    if !named || person.chars().count() > PERSON_CHARS_MAX {
        let detail =
            format!("field `person`: a name of 1 to {PERSON_CHARS_MAX} visible characters is needed");
        let problem = Problem::new(&codes::FIELD_INVALID, detail);
        return Err(problem.with("field", "person"));
    }
    let person = person.trim();
    if webhook.persons.as_ref().is_some_and(|persons| !persons.iter().any(|one| one == person)) {
        let detail = format!("the webhook {} does not speak for {person:?}", webhook.name);
        return Err(Problem::new(&codes::PERSON_UNKNOWN, detail));
    }
    let via = format!("webhook:{}", webhook.name);
    let voter = Principal {
        id: PrincipalId::new(person),
        kind: PrincipalKind::Human,
        role: Role::Approver,
        groups: webhook.groups.clone().into(),
    };
    Ok(VoteSource { voter, counts_as: webhook.persons.is_none().then(|| via.clone()), via })
}
