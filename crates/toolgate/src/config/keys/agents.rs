//! `[[capabilities]]` and `[[agents]]`.

use toolgate_core::decision::PolicyTemplate;
use toolgate_core::scope::{AgentDefinition, Capability};

use super::EffectTime::WhileRunning;
use super::KeyKind::{Count, Flag, Other, Table as Nested, Text, Texts, Word};
use super::{ConfigTable, is, needed, without};
use crate::config::agents;

pub(super) const CAPABILITIES: ConfigTable = ConfigTable {
    header: "[[capabilities]]",
    about: "Named sets of tools. A tool that matches one of the rules belongs to the set; a capability without rules \
         takes the tools whose `capabilities` name it. More can be defined while the gateway runs (`/capabilities`).",
    accepted: Capability::KEYS,
    keys: &[
        needed("name", Text, "Letters, digits, `-`, `_` and `.`."),
        without("description", Text, "none", "Its purpose."),
        is(
            "tools",
            Texts,
            "[]",
            "Patterns for canonical names: `*` matches any characters, `?` matches one.",
        ),
        is("tags", Texts, "[]", "Tags that tools carry (`capabilities` in `[[tools]]`)."),
        is("servers", Texts, "[]", "Patterns for names of servers."),
    ],
    changes: WhileRunning,
    least: "[[capabilities]]\nname = \"code\"\n",
    example: "[[capabilities]]\nname = \"code\"\ndescription = \"Repositories, issues and reviews.\"\n\
              tools = [\"github:*\", \"*:read_file\"]\n",
};

pub(super) const AGENTS: ConfigTable = ConfigTable {
    header: "[[agents]]",
    about: "Agents: what their sessions start with. More can be defined while the gateway runs (`/agents`). \
         Credentials without a matching definition use the agent `default`, which sees every tool unless it is defined \
         here.",
    accepted: AgentDefinition::KEYS,
    keys: &[
        needed("name", Text, "Letters, digits, `-`, `_` and `.`; its tools are also at `/mcp/{name}`."),
        without("description", Text, "none", "Its purpose."),
        without("capabilities", Texts, "every tool", "The capabilities it has; `[]`: none."),
        is("pinned", Texts, "[]", "Tools that are listed even if the others have to be searched for."),
        is("blocked", Texts, "[]", "Tools that it never has."),
        is("mounts", Nested("`{ … }`"), "{}", "The servers and resources it may use; see below."),
        without(
            "policy_template",
            Word(&PolicyTemplate::NAMES),
            "that of `[policy]`",
            "Like `template` in `[policy]`, to be stricter for this agent.",
        ),
        is(
            "token_budget",
            Other("whole number, or `\"off\"`"),
            "8000",
            "The number of tokens that the list of tools may cost; beyond it, the agent searches for tools instead. 0 \
                 always searches, `\"off\"` always lists everything.",
        ),
        is("schema_diet", Flag, "false", "`true` leaves out of lists what schemas say twice."),
        is("reveal_found", Flag, "false", "`true` adds tools that an older client finds to its list."),
        is("limits", Nested("`{ … }`"), "{}", "The lifetime and number of its sessions; see below."),
        is(
            "principals",
            Texts,
            "[]",
            "Principals whose credentials use this agent, unless the credential itself names one.",
        ),
        is("groups", Texts, "[]", "Groups whose members use this agent."),
    ],
    changes: WhileRunning,
    least: "[[agents]]\nname = \"reviewer\"\n",
    example: "[[agents]]\nname = \"reviewer\"\ncapabilities = [\"code\"]\npinned = [\"github:get_pull_request\"]\n\
              blocked = [\"*:delete_*\"]\npolicy_template = \"standard\"\nprincipals = [\"review-bot\"]\n",
};

pub(super) const MOUNTS: ConfigTable = ConfigTable {
    header: "[agents.mounts]",
    about: "The servers and resources that an agent may use; within `[[agents]]`.",
    accepted: agents::MOUNTS_KEYS,
    keys: &[
        without("servers", Texts, "every server", "Servers whose tools the agent sees."),
        is("providers", Texts, "[]", "Providers of connections that tools may need."),
        is(
            "pointers",
            Texts,
            "[]",
            "Pointers that it may read and move: patterns over namespaces such as `project/*`, or `project/a:draft` for one name.",
        ),
        is("knowledge_bases", Texts, "[]", "Knowledge bases that it may query."),
    ],
    changes: WhileRunning,
    least: "[[agents]]\nname = \"reviewer\"\n[agents.mounts]\n",
    example: "[[agents]]\nname = \"reviewer\"\nmounts = { servers = [\"github\"], providers = [\"slack\"] }\n",
};

pub(super) const LIMITS: ConfigTable = ConfigTable {
    header: "[agents.limits]",
    about: "The lifetime and number of an agent's sessions; within `[[agents]]`.",
    accepted: agents::LIMITS_KEYS,
    keys: &[
        is("idle_seconds", Count, "86400", "The time without use after which a session is closed."),
        without("lifetime_seconds", Count, "no end", "The age at which a session is closed."),
        is("sessions_max", Count, "1000", "The number of sessions that may be open at once."),
    ],
    changes: WhileRunning,
    least: "[[agents]]\nname = \"reviewer\"\n[agents.limits]\n",
    example: "[[agents]]\nname = \"reviewer\"\nlimits = { idle_seconds = 3600, sessions_max = 10 }\n",
};
