//! The address of the list of calls, and the filters in it.

pub(super) const PLACE: [&str; 2] = ["console", "calls"];
/// The filters of the list, in the order of the form.
pub(super) const FILTERS: [&str; 15] = [
    "q",
    "state",
    "outcome",
    "error",
    "decision",
    "tool",
    "server",
    "principal",
    "session",
    "run",
    "id",
    "range",
    "from",
    "until",
    "column",
];
