//! Codes of documents and indexes, which the engine beside the gateway reads, builds and searches.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { ENGINE, "Documents and indexes";

    ENGINE_MISSING = Code {
        name: "engine_missing",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(503), CodeChannel::Result],
        title: "The engine is not installed",
        happened: "Documents are read and indexes searched by `toolgate-engine`, a program beside the gateway, and it is not there.",
        advice: "`script/up` builds it with the capability servers. Elsewhere put `toolgate-engine` beside `toolgate`, into the folder of \
             the capability servers or on PATH, or name it in `[engine] command`. It is used from the next call on.",
        message: "the engine is not installed: there is no program toolgate-engine beside the gateway, among the capability servers or on PATH",
        hint: Hint::Standard(
            "put `toolgate-engine` beside `toolgate` or on PATH, or name it in `[engine] command`; `script/up` builds it",
        ),
        see: &["engine_failed", "configuration.md#engine"],
    };

    ENGINE_FAILED = Code {
        name: "engine_failed",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(503), CodeChannel::Result],
        title: "The engine did not answer as it should",
        happened: "The engine ended, took too long, has too much to do, or answered with something that is no answer. Nothing is lost: \
             contents and indexes are kept by the gateway. An engine that ended is started again; after several failures it rests for a while.",
        advice: "Try again. If it happens again, the log of the gateway has the last lines of the engine, and `toolgate doctor` starts it \
             and says what is wrong.",
        message: "the engine was ended by SIGKILL while it worked on the request",
        hint: Hint::Standard("try again in a moment; the log of the gateway has the last words of the engine"),
        see: &["engine_missing", "configuration.md#engine"],
    };

    UNREADABLE_DOCUMENT = Code {
        name: "unreadable_document",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The document cannot be read",
        happened: "The bytes are damaged, encrypted, of a format that nothing here reads, larger than a limit, or reading them took too long.",
        advice: "Open the document with the program that wrote it, and save it again without a password.",
        message: "the document cannot be read: the PDF is encrypted",
        hint: Hint::Standard("open it with the program that wrote it, and save it again without a password"),
        see: &["unsupported", "configuration.md#engine"],
    };

    INDEX_DAMAGED = Code {
        name: "index_damaged",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Http(500), CodeChannel::Result],
        title: "A file of the index is damaged or missing",
        happened: "A file of this version of the index is not what it was when it was built, or the storage does not have it any more. The \
             corpus itself is not affected.",
        advice: "Build the index again: `index.ingest` with `mode = \"rebuild\"`. Then look after the storage, which lost or changed bytes.",
        message: "the file \"4f1c.term\" of the index is missing in the storage",
        hint: Hint::Standard("build it again: index.ingest with mode \"rebuild\""),
        see: &["index_outdated", "damaged_manifest"],
    };

    INDEX_OUTDATED = Code {
        name: "index_outdated",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The index was built for something else",
        happened: "The profile, the embedding model or the engine has changed since the index was built, so its files do not fit the question.",
        advice: "Build the index again: `index.ingest` with `mode = \"rebuild\"`. Embeddings of unchanged passages are kept for each model.",
        message: "the index was built with another model",
        hint: Hint::Standard("build it again: index.ingest with mode \"rebuild\""),
        see: &["index_damaged"],
    };

    UNSUPPORTED = Code {
        name: "unsupported",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "Nothing here can do it",
        happened: "The request needs something that is not configured or not possible for this content: a model, a database, pages of a format \
             that has none.",
        advice: "The message says what is needed. The operator configures it in `[engine]`.",
        message: "pages of application/zip cannot be drawn",
        hint: Hint::Standard("the message says what is needed; `[engine]` of the configuration sets models and databases"),
        see: &["unreadable_document", "configuration.md#engine"],
    };
}
