//! Codes of runs that the gateway drives itself.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { DRIVEN, "Runs that the gateway drives";

    NOT_DRIVEN_HERE = Code {
        name: "not_driven_here",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "This process does not run agents",
        happened: "Tasks are started, and automations are kept, by a gateway that serves. A process that lives as long as one \
             command, or that speaks over its standard input, does not run agents.",
        advice: "Start the gateway with `toolgate serve`, and repeat the request.",
        message: "this process does not run agents",
        hint: Hint::Standard("`toolgate serve` starts a gateway that does"),
        see: &["store_down"],
    };

    MESSAGES_CHANGED = Code {
        name: "messages_changed",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Http(500), CodeChannel::Result],
        title: "The messages of a run were changed",
        happened: "A stored message of the run does not fit its digest: somebody changed it in the database. It is not shown, and \
             the run does not go on with it.",
        advice: "Restore the database from a backup, or start the task again. The ledger has the digests of all messages.",
        message: "message 4 of run_019a… was changed after it was stored",
        hint: Hint::Standard("the ledger has the digest of every message: `toolgate ledger verify` names those that were changed"),
        see: &["ledger_body_changed"],
    };
}
