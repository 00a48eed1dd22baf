//! `[engine]`.

use super::EffectTime::AfterRestart;
use super::KeyKind::{Bytes, Count, Path, Seconds, Url};
use super::{ConfigTable, is, without};
use crate::config::engine;

pub(super) const ENGINE: ConfigTable = ConfigTable {
    header: "[engine]",
    about: "The engine: the program `toolgate-engine` beside the gateway, which reads documents, builds indexes and searches them. It is \
         started when something is asked of it for the first time, confined as servers are, and started again if it ends. It stores \
         nothing that matters; its folder is a cache.",
    accepted: engine::KEYS,
    keys: &[
        without(
            "command",
            Path,
            "`toolgate-engine` beside the gateway, in the folder of the capability servers, or on PATH",
            "The program.",
        ),
        without(
            "folder",
            Path,
            "beside the data folder, with `-engine` behind its name",
            "Its folder, for contents that it works on. It is not in the data folder, which no process sees into, and not shared by gateways.",
        ),
        without(
            "model",
            Path,
            "`model` of `[search]`, else `TOOLGATE_MODEL`, else by words alone",
            "The folder of an embedding model, which finds passages by meaning as well as by words. `script/model` downloads one.",
        ),
        without(
            "ocr",
            Path,
            "`CAPABILITY_OCR_MODELS`, else pictures are not read",
            "The folder of models that read pictures, for documents whose text layer is thin. `script/ocr-model` downloads them.",
        ),
        without(
            "postgres",
            Url,
            "none: indexes are files",
            "A Postgres database for indexes whose engine is `postgres`. With it, the engine has the network.",
        ),
        is(
            "contents_bytes_max",
            Bytes,
            "\"20GiB\"",
            "The most bytes in its folder, and the largest content. Past it, what was not used for the longest time is removed.",
        ),
        is("start_seconds", Seconds, "30", "How long it may take to come up."),
        is("parse_seconds", Seconds, "300", "How long reading one document may take."),
        is("search_seconds", Seconds, "30", "How long one search may take."),
        is(
            "build_seconds",
            Seconds,
            "900",
            "How long taking in some documents, or finishing an index, may take.",
        ),
        without(
            "parallel_max",
            Count,
            "the number of cores",
            "Documents that are read at the same time. Others wait.",
        ),
    ],
    changes: AfterRestart,
    least: "[engine]\n",
    example: "[engine]\nmodel = \"models/encoder\"\ncontents_bytes_max = \"50GiB\"\n",
};
