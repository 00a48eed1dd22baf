//! Codes of collection and pins.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { COLLECTION, "Collection";

    OPERATORS_ONLY = Code {
        name: "operators_only",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403), CodeChannel::Result],
        title: "The tool is for those who run the gateway",
        happened: "The call is allowed by policy, but the tool works on everything of the tenant, so admins and operators alone use it.",
        advice: "Call it with the token of an admin or operator, or on the gateway's machine with `toolgate`.",
        message: "substrate.collect is for admins and operators",
        hint: Hint::Standard("use a token made with `--role operator`"),
        see: &["wrong_role"],
    };

    COLLECTION_UNDER_WAY = Code {
        name: "collection_under_way",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "A collection is under way",
        happened: "This gateway, or another one on the same database, is collecting manifests that nothing reaches.",
        advice: "Repeat the call in a few minutes. If a gateway died during a collection, another one goes on after five minutes.",
        message: "another collection is under way",
        hint: Hint::Standard("try again in a few minutes"),
        see: &["storage_busy"],
    };

    TOO_MANY_PINS = Code {
        name: "too_many_pins",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The principal has too many pins",
        happened: "A principal pins a limited number of manifests, since each keeps its content for good.",
        advice: "Unpin some with `substrate.manifest.unpin`, or let a pointer lead to what must stay.",
        message: "you have pinned 1000 manifests, and no more are allowed",
        hint: Hint::Standard("unpin some, or let a pointer lead to what must stay"),
        see: &["unknown_manifest"],
    };
}
