//! The meaning of an answer: done, failed, not now, sign in, or unknown.

use std::time::Duration;

use openapi_tools::ApiEffects;
use serde_json::Value;

use crate::rules::{ErrorRule, ProviderRules};
use crate::words::{AnswerKind, HeaderOf};

/// Longer words of a provider are cut.
const WORDS_MAX: usize = 1000;

/// What an answer means.
#[derive(Clone, PartialEq, Debug)]
pub enum ProviderVerdict {
    Done {
        data: Value,
    },
    /// The provider refused, and nothing happened.
    Failed {
        says: String,
        code: Option<String>,
    },
    /// Not now.
    Again {
        after: Option<Duration>,
        /// The provider limits its rate. Otherwise it failed for now.
        is_limit: bool,
        /// The request may have taken effect. It may be sent again all the same, since it bears being repeated.
        may_have_happened: bool,
        says: String,
    },
    /// Credentials have expired, were revoked or never were any.
    SignIn {
        says: String,
    },
    /// The request may have taken effect, and sending it again might do it twice.
    Unsure {
        says: String,
    },
}

/// What is known of the request before its answer is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Repeating {
    /// It changes nothing.
    Read,
    /// It changes something, once, however often it is sent.
    SafeWrite,
    /// Each time it is sent it may change something.
    OnceOnly,
}

pub(crate) struct ReceivedAnswer<'a> {
    pub(crate) status: u16,
    pub(crate) headers: HeaderOf<'a>,
    /// Nothing if the body is no JSON.
    pub(crate) body: Option<&'a Value>,
}

impl ProviderRules {
    /// The meaning of an answer to an operation of the document that no action is over. Unless it reads, it is sent once. A body that
    /// is no JSON may be what the document promises.
    pub fn judge_operation(
        &self,
        effects: ApiEffects,
        status: u16,
        headers: HeaderOf<'_>,
        body: Option<&Value>,
    ) -> ProviderVerdict {
        let repeating = if effects.read_only { Repeating::Read } else { Repeating::OnceOnly };
        let kind = if body.is_some() { AnswerKind::Json } else { AnswerKind::Any };
        judge(self, repeating, kind, &ReceivedAnswer { status, headers, body })
    }
}

/// Judges an answer. The data of a success is the whole body.
pub(crate) fn judge(
    rules: &ProviderRules,
    repeating: Repeating,
    kind: AnswerKind,
    answer: &ReceivedAnswer<'_>,
) -> ProviderVerdict {
    let is_success = (200..300).contains(&answer.status);
    if is_success && is_broken(kind, answer) {
        return broken(repeating, answer.status);
    }
    if is_success && is_ok(rules, kind, answer.body) {
        return ProviderVerdict::Done { data: answer.body.cloned().unwrap_or(Value::Null) };
    }
    let code = rules.error.code_of(answer.body);
    let says = rules.error.words_of(answer.body, code.as_deref(), answer.status);
    let is_code_of = |codes: &[String]| code.as_ref().is_some_and(|code| codes.contains(code));
    if answer.status == 401 || is_code_of(&rules.error.sign_in) {
        return ProviderVerdict::SignIn { says };
    }
    if is_limited(rules, answer) || is_code_of(&rules.error.again) {
        let after = rules.retry.named_time(answer.headers);
        return ProviderVerdict::Again { after, is_limit: true, may_have_happened: false, says };
    }
    if answer.status >= 500 || answer.status == 408 || is_code_of(&rules.error.unsure) {
        return doubtful(repeating, says);
    }
    ProviderVerdict::Failed { says, code }
}

/// What a request means whose answer never came.
pub(crate) fn lost(repeating: Repeating) -> ProviderVerdict {
    doubtful(repeating, "the answer was lost".to_owned())
}

/// What a verdict means once there is no further try, for a caller that reads words.
pub(crate) fn given_up(verdict: ProviderVerdict) -> ProviderVerdict {
    match verdict {
        ProviderVerdict::Again { may_have_happened: true, says, .. } => ProviderVerdict::Unsure { says },
        ProviderVerdict::Again { after: Some(after), says, .. } => {
            let says = format!("{says}; the provider takes it again in {} s", after.as_secs());
            ProviderVerdict::Failed { says, code: None }
        }
        ProviderVerdict::Again { says, .. } => ProviderVerdict::Failed { says, code: None },
        other => other,
    }
}

fn is_broken(kind: AnswerKind, answer: &ReceivedAnswer<'_>) -> bool {
    kind == AnswerKind::Json && answer.body.is_none() && !matches!(answer.status, 204 | 205)
}

fn broken(repeating: Repeating, status: u16) -> ProviderVerdict {
    let says = format!("the provider answered {status} with something that is no JSON");
    match repeating {
        Repeating::Read => ProviderVerdict::Failed { says, code: None },
        Repeating::SafeWrite | Repeating::OnceOnly => doubtful(repeating, says),
    }
}

fn doubtful(repeating: Repeating, says: String) -> ProviderVerdict {
    match repeating {
        Repeating::Read => again(false, says),
        Repeating::SafeWrite => again(true, says),
        Repeating::OnceOnly => ProviderVerdict::Unsure { says },
    }
}

fn again(may_have_happened: bool, says: String) -> ProviderVerdict {
    ProviderVerdict::Again { after: None, is_limit: false, may_have_happened, says }
}

fn is_ok(rules: &ProviderRules, kind: AnswerKind, body: Option<&Value>) -> bool {
    let (Some(ok), Some(body), AnswerKind::Json) = (&rules.ok, body, kind) else { return true };
    body.pointer(&ok.pointer) == Some(&ok.equals)
}

/// A 503 without a time is a fault like any other: nothing says that the request was not carried out.
fn is_limited(rules: &ProviderRules, answer: &ReceivedAnswer<'_>) -> bool {
    let names_time = || (answer.headers)(&rules.retry.after).is_some();
    let has_nothing_left = || rules.rate.left(answer.headers).remaining == Some(0);
    if rules.retry.statuses_if_limited.contains(&answer.status) {
        return names_time() || has_nothing_left();
    }
    rules.retry.statuses.contains(&answer.status) && (answer.status < 500 || names_time())
}

impl ErrorRule {
    fn code_of(&self, body: Option<&Value>) -> Option<String> {
        text(body?.pointer(self.code.as_deref()?)?)
    }

    fn words_of(&self, body: Option<&Value>, code: Option<&str>, status: u16) -> String {
        let said = body.zip(self.says.as_deref()).and_then(|(body, pointer)| body.pointer(pointer));
        match (said.and_then(text), code) {
            (Some(said), Some(code)) if said != code => format!("{said} ({code})"),
            (Some(said), _) => said,
            (None, Some(code)) => code.to_owned(),
            (None, None) if (300..400).contains(&status) => {
                format!("the provider answered {status}: a redirect, which is not followed")
            }
            (None, None) => format!("the provider answered {status}"),
        }
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.chars().take(WORDS_MAX).collect()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
