//! The refusals of automations, with hints.

use toolgate_core::{Refusal, codes};
use toolgate_store::{AutomationError, StoreError};

use crate::schedule::BadSchedule;

pub(crate) fn refusal(error: AutomationError) -> Refusal {
    match error {
        AutomationError::Unknown(name) => unknown(&name),
        AutomationError::NameTaken(name) => {
            let message = format!("there is an automation {name:?} already");
            Refusal::new(&codes::AUTOMATION_TAKEN, message).field("name")
        }
        AutomationError::TooMany { max } => Refusal::new(
            &codes::TOO_MANY_AUTOMATIONS,
            format!("there are {max} automations, and no more are kept"),
        ),
        AutomationError::Stale { current } => {
            Refusal::new(&codes::STALE, format!("it is at version {current} now"))
        }
        AutomationError::Paused { name, note } => {
            Refusal::new(&codes::AUTOMATION_PAUSED, format!("the automation {name:?} is paused: {note}"))
        }
        AutomationError::Store(error) => down(&error),
    }
}

pub(crate) fn unknown(id_or_name: &str) -> Refusal {
    Refusal::new(&codes::UNKNOWN_AUTOMATION, format!("there is no automation {id_or_name:?}"))
}

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "automations cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

pub(crate) fn bad_schedule(bad: &BadSchedule) -> Refusal {
    let hint = match bad {
        BadSchedule::Unreadable { .. } => {
            "a pattern has five fields: minute, hour, day of the month, month, day of the week".to_owned()
        }
        BadSchedule::TooOften { .. } | BadSchedule::Interval { .. } => {
            "for more, let one run do several rounds of work".to_owned()
        }
        BadSchedule::Never { .. } => "name a day that exists, and a moment in the future".to_owned(),
        BadSchedule::Zone { nearest, .. } if nearest.is_empty() => {
            "a time zone has an IANA name such as Europe/Berlin".to_owned()
        }
        BadSchedule::Zone { nearest, .. } => format!("did you mean {}?", nearest.join(", ")),
        BadSchedule::Moment { .. } => "moments are milliseconds since 1970".to_owned(),
    };
    let field = match bad {
        BadSchedule::Zone { .. } => "trigger.timezone",
        BadSchedule::Unreadable { .. } | BadSchedule::TooOften { .. } => "trigger.pattern",
        BadSchedule::Interval { .. } => "trigger.seconds",
        BadSchedule::Never { .. } | BadSchedule::Moment { .. } => "trigger",
    };
    Refusal::new(&codes::BAD_SCHEDULE, bad.to_string()).field(field).hint(hint)
}
