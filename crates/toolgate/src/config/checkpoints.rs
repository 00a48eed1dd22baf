//! `[checkpoints]`: the key that signs the state of the ledger, and where the signed state is kept.

use std::path::PathBuf;
use std::time::Duration;

use toolgate_files::StoragePlace;
use toolgate_proof::VerifierKey;

use super::problem::ConfigProblems;
use super::reference::is_variable_name;
use super::secrets::CredentialSource;
use super::section::{ConfigSection, Located, SecondsRange};
use super::value::{ReadContext, UrlForm};

pub(super) const KEYS: &[&str] =
    &["key_file", "key_env", "old_keys", "every_seconds", "folder", "object_prefix", "urls"];

const EVERY: Duration = Duration::from_secs(3600);
const ANCHOR_URL: UrlForm = UrlForm {
    expected: "an address such as `https://example.com/checkpoints`",
    instead_of_password: "a checkpoint is signed, and holds no secret; the receiver needs no password",
};

/// Signed checkpoints of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckpointSettings {
    pub(crate) key: CredentialSource,
    /// Public keys that signed earlier checkpoints.
    pub(crate) old_keys: Vec<VerifierKey>,
    pub(crate) every: Duration,
    /// Absolute.
    pub(crate) folder: Option<PathBuf>,
    /// In the bucket of the files.
    pub(crate) object_prefix: Option<String>,
    pub(crate) urls: Vec<String>,
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
) -> Option<CredentialSource> {
    let file = ctx.places(section).path("key_file", ctx.folder, problems);
    let variable = section.string("key_env", problems);
    match (section.key_span("key_file"), section.key_span("key_env")) {
        (Some(_), Some(span)) => {
            let what = "`[checkpoints]` has both `key_file` and `key_env`";
            problems.add(span, what, "one of the two", "there is one key; remove the line that is not meant");
            None
        }
        (None, None) => {
            let what = "`[checkpoints]` has no key to sign with";
            let hint = "`toolgate ledger key --new FILE` makes one; then add `key_file = \"FILE\"`";
            problems.add(section.span.clone(), what, "`key_file` or `key_env`", hint);
            None
        }
        (Some(_), None) => file.map(|file| CredentialSource::File(file.value)),
        (None, Some(_)) => variable.and_then(|name| checked_variable(name, problems)),
    }
}

fn checked_variable(name: Located<&str>, problems: &mut ConfigProblems) -> Option<CredentialSource> {
    if is_variable_name(name.value) {
        return Some(CredentialSource::Environment(name.value.to_owned()));
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
