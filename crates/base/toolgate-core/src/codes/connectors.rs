//! Codes of connectors: requests to outside, and records that are taken in from there.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { CONNECTORS, "Connectors";

    UNKNOWN_CONNECTOR = Code {
        name: "unknown_connector",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such connector",
        happened: "No server of this provider and connection exists, or the session has not mounted the provider.",
        advice: "`connector.list` shows the connectors that a session has. An agent's `mounts` name providers; a server called \
             `connector.slack` makes one.",
        message: "there is no connector slack/sales",
        hint: Hint::Standard("connector.list shows those that there are"),
        see: &["unknown_stream", "configuration.md#servers"],
    };

    UNKNOWN_STREAM = Code {
        name: "unknown_stream",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "The connector has no such stream",
        happened: "Records are synced by stream, and the connector has none of this name, or none at all.",
        advice: "Use one of the streams that the hint lists. A connector file says which there are.",
        message: "slack/default has no stream \"message\"",
        hint: Hint::Example("it has channels, messages"),
        see: &["unknown_connector"],
    };

    BAD_STREAM_PAGE = Code {
        name: "bad_stream_page",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Http(502), CodeChannel::Result],
        title: "A connector answered with something that is no page of records",
        happened: "The server of the connector answered a request for records with another form than such an answer has. What was synced \
             before stays.",
        advice: "The author of the connector has to correct it. `connector.test` shows whether it is mended.",
        message: "slack/default answered with no page of records: missing field `records`",
        hint: Hint::Standard("connector.test shows whether it is mended"),
        see: &["server_garbled"],
    };

    CONNECTOR_FAILED = Code {
        name: "connector_failed",
        fault: Blame::Server,
        retry: Retry::No,
        seen: &[CodeChannel::Http(502), CodeChannel::Result],
        title: "The provider refused the request for records",
        happened: "The provider, or the server of the connector, answered with an error of its own, which the message repeats. What was \
             synced before stays.",
        advice: "Correct what the message says, then sync again: it goes on from where it stopped.",
        message: "slack/default refused the stream messages: missing_scope",
        hint: Hint::Standard("correct it at the provider, then sync again; it goes on from where it stopped"),
        see: &["server_unauthorized"],
    };

    CONNECTOR_SIGN_IN = Code {
        name: "connector_sign_in",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The sign-in of a connector has ended",
        happened: "The provider refused the credential of the connector: it has expired, was revoked, or is missing. What was synced before \
             stays.",
        advice: "Sign in again with `toolgate servers login NAME`, or store a new secret with `toolgate secrets set`. Then sync again: it goes \
             on from where it stopped.",
        message: "the sign-in of slack/default has expired or was revoked: server \"connector.slack\" refused the credential: token_revoked",
        hint: Hint::Example("the operator can sign in with `toolgate servers login connector.slack`"),
        see: &["server_unauthorized", "connector_failed"],
    };

    REQUEST_CHANGED = Code {
        name: "request_changed",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Result],
        title: "The request is not the one that people saw",
        happened: "People agreed to a request as it would be sent. Meanwhile the connector was changed, so that the same arguments would \
             make another request. Nothing was sent.",
        advice: "Make the call again, which asks the approvers again.",
        message: "the request of connector.slack:post_message is not what was agreed to any more",
        hint: Hint::Standard("call again, which asks the approvers again"),
        see: &["file_changed", "not_approved"],
    };
}
