//! How calls are judged, recorded and told: from `[store]` to `[otlp]`.

use super::Changes::{AfterRestart, WhileRunning};
use super::Kind::{
    Bytes, Count, Days, Flag, Map, Path, Rate, Seconds, Table as Nested, Text, Texts, Url, Word, Words,
};
use super::{Table, is, needed, without};
use crate::config::{ledger, outbound, policy, quotas, tools};

const OUTPUT: &[&str] = &["warn", "enforce", "off"];
pub(super) const TEMPLATES: &[&str] = &["exploratory", "standard", "regulated", "audit_critical"];
const STRATEGIES: &[&str] = &[
    "binary_base64",
    "plain_text_content",
    "plain_text_text",
    "image_base64",
    "video_s3_presigned_url",
    "passthrough",
];
const OTHERS: &str = "what the server says";

pub(super) const STORE: Table = Table {
    header: "[store]",
    about: "Where everything is kept.",
    accepted: &ledger::STORE_KEYS,
    keys: &[
        without(
            "url",
            Url,
            "SQLite in the data folder",
            "A Postgres database, for several gateways that share one state.",
        ),
        is(
            "stream",
            Text,
            "\"gateway\"",
            "The name under which this gateway writes the ledger. Gateways that share a database need one each.",
        ),
    ],
    changes: AfterRestart,
    least: "[store]\n",
    example: "[store]\nurl = \"postgres://toolgate:${PGPASSWORD}@db.example.com/toolgate\"\nstream = \"gateway-1\"\n",
};

pub(super) const POLICY: Table = Table {
    header: "[policy]",
    about: "What decides about calls. A guard must permit what shall run; without one everything may.",
    accepted: &policy::POLICY_KEYS,
    keys: &[
        without(
            "folder",
            Path,
            "the template alone",
            "A folder with `guard.cedar` (what is permitted and forbidden) and `gates.cedar` (what a person must agree to).",
        ),
        is(
            "template",
            Word(TEMPLATES),
            "\"exploratory\"",
            "A level of care to start from: no gates; promotions and external writes; schema changes and claim decisions \
             too; every move and every external action.",
        ),
        without(
            "guard",
            Text,
            "none",
            "Guard policies that stand in the file itself, beside those in the folder.",
        ),
        without("gates", Text, "none", "Gates that stand in the file itself, beside those in the folder."),
    ],
    changes: WhileRunning,
    least: "[policy]\n",
    example: "[policy]\ntemplate = \"standard\"\ngates = '@approvers(\"finance\") forbid (principal, action == \
              Action::\"bank:transfer\", resource);'\n",
};

pub(super) const APPROVALS: Table = Table {
    header: "[approvals]",
    about: "How people are asked about calls that a gate stops.",
    accepted: &policy::APPROVALS_KEYS,
    keys: &[
        is(
            "hold_seconds",
            Seconds,
            "20",
            "How long a call is held before it answers `pending_approval`; 0 answers at once.",
        ),
        is(
            "timeout_seconds",
            Seconds,
            "3600",
            "How long people have to decide, where the gate does not say. Afterwards the answer is no.",
        ),
        is("approved_valid_seconds", Seconds, "3600", "How long a call may use a yes."),
        is(
            "escalate_to",
            Texts,
            "[\"admins\"]",
            "Groups that are asked as well where a gate says `@on_timeout(\"escalate\")` and nobody decided in time.",
        ),
        without(
            "link",
            Url,
            "the page of the console",
            "Where a person finds an approval, for the links in webhooks and in answers to agents. `{id}` stands for its id. \
             A change of it counts after a restart.",
        ),
    ],
    changes: WhileRunning,
    least: "[approvals]\n",
    example: "[approvals]\nhold_seconds = 0\nescalate_to = [\"bosses\"]\n",
};

pub(super) const VALIDATION: Table = Table {
    header: "[validation]",
    about: "Results against the schema that a tool itself declares. Arguments are always checked.",
    accepted: &tools::VALIDATION_KEYS,
    keys: &[is(
        "output",
        Word(OUTPUT),
        "\"warn\"",
        "Passes a wrong result on with a warning, makes an error of it, or does not look.",
    )],
    changes: AfterRestart,
    least: "[validation]\n",
    example: "[validation]\noutput = \"enforce\"\n",
};

pub(super) const LEDGER: Table = Table {
    header: "[ledger]",
    about: "The record of every call. What changes something is on disk before it is sent.",
    accepted: &ledger::LEDGER_KEYS,
    keys: &[
        is(
            "reads_when_down",
            Word(&["refuse", "serve"]),
            "\"refuse\"",
            "Calls that only read while the record cannot be kept. All others are always refused.",
        ),
        is(
            "keep_days",
            Days,
            "90",
            "How long arguments and results are kept, for tools with `audit = \"standard\"`.",
        ),
        is("keep_days_detailed", Days, "365", "The same for tools with `audit = \"detailed\"`."),
        is(
            "body_bytes_max",
            Bytes,
            "\"16KiB\"",
            "The largest arguments and results that are kept; of larger ones only the digest is.",
        ),
        is("body_bytes_max_detailed", Bytes, "\"1MiB\"", "The same for tools with `audit = \"detailed\"`."),
    ],
    changes: AfterRestart,
    least: "[ledger]\n",
    example: "[ledger]\nkeep_days = 30\nbody_bytes_max = \"64KiB\"\n",
};

pub(super) const REDACT: Table = Table {
    header: "[[redact]]",
    about: "What is left out of arguments and results before anything is stored. All rules that fit a tool apply.",
    accepted: &ledger::REDACT_KEYS,
    keys: &[
        needed("tools", Text, "A pattern over canonical names: `*` stands for any characters, `?` for one."),
        without(
            "input",
            Texts,
            "nothing",
            "Paths in the arguments: `*` is any one member, `**` any number of them.",
        ),
        without("output", Texts, "nothing", "Paths in the result. One of the two must be there."),
    ],
    changes: AfterRestart,
    least: "[[redact]]\ntools = \"bank:*\"\ninput = [\"/pin\"]\n",
    example: "[[redact]]\ntools = \"bank:*\"\ninput = [\"/pin\", \"/cards/*/number\"]\noutput = [\"/**/iban\"]\n",
};

pub(super) const QUOTAS: Table = Table {
    header: "[[quotas]]",
    about: "How much one principal, or one agent, may have. Of the tables that fit, the last that says something counts. What \
            runs beyond it waits in a line, and is refused with 429 where that is full.",
    accepted: &quotas::KEYS,
    keys: &[
        without(
            "principal",
            Text,
            "nobody",
            "A pattern over principal ids. Each principal that matches has this quota; `*` stands for any characters.",
        ),
        without(
            "agent",
            Text,
            "none",
            "The same over names of agents, whoever acts as them. One of the two must be there.",
        ),
        without("calls_max", Count, "512", "How many calls run at once; for an agent any number."),
        without("waiting_max", Count, "2048", "How many calls wait until others have ended."),
        without("wait_seconds", Seconds, "60", "How long they do."),
        without("rate", Text, "any", "How many calls may come within a time: `10/s`, `600/m`, `1000/h`."),
        without(
            "calls_per_day",
            Count,
            "any number",
            "How many calls may be made from midnight to midnight (UTC), over all replicas.",
        ),
        without(
            "streams_max",
            Count,
            "64",
            "How many streams may be open at once: `subscriptions/listen`, `GET /events` and `GET /runs/{id}/events` together.",
        ),
        without("sessions_max", Count, "three quarters of all", "How many older-era sessions may be open."),
        without("approvals_max", Count, "100", "How many calls may wait for people."),
        without("stored_bytes_max", Bytes, "any number", "How many bytes of files are kept for a principal."),
    ],
    changes: WhileRunning,
    least: "[[quotas]]\nprincipal = \"*\"\n",
    example: "[[quotas]]\nprincipal = \"*\"\nrate = \"600/m\"\napprovals_max = 20\n\n[[quotas]]\nagent = \"crawler\"\ncalls_max = 4\ncalls_per_day = 5000\n",
};

pub(super) const TOOLS: Table = Table {
    header: "[[tools]]",
    about: "What you know of tools better than their servers do. Of the tables that fit a tool, the last that says something \
            counts.",
    accepted: &tools::TOOLS_KEYS,
    keys: &[
        needed("name", Text, "A pattern over canonical names: `*` stands for any characters, `?` for one."),
        without(
            "effects",
            Words(&["read", "write", "external", "destructive"]),
            "the server's hints; where there are none, all",
            "What a call may do. `[]` is none of them.",
        ),
        without(
            "audit",
            Word(&["none", "standard", "detailed"]),
            "`standard`",
            "How much is kept of a call. `none` only for tools that change nothing.",
        ),
        without(
            "idempotent",
            Flag,
            OTHERS,
            "Whether a call may be sent again after a crash without the danger that it counts twice.",
        ),
        without("output", Word(OUTPUT), "`[validation]`", "As in `[validation]`, for these tools."),
        without(
            "formats",
            Flag,
            "`true`",
            "Whether values are held against `format` in the tool's schemas: `date-time`, `email`, `uri`, `uuid` and their like. \
             `false` where a server uses it loosely.",
        ),
        without("timeout_seconds", Seconds, "that of the server", "How long one call may take."),
        without("concurrency_max", Count, "that of the server", "How many calls may be under way at once."),
        without("rate", Rate, "any number", "How many calls may start within a time."),
        without(
            "cache_seconds",
            Seconds,
            "what the result says",
            "For how long the result of a call is used again for the same arguments, for tools that change nothing.",
        ),
        without(
            "cache_scope",
            Word(&["private", "public"]),
            "`private`",
            "For whom: whoever got it, or everybody. Only beside `cache_seconds`.",
        ),
        without("capabilities", Texts, OTHERS, "Names under which agents are given sets of tools."),
        without(
            "mounts",
            Texts,
            OTHERS,
            "What a session must have mounted for the tool to be seen: `provider:NAME`, `pointer` or `knowledge_base`.",
        ),
        without(
            "examples",
            Texts,
            OTHERS,
            "What somebody might ask for who should find the tool: 1 to 20 texts.",
        ),
        without(
            "file_strategy",
            Word(STRATEGIES),
            OTHERS,
            "How a `file_id` becomes arguments: `file_data` and `file_type`; `content`; `text`; `image_data` and \
             `image_type`; `input_url`; or not at all.",
        ),
        without(
            "files",
            Nested("`[[tools.files]]`"),
            OTHERS,
            "The same where a tool takes several files, or calls its arguments otherwise. `[]`: no argument takes a file.",
        ),
    ],
    changes: WhileRunning,
    least: "[[tools]]\nname = \"bank:transfer\"\n",
    example: "[[tools]]\nname = \"bank:transfer\"\neffects = [\"write\", \"external\"]\naudit = \"detailed\"\n\
              timeout_seconds = 120\nrate = \"10/s\"\n",
};

pub(super) const TOOL_FILES: Table = Table {
    header: "[[tools.files]]",
    about: "One argument that is a file to agents; within `[[tools]]`.",
    accepted: &tools::FILE_KEYS,
    keys: &[
        needed("strategy", Word(STRATEGIES), "As `file_strategy` in `[[tools]]`."),
        without("argument", Text, "`file_id`", "What agents give."),
        without("content", Text, "what the strategy says", "Where the server gets the content."),
        without(
            "media_type",
            Text,
            "what the strategy says",
            "Where the server gets the media type, if it wants it.",
        ),
    ],
    changes: WhileRunning,
    least: "[[tools]]\nname = \"documents:compare\"\n[[tools.files]]\nstrategy = \"plain_text_text\"\n",
    example: "[[tools]]\nname = \"documents:compare\"\n[[tools.files]]\nstrategy = \"plain_text_text\"\n\
              argument = \"old_file_id\"\ncontent = \"old_text\"\n[[tools.files]]\nstrategy = \"plain_text_text\"\n\
              argument = \"new_file_id\"\ncontent = \"new_text\"\n",
};

pub(super) const WEBHOOKS: Table = Table {
    header: "[[webhooks]]",
    about: "Somebody who is told what happens, with an HMAC signature made with the secret (Standard Webhooks).",
    accepted: &outbound::WEBHOOKS_KEYS,
    keys: &[
        needed(
            "name",
            Text,
            "Letters, digits, `-` and `_`. Decisions are sent to `/webhooks/{name}/decisions`.",
        ),
        needed("url", Url, "Where the messages go."),
        needed("secret", Text, "Signs what is sent and proves what comes in; at least 16 characters."),
        is(
            "events",
            Texts,
            "[\"approval.requested\", \"approval.resolved\"]",
            "Which [ledger events](ledger-events.md) are told.",
        ),
        without("groups", Texts, "none", "The groups that decisions count for which come in."),
        without(
            "persons",
            Texts,
            "none",
            "The persons it may speak for, by the names that their tokens have; each has a vote of their own. Without it, anybody \
             may be named, and all of them together have one vote.",
        ),
        is("decisions", Flag, "false", "Whether decisions may come in through it."),
    ],
    changes: AfterRestart,
    least: "[[webhooks]]\nname = \"slack\"\nurl = \"https://hooks.example.com/toolgate\"\nsecret = \"${WEBHOOK_SECRET}\"\n",
    example: "[[webhooks]]\nname = \"slack\"\nurl = \"https://hooks.example.com/toolgate\"\nsecret = \"${WEBHOOK_SECRET}\"\n\
              decisions = true\ngroups = [\"finance\"]\npersons = [\"ann\", \"ben\"]\n",
};

pub(super) const METERING: Table = Table {
    header: "[metering]",
    about: "One event for every tool that was executed, to an address, a file, or both.",
    accepted: &outbound::METERING_KEYS,
    keys: &[
        without("url", Url, "none", "Where events are posted. One of `url` and `file` must be there."),
        without("file", Path, "none", "A file to which events are appended, one on each line."),
        without(
            "secret",
            Text,
            "none",
            "Signs what goes to the address, and must be there beside it; at least 16 characters.",
        ),
    ],
    changes: AfterRestart,
    least: "[metering]\nfile = \"meter.jsonl\"\n",
    example: "[metering]\nurl = \"https://meter.example.com/events\"\nsecret = \"${METER_SECRET}\"\n",
};

pub(super) const OTLP: Table = Table {
    header: "[otlp]",
    about: "Spans of calls, to an OpenTelemetry collector over HTTP.",
    accepted: &outbound::OTLP_KEYS,
    keys: &[
        needed("endpoint", Url, "The address of the collector."),
        is("headers", Map, "{}", "Headers that are sent along."),
        is("service_name", Text, "\"toolgate\"", "What spans say who made them."),
    ],
    changes: AfterRestart,
    least: "[otlp]\nendpoint = \"http://127.0.0.1:4318\"\n",
    example: "[otlp]\nendpoint = \"http://127.0.0.1:4318\"\nheaders = { Authorization = \"Bearer ${OTLP_TOKEN:-none}\" }\n",
};
