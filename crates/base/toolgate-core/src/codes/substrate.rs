//! Codes of artifacts, manifests and pointers.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { SUBSTRATE, "Pointers";

    UNKNOWN_POINTER = Code {
        name: "unknown_pointer",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such pointer",
        happened: "No pointer has this namespace and name, or the session has not mounted it.",
        advice: "Check the namespace and the name, and the mounts of the session: `toolgate sessions show`.",
        message: "there is no pointer \"draft\" in \"project/a\"",
        hint: Hint::Standard("check the namespace, the name and the mounts of the session"),
        see: &["unknown_mount"],
    };
}
