//! `task.automation.create`.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate_core::automation::{Overlap, Trigger};
use toolgate_core::id::TaskId;
use toolgate_core::moment::parse_rfc3339;
use toolgate_core::platform::OldName;
use toolgate_core::run::CallKind;
use toolgate_core::scope::AgentName;
use toolgate_core::{PrincipalId, Refusal, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{ListedToken, Store};

use super::automation_output::{AutomationOutput, ref_of};
use super::flat_names::FLAT_NAMES_END_MS;
use super::state::TaskTools;
use crate::NewAutomation;
use crate::refusal::down;

/// The number of coming instants that are shown, so that a mistaken pattern is seen.
const NEXT_SHOWN: usize = 5;
const UTC: &str = "UTC";

pub(super) const CREATE: ToolDefinition = ToolDefinition::writes(
    "task.automation.create",
    "Create an automation",
    "Makes a rule that starts a task with your rights: at instants of a cron pattern, every so many seconds, once, or \
     by another trigger. Give exactly one of cron, every_seconds, at and trigger. Shows the next instants.",
)
.old_names(&[OldName { name: "create_automation", until_ms: FLAT_NAMES_END_MS }])
.external()
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct CreateAutomationArguments {
    /// Unique among automations
    name: String,
    task_id: String,
    /// Five fields, such as 0 9 * * MON-FRI
    cron: Option<String>,
    /// Of cron: an IANA name, such as Europe/Berlin; else UTC
    timezone: Option<String>,
    #[schemars(range(min = 60))]
    every_seconds: Option<u64>,
    /// Once, in RFC 3339
    at: Option<String>,
    /// Another cause, such as {"on":"run_ended","task":"task_…"}, {"on":"pointer","pattern":"inbox/*"},
    /// {"on":"webhook","secret":"NAME"} or {"on":"event","kind":"approval.resolved"}
    trigger: Option<Map<String, Value>>,
    /// For a start while the run before has not ended
    #[schemars(extend("enum" = ["skip", "buffer_one", "cancel_other", "allow_all"]))]
    overlap: Option<String>,
    /// A start that is late by no more than this still happens
    catch_up_seconds: Option<u64>,
    /// Each start is delayed by a part of this
    jitter_seconds: Option<u64>,
    pause_on_failure: Option<bool>,
}

pub(super) async fn create(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: CreateAutomationArguments,
) -> Result<ToolReply<AutomationOutput>, Refusal> {
    let tasks = tools.tasks()?;
    check_rights(&tools.parts()?.store, &context).await?;
    let by = context.principal().id.clone();
    let new = arguments.read(&context)?;
    let automation = tasks.create_automation(new, &by).await?;
    let next = tasks.next(&automation, context.now_ms, NEXT_SHOWN);
    Ok(ToolReply::new(AutomationOutput::of(&automation, &next)).refs([ref_of(&automation)]))
}

/// The caller hands on all its rights, so it must have them.
pub(super) async fn check_rights(store: &Store, context: &ToolContext) -> Result<(), Refusal> {
    check_caller(context)?;
    check_bindings(store, &context.principal().id).await
}

/// Its runs outlive the session and have the rights of the principal. A narrower session must not get them in this way.
fn check_caller(context: &ToolContext) -> Result<(), Refusal> {
    let holder = &context.holder;
    if holder.run.is_none() && holder.opened_by.is_none() {
        return Ok(());
    }
    let message = "an automation has the rights of its principal, and this session may have fewer";
    Err(Refusal::new(&codes::NOT_ALLOWED, message)
        .hint("use a token that is bound to no session; operators make automations for others over REST"))
}

/// A session does not say which token it is of. If those of a principal differ in their agents, one of them could get the rights of
/// another in this way.
async fn check_bindings(store: &Store, principal: &PrincipalId) -> Result<(), Refusal> {
    let tokens = store.list_tokens().await.map_err(|error| down(&error))?;
    let is_own = |token: &&ListedToken| {
        token.revoked_at_ms.is_none() && token.session.is_none() && token.principal().id == *principal
    };
    let bindings: BTreeSet<Option<&AgentName>> =
        tokens.iter().filter(is_own).map(|token| token.agent.as_ref()).collect();
    if bindings.len() <= 1 {
        return Ok(());
    }
    let message = format!(
        "the tokens of {principal} are bound to different agents, and an automation is of all of them"
    );
    Err(Refusal::new(&codes::NOT_ALLOWED, message).hint("an operator or admin makes it over REST"))
}

impl CreateAutomationArguments {
    fn read(self, context: &ToolContext) -> Result<NewAutomation, Refusal> {
        let trigger =
            cause(self.cron, self.timezone, self.every_seconds, self.at, self.trigger, context.now_ms)?;
        let overlap = self.overlap.as_deref().and_then(Overlap::parse).unwrap_or_default();
        Ok(NewAutomation {
            name: self.name,
            task: TaskId::new(self.task_id),
            trigger,
            overlap,
            catch_up_seconds: self.catch_up_seconds,
            jitter_seconds: self.jitter_seconds.unwrap_or_default(),
            pause_on_failure: self.pause_on_failure.unwrap_or_default(),
            principal: Some(context.principal().id.clone()),
        })
    }
}

/// The one cause that is given.
fn cause(
    cron: Option<String>,
    timezone: Option<String>,
    every_seconds: Option<u64>,
    at: Option<String>,
    trigger: Option<Map<String, Value>>,
    now_ms: i64,
) -> Result<Trigger, Refusal> {
    match (cron, every_seconds, at, trigger) {
        (Some(pattern), None, None, None) => {
            Ok(Trigger::Cron { pattern, timezone: timezone.unwrap_or_else(|| UTC.to_owned()) })
        }
        (None, Some(seconds), None, None) => Ok(Trigger::Interval { seconds, from_ms: now_ms }),
        (None, None, Some(at), None) => {
            let at_ms = parse_rfc3339(&at).ok_or_else(|| {
                let message = format!("`at` is no time: {at:?}");
                invalid(message, "write it as 2027-01-31T09:00:00Z", "at")
            })?;
            Ok(Trigger::Once { at_ms })
        }
        (None, None, None, Some(trigger)) => {
            serde_json::from_value(Value::Object(trigger)).map_err(|error| {
                let hint = "its member `on` is cron, interval, once, event, webhook, pointer or run_ended";
                invalid(format!("`trigger`: {error}"), hint, "trigger")
            })
        }
        _ => {
            let message = "exactly one of `cron`, `every_seconds`, `at` and `trigger` says when it starts";
            Err(invalid(message.to_owned(), "give one of them", "trigger"))
        }
    }
}

fn invalid(message: String, hint: &str, field: &'static str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).hint(hint).field(field)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(object) => object,
            _ => Map::new(),
        }
    }

    #[test]
    fn exactly_one_cause_is_read() {
        let cron = cause(Some("0 9 * * *".into()), None, None, None, None, 0).expect("a cause");
        assert_eq!(cron, Trigger::Cron { pattern: "0 9 * * *".into(), timezone: "UTC".into() });
        let every = cause(None, None, Some(60), None, None, 7).expect("a cause");
        assert_eq!(every, Trigger::Interval { seconds: 60, from_ms: 7 });
        let once = cause(None, None, None, Some("1970-01-01T00:00:01Z".into()), None, 0).expect("a cause");
        assert_eq!(once, Trigger::Once { at_ms: 1_000 });
        let ended = object(json!({ "on": "run_ended", "states": ["failed"] }));
        assert!(matches!(
            cause(None, None, None, None, Some(ended), 0),
            Ok(Trigger::RunEnded { task: None, states }) if states.len() == 1
        ));
    }

    #[test]
    fn none_two_and_nonsense_are_refused_with_the_part() {
        let none = cause(None, None, None, None, None, 0).expect_err("none");
        assert_eq!(none.field.as_deref(), Some("trigger"));
        assert!(cause(Some("* * * * *".into()), None, Some(60), None, None, 0).is_err());
        let late = cause(None, None, None, Some("tomorrow".into()), None, 0).expect_err("no time");
        assert_eq!(late.field.as_deref(), Some("at"));
        let odd = cause(None, None, None, None, Some(object(json!({ "on": "moon" }))), 0).expect_err("odd");
        assert!(odd.message.contains("moon"), "{odd}");
    }
}
