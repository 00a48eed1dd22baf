//! Codes of automations and of tasks that the gateway runs by itself.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { AUTOMATIONS, "Automations";

    UNKNOWN_AUTOMATION = Code {
        name: "unknown_automation",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such automation",
        happened: "No automation has this id or name.",
        advice: "`toolgate automations list` shows the existing automations.",
        message: "there is no automation \"nightly\"",
        hint: Hint::Standard("`toolgate automations list` shows those there are"),
        see: &["bad_automation"],
    };

    BAD_AUTOMATION = Code {
        name: "bad_automation",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The automation is not valid",
        happened: "A part of the automation makes no sense, such as a name with blanks, an interval of less than a minute, or a \
             trigger by an automation's own events; `field` says which.",
        advice: "Correct the part that the message names.",
        message: "an interval has at least 60 seconds",
        hint: Hint::Example("for more, let one run do several rounds of work"),
        see: &["bad_schedule"],
    };

    BAD_SCHEDULE = Code {
        name: "bad_schedule",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The schedule is not valid",
        happened: "The cron pattern cannot be read, never fires, fires more often than once a minute, or the time zone does not \
             exist.",
        advice: "A pattern has five fields: minute, hour, day of the month, month, day of the week. A time zone has an IANA name \
             such as `Europe/Berlin`. `toolgate automations next NAME` prints the next instants.",
        message: "the pattern \"0 0 31 2 *\" never fires",
        hint: Hint::Example("February has no day 31"),
        see: &["bad_automation"],
    };

    AUTOMATION_TAKEN = Code {
        name: "automation_taken",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "An automation has this name",
        happened: "Names of automations are unique, and this one is in use.",
        advice: "Choose another name, or change the automation that has it.",
        message: "there is an automation \"nightly\" already",
        hint: Hint::Standard("choose another name, or change the automation that has it"),
        see: &["unknown_automation"],
    };

    AUTOMATION_PAUSED = Code {
        name: "automation_paused",
        fault: Blame::Caller,
        retry: Retry::Sometimes,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The automation is paused",
        happened: "A paused automation starts no runs: not at its instants, and not for requests.",
        advice: "`toolgate automations show` says why it is paused, and `toolgate automations resume` lets it go on.",
        message: "the automation \"nightly\" is paused: its last run failed",
        hint: Hint::Standard("`toolgate automations resume` lets it go on"),
        see: &["unknown_automation"],
    };

    TOO_MANY_AUTOMATIONS = Code {
        name: "too_many_automations",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "There are too many automations",
        happened: "The number of automations is limited.",
        advice: "Delete automations that are no longer needed.",
        message: "there are 1000 automations, and no more are kept",
        hint: Hint::Standard("delete those that are no longer needed"),
        see: &["unknown_automation"],
    };

    BAD_BACKFILL = Code {
        name: "bad_backfill",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "These instants cannot be made up for",
        happened: "The automation has no instants of its own, the range ends before it begins or in the future, or it has too many \
             instants.",
        advice: "Name a range in the past with at most 100 instants of a cron pattern or an interval.",
        message: "the range has more than 100 instants",
        hint: Hint::Example("name a shorter range, and make up for the rest afterwards"),
        see: &["bad_schedule"],
    };

    TASK_WITHOUT_PLAN = Code {
        name: "task_without_plan",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The task has no goal",
        happened: "The gateway is asked to run a task by itself, and the task says neither goal nor model.",
        advice: "Give the task a `goal` and a `model`, or create a run of it for an agent of your own with `POST /runs`.",
        message: "task task_019a… has no goal: the gateway does not know what its agent shall do",
        hint: Hint::Standard("give the task a `goal` and a `model`"),
        see: &["bad_task"],
    };
}
