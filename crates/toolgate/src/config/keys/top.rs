//! The top of the file, and `[limits]`.

use super::Changes::AfterRestart;
use super::Kind::{Bytes, Count, Path, Seconds, Table as Nested, Text, Texts, Url};
use super::{Table, is, without};
use crate::config::{self, limits};

const TABLE: &str = "`[…]`";
const TABLES: &str = "`[[…]]`";
const BELOW: &str = "see below";

pub(super) const TOP: Table = Table {
    header: "",
    about: "Keys that stand before the first table.",
    accepted: &config::KEYS,
    keys: &[
        is("listen", Text, "\"127.0.0.1:8700\"", "Address and port to listen on. Port 0 picks a free one."),
        without(
            "public_url",
            Url,
            "what fits `listen`",
            "Where others reach the gateway, for the addresses that it gives out.",
        ),
        without(
            "data",
            Path,
            "`$TOOLGATE_DATA`, else `./toolgate-data`",
            "Folder for the database, the vault's key and, unless `[files]` names another place, files. `--data` wins.",
        ),
        without(
            "allowed_hosts",
            Texts,
            "what fits `listen`",
            "Values of the `Host` header that are let in besides. No patterns: they would let in pages that rebind DNS names.",
        ),
        without(
            "allowed_origins",
            Texts,
            "what fits `listen`",
            "Values of the `Origin` header that are let in, for clients in a browser. `*` lets in every origin.",
        ),
        without("limits", Nested(TABLE), BELOW, "Bounds that the gateway keeps."),
        without("servers", Nested(TABLES), "none", "MCP servers behind the gateway."),
        without(
            "capability_servers",
            Nested(TABLE),
            BELOW,
            "Servers that are started because they lie in a folder.",
        ),
        without("sandbox", Nested(TABLE), BELOW, "What becomes of servers that this machine cannot confine."),
        without("store", Nested(TABLE), BELOW, "Where everything is kept."),
        without("policy", Nested(TABLE), BELOW, "What decides about calls."),
        without("approvals", Nested(TABLE), BELOW, "How people are asked."),
        without("validation", Nested(TABLE), BELOW, "Results against the schemas of their tools."),
        without("ledger", Nested(TABLE), BELOW, "The record of every call."),
        without("redact", Nested(TABLES), "none", "What is left out before anything is stored."),
        without("quotas", Nested(TABLES), "the usual", "How much one principal or agent may have."),
        without(
            "filters",
            Nested(TABLES),
            "none",
            "What must not go out in arguments or come in with results.",
        ),
        without("tools", Nested(TABLES), "none", "What you know of tools better than their servers do."),
        without("webhooks", Nested(TABLES), "none", "Who is told what happens."),
        without("metering", Nested(TABLE), "nobody", "Who gets one event for every executed tool."),
        without("otlp", Nested(TABLE), "nobody", "Who gets spans of calls."),
        without("network", Nested(TABLE), BELOW, "Where servers may be that this file does not name."),
        without("registry", Nested(TABLE), BELOW, "How changes to tools are taken."),
        without("aliases", Nested(TABLES), "none", "Other names of tools."),
        without("vault", Nested(TABLE), BELOW, "The key that secrets are encrypted with."),
        without("secrets", Nested(TABLES), "none", "Secrets of servers that are kept elsewhere."),
        without("openbao", Nested(TABLE), "none", "OpenBao or HashiCorp Vault, for `[[secrets]]`."),
        without(
            "oauth",
            Nested(TABLE),
            "no issuer",
            "Whose access tokens are taken beside the gateway's own.",
        ),
        without("agents", Nested(TABLES), "`default`, which sees everything", "Kinds of agents."),
        without("capabilities", Nested(TABLES), "none", "Named sets of tools."),
        without("search", Nested(TABLE), BELOW, "How tools are found."),
        without("files", Nested(TABLE), BELOW, "Files that people upload, and what is taken out of results."),
        without("results", Nested(TABLE), BELOW, "What of a result stays in the context of the model."),
        without("runs", Nested(TABLE), BELOW, "Work that agents do in runs."),
        without("console", Nested(TABLE), BELOW, "The pages for people."),
    ],
    changes: AfterRestart,
    least: "",
    example: "listen = \"0.0.0.0:8700\"\npublic_url = \"https://gate.example.com\"\nallowed_hosts = [\"gate.example.com\"]\n",
};

pub(super) const LIMITS: Table = Table {
    header: "[limits]",
    about: "Bounds that the gateway keeps. Sizes are bytes, or text with a unit.",
    accepted: &limits::KEYS,
    keys: &[
        is("request_bytes_max", Bytes, "\"4MiB\"", "The largest message an agent may send."),
        is("result_bytes_max", Bytes, "\"16MiB\"", "The largest message a server may send."),
        is("depth_max", Count, "100", "How deep objects and arrays may nest in any message; at most 127."),
        is(
            "calls_per_client_max",
            Count,
            "128",
            "Calls of one client that run at once. Eight times as many may be under way; the others wait.",
        ),
        is("sessions_max", Count, "10000", "Sessions of older clients held at once."),
        is(
            "session_idle_seconds",
            Seconds,
            "1800",
            "How long a session of an older client without traffic is kept.",
        ),
        is("connections_max", Count, "4096", "HTTP connections served at once."),
        is("page_size", Count, "1000", "Entries on one page of a list."),
        is(
            "upstream_pages_max",
            Count,
            "1000",
            "Pages read from one server's list before it is called endless.",
        ),
        is(
            "backlog_max",
            Count,
            "256",
            "Messages that wait for one slow reader before the oldest is dropped.",
        ),
        is(
            "input_wait_seconds",
            Seconds,
            "600",
            "How long a call waits for a person at the client before it is given up.",
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
            "How long shutdown waits for calls under way; 0 does not wait.",
        ),
    ],
    changes: AfterRestart,
    least: "[limits]\n",
    example: "[limits]\nresult_bytes_max = \"64MiB\"\ncalls_per_client_max = 32\n",
};
