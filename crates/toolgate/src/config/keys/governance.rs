//! The judging, recording and reporting of calls: from `[store]` to `[otlp]`.

use toolgate_core::decision::PolicyTemplate;

use super::EffectTime::{AfterRestart, WhileRunning};
use super::KeyKind::{
    Bytes, Count, Days, Flag, Map, Meant, Other, Path, Rate, Seconds, Table as Nested, Text, Texts, Url,
    Word, Words,
};
use super::{ConfigTable, is, needed, without};
use crate::config::{checkpoints, ledger, outbound, policy, quotas, tools};

const OUTPUT: &[&str] = &["warn", "enforce", "off"];
const STRATEGIES: &[&str] = &[
    "binary_base64",
    "plain_text_content",
    "plain_text_text",
    "image_base64",
    "video_s3_presigned_url",
    "passthrough",
];
const OTHERS: &str = "what the server says";

pub(super) const STORE: ConfigTable = ConfigTable {
    header: "[store]",
    about: "The database.",
    accepted: ledger::STORE_KEYS,
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
            "The name of this gateway's stream in the ledger. Gateways that share a database need one each.",
        ),
        is(
            "connections_max",
            Count,
            "10",
            "The most connections to Postgres at a time. Two of them are for writing the ledger alone.",
        ),
    ],
    changes: AfterRestart,
    least: "[store]\n",
    example: "[store]\nurl = \"postgres://toolgate:${PGPASSWORD}@db.example.com/toolgate\"\nstream = \"gateway-1\"\n",
};

pub(super) const POLICY: ConfigTable = ConfigTable {
    header: "[policy]",
    about: "The policies that decide on calls. If there is a guard, it must permit a call; without one every call is permitted.",
    accepted: policy::POLICY_KEYS,
    keys: &[
        without(
            "folder",
            Path,
            "the template alone",
            "A folder with `guard.cedar` (what is permitted and forbidden) and `gates.cedar` (what a person must agree to).",
        ),
        is(
            "template",
            Meant(PolicyTemplate::MEANINGS),
            "\"exploratory\"",
            "The base level of strictness. Each level has all gates of the earlier ones.",
        ),
        without("guard", Text, "none", "Guard policies in this file, in addition to those in the folder."),
        without("gates", Text, "none", "Gates in this file, in addition to those in the folder."),
    ],
    changes: WhileRunning,
    least: "[policy]\n",
    example: "[policy]\ntemplate = \"standard\"\ngates = '@approvers(\"finance\") forbid (principal, action == \
              Action::\"bank:transfer\", resource);'\n",
};

pub(super) const APPROVALS: ConfigTable = ConfigTable {
    header: "[approvals]",
    about: "How people are asked to approve calls that a gate stops.",
    accepted: policy::APPROVALS_KEYS,
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
            "How long people have to decide, unless the gate says otherwise. After that, the call is denied.",
        ),
        is("approved_valid_seconds", Seconds, "3600", "How long an approval can be used once it is given."),
        is(
            "escalate_to",
            Texts,
            "[\"admins\"]",
            "Groups that are also asked if a gate has `@on_timeout(\"escalate\")` and the time to decide runs out.",
        ),
        without(
            "link",
            Url,
            "the page of the console",
            "The URL of an approval's page, for links in webhooks, in mails and in answers to agents. `{id}` stands for its id. \
                 A change takes effect after a restart.",
        ),
    ],
    changes: WhileRunning,
    least: "[approvals]\n",
    example: "[approvals]\nhold_seconds = 0\nescalate_to = [\"bosses\"]\n",
};

pub(super) const VALIDATION: ConfigTable = ConfigTable {
    header: "[validation]",
    about: "Validation of results against the tool's own `outputSchema`. Arguments are always validated.",
    accepted: tools::VALIDATION_KEYS,
    keys: &[is(
        "output",
        Word(OUTPUT),
        "\"warn\"",
        "`warn` passes an invalid result on with a warning, `enforce` turns it into an error, `off` does not check.",
    )],
    changes: AfterRestart,
    least: "[validation]\n",
    example: "[validation]\noutput = \"enforce\"\n",
};

pub(super) const LEDGER: ConfigTable = ConfigTable {
    header: "[ledger]",
    about: "The record of every call. A call that may change something is on disk before it is sent.",
    accepted: ledger::LEDGER_KEYS,
    keys: &[
        is(
            "reads_when_down",
            Word(&["refuse", "serve"]),
            "\"refuse\"",
            "What happens to calls that only read while the ledger cannot be written. All other calls are always refused.",
        ),
        is(
            "keep_events_days",
            Other("days, or `\"forever\"`"),
            "\"forever\"",
            "How long events are kept. Whole days are removed once all of their events are older, after they were verified. Arguments and results are never kept for longer.",
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
            "The largest arguments and results that are kept. Of larger ones only the digest is kept.",
        ),
        is("body_bytes_max_detailed", Bytes, "\"1MiB\"", "The same for tools with `audit = \"detailed\"`."),
        without("archive", Nested("`[ledger.archive]`"), "off", "The archive of days that are over."),
    ],
    changes: AfterRestart,
    least: "[ledger]\n",
    example: "[ledger]\nkeep_days = 30\nbody_bytes_max = \"64KiB\"\n",
};

pub(super) const ARCHIVE: ConfigTable = ConfigTable {
    header: "[ledger.archive]",
    about: "Days of the ledger that are over, as Parquet files in the folder or bucket of `[files]`.",
    accepted: ledger::ARCHIVE_KEYS,
    keys: &[
        is("enabled", Flag, "false", "`true` archives days that are over."),
        is("after_days", Days, "1", "How long after its end, in UTC, a day is archived."),
    ],
    changes: AfterRestart,
    least: "[ledger.archive]\n",
    example: "[ledger.archive]\nenabled = true\n",
};

pub(super) const CHECKPOINTS: ConfigTable = ConfigTable {
    header: "[checkpoints]",
    about: "Signed checkpoints of the ledger, for people who do not trust its operator. Needs a key, and a place to keep \
            them that the operator of the database cannot change.",
    accepted: checkpoints::KEYS,
    keys: &[
        without(
            "key_file",
            Path,
            "`key_env` or `key_openbao`",
            "A file that only its owner may read, with the key that `toolgate ledger key --new FILE` made. One of the three.",
        ),
        without("key_env", Text, "`key_file`", "The name of an environment variable with the key."),
        without(
            "key_openbao",
            Text,
            "`key_file`",
            "The path and field of a secret with the key, in the OpenBao or HashiCorp Vault of `[openbao]`: `team/toolgate#checkpoint_key`.",
        ),
        without(
            "old_keys",
            Texts,
            "none",
            "Public keys that signed earlier checkpoints, as `toolgate ledger key` prints them. They stay valid for these.",
        ),
        is(
            "every_seconds",
            Seconds,
            "3600",
            "How often a checkpoint is signed. If nothing was recorded since the last one, none is.",
        ),
        without(
            "folder",
            Path,
            "no files",
            "A folder with one file for each checkpoint. `toolgate ledger verify` reads all of them.",
        ),
        without(
            "object_prefix",
            Text,
            "no objects",
            "Checkpoints as objects in the bucket of `[files]`, under names that begin with this and a slash.",
        ),
        without(
            "urls",
            Texts,
            "no requests",
            "Addresses to which each checkpoint is sent by POST, as plain text.",
        ),
    ],
    changes: AfterRestart,
    least: "[checkpoints]\nkey_file = \"checkpoint.key\"\nfolder = \"checkpoints\"\n",
    example: "[checkpoints]\nkey_file = \"/etc/toolgate/checkpoint.key\"\nfolder = \"/mnt/elsewhere/checkpoints\"\n\
              urls = [\"https://witness.example.com/toolgate\"]\n",
};

pub(super) const REDACT: ConfigTable = ConfigTable {
    header: "[[redact]]",
    about: "Values that are redacted from arguments and results before anything is stored. All rules that match a tool apply.",
    accepted: ledger::REDACT_KEYS,
    keys: &[
        needed("tools", Text, "A pattern for canonical names: `*` matches any characters, `?` matches one."),
        without(
            "input",
            Texts,
            "nothing",
            "Paths in the arguments: `*` matches one member, `**` any number of them.",
        ),
        without("output", Texts, "nothing", "Paths in the result. One of `input` and `output` is required."),
    ],
    changes: AfterRestart,
    least: "[[redact]]\ntools = \"bank:*\"\ninput = [\"/pin\"]\n",
    example: "[[redact]]\ntools = \"bank:*\"\ninput = [\"/pin\", \"/cards/*/number\"]\noutput = [\"/**/iban\"]\n",
};

pub(super) const QUOTAS: ConfigTable = ConfigTable {
    header: "[[quotas]]",
    about: "Limits for one principal or one agent. If several tables match, the last one that sets a key wins. Calls \
         beyond the limit wait in a queue, and are refused with 429 if it is full.",
    accepted: quotas::KEYS,
    keys: &[
        without(
            "principal",
            Text,
            "no principal",
            "A pattern for principal ids. Each principal that matches has this quota of its own; `*` matches any characters.",
        ),
        without(
            "agent",
            Text,
            "none",
            "A pattern for names of agents, for all principals that act as them. One of `principal` and `agent` is required.",
        ),
        without("calls_max", Count, "512", "The number of calls that run at once; for an agent unlimited."),
        without("waiting_max", Count, "2048", "The number of calls that wait in the queue."),
        without("wait_seconds", Seconds, "60", "How long a call waits in the queue."),
        without("rate", Text, "any", "The rate limit for calls: `10/s`, `600/m`, `1000/h`."),
        without(
            "calls_per_day",
            Count,
            "any number",
            "The number of calls per day (UTC), over all replicas.",
        ),
        without(
            "spend_per_day",
            Other("amount"),
            "any amount",
            "The cost of models per day (UTC) of all runs of an agent, over all replicas, in the currency of their prices. A run that \
             reaches it waits for a person. For agents only.",
        ),
        without(
            "streams_max",
            Count,
            "64",
            "The number of streams that may be open at once: `subscriptions/listen`, `GET /events` and `GET /runs/{id}/events` together.",
        ),
        without(
            "sessions_max",
            Count,
            "three quarters of all",
            "The number of older-era sessions that may be open.",
        ),
        without("approvals_max", Count, "100", "The number of calls that may wait for approval."),
        without(
            "stored_bytes_max",
            Bytes,
            "any number",
            "The size of all files that are kept for a principal.",
        ),
    ],
    changes: WhileRunning,
    least: "[[quotas]]\nprincipal = \"*\"\n",
    example: "[[quotas]]\nprincipal = \"*\"\nrate = \"600/m\"\napprovals_max = 20\n\n[[quotas]]\nagent = \"crawler\"\ncalls_max = 4\ncalls_per_day = 5000\nspend_per_day = 2.5\n",
};

pub(super) const TOOLS: ConfigTable = ConfigTable {
    header: "[[tools]]",
    about: "Corrections and additions to what servers say about their tools. If several tables match a tool, the last \
         one that sets a key wins.",
    accepted: tools::TOOLS_KEYS,
    keys: &[
        needed("name", Text, "A pattern for canonical names: `*` matches any characters, `?` matches one."),
        without(
            "effects",
            Words(&["read", "write", "external", "destructive"]),
            "the server's hints; if there are none, all",
            "The effects that a call may have. `[]`: none of them.",
        ),
        without(
            "audit",
            Word(&["none", "standard", "detailed"]),
            "`standard`",
            "How much is recorded of a call. `none` is only for tools that change nothing.",
        ),
        without(
            "idempotent",
            Flag,
            OTHERS,
            "Whether a call can be repeated safely after a crash, without taking effect twice.",
        ),
        without(
            "output",
            Word(OUTPUT),
            "`[validation]`",
            "Like `output` in `[validation]`, for these tools.",
        ),
        without(
            "formats",
            Flag,
            "`true`",
            "Whether values are checked against `format` in the tool's schemas: `date-time`, `email`, `uri`, `uuid` \
                 and the like. Use `false` if a server uses it loosely.",
        ),
        without("timeout_seconds", Seconds, "that of the server", "The time-out of one call."),
        without("concurrency_max", Count, "that of the server", "The number of calls that may run at once."),
        without("rate", Rate, "any number", "The rate at which calls may start."),
        without(
            "cache_seconds",
            Seconds,
            "what the result says",
            "How long the result of a call is cached for the same arguments, for tools that change nothing.",
        ),
        without(
            "cache_scope",
            Word(&["private", "public"]),
            "`private`",
            "Who may get a cached result: `private` for the same caller only, `public` for everyone. Only together \
                 with `cache_seconds`.",
        ),
        without("capabilities", Texts, OTHERS, "Tags by which capabilities select the tool."),
        without(
            "mounts",
            Texts,
            OTHERS,
            "Mounts or the role that a session needs to see the tool: `provider:NAME`, `pointer`, `knowledge_base` or `operator`.",
        ),
        without(
            "examples",
            Texts,
            OTHERS,
            "Example requests for which a search should find the tool: 1 to 20 texts.",
        ),
        without(
            "file_strategy",
            Word(STRATEGIES),
            OTHERS,
            "The arguments that a `file_id` is turned into, in the order of the values: `file_data` and `file_type`; \
                 `content`; `text`; `image_data` and `image_type`; `input_url`; none.",
        ),
        without(
            "files",
            Nested("`[[tools.files]]`"),
            OTHERS,
            "The same for a tool that takes several files or has other argument names. `[]`: no argument takes a file.",
        ),
    ],
    changes: WhileRunning,
    least: "[[tools]]\nname = \"bank:transfer\"\n",
    example: "[[tools]]\nname = \"bank:transfer\"\neffects = [\"write\", \"external\"]\naudit = \"detailed\"\n\
              timeout_seconds = 120\nrate = \"10/s\"\n",
};

pub(super) const TOOL_FILES: ConfigTable = ConfigTable {
    header: "[[tools.files]]",
    about: "One argument that agents fill with a file id; within `[[tools]]`.",
    accepted: tools::FILE_KEYS,
    keys: &[
        needed("strategy", Word(STRATEGIES), "As `file_strategy` in `[[tools]]`."),
        without("argument", Text, "`file_id`", "The argument that agents give."),
        without(
            "content",
            Text,
            "what the strategy says",
            "The argument in which the server gets the content.",
        ),
        without(
            "media_type",
            Text,
            "what the strategy says",
            "The argument in which the server gets the media type, if it needs it.",
        ),
    ],
    changes: WhileRunning,
    least: "[[tools]]\nname = \"documents:compare\"\n[[tools.files]]\nstrategy = \"plain_text_text\"\n",
    example: "[[tools]]\nname = \"documents:compare\"\n[[tools.files]]\nstrategy = \"plain_text_text\"\n\
              argument = \"old_file_id\"\ncontent = \"old_text\"\n[[tools.files]]\nstrategy = \"plain_text_text\"\n\
              argument = \"new_file_id\"\ncontent = \"new_text\"\n",
};

pub(super) const WEBHOOKS: ConfigTable = ConfigTable {
    header: "[[webhooks]]",
    about: "Receivers of ledger events. Each message has an HMAC signature made with the secret (Standard Webhooks).",
    accepted: outbound::WEBHOOKS_KEYS,
    keys: &[
        needed(
            "name",
            Text,
            "Letters, digits, `-` and `_`. Decisions are sent to `/webhooks/{name}/decisions`.",
        ),
        needed("url", Url, "The URL that receives the messages."),
        needed("secret", Text, "Signs outgoing messages and verifies incoming ones; at least 16 characters."),
        is(
            "events",
            Texts,
            "[\"approval.requested\", \"approval.resolved\"]",
            "The [ledger events](ledger-events.md) that are sent.",
        ),
        without("groups", Texts, "none", "The groups that incoming decisions count for."),
        without(
            "persons",
            Texts,
            "none",
            "The persons whose decisions it may pass on, by the names that their tokens have; each has a vote of their \
                 own. Without the key, it may name anyone, and all of them together have one vote.",
        ),
        is("decisions", Flag, "false", "`true` accepts decisions through it."),
    ],
    changes: AfterRestart,
    least: "[[webhooks]]\nname = \"slack\"\nurl = \"https://hooks.example.com/toolgate\"\nsecret = \"${WEBHOOK_SECRET}\"\n",
    example: "[[webhooks]]\nname = \"slack\"\nurl = \"https://hooks.example.com/toolgate\"\nsecret = \"${WEBHOOK_SECRET}\"\n\
              decisions = true\ngroups = [\"finance\"]\npersons = [\"ann\", \"ben\"]\n",
};

pub(super) const METERING: ConfigTable = ConfigTable {
    header: "[metering]",
    about: "One event for every executed tool, every answer of a model, and the beginning and end of tasks and runs, sent to \
         a URL, written to a file, or both.",
    accepted: outbound::METERING_KEYS,
    keys: &[
        without(
            "url",
            Url,
            "none",
            "The URL that events are posted to. One of `url` and `file` is required.",
        ),
        without("file", Path, "none", "A file that events are appended to, one per line."),
        without(
            "secret",
            Text,
            "none",
            "Signs what is sent to the URL, and is required with it; at least 16 characters.",
        ),
    ],
    changes: AfterRestart,
    least: "[metering]\nfile = \"meter.jsonl\"\n",
    example: "[metering]\nurl = \"https://meter.example.com/events\"\nsecret = \"${METER_SECRET}\"\n",
};

pub(super) const OTLP: ConfigTable = ConfigTable {
    header: "[otlp]",
    about: "Spans of calls, sent to an OpenTelemetry collector over HTTP.",
    accepted: outbound::OTLP_KEYS,
    keys: &[
        needed("endpoint", Url, "The address of the collector."),
        is("headers", Map, "{}", "Headers to send along."),
        is("service_name", Text, "\"toolgate\"", "The `service.name` of the spans."),
    ],
    changes: AfterRestart,
    least: "[otlp]\nendpoint = \"http://127.0.0.1:4318\"\n",
    example: "[otlp]\nendpoint = \"http://127.0.0.1:4318\"\nheaders = { Authorization = \"Bearer ${OTLP_TOKEN:-none}\" }\n",
};
