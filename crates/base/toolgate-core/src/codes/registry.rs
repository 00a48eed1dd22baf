//! Codes of servers that register, of settings, reviews and secrets.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { REGISTRY, "Servers, settings and reviews";

    UNKNOWN_SERVER = Code {
        name: "unknown_server",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404)],
        title: "There is no such server",
        happened: "No server has this name: not in the file, not in the settings, and none registered with it.",
        advice: "`toolgate servers list` shows all.",
        message: "there is no server \"bnak\"",
        hint: Hint::Example("did you mean bank?"),
        see: &["configured", "lease_lost"],
    };

    SERVER_DISABLED = Code {
        name: "server_disabled",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Rpc, CodeChannel::Result],
        title: "The server is disabled",
        happened: "An operator disabled the server. The gateway does not run or contact it, and nobody can call its tools.",
        advice: "Use another tool. `toolgate servers enable NAME` enables the server again; `toolgate servers show NAME` has the reason.",
        message: "tool bank:transfer cannot be called: its server is disabled: an audit",
        hint: Hint::Standard("use another tool, or have an operator enable the server with `toolgate servers enable NAME`"),
        see: &["server_down", "unknown_server"],
    };

    UNKNOWN_PUBLISHED_SERVER = Code {
        name: "unknown_published_server",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404)],
        title: "The registry has no such server",
        happened: "The MCP registry that `[registry] url` names has no entry of this name, or none of this version.",
        advice: "Search for it: `toolgate servers search WORDS`. An entry can also have been deleted by its publisher.",
        message: "the registry https://registry.example.com/ has no server io.github.owner/wether",
        hint: Hint::Standard("`toolgate servers search WORDS` shows what it has"),
        see: &["registry_unavailable", "configuration.md#registry"],
    };

    REGISTRY_UNAVAILABLE = Code {
        name: "registry_unavailable",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(503)],
        title: "The registry did not answer as it should",
        happened: "The MCP registry that `[registry] url` names could not be reached, took too long, or answered with something that is \
             no entry of a registry. Nothing was changed.",
        advice: "Try again later, or check `[registry] url` and `[network]`.",
        message: "the registry https://registry.example.com/ cannot be used: it answered HTTP 500",
        hint: Hint::Standard("try again later, or check `[registry] url` in toolgate.toml"),
        see: &["unknown_published_server", "configuration.md#registry"],
    };

    CONFIGURED = Code {
        name: "configured",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The server did not register",
        happened: "A server that is configured in the file or in the settings cannot be removed as if it had registered itself.",
        advice: "Remove it where it is configured.",
        message: "the server \"bank\" did not register: it is configured in toolgate.toml",
        hint: Hint::Standard("remove it there"),
        see: &["unknown_server"],
    };

    INVALID_REGISTRATION = Code {
        name: "invalid_registration",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The registration is not valid",
        happened: "Part of the registration is wrong: the server's name, its address, its lease, or a tool.",
        advice: "Correct what `field` names. An address on this machine or in a private network must be \
             allowed in `[network]`.",
        message: "the address http://127.0.0.1:4000/mcp is on this machine, which `[network] allow_loopback` \
             does not allow",
        hint: Hint::None,
        see: &["name_taken", "configuration.md#network"],
    };

    FOREIGN_NAME = Code {
        name: "foreign_name",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "The token belongs to another server",
        happened: "A server's token can register only the server that it was created for.",
        advice: "An admin creates a token with `toolgate token create --role server --server NAME`.",
        message: "this token is that of the server \"files\", not of \"bank\"",
        hint: Hint::Example("an admin makes one with `toolgate token create --role server --server bank`"),
        see: &["wrong_role"],
    };

    NAME_TAKEN = Code {
        name: "name_taken",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The name is taken",
        happened: "Another server has this name or one that differs only in its spelling, or the name is reserved by Toolgate.",
        advice: "Choose another name.",
        message: "the name \"bank\" belongs to a server of toolgate.toml",
        hint: Hint::Example("register under another name"),
        see: &["defined_in_file", "alias_taken"],
    };

    ALIAS_TAKEN = Code {
        name: "alias_taken",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Http(422)],
        title: "The alias is taken",
        happened: "A name can refer to one tool only, and this one belongs to another tool or to another server's namespace.",
        advice: "Choose another name, or remove the alias from the other tool first.",
        message: "the alias \"read_file\" of server \"docs\" belongs to files:read_text_file",
        hint: Hint::Example("choose another name, or remove it from the other tool first"),
        see: &["name_taken"],
    };

    LEASE_LOST = Code {
        name: "lease_lost",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410)],
        title: "The instance holds no lease",
        happened: "The instance did not renew its lease in time, or was removed.",
        advice: "Register again.",
        message: "the instance \"a\" of the server \"bank\" holds no lease",
        hint: Hint::Standard("register again"),
        see: &["unknown_server"],
    };

    TOO_MANY_SERVERS = Code {
        name: "too_many_servers",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(429)],
        title: "The limit of registered servers is reached",
        happened: "The number of servers that register themselves is limited.",
        advice: "An operator removes servers that are gone: `DELETE /servers/{name}`.",
        message: "1000 servers are registered, and no more are allowed",
        hint: Hint::Standard("an operator removes those that are gone: DELETE /servers/{name}"),
        see: &["too_many_instances"],
    };

    TOO_MANY_INSTANCES = Code {
        name: "too_many_instances",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(429)],
        title: "The server's limit of instances is reached",
        happened: "The number of instances of one server is limited.",
        advice: "Let instances leave, or let their leases run out, before more join.",
        message: "the server bank has 64 instances, and no more are allowed",
        hint: Hint::Standard("let instances leave, or let their leases run out, before more join"),
        see: &["too_many_servers"],
    };

    UNKNOWN_SETTING = Code {
        name: "unknown_setting",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404)],
        title: "There is no such setting",
        happened: "No setting that can be changed while the gateway runs has this key.",
        advice: "The hint lists them.",
        message: "there is no setting \"mcp_server\"",
        hint: Hint::Example("the settings are mcp_servers, disabled_servers, aliases, agents, capabilities, models"),
        see: &["invalid_setting"],
    };

    INVALID_SETTING = Code {
        name: "invalid_setting",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The setting's value is not valid",
        happened: "Part of the value is wrong. `field` says which.",
        advice: "Correct it. Nothing was changed.",
        message: "value[0].url: relative URL without a base",
        hint: Hint::None,
        see: &["unknown_setting"],
    };

    CHANGED_MEANWHILE = Code {
        name: "changed_meanwhile",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(409)],
        title: "It changed during the review",
        happened: "The server no longer offers the definition that was reviewed, or others keep changing the same setting.",
        advice: "Review it again with `toolgate tools diff NAME` and decide again; for a setting, try again in a moment.",
        message: "what the server offers for bank:transfer is not what was looked at",
        hint: Hint::Example("it offers sha256:9f86… now; look at `toolgate tools diff bank:transfer` again"),
        see: &["stale"],
    };

    NOTHING_TO_REVIEW = Code {
        name: "nothing_to_review",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "Nothing about the tool waits for a review",
        happened: "The tool is unchanged since it was pinned, or was already reviewed.",
        advice: "Nothing needs to be done.",
        message: "nothing about bank:transfer waits for a review: it is active",
        hint: Hint::None,
        see: &["tool_quarantined"],
    };

    SECRET_INVALID = Code {
        name: "secret_invalid",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The secret cannot be used",
        happened: "The value is empty or too long, or cannot be sent in a header or an environment variable; or the vault \
             refused it: its name is not valid, or the vault's key does not match.",
        advice: "Store it without line breaks and control characters, under a name as the message has it. The operator checks `[vault]`.",
        message: "the secret cannot be used: it holds a line break",
        hint: Hint::None,
        see: &["secret_bound", "configuration.md#vault"],
    };

    SECRET_BOUND = Code {
        name: "secret_bound",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "The secret may not be sent to this address",
        happened: "A secret is sent only to addresses that the file, an admin, or the person who stored it has \
             allowed. A server in the settings names it and has another address.",
        advice: "An admin allows the address with `toolgate secrets allow SERVER NAME ORIGIN`, or changes the server \
             themselves; or store a secret of your own under another name.",
        message: "the secret TOKEN of server \"github\" may not be sent to https://elsewhere.example",
        hint: Hint::Example("an admin allows it with `toolgate secrets allow github TOKEN https://elsewhere.example`"),
        see: &["secret_invalid", "wrong_role"],
    };

    LAST_ADMIN = Code {
        name: "last_admin",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "This is the last token of an admin",
        happened: "The token to be revoked is the only one left that can administer the gateway over the network.",
        advice: "Create another admin token first, or run `toolgate token revoke` on the machine with the data folder.",
        message: "this is the last token of an admin: without it no one could create tokens here",
        hint: Hint::Standard("make another one first, or run `toolgate token revoke` on the machine that has the data \
             folder"),
        see: &["token_invalid", "wrong_role"],
    };

    TOKEN_INVALID = Code {
        name: "token_invalid",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The token cannot be created like this",
        happened: "The properties of the new token contradict each other, such as a server's token without a server.",
        advice: "Correct what the message names.",
        message: "a token of role server names its server",
        hint: Hint::None,
        see: &["last_admin", "unknown_agent"],
    };
}
