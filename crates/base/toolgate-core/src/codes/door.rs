//! Codes of requests that are refused at the door: authentication, limits and the form of a request.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { DOOR, "At the door";

    HOST_NOT_SERVED = Code {
        name: "host_not_served",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "The host name is not allowed",
        happened: "The `Host` header of the request names neither this machine nor a host that the operator has \
             allowed. The check keeps web pages from reaching the gateway by rebinding a DNS name.",
        advice: "Use the address that the gateway listens on, or let the operator add the name to \
             `allowed_hosts`.",
        message: "host \"gate.example.com\" is not served here",
        hint: Hint::Standard("add it to `allowed_hosts` in toolgate.toml"),
        see: &["origin_not_allowed", "configuration.md#top-of-the-file"],
    };

    ORIGIN_NOT_ALLOWED = Code {
        name: "origin_not_allowed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "The web page's origin is not allowed",
        happened: "The `Origin` header says that a web page sent the request, and the operator has not allowed \
             that page.",
        advice: "Let the operator add the origin to `allowed_origins`. Programs outside a browser send no \
             `Origin` and are not affected.",
        message: "origin \"https://app.example.com\" is not allowed",
        hint: Hint::Standard("add it to `allowed_origins` in toolgate.toml"),
        see: &["host_not_served", "configuration.md#top-of-the-file"],
    };

    UNAUTHORIZED = Code {
        name: "unauthorized",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(401)],
        title: "The token is missing, unknown or revoked",
        happened: "The request has no token where one is needed, or one that the gateway did not issue, has revoked, or (for OAuth) cannot verify.",
        advice: "Send `Authorization: Bearer <token>`. `toolgate token create --role agent` makes a token; an \
             OAuth client fetches a new access token from its authorization server.",
        message: "the token is not known, has expired or was revoked",
        hint: Hint::Standard("send `Authorization: Bearer <token>`; `toolgate token create` makes one"),
        see: &["insufficient_scope"],
    };

    INSUFFICIENT_SCOPE = Code {
        name: "insufficient_scope",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "The access token maps to no role",
        happened: "The OAuth access token is valid, but `[oauth] scopes` maps none of its scopes to a role.",
        advice: "Ask the authorization server for one of the scopes listed in `/.well-known/oauth-protected-resource`, \
             or let the operator map the scope to a role.",
        message: "the token has none of the scopes that give a role here",
        hint: Hint::Standard("ask the authorization server for one of the scopes that give a role here"),
        see: &["unauthorized", "wrong_role", "configuration.md#oauth"],
    };

    CONNECTIONS_FULL = Code {
        name: "connections_full",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(503)],
        title: "The limit of connections is reached",
        happened: "The gateway has as many connections open as it allows, or one address has used up its share. The \
             few that are left are reserved for health checks, operators and admins.",
        advice: "Try again in a moment. The operator can raise `[limits] connections_max`, or find out which client \
             holds so many.",
        message: "the gateway has reached its limit of connections",
        hint: Hint::Standard("try again in a moment; `[limits] connections_max` sets the limit"),
        see: &["configuration.md#limits"],
    };

    WRONG_ROLE = Code {
        name: "wrong_role",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "The token's role may not do this",
        happened: "The token is good, but what was asked for is for other roles: a route of the API, MCP, the metrics, the \
             registration of a server, or a decision.",
        advice: "Use a token of a role that the hint names: for instance `agent` for MCP, `operator` for metrics, `server` \
             to register. The API lists them as `roles`.",
        message: "metrics are for admins and operators",
        hint: Hint::Example("use a token made with `--role operator`"),
        see: &["foreign_name", "not_allowed", "unauthorized"],
    };

    NOT_ALLOWED = Code {
        name: "not_allowed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "This belongs to another principal",
        happened: "The resource exists and the role would suffice, but this caller may not use it: it is another \
             principal's file or session, a run that an operator paused, or content that auditors may not read.",
        advice: "Use the owner's token, or ask an operator.",
        message: "file_019a… may be used here, but only its owner may delete it",
        hint: Hint::Example("use the token of its owner"),
        see: &["wrong_role"],
    };

    NOT_FOUND = Code {
        name: "not_found",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404)],
        title: "There is nothing at this address",
        happened: "The path is not a route of the gateway, or its id names nothing that this caller may see.",
        advice: "Check the address. `/openapi.json` lists the routes; the MCP endpoint is `/mcp`, or \
             `/mcp/{agent}`.",
        message: "there is nothing here",
        hint: Hint::Example("/openapi.json lists the routes"),
        see: &["method_not_allowed"],
    };

    METHOD_NOT_ALLOWED = Code {
        name: "method_not_allowed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(405)],
        title: "The path has no such method",
        happened: "The path exists, but not with this HTTP method.",
        advice: "`/openapi.json` says which methods a path has. Messages to `/mcp` are sent with POST.",
        message: "this path does not allow this method",
        hint: Hint::Standard("/openapi.json says which methods a path has"),
        see: &["not_found"],
    };

    NOT_JSON = Code {
        name: "not_json",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(415)],
        title: "The body is not declared as JSON",
        happened: "The route takes JSON, and the request's `content-type` says something else.",
        advice: "Send `content-type: application/json`.",
        message: "the body is declared as \"text/plain\", not JSON",
        hint: Hint::Standard("send `content-type: application/json`"),
        see: &["json_broken"],
    };

    JSON_BROKEN = Code {
        name: "json_broken",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(400)],
        title: "The body is not one JSON value",
        happened: "The body could not be parsed as JSON, or something follows the value.",
        advice: "Send one complete JSON value in UTF-8.",
        message: "the body is not one JSON value: expected `,` or `}` at line 3 column 5",
        hint: Hint::None,
        see: &["not_json", "field_invalid"],
    };

    BODY_TOO_LARGE = Code {
        name: "body_too_large",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413)],
        title: "The body is larger than the limit",
        happened: "The request has more bytes than `limits.request_bytes_max` and was discarded.",
        advice: "Send less, upload long contents as a file and name its id, or raise the limit.",
        message: "the body is larger than the limit of 4194304 bytes",
        hint: Hint::Standard("send less, or raise `limits.request_bytes_max`"),
        see: &["file_too_large", "configuration.md#limits"],
    };

    BODY_BROKEN = Code {
        name: "body_broken",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(400)],
        title: "The body is incomplete",
        happened: "The connection ended before the whole body had arrived. Nothing was done.",
        advice: "Send the request again.",
        message: "the body ended before it was complete",
        hint: Hint::None,
        see: &["upload_cut_off"],
    };

    FIELD_INVALID = Code {
        name: "field_invalid",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "A field has an invalid value",
        happened: "A field of the body has the wrong type or a value out of range. `field` says which.",
        advice: "Correct the field; the [REST reference](../rest.md) lists the fields of every body.",
        message: "field `expires_in_seconds`: invalid type: string \"x\", expected u64",
        hint: Hint::None,
        see: &["field_unknown", "parameter_invalid"],
    };

    FIELD_UNKNOWN = Code {
        name: "field_unknown",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "There is no such field",
        happened: "The body has a field that the route does not know. Unknown fields are refused, so that a misspelt \
             field is not silently ignored.",
        advice: "Correct the spelling, or leave the field out. The hint has the nearest known name.",
        message: "there is no field `tols` here",
        hint: Hint::Example("did you mean tools?"),
        see: &["field_invalid"],
    };

    FIELD_MISPLACED = Code {
        name: "field_misplaced",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The field belongs to another decision",
        happened: "The body has a field that only another kind of decision takes, such as `arguments` without `edit`.",
        advice: "Leave the field out, or choose the decision that it belongs to.",
        message: "field `arguments`: it belongs to `edit` and to no other decision",
        hint: Hint::None,
        see: &["field_invalid"],
    };

    FIELD_TOO_LARGE = Code {
        name: "field_too_large",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413)],
        title: "A field of the form is too long",
        happened: "A text field of the upload form is longer than its limit.",
        advice: "Shorten the field. Only the part `file` may be large.",
        message: "field \"name\" of the form is longer than 1024 bytes",
        hint: Hint::None,
        see: &["form_broken"],
    };

    PARAMETER_INVALID = Code {
        name: "parameter_invalid",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(400)],
        title: "A parameter has an invalid value",
        happened: "A parameter of the query or of the path is invalid, is given twice, or contradicts another.",
        advice: "Correct the parameter that `field` names.",
        message: "parameter `limit`: \"many\" is not a number",
        hint: Hint::None,
        see: &["parameter_unknown", "field_invalid"],
    };

    PARAMETER_UNKNOWN = Code {
        name: "parameter_unknown",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(400)],
        title: "There is no such parameter",
        happened: "The URL has a query parameter that the route does not know.",
        advice: "Correct the spelling, or leave it out. The hint has the nearest known name.",
        message: "there is no parameter `curser` here",
        hint: Hint::Example("did you mean cursor?"),
        see: &["parameter_invalid"],
    };

    HEADER_INVALID = Code {
        name: "header_invalid",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(400)],
        title: "A header cannot be read",
        happened: "A header that names a file holds something that is not UTF-8, or `if-match` is not a tag that the gateway gave.",
        advice: "Percent-encode the name. Send one `etag` exactly as GET gave it, or `*`.",
        message: "header `x-file-name`: the name in it is not UTF-8",
        hint: Hint::Example("percent-encode it"),
        see: &["name_missing", "stale"],
    };

    INVALID_CURSOR = Code {
        name: "invalid_cursor",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The cursor is not valid",
        happened: "`cursor` is not the `next` of an earlier page.",
        advice: "Pass `next` of the previous page unchanged; start without a cursor.",
        message: "\"7\" is not a cursor of an earlier page",
        hint: Hint::Standard("pass `next` of the previous page unchanged"),
        see: &["parameter_invalid"],
    };

    EVENT_UNKNOWN = Code {
        name: "event_unknown",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(400)],
        title: "The stream cannot start there",
        happened: "`Last-Event-ID`, or `after`, names an event that this ledger does not have.",
        advice: "Leave the id out to start with the next event. `GET /ledger` has earlier events.",
        message: "this ledger has no event at this position",
        hint: Hint::Standard("leave the id out to start with the next event; GET /ledger has earlier events"),
        see: &["too_many_streams"],
    };

    TOO_MANY_STREAMS = Code {
        name: "too_many_streams",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(429)],
        title: "Too many event streams are open",
        happened: "The gateway serves a limited number of event streams at once, and all are in use; or a principal \
             has reached its limit of streams and subscriptions (`[[quotas]] streams_max`).",
        advice: "Close a stream that is not used, or read `GET /ledger?order=oldest&cursor=…` page by page.",
        message: "64 event streams are open, and no more are allowed",
        hint: Hint::Standard("close one that is not needed, or read GET /ledger?order=oldest&cursor=… page by page"),
        see: &["event_unknown"],
    };

    SHUTTING_DOWN = Code {
        name: "shutting_down",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(503), CodeChannel::Result],
        title: "The gateway is shutting down",
        happened: "The gateway is stopping. It finishes requests in progress and accepts no new ones.",
        advice: "Repeat the request; another instance, or this one after its restart, takes it.",
        message: "the gateway is shutting down",
        hint: Hint::Standard("another instance can take the call"),
        see: &["store_down"],
    };

    LEDGER_BODY_CHANGED = Code {
        name: "ledger_body_changed",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Http(500)],
        title: "Stored arguments or a stored result were changed",
        happened: "The ledger holds arguments or a result that are not those that the event was written with: the \
             database was changed by other means than the gateway. They are not shown.",
        advice: "The operator runs `toolgate ledger verify`, which names the call, and compares the database with a \
             backup.",
        message: "the body sha256:2c26… of the ledger was changed after it was written",
        hint: Hint::Standard("toolgate ledger verify names the call; compare the database with a backup"),
        see: &["store_down"],
    };

    CHECKPOINTS_OFF = Code {
        name: "checkpoints_off",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The ledger of this gateway is not signed",
        happened: "The proof of a call leads to a signed checkpoint, and the configuration has no key that signs one.",
        advice: "`toolgate ledger key --new FILE` makes a key. Name it as `key_file` in `[checkpoints]`, with a place for the \
             checkpoints, and restart the gateway.",
        message: "no call can be proved: the configuration has no `[checkpoints]`",
        hint: Hint::Standard("`toolgate ledger key --new FILE` makes a key; name it in `[checkpoints]` and restart the gateway"),
        see: &["call_unproved", "configuration.md#checkpoints"],
    };

    CALL_UNPROVED = Code {
        name: "call_unproved",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Http(500)],
        title: "The call could not be proved",
        happened: "The key that signs checkpoints cannot be read, or the ledger is no longer what was signed before. Nothing was \
             signed.",
        advice: "The operator reads the message and runs `toolgate ledger verify`, which names what is wrong.",
        message: "nothing is signed: stream gateway is no longer what was signed before",
        hint: Hint::Example("`toolgate ledger verify` names what is wrong"),
        see: &["checkpoints_off", "ledger_body_changed"],
    };

    STORE_DOWN = Code {
        name: "store_down",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(503), CodeChannel::Result],
        title: "The gateway's database is not available",
        happened: "The database could not be read or written, so nothing was read or changed. Its own message \
             is in the gateway's log only, since it may name hosts and files.",
        advice: "Repeat the request in a moment. The operator looks at the log, `toolgate doctor` and the \
             database.",
        message: "the store is not available, so nothing was read or changed",
        hint: Hint::Standard("try again in a moment"),
        see: &["ledger_down", "storage_down", "configuration.md#store"],
    };

    STALE = Code {
        name: "stale",
        fault: Blame::Caller,
        retry: Retry::Sometimes,
        seen: &[CodeChannel::Http(412), CodeChannel::Result],
        title: "The version is out of date",
        happened: "The request was made for a version that is no longer current: the setting, session, task or \
             definition has changed since, or the state of a call that was to continue is outdated.",
        advice: "Read it again and make the change again. A tool call is made again from the start, without \
             `requestState`.",
        message: "the setting mcp_servers is at version 4, not 3",
        hint: Hint::Standard("read it again and make the change again"),
        see: &["changed_meanwhile", "header_invalid"],
    };

    SIGNATURE_MISSING = Code {
        name: "signature_missing",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(401)],
        title: "The request is not signed",
        happened: "A webhook's message lacks one of the three `webhook-…` headers, or a signed URL has lost its \
             `signature` or `key`.",
        advice: "Sign messages with the webhook's secret, as Standard Webhooks describes. Use signed URLs exactly as \
             they were issued, including everything after the `?`.",
        message: "this needs a signature: there is no `webhook-signature`",
        hint: Hint::Example("sign with the webhook's secret, as Standard Webhooks describes"),
        see: &["signature_wrong", "bad_address"],
    };

    SIGNATURE_WRONG = Code {
        name: "signature_wrong",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(401)],
        title: "The signature is wrong",
        happened: "No webhook of this name accepts decisions, or the signature was made with another secret or over \
             other bytes. Both cases get the same answer, so that names cannot be guessed.",
        advice: "Check the name and the secret, and sign exactly the bytes that you send.",
        message: "the signature is not that of a webhook with this name",
        hint: Hint::Standard("check the secret, and that the body is signed as it is sent"),
        see: &["signature_missing", "signature_stale"],
    };

    SIGNATURE_STALE = Code {
        name: "signature_stale",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(401)],
        title: "The message was signed too long ago",
        happened: "The `webhook-timestamp` differs from the gateway's clock by more than five minutes.",
        advice: "Sign the message again whenever you resend it, and check both clocks.",
        message: "the message was signed more than five minutes ago, or ahead of time",
        hint: Hint::Standard("sign it again when it is sent again, and check the clocks"),
        see: &["webhook_replayed"],
    };

    WEBHOOK_REPLAYED = Code {
        name: "webhook_replayed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The message was already received",
        happened: "A message with this `webhook-id` was already accepted; a decision counts once.",
        advice: "Nothing needs to be done if it is a repetition. A new message needs a new id.",
        message: "the message \"msg_1\" came before",
        hint: Hint::Standard("each message needs an id of its own"),
        see: &["signature_stale"],
    };
}
