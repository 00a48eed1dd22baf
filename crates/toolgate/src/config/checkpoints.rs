//! `[checkpoints]`: the key that signs the state of the ledger, and where the signed state is kept.

use std::path::PathBuf;
use std::time::Duration;

use toolgate_files::StoragePlace;
use toolgate_proof::VerifierKey;

use super::problem::{ConfigProblems, one_of};
use super::reference::is_variable_name;
use super::secrets::{openbao_field, refuse_no_openbao};
use super::section::{ConfigSection, Located, SecondsRange};
use super::value::{ReadContext, UrlForm};

pub(super) const KEYS: &[&str] =
    &["key_file", "key_env", "key_openbao", "old_keys", "every_seconds", "folder", "object_prefix", "urls"];

/// There is exactly one of these keys.
const KEY_SOURCES: [&str; 3] = ["key_file", "key_env", "key_openbao"];

const EVERY: Duration = Duration::from_secs(3600);
const ANCHOR_URL: UrlForm = UrlForm {
    expected: "an address such as `https://example.com/checkpoints`",
    instead_of_password: "a checkpoint is signed, and holds no secret; the receiver needs no password",
};

/// Signed checkpoints of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckpointSettings {
    pub(crate) key: CheckpointKeySource,
    /// Public keys that signed earlier checkpoints.
    pub(crate) old_keys: Vec<VerifierKey>,
    pub(crate) every: Duration,
    /// Absolute.
    pub(crate) folder: Option<PathBuf>,
    /// In the bucket of the files.
    pub(crate) object_prefix: Option<String>,
    pub(crate) urls: Vec<String>,
}

/// The place of the key that signs. None of them is the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CheckpointKeySource {
    /// Absolute.
    File(PathBuf),
    /// The name of a variable of the environment.
    Environment(String),
    /// A secret of the server that `[openbao]` names.
    OpenBao { path: String, field: String },
}

/// `None` if a problem was added.
pub(super) fn read(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<CheckpointSettings> {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let key = key(section, ctx, problems);
    let old_keys = section.strings("old_keys", problems);
    let old_keys = old_keys.iter().filter_map(|key| checked_key(key, problems)).collect();
    let every = section.seconds("every_seconds", SecondsRange::Positive, problems);
    let folder = ctx.places(section).path("folder", ctx.folder, problems).map(|folder| folder.value);
    let object_prefix = section.string("object_prefix", problems).map(|prefix| prefix.value.to_owned());
    let written = section.strings("urls", problems);
    let values = ctx.values(section);
    let urls: Vec<String> =
        written.iter().filter_map(|url| values.checked_url("urls", url, &ANCHOR_URL, problems)).collect();
    if ["folder", "object_prefix", "urls"].iter().all(|key| section.key_span(key).is_none()) {
        let what = "`[checkpoints]` does not say where to keep them";
        let hint = "for example `folder = \"/mnt/elsewhere/checkpoints\"`, best on another machine";
        problems.add(section.span.clone(), what, "one of `folder`, `object_prefix` or `urls`", hint);
    }
    let every = every.unwrap_or(EVERY);
    Some(CheckpointSettings { key: key?, old_keys, every, folder, object_prefix, urls })
}

fn key(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<CheckpointKeySource> {
    let given: Vec<&str> =
        KEY_SOURCES.into_iter().filter(|source| section.key_span(source).is_some()).collect();
    match given[..] {
        ["key_file"] => {
            let file = ctx.places(section).path("key_file", ctx.folder, problems)?;
            Some(CheckpointKeySource::File(file.value))
        }
        ["key_env"] => {
            let name = section.string("key_env", problems)?;
            checked_variable(name, problems)
        }
        ["key_openbao"] => {
            let (path, field) = openbao_field(section, "key_openbao", problems)?;
            Some(CheckpointKeySource::OpenBao { path, field })
        }
        [] => {
            let what = "`[checkpoints]` has no key to sign with";
            let hint = "`toolgate ledger key --new FILE` makes one; then add `key_file = \"FILE\"`";
            problems.add(section.span.clone(), what, format!("one of {}", one_of(&KEY_SOURCES)), hint);
            None
        }
        _ => {
            let what = format!("`[checkpoints]` has both `{}`", given.join("` and `"));
            let span = given.last().and_then(|last| section.key_span(last));
            let expected = format!("one of {}", one_of(&KEY_SOURCES));
            let hint = "there is one key; remove the line that is not meant";
            problems.add(span.unwrap_or_else(|| section.span.clone()), what, expected, hint);
            None
        }
    }
}

fn checked_variable(name: Located<&str>, problems: &mut ConfigProblems) -> Option<CheckpointKeySource> {
    if is_variable_name(name.value) {
        return Some(CheckpointKeySource::Environment(name.value.to_owned()));
    }
    let what = "`key_env` in `[checkpoints]` is not the name of a variable";
    let hint = "write `key_env = \"TOOLGATE_CHECKPOINT_KEY\"` and keep the key in that variable";
    problems.add(name.span, what, "letters, digits and `_` only", hint);
    None
}

fn checked_key(key: &Located<&str>, problems: &mut ConfigProblems) -> Option<VerifierKey> {
    let read = key.value.parse::<VerifierKey>();
    if let Err(bad) = &read {
        let what = format!("a key in `old_keys` of `[checkpoints]` cannot be used: {bad}");
        let expected = "public keys as `toolgate ledger key` prints them: NAME+ID+BASE64";
        problems.add(key.span.clone(), what, expected, "remove it, or copy it again");
    }
    read.ok()
}

/// Objects go where the files are.
pub(super) fn refuse_without_bucket(
    top: &ConfigSection<'_>,
    settings: Option<&CheckpointSettings>,
    files: &StoragePlace,
    problems: &mut ConfigProblems,
) {
    let wants = settings.is_some_and(|settings| settings.object_prefix.is_some());
    if !wants || matches!(files, StoragePlace::S3(_)) {
        return;
    }
    let what = "`object_prefix` in `[checkpoints]` needs a bucket, and the files are in a folder";
    let hint = "set `url = \"s3://BUCKET\"` in `[files]`, or use `folder` or `urls`";
    let span = top.key_span("checkpoints").unwrap_or_else(|| top.span.clone());
    problems.add(span, what, "files in an S3 storage", hint);
}

/// A key in OpenBao needs the table that says where that is.
pub(super) fn refuse_without_openbao(
    top: &ConfigSection<'_>,
    settings: Option<&CheckpointSettings>,
    problems: &mut ConfigProblems,
) {
    let wants = settings.is_some_and(|settings| matches!(settings.key, CheckpointKeySource::OpenBao { .. }));
    if wants {
        refuse_no_openbao(top, "the key of `[checkpoints]`", "checkpoints", problems);
    }
}
