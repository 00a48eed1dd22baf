//! Codes of artifacts, manifests and pointers.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { SUBSTRATE, "Manifests and pointers";

    UNKNOWN_POINTER = Code {
        name: "unknown_pointer",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such pointer",
        happened: "No pointer has this namespace and name, or the session has not mounted it.",
        advice: "Check the namespace and the name, and the mounts of the session: `toolgate sessions show`.",
        message: "there is no pointer \"draft\" in \"project/a\"",
        hint: Hint::Standard("check the namespace, the name and the mounts of the session"),
        see: &["unknown_mount"],
    };

    UNKNOWN_MANIFEST = Code {
        name: "unknown_manifest",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such manifest",
        happened: "No manifest has this digest, or it was collected because nothing reached it any more.",
        advice: "Check the digest; `substrate.manifest.create` makes a manifest, and its answer has the digest.",
        message: "there is no manifest sha256:9f86…",
        hint: Hint::Standard("check the digest; a manifest that no pointer reaches is collected after a while"),
        see: &["unknown_artifact", "unknown_pointer"],
    };

    BAD_PATH = Code {
        name: "bad_path",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "A path is not one that an entry can have",
        happened: "Paths of a manifest are relative, have no `.`, `..`, empty parts, backslashes or characters that \
             cannot be seen, and are spelled in Unicode's normal form C: one name has one spelling.",
        advice: "Write the path in its plain form, such as `reports/2026/june.md`.",
        message: "the path \"a/../b\" cannot be kept: the path has `.` or `..` as a part",
        hint: Hint::Standard("write a relative path of plain parts, such as reports/2026/june.md, in Unicode normal form C"),
        see: &["duplicate_path", "file_and_folder"],
    };

    DUPLICATE_PATH = Code {
        name: "duplicate_path",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "A path is given twice",
        happened: "Two entries of the call have the same path, or a path is both put and removed.",
        advice: "Name each path once.",
        message: "the path a.md is given twice",
        hint: Hint::Standard("name each path once"),
        see: &["bad_path", "file_and_folder"],
    };

    FILE_AND_FOLDER = Code {
        name: "file_and_folder",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "A path would be a file and a folder",
        happened: "A manifest that has `a` and `a/b` cannot be written to a folder.",
        advice: "Remove one of the two, or give it another name.",
        message: "a would be a file and also the folder of a/b",
        hint: Hint::Standard("remove one of the two, or give it another name"),
        see: &["bad_path", "duplicate_path"],
    };

    UNKNOWN_PATH = Code {
        name: "unknown_path",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "A path that is to be removed is not there",
        happened: "The base has no entry at a path that the call removes. Nothing was changed.",
        advice: "List the entries of the base with `substrate.manifest.checkout`.",
        message: "the base has no entry at a.md, so it cannot be removed",
        hint: Hint::Standard("list its entries with substrate.manifest.checkout"),
        see: &["bad_path", "unknown_manifest"],
    };

    METADATA_TOO_LARGE = Code {
        name: "metadata_too_large",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413), CodeChannel::Result],
        title: "The metadata or the message is too large",
        happened: "An entry has at most 4 KiB of metadata, a manifest 64 KiB and a message of 8 KiB, as canonical JSON.",
        advice: "Store large data as an artifact, and name it by an entry.",
        message: "the metadata of a.md has 10485760 bytes; at most 4096 are kept",
        hint: Hint::Standard("store large data as an artifact, and name it by an entry"),
        see: &["too_many_entries"],
    };

    TOO_MANY_ENTRIES = Code {
        name: "too_many_entries",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413), CodeChannel::Result],
        title: "The call names too many entries or parents",
        happened: "One call puts and removes a limited number of entries, and a manifest has a limited number of parents.",
        advice: "Create a manifest of the first entries, then go on with it as the base.",
        message: "the call names 20000 entries; one call takes 10000 at most",
        hint: Hint::Standard("make several calls, each with the manifest of the one before as `base_sha256`"),
        see: &["metadata_too_large", "too_many_changes"],
    };

    TOO_MANY_CHANGES = Code {
        name: "too_many_changes",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413), CodeChannel::Result],
        title: "The manifests differ in too many paths",
        happened: "A merge, or a difference as one ref, takes a limited number of changed paths.",
        advice: "Read the difference in pages with `substrate.manifest.diff`, or merge earlier.",
        message: "there are more than 100000 changes",
        hint: Hint::Standard("read the difference in pages with substrate.manifest.diff, or merge earlier"),
        see: &["too_many_entries"],
    };

    NO_COMMON_ANCESTOR = Code {
        name: "no_common_ancestor",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The manifests have no common ancestor",
        happened: "A three-way merge compares both sides with the manifest that they come from, and these two have none.",
        advice: "Name one as `base_sha256`.",
        message: "sha256:9f86… and sha256:2c26… have no common ancestor",
        hint: Hint::Standard("name the manifest to compare both with as `base_sha256`"),
        see: &["unknown_manifest", "history_too_long"],
    };

    HISTORY_TOO_LONG = Code {
        name: "history_too_long",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413), CodeChannel::Result],
        title: "The history is too long to search at once",
        happened: "The search for a common ancestor, or a page of a history with many branches, reached its limit.",
        advice: "Name the base yourself, or read the history in pages from a later manifest.",
        message: "no common ancestor was found among 10000 manifests",
        hint: Hint::Standard("name the base yourself, or read the history in pages"),
        see: &["no_common_ancestor"],
    };

    DAMAGED_MANIFEST = Code {
        name: "damaged_manifest",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Http(500), CodeChannel::Result],
        title: "A stored manifest is damaged",
        happened: "The stored bytes of a manifest or of a node of its tree do not have the digest under which they are stored, \
             or a node is missing. Nothing of it is used.",
        advice: "The operator restores the database from a backup; the log names the digest.",
        message: "the node sha256:9f86… is damaged: the bytes given for it have another digest",
        hint: Hint::Standard("an operator restores the database from a backup; the log names the digest"),
        see: &["unknown_manifest"],
    };
}
