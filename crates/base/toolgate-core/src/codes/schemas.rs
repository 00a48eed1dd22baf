//! Codes of versioned schemas.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { SCHEMAS, "Schemas";

    UNKNOWN_SCHEMA = Code {
        name: "unknown_schema",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such schema or version",
        happened: "No schema has this namespace and name, it has no such version, or none of its versions is active.",
        advice: "`toolgate schema list` shows the existing ones.",
        message: "there is no version 7 of the schema \"invoice\" in \"billing\"",
        hint: Hint::Standard("schema.list shows those there are; without a version the active one is meant"),
        see: &["schema_state"],
    };

    BAD_SCHEMA = Code {
        name: "bad_schema",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The definition is no schema that can be kept",
        happened: "The definition is no valid JSON Schema, refers to another document or to nothing, or is endless. A schema is kept \
             only if all of it can be used.",
        advice: "Correct the definition. Put what it refers to into `$defs` and refer to it as `#/$defs/NAME`.",
        message: "this schema cannot be kept: it refers to `https://example.com/a`, which is another document, and nothing is fetched",
        hint: Hint::Standard("write a JSON Schema (2020-12) that is whole: put what it refers to into `$defs`"),
        see: &["schema_too_large"],
    };

    SCHEMA_TOO_LARGE = Code {
        name: "schema_too_large",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413), CodeChannel::Result],
        title: "The schema is too large or too deep",
        happened: "A schema has at most 256 KiB, 64 levels and 20,000 parts, and a name has at most 1,000 versions.",
        advice: "Split the schema, or say repeated parts once in `$defs`.",
        message: "this schema cannot be kept: it nests deeper than 64 levels",
        hint: Hint::Standard("split it, or say repeated parts once in `$defs`"),
        see: &["bad_schema"],
    };

    SCHEMA_CONFLICT = Code {
        name: "schema_conflict",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The schema of this name has another type or compatibility",
        happened: "Type and compatibility belong to a name; its first registration sets them.",
        advice: "Leave both out to register another version, or register under another name.",
        message: "the schema \"invoice\" in \"billing\" has the type structured_type and the compatibility backward",
        hint: Hint::Standard("leave `type` and `compatibility` out, or register under another name"),
        see: &["incompatible_schema"],
    };

    SCHEMA_STATE = Code {
        name: "schema_state",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The version's state does not allow this",
        happened: "Only a draft is promoted, and only the active version is deprecated.",
        advice: "`toolgate schema get` shows the state; register a new version to promote something else.",
        message: "version 2 of the schema \"invoice\" in \"billing\" is superseded; only a draft is promoted, and only the active version is deprecated",
        hint: Hint::Standard("schema.get shows its state; register a new version to promote something else"),
        see: &["unknown_schema", "schema_stale"],
    };

    SCHEMA_STALE = Code {
        name: "schema_stale",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(412), CodeChannel::Result],
        title: "Another version is active than was expected",
        happened: "The active version is not the one that `expected` names, or it changed while the call ran. Nothing was done.",
        advice: "Look at the active version, and decide again.",
        message: "version 3 of the schema \"invoice\" in \"billing\" is active, not 2",
        hint: Hint::Standard("look at the active version with schema.get, and decide again"),
        see: &["stale", "schema_state"],
    };

    INCOMPATIBLE_SCHEMA = Code {
        name: "incompatible_schema",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The version breaks the promised compatibility",
        happened: "The compatibility of this name promises that data of one version fits another, and a value is known that does not.",
        advice: "Register a version that keeps the promise: add members as optional ones to an object that allows no others, and widen instead \
             of narrowing. Or register it under another name, which has its own promise.",
        message: "version 4 of the schema \"invoice\" in \"billing\" does not keep the compatibility backward towards version 3: data of the \
             earlier version does not fit the new one: at /total: expected integer, got 0.5 (for example {\"total\":0.5})",
        hint: Hint::Standard("register a version that keeps the promise, such as one with optional members only, or register it under another name"),
        see: &["unproven_schema", "schema_conflict"],
    };

    UNPROVEN_SCHEMA = Code {
        name: "unproven_schema",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The promised compatibility cannot be proved",
        happened: "No value is known that breaks the promise, and no proof was found that there is none. Then nothing is promoted.",
        advice: "The message names the place. Write it in a way that can be compared: the same `pattern` as before, forms that differ by a \
             constant member, `additionalProperties` instead of `unevaluatedProperties`. Or register it under another name.",
        message: "it is not known whether version 4 of the schema \"invoice\" in \"billing\" keeps the compatibility backward towards version 3: \
             it cannot be proved that data of the earlier version fits the new one: at /iban: `pattern` \"^DE\" does not follow",
        hint: Hint::Standard("write the named place so that it can be compared, such as with the same pattern as before, or register it under another name"),
        see: &["incompatible_schema"],
    };
}
