//! Codes of pointers: their names, and their moves.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { POINTERS, "Moves of pointers";

    BAD_POINTER = Code {
        name: "bad_pointer",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "A pointer cannot be so",
        happened: "The namespace, the name, the description or the reason is not allowed, the namespace is one of the gateway's own \
            (those that begin with `toolgate.`), or a snapshot has no manifest.",
        advice: "Use letters, digits, `-`, `_`, `.` and `/`. Give a snapshot its manifest when you create it.",
        message: "\"a b\" is no name of a pointer: it has 1 to 200 characters, …",
        hint: Hint::Example("such as namespace \"project/a\" and name \"handbook\""),
        see: &["unknown_pointer"],
    };

    POINTER_EXISTS = Code {
        name: "pointer_exists",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The name of the pointer is taken",
        happened: "A pointer of this namespace and name exists already.",
        advice: "Use the pointer that there is, or choose another name. The name of a deleted pointer is free.",
        message: "there is a pointer \"draft\" in \"project/a\" already: ptr_019a6f, a bundle",
        hint: Hint::Standard("move that one with substrate.pointer.advance, or choose another name"),
        see: &["unknown_pointer"],
    };

    POINTER_MOVED = Code {
        name: "pointer_moved",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The pointer has moved meanwhile",
        happened: "The pointer does not lead to the manifest that the move was to replace. Nothing was changed. `details` has the \
            manifest that was expected, the current one, and their nearest common ancestor.",
        advice: "Merge with the current manifest (`substrate.manifest.merge` with the ancestor as base), and move to the result.",
        message: "project/a:draft leads to sha256:9f86…, not to sha256:60303…; their common ancestor is sha256:2c26…",
        hint: Hint::Example("merge with the current manifest, and move again with it as expected_sha256"),
        see: &["expected_required"],
    };

    POINTER_FIXED = Code {
        name: "pointer_fixed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "A snapshot never moves",
        happened: "The pointer is a snapshot, which leads to one manifest for good.",
        advice: "Create another snapshot, or use a bundle for what changes.",
        message: "project/a:v1 is a snapshot, which never moves",
        hint: Hint::Standard("create another snapshot, or a bundle for what changes"),
        see: &["pointer_moved"],
    };

    NOT_A_CORPUS = Code {
        name: "not_a_corpus",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "Only a corpus is promoted to",
        happened: "The target of a promotion is a bundle, which moves without one.",
        advice: "Move a bundle with `substrate.pointer.advance`.",
        message: "project/a:draft is a bundle, and only a corpus is promoted to",
        hint: Hint::Standard("move a bundle with substrate.pointer.advance"),
        see: &["pointer_fixed"],
    };

    EXPECTED_REQUIRED = Code {
        name: "expected_required",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The move must name what it replaces",
        happened: "A corpus moves only from a manifest that the caller names as `expected_sha256`.",
        advice: "Read the current manifest with `substrate.pointer.resolve`, compare, and name it.",
        message: "project/a:handbook is a corpus: its moves name the manifest that they replace",
        hint: Hint::Standard("resolve the pointer, and give its manifest as expected_sha256"),
        see: &["pointer_moved"],
    };

    GATE_REQUIRED = Code {
        name: "gate_required",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403), CodeChannel::Result],
        title: "People must agree, and nobody was asked",
        happened: "The call changes a corpus, and no person agreed to this very call: no gate matched it, or a standing grant \
            let it pass. Nothing was changed.",
        advice: "Run the session at the level `standard` or stricter, which gates `substrate.pointer.promote`, or write a gate. \
            Revoke a grant for this tool: an approval shows what changes, and a grant does not.",
        message: "project/a:handbook is a corpus: people agree to each of its moves, and nobody was asked about this one",
        hint: Hint::Example("use substrate.pointer.promote in a session at the level standard or stricter"),
        see: &["not_approved"],
    };

    NOT_IN_HISTORY = Code {
        name: "not_in_history",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The pointer was never there",
        happened: "A pointer is reverted to a manifest of its own history, and this one is not in it.",
        advice: "Look at `substrate.pointer.history`. To move to another manifest, advance or promote the pointer.",
        message: "project/a:draft never led to sha256:9f86…",
        hint: Hint::Standard("substrate.pointer.history lists the manifests that it led to"),
        see: &["beyond_retention"],
    };

    BEYOND_RETENTION = Code {
        name: "beyond_retention",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410), CodeChannel::Result],
        title: "The move is too long ago",
        happened: "The pointer left this manifest longer ago than moves are retained, so its content may have been collected.",
        advice: "If the manifest is still there, advance or promote the pointer to it. To keep one for good, create a snapshot.",
        message: "project/a:draft left sha256:9f86… on 2026-01-05T00:00:00.000Z, and moves are retained for 90 days",
        hint: Hint::Example("if the manifest is still there, substrate.pointer.advance moves to it"),
        see: &["not_in_history", "configuration.md#substrate"],
    };
}
