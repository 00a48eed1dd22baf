//! Codes of warnings, which accompany a result in its envelope.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { WARNINGS, "Warnings";

    ALIAS = Code {
        name: "alias",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "The tool was called by an alias",
        happened: "The call used an alias. It works until the day that the message names.",
        advice: "Use the name in the message.",
        message: "\"transfer\" is another name for bank:transfer. Use \"bank__transfer\".",
        hint: Hint::None,
        see: &["alias_sunset"],
    };

    ARGUMENTS_AS_TEXT = Code {
        name: "arguments_as_text",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "The arguments were sent as a string",
        happened: "`arguments` of `call_tool` was a string with JSON in it; the gateway parsed it.",
        advice: "Send an object.",
        message: "`arguments` came as a string and was read as JSON; send an object",
        hint: Hint::None,
        see: &["invalid_arguments"],
    };

    FILTERED = Code {
        name: "filtered",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "A filter masked something",
        happened: "One of the operator's filters matched something in the arguments or in the result and replaced it \
             with `[masked: NAME]`. The message says what kind of thing it was and where.",
        advice: "Continue without it. The operator decides what may be passed on.",
        message: "filter \"no card numbers\" masked card at /text before the call was sent",
        hint: Hint::None,
        see: &["filter_blocked", "configuration.md#filters"],
    };

    INPUT_UNCHECKED = Code {
        name: "input_unchecked",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "The arguments were not checked",
        happened: "The tool's schema, or part of it, cannot be used to check arguments, so the affected values were \
             passed on unchecked. The message says why, and whether this concerns all of the arguments or part of \
             them.",
        advice: "The server's author fixes the schema: it should contain everything that it refers to.",
        message: "a part of the arguments was not checked: its schema is not used in full: it refers to \
             \"https://example.com/address.json\", which is not part of it, and nothing is fetched",
        hint: Hint::None,
        see: &["tool_unreadable"],
    };

    OUTPUT_SCHEMA = Code {
        name: "output_schema",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Warning, CodeChannel::Result],
        title: "The result does not fit the tool's output schema",
        happened: "The result does not fit the `outputSchema` that the server declared. With `[validation] output = \
             \"enforce\"` the call fails, otherwise the result is passed on with this warning.",
        advice: "The tool ran: do not repeat the call because of this. The server's author fixes it; the message says \
             where the result differs.",
        message: "the result of bank:balance breaks the tool's own schema: /total: \"12\" is not of type \
             \"number\"",
        hint: Hint::Standard("the tool ran; its server must be fixed, or `output = \"warn\"` set for it"),
        see: &["server_garbled", "configuration.md#validation"],
    };

    EDITED = Code {
        name: "edited",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "An approver changed the arguments",
        happened: "A person approved the call with arguments that differ from the requested ones. The message says who \
             changed what, redacted as people see it; so does the beginning of the result.",
        advice: "Report what ran, not what was requested.",
        message: "ann changed the arguments before the call ran: /amount 900 → 150",
        hint: Hint::None,
        see: &["changes_requested"],
    };

    META_WITHHELD = Code {
        name: "meta_withheld",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "Members of `_meta` were not sent",
        happened: "People approved this call, and they saw only its arguments. What the client had put into `_meta` \
             for the server was left out.",
        advice: "Put what the server needs into the arguments.",
        message: "people agreed to the arguments of this call alone, so these members of `_meta` were not sent: \
             vendor/priority",
        hint: Hint::None,
        see: &["pending_approval"],
    };

    RUN_NOT_YOURS = Code {
        name: "run_not_yours",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "The call names another principal's run",
        happened: "The run that the call names belongs to another principal. The call was made anyway, and is not \
             recorded under that run.",
        advice: "Name a run of your own, or none. A principal that works in a run has a token for it.",
        message: "the call was not recorded under run_1, which is not a run of its caller",
        hint: Hint::None,
        see: &["not_allowed"],
    };

    SENT_AGAIN = Code {
        name: "sent_again",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "The call was sent a second time",
        happened: "The first attempt failed in a way that cannot have had an effect, or the tool is declared \
             idempotent, so the gateway sent it again.",
        advice: "Nothing needs to be done.",
        message: "server \"bank\" is not available: connection refused; the call was sent once more",
        hint: Hint::None,
        see: &["server_lost"],
    };

    NOT_RECORDED = Code {
        name: "not_recorded",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "The end of the call is not in the ledger yet",
        happened: "The tool ran and its result is here, but the end of the call could not be recorded yet. It is \
             recorded later, unless another gateway took this one for dead and has closed the call as `unknown`.",
        advice: "Nothing needs to be done by the caller. The operator checks the store.",
        message: "the end of this call could not be recorded: the gateway cannot record calls at the moment",
        hint: Hint::None,
        see: &["ledger_down"],
    };

    FILE_NOT_MAPPED = Code {
        name: "file_not_mapped",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "A file id was passed on unchanged",
        happened: "An argument has the id of a file, and the tool has no file strategy for this argument, so the \
             server gets the id and not the content.",
        advice: "Use the argument that takes files; the operator can give the tool a `file_strategy`.",
        message: "`path` holds file_019a… and is passed on as it is: no file strategy of tool docs:read is for \
             `path`",
        hint: Hint::None,
        see: &["bad_file_id", "configuration.md#tools"],
    };

    LONG_STRUCTURE = Code {
        name: "long_structure",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "The structured result is long",
        happened: "`structuredContent` is longer than results should be. It is not shortened, because it must fit the \
             tool's `outputSchema`.",
        advice: "Ask for less.",
        message: "`structuredContent` has about 90000 bytes, more than the 32768 that results should have; it \
             stays because the tool promises what it looks like",
        hint: Hint::None,
        see: &["too_many_refs", "configuration.md#results"],
    };

    TOO_MANY_REFS = Code {
        name: "too_many_refs",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "Parts of the result were withheld",
        happened: "The result had more large or binary parts than the gateway keeps of one result.",
        advice: "Ask for less at once.",
        message: "3 parts of this result were withheld: at most 64 of one result are kept",
        hint: Hint::None,
        see: &["long_structure"],
    };

    REDACTED = Code {
        name: "redacted",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "Secrets were left out of a repeated answer",
        happened: "A call was sent again and gets the recorded result: one of a batch under the same id, or one that \
             people approved, after the gateway was restarted or from another gateway. Secrets are not recorded, so \
             `[redacted]` stands in their place; the first answer had them. The beginning of the result says so, too.",
        advice: "Keep what you need from the first answer.",
        message: "secrets were left out of what is kept of this call; only its first answer had them",
        hint: Hint::None,
        see: &["call_id_reused", "ran_before", "configuration.md#redact"],
    };

    PATTERN_UNMATCHED = Code {
        name: "pattern_unmatched",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "A pattern matches no tool",
        happened: "An agent or capability was stored with a pattern that matches no tool at present. It may match \
             tools that are added later.",
        advice: "Check the spelling, if it was meant to match an existing tool.",
        message: "tools[0]: no tool fits `bnak:*`",
        hint: Hint::None,
        see: &["unknown_capability"],
    };
}
