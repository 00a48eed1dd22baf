//! `[files]`, `[results]` and `public_url`: the place and the retention of bytes, the size limits, the part
//! of a result that stays in the context, and the public address for downloads.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use toolgate_files::{BinaryTreatment, FilesSettings, S3Storage, StoragePlace};
use url::Url;

use super::problem::ConfigProblems;
use super::registry::tool_name;
use super::section::{ConfigSection, Located, SecondsRange};
use super::value::{ReadContext, UrlForm};

pub(super) const FILES_KEYS: &[&str] = &[
    "url",
    "endpoint",
    "region",
    "access_key_id",
    "secret_access_key",
    "allow_http",
    "upload_bytes_max",
    "keep_days",
    "url_keep_seconds",
    "upload_url_keep_seconds",
    "base64_bytes_max",
    "text_bytes_max",
    "extractor",
    "storage_timeout_seconds",
    "retries_max",
];
pub(super) const RESULTS_KEYS: &[&str] = &["binary", "text_bytes_max", "ref_keep_seconds"];

/// Keys that say how a bucket is reached.
const S3_KEYS: [&str; 5] = ["endpoint", "region", "access_key_id", "secret_access_key", "allow_http"];
/// In the data folder, where no other place is named.
const FOLDER: &str = "files";
const REGION: &str = "us-east-1";
const URL_EXPECTED: &str = "`s3://bucket/prefix`, or a folder, absolute or from the folder of this file";

const FILE_BYTES: RangeInclusive<usize> = 1024..=1 << 40;
const ARGUMENT_BYTES: RangeInclusive<usize> = 1024..=4 << 30;
const TEXT_BYTES: RangeInclusive<usize> = 1024..=64 << 20;
const KEEP_DAYS: RangeInclusive<usize> = 1..=36_500;
const RETRIES: RangeInclusive<usize> = 0..=20;
const DAY: Duration = Duration::from_secs(24 * 3600);

const ENDPOINT: UrlForm = UrlForm {
    expected: "the address of a storage that speaks S3, such as `https://s3.example.com`",
    instead_of_password: "put the credentials into `access_key_id` and `secret_access_key`",
};
const PUBLIC_URL: UrlForm = UrlForm {
    expected: "an address such as `https://gate.example.com`",
    instead_of_password: "leave it out: addresses that are given out carry a signature",
};
const BINARY: [(&str, BinaryTreatment); 2] =
    [("take_out", BinaryTreatment::TakeOut), ("inline", BinaryTreatment::Inline)];
const BINARY_HINT: &str =
    "`take_out`: images and the like become refs; `inline`: they stay, and agents pay for them";

pub(super) fn usual(data: &Path) -> FilesSettings {
    FilesSettings { place: StoragePlace::Folder(data.join(FOLDER)), ..FilesSettings::default() }
}

pub(super) fn read_files(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    usual: FilesSettings,
    problems: &mut ConfigProblems,
) -> FilesSettings {
    section.refuse_unknown_keys(FILES_KEYS, &[], problems);
    let place = place(section, ctx, problems);
    let mut seconds = |key, usual| section.seconds(key, SecondsRange::Positive, problems).unwrap_or(usual);
    let url_keep = seconds("url_keep_seconds", usual.url_keep);
    let upload_url_keep = seconds("upload_url_keep_seconds", usual.upload_url_keep);
    let storage_timeout = seconds("storage_timeout_seconds", usual.storage_timeout);
    let mut bytes =
        |key, within, usual| section.bytes(key, within, problems).map_or(usual, |bytes| bytes as u64);
    FilesSettings {
        place: place.unwrap_or(usual.place),
        upload_bytes_max: bytes("upload_bytes_max", FILE_BYTES, usual.upload_bytes_max),
        base64_bytes_max: bytes("base64_bytes_max", ARGUMENT_BYTES, usual.base64_bytes_max),
        text_bytes_max: bytes("text_bytes_max", ARGUMENT_BYTES, usual.text_bytes_max),
        url_keep,
        upload_url_keep,
        storage_timeout,
        keep: keep(section, problems).unwrap_or(usual.keep),
        extractor: extractor(section, problems).unwrap_or(usual.extractor),
        retries_max: section.count("retries_max", RETRIES, problems).unwrap_or(usual.retries_max),
        ..usual
    }
}

pub(super) fn read_results(
    section: &ConfigSection<'_>,
    usual: FilesSettings,
    problems: &mut ConfigProblems,
) -> FilesSettings {
    section.refuse_unknown_keys(RESULTS_KEYS, &[], problems);
    let mut settings = usual;
    if let Some(binary) = section.word("binary", &BINARY, BINARY_HINT, problems) {
        settings.results.binary = binary;
    }
    if let Some(bytes) = section.bytes("text_bytes_max", TEXT_BYTES, problems) {
        settings.results.text_bytes_max = bytes;
    }
    if let Some(keep) = section.seconds("ref_keep_seconds", SecondsRange::Positive, problems) {
        settings.ref_keep = keep;
    }
    settings
}

/// The gateway's public URL, without a final slash.
pub(super) fn public_url(
    top: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let url = ctx.values(top).url("public_url", &PUBLIC_URL, problems)?;
    if url.contains('?') {
        let span = top.string("public_url", problems)?.span;
        let hint = "leave out everything from `?` on";
        problems.add(span, "`public_url` in the file has a query", PUBLIC_URL.expected, hint);
        return None;
    }
    Some(url.trim_end_matches('/').to_owned())
}

/// The retention of files, if set: `None` is forever.
fn keep(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<Option<Duration>> {
    const KEY: &str = "keep_days";
    if !section.is_text(KEY) {
        let days = u32::try_from(section.count(KEY, KEEP_DAYS, problems)?).ok()?;
        return Some(Some(days * DAY));
    }
    let written = section.string(KEY, problems)?;
    if written.value == "forever" {
        return Some(None);
    }
    let what = format!("`{KEY}` in `[files]` cannot be {:?}", written.value);
    let expected =
        format!("a whole number from {} to {}, or \"forever\"", KEEP_DAYS.start(), KEEP_DAYS.end());
    problems.add(written.span, what, expected, "write the number of days without quotes and without a unit");
    None
}

/// The tool that reads documents, if configured.
fn extractor(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<Option<String>> {
    let written = section.string("extractor", problems)?;
    if written.value == "off" {
        return Some(None);
    }
    Some(Some(tool_name(section, "extractor", &written, problems)?.to_string()))
}

fn place(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<StoragePlace> {
    let Some(url) = section.string("url", problems) else {
        refuse_s3_keys(section, problems);
        return None;
    };
    let values = ctx.values(section);
    let expanded = values.plain("url", &url, problems)?;
    if values.is_kept(url.value) {
        return None;
    }
    if let Some(rest) = expanded.strip_prefix("s3://") {
        return bucket(section, ctx, &Located { value: rest, span: url.span }, problems)
            .map(StoragePlace::S3);
    }
    refuse_s3_keys(section, problems);
    if expanded.contains("://") {
        let what = "`url` in `[files]` has a scheme that is not `s3`";
        let hint = "write the path of a folder as it is; what speaks S3 is reached by `endpoint`";
        problems.add(url.span, what, URL_EXPECTED, hint);
        return None;
    }
    values.path("url", ctx.folder, problems).map(|folder| StoragePlace::Folder(folder.value))
}

fn refuse_s3_keys(section: &ConfigSection<'_>, problems: &mut ConfigProblems) {
    for key in S3_KEYS {
        if let Some(span) = section.key_span(key) {
            let what = format!("`{key}` in `[files]`, whose files are in a folder");
            let hint = "add a line such as `url = \"s3://bucket/prefix\"`, or remove this one";
            problems.add(span, what, format!("`{key}` only beside an `s3://` address in `url`"), hint);
        }
    }
}

/// `None` if a problem was added. `written` is the address without `s3://`.
fn bucket(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    written: &Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<S3Storage> {
    for (key, example) in [("access_key_id", "S3_ACCESS_KEY_ID"), ("secret_access_key", "S3_SECRET")] {
        if section.key_span(key).is_none() {
            let what = format!("`[files]` has a bucket and no `{key}`");
            let hint = format!("add a line such as `{key} = \"${{{example}}}\"`");
            problems.add(written.span.clone(), what, "both keys of an account of the storage", hint);
        }
    }
    let parts = bucket_parts(written, problems);
    let endpoint = endpoint(section, ctx, problems);
    let region = text(section, ctx, "region", problems).unwrap_or_else(|| REGION.to_owned());
    let access_key_id = text(section, ctx, "access_key_id", problems);
    let secret_access_key = text(section, ctx, "secret_access_key", problems);
    let allow_http = allow_http(section, problems);
    let (bucket, prefix) = parts?;
    Some(S3Storage {
        bucket,
        prefix,
        endpoint,
        region,
        access_key_id: access_key_id?,
        secret_access_key: secret_access_key?,
        allow_http,
    })
}

fn bucket_parts(written: &Located<&str>, problems: &mut ConfigProblems) -> Option<(String, String)> {
    let (bucket, prefix) = written.value.split_once('/').unwrap_or((written.value, ""));
    let prefix = prefix.trim_end_matches('/');
    let is_step = |step: &str| {
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        !matches!(step, "" | "." | "..") && step.chars().all(legal)
    };
    let (what, hint) = if !is_step(bucket) {
        ("names no bucket", "write the bucket alone after `s3://`; its host belongs into `endpoint`")
    } else if !prefix.is_empty() && !prefix.split('/').all(is_step) {
        (
            "has a prefix that no key can begin with",
            "letters, digits, `.`, `-` and `_` between single slashes",
        )
    } else {
        return Some((bucket.to_owned(), prefix.to_owned()));
    };
    problems.add(written.span.clone(), format!("`url` in `[files]` {what}"), URL_EXPECTED, hint);
    None
}

fn endpoint(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    // An invalid value is reported once, where the bucket is read.
    let allowed = allow_http(section, &mut ConfigProblems::default());
    let endpoint = ctx.values(section).url("endpoint", &ENDPOINT, problems)?;
    let in_the_clear = Url::parse(&endpoint).is_ok_and(|url| url.scheme() == "http");
    if in_the_clear && !allowed {
        let span = section.string("endpoint", problems)?.span;
        let what = "`endpoint` in `[files]` is spoken to in the clear";
        let hint = "use `https`, or add `allow_http = true` on a network that you trust";
        problems.add(span, what, "an address that starts with `https://`", hint);
        return None;
    }
    Some(endpoint.trim_end_matches('/').to_owned())
}

fn allow_http(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> bool {
    section.boolean("allow_http", problems).is_some_and(|allowed| allowed.value)
}

/// Messages do not quote the value of a reference.
fn text(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    key: &str,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let written = section.string(key, problems)?;
    let expanded = ctx.values(section).plain(key, &written, problems)?;
    if expanded.trim().is_empty() {
        let what = format!("`{key}` in {} is empty", section.title());
        let hint = "give it in the environment: `${NAME}`, and see that NAME is set to something";
        problems.add(written.span, what, "text that is not empty", hint);
        return None;
    }
    Some(expanded)
}
