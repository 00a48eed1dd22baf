//! Codes of long work that the gateway does itself.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { WORK, "Long work of the gateway";

    UNKNOWN_WORK = Code {
        name: "unknown_work",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such work",
        happened: "No work has this id, or it ended so long ago that it was forgotten. Its run is kept.",
        advice: "Look at the run instead: `toolgate runs show`.",
        message: "there is no work wrk_019a6f",
        hint: Hint::Standard("look at its run, which is kept for longer"),
        see: &["unknown_run"],
    };

    WORK_CANCELLED = Code {
        name: "work_cancelled",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The work was cancelled",
        happened: "The run of the work was cancelled or failed, or a run above it ended. What was done up to then stays.",
        advice: "Ask for the work again; it goes on from what is there.",
        message: "the work was cancelled: its run has ended",
        hint: Hint::Standard("ask for it again; it goes on from what is there"),
        see: &["work_given_up"],
    };

    WORK_GIVEN_UP = Code {
        name: "work_given_up",
        fault: Blame::Gateway,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(500), CodeChannel::Result],
        title: "The work was given up",
        happened: "Gateways took the work up several times, and none came to its end: each of them died or lost its lease.",
        advice: "The operator looks at the logs of the gateways from the time of the run, then asks for the work again.",
        message: "the work was given up after 5 attempts",
        hint: Hint::Standard("the operator finds the reason in the gateway's log"),
        see: &["work_cancelled"],
    };
}
