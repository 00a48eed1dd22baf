//! Checks of what callers want of automations.

use toolgate_core::automation::Trigger;
use toolgate_core::event::EventKind;
use toolgate_core::id::AutomationId;
use toolgate_core::scope::NamePattern;
use toolgate_core::{Refusal, codes};
use toolgate_store::PageCursor;

use crate::refusal::bad_schedule;
use crate::schedule::Schedule;
use crate::view::NewAutomation;

const NAME_CHARS_MAX: usize = 100;
pub(crate) const NOTE_CHARS_MAX: usize = 500;
const SECRET_CHARS_MAX: usize = 200;
/// A week.
const CATCH_UP_SECONDS_MAX: u64 = 7 * 86_400;
const JITTER_SECONDS_MAX: u64 = 3_600;

/// Events of automations themselves: an automation that they start would never come to rest.
const OWN_EVENTS: [EventKind; 2] = [EventKind::AutomationChanged, EventKind::AutomationFired];

/// Everything of a new automation that needs no database.
pub(crate) fn automation(new: &NewAutomation) -> Result<(), Refusal> {
    name(&new.name)?;
    let catch_up = new.catch_up_seconds.unwrap_or_default();
    if catch_up > CATCH_UP_SECONDS_MAX {
        let message = format!("a catch-up window has at most {CATCH_UP_SECONDS_MAX} seconds");
        return Err(
            bad(message, "catch_up_seconds").hint("only the latest missed instant starts a run anyway")
        );
    }
    if new.jitter_seconds > JITTER_SECONDS_MAX {
        let message = format!("jitter has at most {JITTER_SECONDS_MAX} seconds");
        return Err(bad(message, "jitter_seconds").hint("choose other instants instead"));
    }
    trigger(&new.trigger)
}

fn name(text: &str) -> Result<(), Refusal> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let fits = (1..=NAME_CHARS_MAX).contains(&text.chars().count())
        && text.chars().all(is_plain)
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !text.starts_with(AutomationId::PREFIX);
    match fits {
        true => Ok(()),
        false => {
            let message = format!("{text:?} is no name of an automation");
            let hint = format!(
                "a name has 1 to {NAME_CHARS_MAX} letters, digits, `-`, `_` and `.`, and begins with none of those signs nor with `{}`",
                AutomationId::PREFIX
            );
            Err(bad(message, "name").hint(hint))
        }
    }
}

pub(crate) fn trigger(trigger: &Trigger) -> Result<(), Refusal> {
    match trigger {
        Trigger::Cron { .. } | Trigger::Interval { .. } | Trigger::Once { .. } => {
            Schedule::read(trigger).map(drop).map_err(|error| bad_schedule(&error))
        }
        Trigger::Event { kind, .. } if OWN_EVENTS.contains(kind) => {
            let message = format!("an automation cannot follow {}", kind.as_str());
            Err(bad(message, "trigger.kind").hint("to follow a run, use the trigger `run_ended`"))
        }
        Trigger::Event { .. } => Ok(()),
        Trigger::Webhook { secret } => match (1..=SECRET_CHARS_MAX).contains(&secret.chars().count()) {
            true => Ok(()),
            false => Err(bad("a webhook needs the name of a secret".to_owned(), "trigger.secret")
                .hint("`toolgate secrets set` stores one")),
        },
        Trigger::Pointer { pattern } => NamePattern::new(pattern).map(drop).map_err(|error| {
            bad(error.to_string(), "trigger.pattern").hint("for instance `inbox/*`: namespace and name")
        }),
        Trigger::RunEnded { states, .. } => match states.iter().find(|state| !state.is_final()) {
            None => Ok(()),
            Some(state) => {
                let message = format!("no run ends as {}", state.as_str());
                Err(bad(message, "trigger.states").hint("completed, partial, failed or cancelled"))
            }
        },
        Trigger::Unreadable { why } => {
            Err(bad(format!("the trigger cannot be read: {why}"), "trigger")
                .hint("name a cause of this release"))
        }
    }
}

pub(crate) fn note(text: &str) -> Result<(), Refusal> {
    let fits = !text.trim().is_empty() && text.chars().count() <= NOTE_CHARS_MAX;
    match fits {
        true => Ok(()),
        false => {
            let message = format!("a pause has a note of 1 to {NOTE_CHARS_MAX} characters");
            Err(bad(message, "note").hint("say why, for those who resume it"))
        }
    }
}

pub(crate) fn cursor(text: Option<&str>) -> Result<Option<PageCursor>, Refusal> {
    text.map(str::parse).transpose().map_err(|_| {
        let message = format!("{:?} is not a cursor of an earlier page", text.unwrap_or_default());
        Refusal::new(&codes::INVALID_CURSOR, message).field("cursor")
    })
}

fn bad(message: String, field: &'static str) -> Refusal {
    Refusal::new(&codes::BAD_AUTOMATION, message).field(field)
}
