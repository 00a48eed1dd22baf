//! Codes of sessions, agents and capabilities.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;
use crate::decision::PolicyTemplate;

codes! { SESSIONS, "Sessions, agents and capabilities";

    UNKNOWN_SESSION = Code {
        name: "unknown_session",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404)],
        title: "There is no such session",
        happened: "No session has this id, or it is not this caller's.",
        advice: "`POST /sessions` opens one; `toolgate sessions list` shows the existing sessions.",
        message: "there is no session \"ses_019a…\"",
        hint: Hint::Standard("`POST /sessions` opens one; `toolgate sessions list` shows those there are"),
        see: &["session_closed"],
    };

    SESSION_CLOSED = Code {
        name: "session_closed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410), CodeChannel::Result],
        title: "The session is closed",
        happened: "The session was closed, perhaps while a call in it was in progress, or was idle for too long. Its token is no \
             longer valid.",
        advice: "Open another session and call again.",
        message: "the session ses_019a… is closed",
        hint: Hint::Standard("open another one"),
        see: &["unknown_session"],
    };

    DEFAULT_SESSION = Code {
        name: "default_session",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The default session cannot be changed",
        happened: "This is the session of a credential that brings none of its own; it follows its agent's definition.",
        advice: "Change the definition, or revoke the token.",
        message: "ses_019a… is what a credential has that brings no session; it follows its agent's definition",
        hint: Hint::Standard("change the definition, or revoke the token"),
        see: &["unknown_session"],
    };

    TOO_MANY_SESSIONS = Code {
        name: "too_many_sessions",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(429), CodeChannel::Http(503)],
        title: "The limit of open sessions is reached",
        happened: "The agent has `limits.sessions_max` sessions open, or older clients have as many sessions open as \
             `[limits] sessions_max` allows.",
        advice: "Close a session that is no longer needed, or raise the limit.",
        message: "1000 sessions of the agent reviewer are open, and no more are allowed",
        hint: Hint::Standard("close one that is no longer needed, or raise limits.sessions_max of the agent"),
        see: &["configuration.md#agents", "configuration.md#limits"],
    };

    INVALID_SESSION = Code {
        name: "invalid_session",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The session's name or label is not valid",
        happened: "A name or label of the new session is empty, too long or not printable.",
        advice: "Correct what `field` names.",
        message: "`name` has 1 to 200 printable characters",
        hint: Hint::None,
        see: &["invalid_mounts"],
    };

    INVALID_PRINCIPAL = Code {
        name: "invalid_principal",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The principal's name is reserved",
        happened: "The session was requested for a principal whose name could be mistaken for another.",
        advice: "Choose another name.",
        message: "a principal may not be called \"gateway\", which could be mistaken for another principal",
        hint: Hint::None,
        see: &["not_allowed"],
    };

    INVALID_MOUNTS = Code {
        name: "invalid_mounts",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The mounts are not valid",
        happened: "The mounts of the session have too many entries, or names that are not valid.",
        advice: "Correct what `field` names.",
        message: "a name in it is empty",
        hint: Hint::None,
        see: &["unknown_mount", "mount_left_out"],
    };

    UNKNOWN_MOUNT = Code {
        name: "unknown_mount",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The mount does not exist",
        happened: "The session names a server, provider, pointer or knowledge base that does not exist.",
        advice: "Check the spelling; the answer has the nearest name or those that exist.",
        message: "there is no server \"bnak\"",
        hint: Hint::Example("did you mean bank?"),
        see: &["mount_left_out"],
    };

    MOUNT_LEFT_OUT = Code {
        name: "mount_left_out",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The agent leaves this mount out",
        happened: "A session can mount only what its agent's definition includes.",
        advice: "Choose a server or pointers that the agent has, or change the agent.",
        message: "the agent leaves out the server \"bank\"",
        hint: Hint::Example("it has files, search"),
        see: &["unknown_mount"],
    };

    TEMPLATE_TOO_WEAK = Code {
        name: "template_too_weak",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "A weaker policy template cannot be chosen",
        happened: "The request asks for a less strict template than its scope (gateway, agent, parent run) has. \
             Strictness never relaxes.",
        advice: "Ask for the template in the hint, for a stricter one, or for none.",
        message: "the policy template exploratory is weaker than standard, which holds already",
        hint: Hint::Example("ask for standard or a stricter one, or for none"),
        see: &["unknown_template", "configuration.md#policy"],
    };

    UNKNOWN_TEMPLATE = Code {
        name: "unknown_template",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "There is no such policy template",
        happened: "`policy_template` is not the name of a template.",
        advice: "Choose one of the templates in the hint.",
        message: "there is no policy template \"strict\"",
        hint: Hint::Example(PolicyTemplate::LISTED),
        see: &["template_too_weak"],
    };

    UNKNOWN_AGENT = Code {
        name: "unknown_agent",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Http(422)],
        title: "There is no such agent",
        happened: "No agent definition has this name, neither in the file nor in the settings.",
        advice: "`toolgate agents list` shows the existing agents.",
        message: "there is no agent \"reviewr\"",
        hint: Hint::Example("did you mean reviewer?"),
        see: &["agent_undefined"],
    };

    AGENT_UNDEFINED = Code {
        name: "agent_undefined",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "The token's agent is no longer defined",
        happened: "The token is bound to an agent whose definition was removed.",
        advice: "The operator defines the agent again, or creates another token.",
        message: "this token is bound to the agent \"reviewer\", which is no longer defined",
        hint: Hint::Standard("define it again, or use another token"),
        see: &["unknown_agent"],
    };

    BAD_DEFINITION = Code {
        name: "bad_definition",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The agent's definition cannot be used",
        happened: "The definition of the agent contradicts itself, or refers to something that does not exist.",
        advice: "The operator corrects it; the message says what is wrong.",
        message: "the agent reviewer has a pattern that is none",
        hint: Hint::Example("ask the operator of the gateway to correct it"),
        see: &["unknown_capability"],
    };

    UNKNOWN_CAPABILITY = Code {
        name: "unknown_capability",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Http(409), CodeChannel::Http(422)],
        title: "There is no such capability",
        happened: "An agent, a request or a setting names a capability that is not defined.",
        advice: "Check the spelling; `toolgate capabilities list` shows the existing capabilities.",
        message: "there is no capability \"cod\"",
        hint: Hint::Example("did you mean code?"),
        see: &["capability_in_use"],
    };

    CAPABILITY_IN_USE = Code {
        name: "capability_in_use",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "Agents still use the capability",
        happened: "The capability cannot be removed while agents name it.",
        advice: "Remove it from these agents first.",
        message: "the capability code is used by the agents reviewer",
        hint: Hint::Standard("remove it from these agents first"),
        see: &["unknown_capability"],
    };

    TWO_AGENTS = Code {
        name: "two_agents",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "Two agents claim the same principal or group",
        happened: "A principal or a group can start with one agent only, and two definitions claim it.",
        advice: "Remove it from the other definition first, or leave it out here.",
        message: "the agents \"reviewer\" and \"writer\" are both for \"review-bot\"",
        hint: Hint::Standard("remove it from the other definition first, or leave it out here"),
        see: &["unknown_agent"],
    };

    DEFINED_IN_FILE = Code {
        name: "defined_in_file",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "It is defined in the configuration file",
        happened: "What `toolgate.toml` defines cannot be changed over the API.",
        advice: "Change it in the file, or choose another name.",
        message: "the agent \"reviewer\" is defined in toolgate.toml",
        hint: Hint::Standard("change it there, or choose another name"),
        see: &["name_taken"],
    };

    NAME_DIFFERS = Code {
        name: "name_differs",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The name differs from the one in the path",
        happened: "The name in the body differs from the name in the path.",
        advice: "Leave the name out. To rename it, store it under the new name and delete the old one.",
        message: "field `name`: \"writer\" is not \"reviewer\", which the address names",
        hint: Hint::Standard("leave it out; to rename, put it under the new name and delete the old one"),
        see: &["defined_in_file"],
    };
}
