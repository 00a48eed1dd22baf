//! `[search]`, `[files]`, `[results]`, `[runs]`, `[agent_loop]`, `[substrate]`, `[index]`, `[knowledge]`, `[console]` and
//! `[console.oidc]`.

use super::EffectTime::AfterRestart;
use super::KeyKind::{
    Bytes, Count, Flag, Map, Other, Path, Seconds, Table as Nested, Text, Texts, Url, Word,
};
use super::{ConfigTable, is, needed, without};
use crate::config::{agent_loop, console, files, index, knowledge, runs, search, substrate};

const S3: &str = "none";

pub(super) const SEARCH: ConfigTable = ConfigTable {
    header: "[search]",
    about: "How tools are searched for.",
    accepted: search::KEYS,
    keys: &[without(
        "model",
        Path,
        "by words alone",
        "The folder of an embedding model, which finds tools by meaning as well as by words. `script/model` downloads one.",
    )],
    changes: AfterRestart,
    least: "[search]\n",
    example: "[search]\nmodel = \"models/encoder\"\n",
};

pub(super) const FILES: ConfigTable = ConfigTable {
    header: "[files]",
    about: "Uploaded files, which tools get by their id, and everything that is taken out of results. Gateways that \
         share a database share the files, too.",
    accepted: files::FILES_KEYS,
    keys: &[
        without(
            "url",
            Other("path, or `s3://bucket/prefix`"),
            "`files` in the data folder",
            "A folder, or a bucket of an S3-compatible storage.",
        ),
        without("endpoint", Url, "Amazon S3, in the region", "The endpoint of the storage."),
        without("region", Text, "`us-east-1`", "The region of the bucket."),
        without("access_key_id", Text, S3, "The id of the access key."),
        without("secret_access_key", Text, S3, "The secret of the access key."),
        without("allow_http", Flag, "`false`", "`true` allows an endpoint that starts with `http://`."),
        is("upload_bytes_max", Bytes, "\"2GiB\"", "The largest file."),
        is(
            "keep_days",
            Other("days, or `\"forever\"`"),
            "30",
            "The number of days for which files are kept; `\"forever\"` keeps them until they are deleted.",
        ),
        is("url_keep_seconds", Seconds, "3600", "How long the URL of a file that a server gets is valid."),
        is("upload_url_keep_seconds", Seconds, "900", "How long an upload URL is valid."),
        is(
            "base64_bytes_max",
            Bytes,
            "\"100MiB\"",
            "The largest file that is sent within a call as Base64, before it is encoded.",
        ),
        is("text_bytes_max", Bytes, "\"10MiB\"", "The longest text that is sent within a call."),
        is(
            "extractor",
            Other("canonical name, or `\"off\"`"),
            "\"doc-parser-mcp:extract_text\"",
            "The tool that extracts text from documents; `\"off\"` for none.",
        ),
        is(
            "storage_timeout_seconds",
            Seconds,
            "15",
            "The time after which a storage that does not respond counts as failed.",
        ),
        is("retries_max", Count, "4", "How often a request that the storage does not answer is retried."),
    ],
    changes: AfterRestart,
    least: "[files]\n",
    example: "[files]\nurl = \"s3://toolgate/files\"\nendpoint = \"https://s3.example.com\"\n\
              access_key_id = \"${S3_ACCESS_KEY_ID}\"\nsecret_access_key = \"${S3_SECRET}\"\n",
};

pub(super) const RESULTS: ConfigTable = ConfigTable {
    header: "[results]",
    about: "How much of a tool's result stays in the context of the model. The rest becomes a ref, which `read_ref` reads.",
    accepted: files::RESULTS_KEYS,
    keys: &[
        is(
            "binary",
            Word(&["take_out", "inline"]),
            "\"take_out\"",
            "`take_out` turns images, audio and other binary content into refs; `inline` leaves it in the result.",
        ),
        is("text_bytes_max", Bytes, "\"32KiB\"", "The longest text that stays."),
        is("ref_keep_seconds", Seconds, "86400", "How long a ref is valid."),
    ],
    changes: AfterRestart,
    least: "[results]\n",
    example: "[results]\ntext_bytes_max = \"64KiB\"\n",
};

pub(super) const RUNS: ConfigTable = ConfigTable {
    header: "[runs]",
    about: "Limits of runs.",
    accepted: runs::KEYS,
    keys: &[
        is("parallel_calls_max", Count, "8", "The number of calls of one batch that run at once."),
        is(
            "completion_wait_seconds",
            Seconds,
            "60",
            "How long completing a run waits for calls in progress.",
        ),
        is(
            "input_hold_seconds",
            Seconds,
            "20",
            "How long the call that asks a person waits for the answer before it returns and the run waits.",
        ),
    ],
    changes: AfterRestart,
    least: "[runs]\n",
    example: "[runs]\nparallel_calls_max = 4\n",
};

pub(super) const AGENT_LOOP: ConfigTable = ConfigTable {
    header: "[agent_loop]",
    about: "How agents that the gateway runs itself are driven. Their models are in `[[models]]`.",
    accepted: agent_loop::KEYS,
    keys: &[
        is(
            "lease_seconds",
            Seconds,
            "30",
            "A run whose gateway died is taken up by another after this time, and by its successor at once: from 1 to 3600. \
             The clocks of gateways that share a database must agree within it.",
        ),
        is("parallel_max", Count, "500", "The number of runs that this gateway drives at once. Others wait."),
        is(
            "retries_max",
            Count,
            "5",
            "How often a request to a model is repeated, with a growing wait, if its fault may pass.",
        ),
        is(
            "fold_at_percent",
            Count,
            "75",
            "The share of a model's context at which old turns of a run are folded into a summary.",
        ),
        without(
            "spend_per_day",
            Other("amount"),
            "any amount",
            "The cost per day (UTC) of the models of all runs together, over all replicas, in the currency of their prices. A run that \
             reaches it waits for a person. `[[quotas]]` limits agents, `[[models]]` models, and a task has a limit of its own.",
        ),
    ],
    changes: AfterRestart,
    least: "[agent_loop]\n",
    example: "[agent_loop]\nlease_seconds = 10\n",
};

pub(super) const SUBSTRATE: ConfigTable = ConfigTable {
    header: "[substrate]",
    about: "Manifests and pointers, and the collection of what nothing reaches.",
    accepted: substrate::KEYS,
    keys: &[
        is(
            "moves_kept_seconds",
            Seconds,
            "7776000",
            "How long a pointer can be reverted to a manifest that it left. Until then the manifest is kept.",
        ),
        is(
            "collect_grace_seconds",
            Seconds,
            "86400",
            "How long something that nothing reaches is kept after it was last touched. Longer than any upload and the \
             manifest after it take.",
        ),
        is(
            "collect_every_seconds",
            Seconds,
            "86400",
            "How often what nothing reaches is removed; 0 is never. `toolgate substrate collect` does it at once.",
        ),
    ],
    changes: AfterRestart,
    least: "[substrate]\n",
    example: "[substrate]\nmoves_kept_seconds = 31536000\n",
};

pub(super) const INDEX: ConfigTable = ConfigTable {
    header: "[index]",
    about: "Indexes over documents.",
    accepted: index::KEYS,
    keys: &[
        without(
            "profiles",
            Path,
            "the built-in ones alone",
            "A folder of profiles as TOML files: new ones, and further versions of the built-in ones. A version counts once \
             `index.evaluate` has promoted it; the first version of a new profile counts at once.",
        ),
        is(
            "engine",
            Word(&["inside", "postgres"]),
            "\"inside\"",
            "Where indexes are kept: as files among the artifacts, or in the Postgres database that `[engine]` names.",
        ),
        is(
            "follow",
            Flag,
            "true",
            "`false` leaves pointers that move to `index.ingest`, whatever their profile says.",
        ),
    ],
    changes: AfterRestart,
    least: "[index]\n",
    example: "[index]\nprofiles = \"profiles\"\nfollow = false\n",
};

pub(super) const KNOWLEDGE: ConfigTable = ConfigTable {
    header: "[knowledge]",
    about: "Answers from knowledge bases. They need no language model.",
    accepted: knowledge::KEYS,
    keys: &[without(
        "model",
        Text,
        "answers are passages",
        "The name of a model of `[[models]]` or of the settings. It writes the answers of callers that ask for a written one, and only \
             sentences with a citation stay.",
    )],
    changes: AfterRestart,
    least: "[knowledge]\n",
    example: "[knowledge]\nmodel = \"gpt\"\n",
};

pub(super) const CONSOLE: ConfigTable = ConfigTable {
    header: "[console]",
    about: "The web console, at the gateway's own address.",
    accepted: console::KEYS,
    keys: &[
        is("enabled", Flag, "true", "`false` turns the console off."),
        is("login_seconds", Seconds, "43200", "How long a login lasts."),
        without(
            "oidc",
            Nested("`[console.oidc]`"),
            "tokens alone",
            "The identity provider by which people log in.",
        ),
    ],
    changes: AfterRestart,
    least: "[console]\n",
    example: "[console]\nlogin_seconds = 3600\n",
};

pub(super) const OIDC: ConfigTable = ConfigTable {
    header: "[console.oidc]",
    about: "Logging in at the console by an identity provider: OpenID Connect, code flow with PKCE. Its redirect URI there is \
            `https://gate.example.com/console/provider/return`, with your `public_url`.",
    accepted: console::OIDC_KEYS,
    keys: &[
        needed("issuer", Url, "The issuer, exactly as in `iss` of its tokens."),
        needed("client_id", Text, "The id of the client that you registered there."),
        without("client_secret", Text, "a public client", "Its secret, if it has one."),
        without(
            "scopes",
            Texts,
            "`openid`, `profile`, `email`",
            "The scopes that are asked for. `openid` is among them.",
        ),
        needed(
            "roles",
            Map,
            "The role that each value of `roles_claim` gives: `admin`, `operator`, `approver` or `auditor`. Of several, the \
             strongest counts. Nobody else may log in.",
        ),
        without("roles_claim", Text, "`groups`", "The claim that has these values."),
        without(
            "groups_claim",
            Text,
            "no groups",
            "The claim that names the person's groups, for gates that ask for one.",
        ),
        without("principal_claim", Text, "`sub`", "The claim that names the person, such as `email`."),
    ],
    changes: AfterRestart,
    least: "[console.oidc]\nissuer = \"https://id.example.com\"\nclient_id = \"toolgate\"\nroles = { \"platform-team\" = \"operator\" }\n",
    example: "[console.oidc]\nissuer = \"https://id.example.com\"\nclient_id = \"toolgate\"\nclient_secret = \"${OIDC_SECRET}\"\n\
              roles = { \"platform-team\" = \"operator\", \"finance\" = \"approver\" }\ngroups_claim = \"groups\"\nprincipal_claim = \"email\"\n",
};
