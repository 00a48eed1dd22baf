//! The top of the file, and `[limits]`.

use super::EffectTime::AfterRestart;
use super::KeyKind::{Bytes, Count, Path, Seconds, Table as Nested, Text, Texts, Url};
use super::{ConfigTable, is, without};
use crate::config::{self, limits};

const TABLE: &str = "`[…]`";
const TABLES: &str = "`[[…]]`";
const BELOW: &str = "see below";

pub(super) const TOP: ConfigTable = ConfigTable {
    header: "",
    about: "Keys that stand before the first table.",
    accepted: config::KEYS,
    keys: &[
        is("listen", Text, "\"127.0.0.1:8700\"", "Address and port to listen on. Port 0 picks a free one."),
        without(
            "public_url",
            Url,
            "what fits `listen`",
            "The URL under which clients reach the gateway; URLs that it issues start with it.",
        ),
        without(
            "data",
            Path,
            "`$TOOLGATE_DATA`, else `./toolgate-data`",
            "Folder for the database, the vault's key and, unless `[files]` names another place, files. `--data` takes \
                 precedence.",
        ),
        without(
            "allowed_hosts",
            Texts,
            "what fits `listen`",
            "Further values of the `Host` header to accept. Patterns are not supported: they would admit pages that \
                 rebind DNS names.",
        ),
        without(
            "allowed_origins",
            Texts,
            "what fits `listen`",
            "Values of the `Origin` header to accept, for clients in a browser. `*` accepts every origin.",
        ),
        without("limits", Nested(TABLE), BELOW, "The gateway's limits."),
        without("servers", Nested(TABLES), "none", "MCP servers behind the gateway."),
        without(
            "capability_servers",
            Nested(TABLE),
            BELOW,
            "Servers that are started from a folder of programs.",
        ),
        without(
            "sandbox",
            Nested(TABLE),
            BELOW,
            "How strictly the servers that Toolgate starts are sandboxed.",
        ),
        without("store", Nested(TABLE), BELOW, "The database."),
        without("policy", Nested(TABLE), BELOW, "The policies that decide on calls."),
        without("approvals", Nested(TABLE), BELOW, "How people are asked for approval."),
        without(
            "validation",
            Nested(TABLE),
            BELOW,
            "How results are validated against the schemas of their tools.",
        ),
        without("ledger", Nested(TABLE), BELOW, "The record of every call."),
        without("checkpoints", Nested(TABLE), "none", "Signed checkpoints of the ledger."),
        without("redact", Nested(TABLES), "none", "Values that are redacted before anything is stored."),
        without("quotas", Nested(TABLES), "the defaults", "Limits for one principal or agent."),
        without(
            "filters",
            Nested(TABLES),
            "none",
            "Content that must not go out in arguments or come in with results.",
        ),
        without(
            "tools",
            Nested(TABLES),
            "none",
            "Corrections and additions to what servers say about their tools.",
        ),
        without("webhooks", Nested(TABLES), "none", "Receivers of ledger events."),
        without(
            "metering",
            Nested(TABLE),
            "none",
            "The receiver of one event for every executed tool and every answer of a model.",
        ),
        without("models", Nested(TABLES), "none", "Language models, for the agents that run here."),
        without("otlp", Nested(TABLE), "none", "The OpenTelemetry collector that receives spans of calls."),
        without(
            "mail",
            Nested(TABLE),
            "none",
            "Mail to people: notices of what waits, and a digest once a day.",
        ),
        without(
            "network",
            Nested(TABLE),
            BELOW,
            "Outgoing connections, and where servers that this file does not name may be.",
        ),
        without("registry", Nested(TABLE), BELOW, "How changes to tools are handled."),
        without("aliases", Nested(TABLES), "none", "Aliases of tools."),
        without("vault", Nested(TABLE), BELOW, "The key that encrypts secrets."),
        without("secrets", Nested(TABLES), "none", "Secrets of servers that are stored outside the vault."),
        without("openbao", Nested(TABLE), "none", "OpenBao or HashiCorp Vault, for `[[secrets]]`."),
        without(
            "oauth",
            Nested(TABLE),
            "no issuer",
            "The issuer of access tokens that are accepted besides the gateway's own.",
        ),
        without("agents", Nested(TABLES), "`default`, which sees everything", "Definitions of agents."),
        without("capabilities", Nested(TABLES), "none", "Named sets of tools."),
        without("search", Nested(TABLE), BELOW, "How tools are searched for."),
        without(
            "engine",
            Nested(TABLE),
            BELOW,
            "The program that reads documents, builds indexes and searches them.",
        ),
        without("files", Nested(TABLE), BELOW, "Uploaded files, and content that is taken out of results."),
        without("results", Nested(TABLE), BELOW, "How much of a result stays in the context of the model."),
        without("runs", Nested(TABLE), BELOW, "Limits of runs."),
        without("agent_loop", Nested(TABLE), BELOW, "How agents that the gateway runs itself are driven."),
        without(
            "substrate",
            Nested(TABLE),
            BELOW,
            "Manifests and pointers, and the collection of what nothing reaches.",
        ),
        without("index", Nested(TABLE), BELOW, "Indexes over documents."),
        without("knowledge", Nested(TABLE), BELOW, "Answers from knowledge bases."),
        without("console", Nested(TABLE), BELOW, "The web console."),
    ],
    changes: AfterRestart,
    least: "",
    example: "listen = \"0.0.0.0:8700\"\npublic_url = \"https://gate.example.com\"\nallowed_hosts = [\"gate.example.com\"]\n",
};

pub(super) const LIMITS: ConfigTable = ConfigTable {
    header: "[limits]",
    about: "The gateway's limits. Sizes are bytes, or text with a unit.",
    accepted: limits::KEYS,
    keys: &[
        is("request_bytes_max", Bytes, "\"4MiB\"", "The largest message an agent may send."),
        is("result_bytes_max", Bytes, "\"16MiB\"", "The largest message a server may send."),
        is(
            "depth_max",
            Count,
            "100",
            "The depth to which objects and arrays may nest in any message; at most 127.",
        ),
        is(
            "calls_per_client_max",
            Count,
            "128",
            "Calls of one client that run at once. Up to eight times as many may be in progress; the others wait.",
        ),
        is("sessions_max", Count, "10000", "Sessions of older clients that are held at once."),
        is(
            "session_idle_seconds",
            Seconds,
            "1800",
            "The time after which an idle session of an older client ends.",
        ),
        is("connections_max", Count, "4096", "HTTP connections that are served at once."),
        is("page_size", Count, "1000", "Entries on one page of a list."),
        is(
            "upstream_pages_max",
            Count,
            "1000",
            "Pages that are read of one server's list before it counts as endless.",
        ),
        is(
            "backlog_max",
            Count,
            "256",
            "Messages that are queued for one slow reader before the oldest is dropped.",
        ),
        is(
            "input_wait_seconds",
            Seconds,
            "600",
            "How long a call waits for a person at the client to answer before it fails.",
        ),
        is(
            "start_wait_seconds",
            Seconds,
            "5",
            "How long the first list waits for servers that are still starting; 0 does not wait.",
        ),
        is(
            "shutdown_wait_seconds",
            Seconds,
            "10",
            "How long shutdown waits for calls in progress; 0 does not wait.",
        ),
    ],
    changes: AfterRestart,
    least: "[limits]\n",
    example: "[limits]\nresult_bytes_max = \"64MiB\"\ncalls_per_client_max = 32\n",
};
