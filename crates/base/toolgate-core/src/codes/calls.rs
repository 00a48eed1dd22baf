//! Codes of tool calls: arguments, policy, and failures between the gateway and a server.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { CALLS, "Tool calls and servers";

    INVALID_ARGUMENTS = Code {
        name: "invalid_arguments",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result, CodeChannel::Http(422)],
        title: "The arguments do not fit the tool",
        happened: "The arguments are not an object, or were checked against the tool's schema and do not fit. They are \
             those of a call, of a call in a batch, or those that an approver edited. Nothing was sent. `problems` lists \
             every place, what is expected there, and the nearest known field.",
        advice: "Correct the arguments and call again. `describe_tools`, or `toolgate tools describe NAME`, \
             shows the schema.",
        message: "/amount: \"ten\" is not of type \"number\"",
        hint: Hint::Example("`amount` takes a number"),
        see: &["describe_first", "approval_not_editable"],
    };

    CALL_REFUSED = Code {
        name: "call_refused",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The call could not be made",
        happened: "The request could not be turned into a tool call; the message says why.",
        advice: "Correct what the message names.",
        message: "the arguments: expected an object",
        hint: Hint::None,
        see: &["invalid_arguments"],
    };

    UNKNOWN_TOOL = Code {
        name: "unknown_tool",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such tool",
        happened: "No tool has this name, or this caller may not use it. Both cases get the same answer.",
        advice: "Search or list the tools again. The hint has the nearest names. `toolgate sessions explain` tells an \
             operator why a tool is absent.",
        message: "there is no tool \"bank:transfr\"",
        hint: Hint::Example("did you mean bank:transfer?"),
        see: &["alias_sunset"],
    };

    TOOL_QUARANTINED = Code {
        name: "tool_quarantined",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Rpc, CodeChannel::Result],
        title: "The tool waits for a review",
        happened: "The server changed the tool's definition after it was pinned, or its description looks like hidden \
             instructions. It is withheld until it is reviewed.",
        advice: "An operator compares the definitions with `toolgate tools diff NAME` and accepts or rejects the \
             change. The caller cannot do anything about it.",
        message: "tool bank:transfer is withheld until it is reviewed: its description changed",
        hint: Hint::Example("the operator looks at it with `toolgate tools diff bank:transfer` and accepts or rejects it"),
        see: &["tool_changed", "nothing_to_review", "configuration.md#registry"],
    };

    TOOL_RETIRED = Code {
        name: "tool_retired",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410), CodeChannel::Rpc, CodeChannel::Result],
        title: "The server no longer offers the tool",
        happened: "The tool existed, and its server has since removed it from its list.",
        advice: "List the tools again and choose another.",
        message: "tool bank:transfer is no longer offered by its server",
        hint: Hint::Example("list the tools again"),
        see: &["unknown_tool"],
    };

    TOOL_UNREADABLE = Code {
        name: "tool_unreadable",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Rpc, CodeChannel::Result],
        title: "The tool's definition cannot be used",
        happened: "The server's definition of the tool is not valid: its schema is not a schema, or its name is ambiguous.",
        advice: "The server has to be fixed; the message says what is wrong.",
        message: "tool bank:transfer cannot be used: its input schema is not an object",
        hint: Hint::Example("its server has to be fixed"),
        see: &["tool_quarantined", "tool_retired"],
    };

    TOOL_CHANGED = Code {
        name: "tool_changed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The tool has changed since approval was requested",
        happened: "The approval was requested for one version of the tool, and the server now offers another version, or none.",
        advice: "Deny the approval. The caller can repeat its call, which requests approval for the current version.",
        message: "the tool bank:transfer is not there, or is another version than the approval was asked for",
        hint: Hint::None,
        see: &["tool_quarantined", "approval_changed"],
    };

    ALIAS_SUNSET = Code {
        name: "alias_sunset",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410), CodeChannel::Rpc, CodeChannel::Result],
        title: "The alias is no longer valid",
        happened: "The name is an alias that has reached its end date.",
        advice: "Call the tool by the name in the message.",
        message: "the name \"transfer\" is no longer in use; the tool is bank:transfer",
        hint: Hint::Example("call bank:transfer"),
        see: &["alias", "unknown_tool"],
    };

    DESCRIBE_FIRST = Code {
        name: "describe_first",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Result],
        title: "Read the tool's schema first",
        happened: "`call_tool` was used for a tool that may change something and whose schema was not shown in \
             this session. The answer contains the schema.",
        advice: "Call it again with arguments that fit the schema.",
        message: "bank:transfer was not called: it may change something, and its schema was not looked at in \
             this session",
        hint: Hint::Example("call it again with arguments that fit this schema"),
        see: &["invalid_arguments"],
    };

    DENIED = Code {
        name: "denied",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403), CodeChannel::Result],
        title: "Policy forbids the call",
        happened: "A policy forbids this call, or none permits it. `denial` names the policies and the reasons \
             that their authors gave. A policy that cannot be evaluated denies too, and then the fault is the gateway's.",
        advice: "Do not repeat it as it is. `toolgate policy explain --tool NAME` tells the operator what would be allowed.",
        message: "not run: policy does not allow this call of bank__transfer",
        hint: Hint::Example("do not repeat it as it is, and do not look for another way to the same end"),
        see: &["approval_denied", "wrong_role", "configuration.md#policy"],
    };

    FILTER_BLOCKED = Code {
        name: "filter_blocked",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "A filter does not let the call through",
        happened: "One of the operator's filters matched something in the arguments that may not be sent. `filters` \
             has the filter, the kind, the number of matches and their places; never the matched text. Nothing was \
             sent.",
        advice: "Leave it out of the arguments and call again.",
        message: "this call of tickets:create was not sent: filter \"no card numbers\" found card at /text",
        hint: Hint::Standard("leave it out of the arguments and call again; the operator decides what may be sent"),
        see: &["result_withheld", "filtered", "configuration.md#filters"],
    };

    RESULT_WITHHELD = Code {
        name: "result_withheld",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The tool ran, and a filter withholds its result",
        happened: "One of the operator's filters matched something in the result that may not be passed on. The call \
             has run and is recorded with the matches masked. `filters` says what was found and where.",
        advice: "Do not repeat the call to get the result: it has run. Ask the operator what may be passed on.",
        message: "crm:lookup ran, and its result is withheld: filter \"no accounts\" found iban at /content/0/text",
        hint: Hint::Standard("do not repeat the call to get it: it has run; the operator decides what may be passed on"),
        see: &["filter_blocked", "filtered", "configuration.md#filters"],
    };

    CANCELLED = Code {
        name: "cancelled",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The call was cancelled",
        happened: "The client cancelled the call or disconnected, or its request for approval was cancelled. If the \
             call had already been sent, it may have taken effect.",
        advice: "Check whether the call took effect. Call again if it is still wanted.",
        message: "the call was cancelled before it was sent",
        hint: Hint::Standard("call again if it is still wanted"),
        see: &["expired", "server_lost"],
    };

    TOO_MANY_CALLS = Code {
        name: "too_many_calls",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(429), CodeChannel::Result],
        title: "Too many calls are in progress",
        happened: "A client, a principal and an agent each have a limit of concurrent calls; further calls wait in a \
             queue. The queue was full, or the call waited too long. Nothing was sent. Of trials of policies \
             (`POST /policy/trial`), a gateway runs two at once.",
        advice: "Repeat the call when others have finished.",
        message: "principal ann has reached its limit of calls in progress and waiting",
        hint: Hint::Standard("repeat the call when others have finished; `[[quotas]]` sets how many run and wait"),
        see: &["server_busy", "rate_limited", "call_budget_spent", "configuration.md#quotas"],
    };

    TOO_MANY_APPROVALS = Code {
        name: "too_many_approvals",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result],
        title: "Too many calls wait for approval",
        happened: "The call needs approval, and the caller already has `approvals_max` (of `[[quotas]]`) calls that \
             wait for one. No one was asked, and nothing was sent.",
        advice: "Repeat the call when people have decided on the others, or cancel some.",
        message: "100 calls of principal review-bot wait for people already",
        hint: Hint::Standard("wait until people have decided; `[[quotas]] approvals_max` sets how many may wait"),
        see: &["pending_approval", "too_many_calls", "configuration.md#quotas"],
    };

    CALL_BUDGET_SPENT = Code {
        name: "call_budget_spent",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result],
        title: "The daily limit of calls is reached",
        happened: "The principal or the agent has made as many calls since midnight (UTC) as its quota allows for one \
             day. Nothing was sent.",
        advice: "Wait for the next day, or have the operator raise `calls_per_day`.",
        message: "agent crawler has made the 5000 calls that it may make in a day",
        hint: Hint::Standard("the next day begins at midnight UTC; `[[quotas]] calls_per_day` sets the number"),
        see: &["rate_limited", "too_many_calls", "configuration.md#quotas"],
    };

    LEDGER_DOWN = Code {
        name: "ledger_down",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result],
        title: "The call could not be recorded",
        happened: "A call that may change something is recorded before it is sent, and the record could not be \
             written; so nothing was sent. If writing failed at the end of the call, the result is withheld.",
        advice: "Call again in a moment. The operator sees the cause in the log.",
        message: "the call was not sent: the gateway cannot record calls at the moment",
        hint: Hint::Standard("call again in a moment; the operator sees the cause in the log"),
        see: &["store_down", "not_recorded", "configuration.md#ledger"],
    };

    INPUT_REQUIRED = Code {
        name: "input_required",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The server asks its client a question",
        happened: "The server needs an answer from the client to continue, and the REST API has no way to give one.",
        advice: "Call the tool over MCP, with a client that answers questions.",
        message: "the server asks its client something, which cannot be answered over this API",
        hint: Hint::Example("call the tool over MCP"),
        see: &["input_cancelled"],
    };

    SERVER_ERROR = Code {
        name: "server_error",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The server answered with a JSON-RPC error",
        happened: "The server answered the call with a JSON-RPC error; `details.rpc_code` is its number.",
        advice: "Read the message; it is the server's own. `toolgate servers test NAME` shows whether the server is healthy.",
        message: "something went wrong (-32603)",
        hint: Hint::Example("the server answered with an error of its protocol"),
        see: &["server_garbled"],
    };

    SERVER_DOWN = Code {
        name: "server_down",
        fault: Blame::Server,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The server is not connected",
        happened: "The server of the tool is not running or cannot be reached. Nothing was sent.",
        advice: "Repeat the call later. `toolgate servers show NAME` tells the operator why; other servers are not affected.",
        message: "server \"bank\" is not available: connection refused",
        hint: Hint::Example("`toolgate servers show bank` says why; other servers are not affected"),
        see: &["server_resting", "server_lost"],
    };

    SERVER_TIMEOUT = Code {
        name: "server_timeout",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The server did not answer in time",
        happened: "No answer came within the tool's or server's time-out. The tool may still be running.",
        advice: "Check whether the call took effect before you repeat it. If it needs longer, raise `timeout_seconds` \
             of the tool or the server.",
        message: "server \"bank\" did not answer within 60 s",
        hint: Hint::Example("the tool may still be running; raise `timeout_seconds` of server \"bank\" if it needs longer"),
        see: &["server_lost", "configuration.md#servers"],
    };

    SERVER_LOST = Code {
        name: "server_lost",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The connection was lost during the call",
        happened: "The server died or the connection broke after the call was sent; it is not known whether the tool \
             ran. The gateway restarts the server.",
        advice: "Check whether the call took effect before you repeat it.",
        message: "the connection to server \"bank\" was lost during the call: the process ended with status 1",
        hint: Hint::Example("check whether the call took effect before you repeat it; the server is being restarted"),
        see: &["server_down", "call_unknown"],
    };

    SERVER_GARBLED = Code {
        name: "server_garbled",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The server violated the protocol",
        happened: "The server's message is not a valid answer: not JSON, not JSON-RPC, or an answer to another request.",
        advice: "`toolgate servers test NAME` shows what the server answers; its author has to fix it.",
        message: "server \"bank\" broke the protocol: the answer has neither a result nor an error",
        hint: Hint::Example("`toolgate servers test bank` shows what the server answers"),
        see: &["server_refused"],
    };

    SERVER_REFUSED = Code {
        name: "server_refused",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The server answered with an unexpected HTTP status",
        happened: "The server's HTTP endpoint refused the request with a status that MCP does not define.",
        advice: "`toolgate servers test NAME` shows what the server answers; check its address.",
        message: "server \"bank\" answered with HTTP status 500",
        hint: Hint::Example("`toolgate servers test bank` shows what the server answers"),
        see: &["server_unauthorized"],
    };

    SERVER_BUSY = Code {
        name: "server_busy",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The server's limit of concurrent calls is reached",
        happened: "`concurrency_max` calls of this server, or of this tool, are in progress. Nothing was sent.",
        advice: "Repeat the call when others have finished, or raise `concurrency_max`.",
        message: "server \"bank\" already has 64 calls under way",
        hint: Hint::Example("repeat the call when others have finished"),
        see: &["rate_limited", "too_many_calls", "configuration.md#servers"],
    };

    RATE_LIMITED = Code {
        name: "rate_limited",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The rate limit is exceeded",
        happened: "The server, the tool or the caller has a `rate`, and more calls came than it allows. Nothing was sent.",
        advice: "Repeat the call after the time in the hint.",
        message: "more calls to server \"bank\" came than its rate allows",
        hint: Hint::Example("repeat the call in 0.5 s"),
        see: &["server_busy", "configuration.md#servers"],
    };

    SERVER_RESTING = Code {
        name: "server_resting",
        fault: Blame::Server,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The server is paused after repeated failures",
        happened: "The server failed repeatedly, so the gateway sends it no calls for a short time (circuit breaker). \
             Nothing was sent.",
        advice: "Repeat the call after the time in the hint. `toolgate servers show NAME` has the reason.",
        message: "server \"bank\" is paused for a while because it failed repeatedly: HTTP status 500",
        hint: Hint::Example("repeat the call in 5.0 s"),
        see: &["server_down"],
    };

    SERVER_UNAUTHORIZED = Code {
        name: "server_unauthorized",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The server requires a credential that the gateway lacks",
        happened: "The server refused the gateway's own request for lack of a valid credential, and the tool did not \
             run. A caller's own token is never passed on.",
        advice: "The operator signs in with `toolgate servers login NAME`, or stores a secret with `toolgate \
             secrets set NAME SECRET`.",
        message: "server \"bank\" wants a credential that the gateway does not have: it answered 401",
        hint: Hint::Example("the operator can sign in with `toolgate servers login bank` or store a secret with `toolgate \
             secrets set bank NAME`"),
        see: &["server_refused", "secret_invalid"],
    };

    RESULT_TOO_LARGE = Code {
        name: "result_too_large",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "The server's answer is larger than the limit",
        happened: "The answer has more bytes than `limits.result_bytes_max` and was dropped.",
        advice: "Ask for less (a filter, a page, a range), or raise the limit.",
        message: "server \"bank\" sent more than the limit of 16777216 bytes",
        hint: Hint::Example("ask for less (a filter, a page, a range) or raise `limits.result_bytes_max`"),
        see: &["too_many_refs", "configuration.md#limits"],
    };

    CONTENT_UNREAD = Code {
        name: "content_unread",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result, CodeChannel::Rpc],
        title: "A file could not be read completely",
        happened: "A file's content broke off while it was being sent to the server, so the request was never complete \
             and the tool did not run.",
        advice: "Repeat the call; store the file again if it fails again.",
        message: "file_019a… could not be read to its end",
        hint: Hint::Example("the tool did not run; repeat the call, and upload the content again if it fails again"),
        see: &["file_changed", "storage_down"],
    };
}
