//! `[search]`, `[files]`, `[results]`, `[runs]` and `[console]`.

use super::Changes::AfterRestart;
use super::Kind::{Bytes, Count, Flag, Other, Path, Seconds, Text, Url, Word};
use super::{Table, is, without};
use crate::config::{console, files, runs, search};

const S3: &str = "none";

pub(super) const SEARCH: Table = Table {
    header: "[search]",
    about: "How tools are found.",
    accepted: &search::KEYS,
    keys: &[without(
        "model",
        Path,
        "by words alone",
        "The folder of a model that finds tools by what is meant beside the words. `script/model` fetches one.",
    )],
    changes: AfterRestart,
    least: "[search]\n",
    example: "[search]\nmodel = \"models/encoder\"\n",
};

pub(super) const FILES: Table = Table {
    header: "[files]",
    about: "Files that people upload and tools are given by id, and everything that is taken out of results. Gateways that share \
            a database share the files, too.",
    accepted: &files::FILES_KEYS,
    keys: &[
        without(
            "url",
            Other("path, or `s3://bucket/prefix`"),
            "`files` in the data folder",
            "A folder, or a bucket of a storage that speaks S3.",
        ),
        without("endpoint", Url, "Amazon, in the region", "Where the storage is reached."),
        without("region", Text, "`us-east-1`", "The region of the bucket."),
        without("access_key_id", Text, S3, "The name of the key to the bucket."),
        without("secret_access_key", Text, S3, "The key itself."),
        without("allow_http", Flag, "`false`", "Whether the endpoint may start with `http://`."),
        is("upload_bytes_max", Bytes, "\"2GiB\"", "The largest file."),
        is(
            "keep_days",
            Other("days, or `\"forever\"`"),
            "30",
            "For how many days files are kept; `\"forever\"` keeps them until somebody deletes them.",
        ),
        is(
            "url_keep_seconds",
            Seconds,
            "3600",
            "How long an address can be used that a server is given for a file.",
        ),
        is(
            "upload_url_keep_seconds",
            Seconds,
            "900",
            "How long an address can be used that somebody is given to upload to.",
        ),
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
            "The tool that makes text of documents; `\"off\"` for none.",
        ),
        is("storage_timeout_seconds", Seconds, "15", "How long the storage may be silent."),
        is("retries_max", Count, "4", "How often a request that the storage does not answer is sent again."),
    ],
    changes: AfterRestart,
    least: "[files]\n",
    example: "[files]\nurl = \"s3://toolgate/files\"\nendpoint = \"https://s3.example.com\"\n\
              access_key_id = \"${S3_ACCESS_KEY_ID}\"\nsecret_access_key = \"${S3_SECRET}\"\n",
};

pub(super) const RESULTS: Table = Table {
    header: "[results]",
    about: "What of a tool's result stays in the context of the model. The rest becomes a ref, which `read_ref` looks into.",
    accepted: &files::RESULTS_KEYS,
    keys: &[
        is(
            "binary",
            Word(&["take_out", "inline"]),
            "\"take_out\"",
            "Images, audio and other bytes become refs, or stay.",
        ),
        is("text_bytes_max", Bytes, "\"32KiB\"", "The longest text that stays."),
        is("ref_keep_seconds", Seconds, "86400", "How long a ref can be used."),
    ],
    changes: AfterRestart,
    least: "[results]\n",
    example: "[results]\ntext_bytes_max = \"64KiB\"\n",
};

pub(super) const RUNS: Table = Table {
    header: "[runs]",
    about: "Work that agents do in runs.",
    accepted: &runs::KEYS,
    keys: &[
        is("parallel_calls_max", Count, "8", "How many calls of one batch are made at once."),
        is(
            "completion_wait_seconds",
            Seconds,
            "60",
            "How long the end of a run waits for calls that are under way.",
        ),
        is(
            "input_hold_seconds",
            Seconds,
            "20",
            "How long a question to a person is held before the call answers that the run waits.",
        ),
    ],
    changes: AfterRestart,
    least: "[runs]\n",
    example: "[runs]\nparallel_calls_max = 4\n",
};

pub(super) const CONSOLE: Table = Table {
    header: "[console]",
    about: "The pages for people, at the gateway's own address.",
    accepted: &console::KEYS,
    keys: &[
        is("enabled", Flag, "true", "Whether there are pages at all."),
        is("login_seconds", Seconds, "43200", "How long somebody stays logged in."),
    ],
    changes: AfterRestart,
    least: "[console]\n",
    example: "[console]\nlogin_seconds = 3600\n",
};
