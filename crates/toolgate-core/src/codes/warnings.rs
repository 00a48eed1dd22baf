//! Codes of warnings, which stand beside a result in its envelope.

use super::{Code, Retry, Seen};
use crate::Blame;

pub(super) const CODES: &[Code] = &[
    Code {
        code: "alias",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "The tool was called by another name",
        happened: "The call used an alias. It works until the day that the message names.",
        advice: "Use the name that the message says.",
        message: "\"transfer\" is another name for bank:transfer. Use \"bank__transfer\".",
        hint: "",
        see: &["alias_sunset"],
    },
    Code {
        code: "arguments_as_text",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "The arguments came as a text",
        happened: "`arguments` of `call_tool` was a string that holds JSON; it was read as the object in it.",
        advice: "Send an object.",
        message: "`arguments` came as a string and was read as JSON; send an object",
        hint: "",
        see: &["invalid_arguments"],
    },
    Code {
        code: "input_unchecked",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "The arguments were not checked",
        happened: "The tool's schema cannot be used to check arguments, so they were passed on as they came.",
        advice: "The server's author mends the schema; the message says what is wrong with it.",
        message: "the arguments were not checked: the schema refers to another document",
        hint: "",
        see: &["tool_unreadable"],
    },
    Code {
        code: "output_schema",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[Seen::Warning, Seen::Result],
        title: "The result breaks the tool's own schema",
        happened: "The server promised a form of its results and broke it. With `[validation] output = \
             \"enforce\"` the call fails, else the result is passed on with this warning.",
        advice: "The tool ran: do not repeat it for this. The server's author mends it; the message says \
             where it differs.",
        message: "the result of bank:balance breaks the tool's own schema: /total: \"12\" is not of type \
             \"number\"",
        hint: "the tool ran; its server must be mended, or `output = \"warn\"` set for it",
        see: &["server_garbled", "configuration.md#validation"],
    },
    Code {
        code: "meta_withheld",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "Something beside the arguments was not sent",
        happened: "People agreed to this call, and they have seen its arguments alone. What the client had put into \
             `_meta` for the server was left out.",
        advice: "Put what the server needs into the arguments.",
        message: "people agreed to the arguments of this call alone, so these members of `_meta` were not sent: \
             vendor/priority",
        hint: "",
        see: &["pending_approval"],
    },
    Code {
        code: "run_not_yours",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "The call names a run of somebody else",
        happened: "The run that the call names belongs to another principal. The call was made all the same, and is \
             not recorded under that run.",
        advice: "Name a run of your own, or none. Whoever works in a run has a token for it.",
        message: "the call was not recorded under run_1, which is not a run of its caller",
        hint: "",
        see: &["not_allowed"],
    },
    Code {
        code: "sent_again",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "The call was sent a second time",
        happened: "The first attempt failed in a way that cannot have had an effect, or the tool is declared \
             idempotent, so the gateway sent it once more.",
        advice: "Nothing.",
        message: "server \"bank\" is not available: connection refused; the call was sent once more",
        hint: "",
        see: &["server_lost"],
    },
    Code {
        code: "not_recorded",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "The end of the call is not in the ledger yet",
        happened: "The tool ran and its result is here, but the end of the call could not be written. It is \
             written later.",
        advice: "Nothing. The operator looks at the store.",
        message: "the end of this call is not recorded yet: the store is not available",
        hint: "",
        see: &["ledger_down"],
    },
    Code {
        code: "file_not_mapped",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "An id of a file was passed on as it is",
        happened: "An argument holds the id of a file, and no file strategy of the tool is for this argument, \
             so the server gets the id and not the content.",
        advice: "Use the argument that takes files; the operator can give the tool a `file_strategy`.",
        message: "`path` holds file_019a… and is passed on as it is: no file strategy of tool docs:read is for \
             `path`",
        hint: "",
        see: &["bad_file_id", "configuration.md#tools"],
    },
    Code {
        code: "long_structure",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "The structured result is long",
        happened: "`structuredContent` is longer than results should be. It stays, because the tool promises \
             what it looks like.",
        advice: "Ask for less.",
        message: "`structuredContent` has about 90000 bytes, more than the 32768 that results should have; it \
             stays because the tool promises what it looks like",
        hint: "",
        see: &["too_many_refs", "configuration.md#results"],
    },
    Code {
        code: "too_many_refs",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "Parts of the result were withheld",
        happened: "A result had more large or binary parts than are kept of one result.",
        advice: "Ask for less at once.",
        message: "3 parts of this result were withheld: at most 64 of one result are kept",
        hint: "",
        see: &["long_structure"],
    },
    Code {
        code: "pattern_unmatched",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[Seen::Warning],
        title: "A pattern fits no tool",
        happened: "An agent or capability was stored with a pattern that fits nothing now. It may fit tools \
             that come later.",
        advice: "Check the spelling, if tools were meant that are there.",
        message: "tools[0]: no tool fits `bnak:*`",
        hint: "",
        see: &["unknown_capability"],
    },
];
