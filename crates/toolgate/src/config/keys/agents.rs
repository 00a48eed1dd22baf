//! `[[capabilities]]` and `[[agents]]`.

use toolgate_core::scope::{AgentDefinition, Capability};

use super::Changes::WhileRunning;
use super::Kind::{Count, Flag, Other, Table as Nested, Text, Texts, Word};
use super::governance::TEMPLATES;
use super::{Table, is, needed, without};
use crate::config::agents;

pub(super) const CAPABILITIES: Table = Table {
    header: "[[capabilities]]",
    about: "Named sets of tools. What fits one of the rules belongs to it; one with nothing but a name takes the tools whose \
            `capabilities` name it. More can be set while the gateway runs (`/capabilities`).",
    accepted: &Capability::KEYS,
    keys: &[
        needed("name", Text, "Letters, digits, `-`, `_` and `.`."),
        without("description", Text, "none", "What it is for."),
        is(
            "tools",
            Texts,
            "[]",
            "Patterns over canonical names: `*` stands for any characters, `?` for one.",
        ),
        is("tags", Texts, "[]", "What tools say they are for (`capabilities` in `[[tools]]`)."),
        is("servers", Texts, "[]", "Patterns over names of servers."),
    ],
    changes: WhileRunning,
    least: "[[capabilities]]\nname = \"code\"\n",
    example: "[[capabilities]]\nname = \"code\"\ndescription = \"Repositories, issues and reviews.\"\n\
              tools = [\"github:*\", \"*:read_file\"]\n",
};

pub(super) const AGENTS: Table = Table {
    header: "[[agents]]",
    about: "Kinds of agents: what their sessions begin with. More can be set while the gateway runs (`/agents`). Credentials \
            that no definition is for have the agent `default`, which sees every tool unless it is defined here.",
    accepted: &AgentDefinition::KEYS,
    keys: &[
        needed("name", Text, "Letters, digits, `-`, `_` and `.`; its tools are at `/mcp/{name}` too."),
        without("description", Text, "none", "What it is for."),
        without("capabilities", Texts, "every tool", "What it is given; `[]`: nothing."),
        is("pinned", Texts, "[]", "Tools that are listed even where the rest is searched."),
        is("blocked", Texts, "[]", "Tools that it never has."),
        is("mounts", Nested("`{ … }`"), "{}", "What it may touch; see below."),
        without(
            "policy_template",
            Word(TEMPLATES),
            "that of `[policy]`",
            "As `template` in `[policy]`, where it shall be stricter for this agent.",
        ),
        is(
            "token_budget",
            Other("whole number, or `\"off\"`"),
            "8000",
            "How many tokens the list of tools may cost before it is searched instead; 0 always searches, `\"off\"` always \
             lists everything.",
        ),
        is("schema_diet", Flag, "false", "Whether lists leave out what schemas say twice."),
        is("reveal_found", Flag, "false", "Whether tools that an older client finds join its list."),
        is("limits", Nested("`{ … }`"), "{}", "When its sessions end and how many there may be; see below."),
        is(
            "principals",
            Texts,
            "[]",
            "Whose credentials begin with this agent, unless the credential itself says which.",
        ),
        is("groups", Texts, "[]", "The same for everybody in these groups."),
    ],
    changes: WhileRunning,
    least: "[[agents]]\nname = \"reviewer\"\n",
    example: "[[agents]]\nname = \"reviewer\"\ncapabilities = [\"code\"]\npinned = [\"github:get_pull_request\"]\n\
              blocked = [\"*:delete_*\"]\npolicy_template = \"standard\"\nprincipals = [\"review-bot\"]\n",
};

pub(super) const MOUNTS: Table = Table {
    header: "[agents.mounts]",
    about: "What an agent may touch; within `[[agents]]`.",
    accepted: &agents::MOUNTS_KEYS,
    keys: &[
        without("servers", Texts, "every server", "Servers whose tools it sees."),
        is("providers", Texts, "[]", "Providers of connections that tools may need."),
        is("pointers", Texts, "[]", "Pointers that it may read and move."),
        is("knowledge_bases", Texts, "[]", "Knowledge bases that it may ask."),
    ],
    changes: WhileRunning,
    least: "[[agents]]\nname = \"reviewer\"\n[agents.mounts]\n",
    example: "[[agents]]\nname = \"reviewer\"\nmounts = { servers = [\"github\"], providers = [\"slack\"] }\n",
};

pub(super) const LIMITS: Table = Table {
    header: "[agents.limits]",
    about: "When a session of an agent is closed, and how many may be open; within `[[agents]]`.",
    accepted: &agents::LIMITS_KEYS,
    keys: &[
        is("idle_seconds", Count, "86400", "Unused for so long, a session is closed."),
        without("lifetime_seconds", Count, "no end", "So old, a session is closed."),
        is("sessions_max", Count, "1000", "How many may be open at once."),
    ],
    changes: WhileRunning,
    least: "[[agents]]\nname = \"reviewer\"\n[agents.limits]\n",
    example: "[[agents]]\nname = \"reviewer\"\nlimits = { idle_seconds = 3600, sessions_max = 10 }\n",
};
