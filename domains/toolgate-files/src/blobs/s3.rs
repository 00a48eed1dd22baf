//! The client of an S3-compatible storage.

use std::time::Duration;

use ::http::Method;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::signer::{SignedUrlOptions, Signer};
use object_store::{BackoffConfig, RetryConfig};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use toolgate_core::Refusal;
use toolgate_core::codes;
use toolgate_outbound::Scheme;
use url::Url;

use super::http::StorageConnector;
use crate::settings::{FilesSettings, S3Storage};

/// The maximum size of a copy within an S3 storage, and a large file is copied to its place.
const FILE_BYTES_MAX: u64 = 5 << 30;
/// The maximum lifetime of addresses of S3 storages.
const ADDRESS_KEEP_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// After this many times the maximum silence, there are no more retries.
const SILENCES_MAX: u32 = 3;

/// The description of the bytes for the user of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownBytes<'a> {
    pub name: Option<&'a str>,
    pub media_type: &'a str,
}

pub(super) fn open(place: &S3Storage, settings: &FilesSettings) -> Result<AmazonS3, Refusal> {
    if settings.upload_bytes_max > FILE_BYTES_MAX {
        let message = format!("files in an S3 storage have at most {FILE_BYTES_MAX} bytes");
        return Err(bad(message).field("upload_bytes_max"));
    }
    if settings.url_keep > ADDRESS_KEEP_MAX {
        return Err(
            bad("addresses of an S3 storage hold for seven days at most".to_owned()).field("url_keep")
        );
    }
    let connector = StorageConnector::new(scheme(place)?, &settings.egress, settings.storage_timeout)
        .map_err(|error| bad(format!("TLS cannot be spoken: {error}")))?;
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&place.bucket)
        .with_region(&place.region)
        .with_access_key_id(&place.access_key_id)
        .with_secret_access_key(&place.secret_access_key)
        .with_allow_http(place.allow_http)
        // Not every storage knows how to delete several at once.
        .with_disable_bulk_delete(true)
        .with_retry(retries(settings))
        .with_http_connector(connector);
    if let Some(endpoint) = &place.endpoint {
        builder = builder.with_endpoint(endpoint.trim_end_matches('/'));
    }
    builder.build().map_err(|_| bad("the S3 storage of the files is not described well".to_owned()))
}

fn scheme(place: &S3Storage) -> Result<Scheme, Refusal> {
    let Some(endpoint) = &place.endpoint else { return Ok(Scheme::Https) };
    let url = Url::parse(endpoint).ok().filter(|url| url.has_host() && url.username().is_empty());
    match url.as_ref().map(Url::scheme) {
        Some("https") => Ok(Scheme::Https),
        Some("http") if place.allow_http => Ok(Scheme::Http),
        Some("http") => Err(bad("the endpoint of the storage is not encrypted".to_owned())
            .hint("use https, or say that http is allowed")),
        _ => Err(bad("the endpoint of the storage is no http address without a user".to_owned())),
    }
}

fn retries(settings: &FilesSettings) -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: PAUSE_MAX, base: 2.0 },
        max_retries: settings.retries_max,
        retry_timeout: settings.storage_timeout.saturating_mul(SILENCES_MAX),
    }
}

fn bad(message: String) -> Refusal {
    Refusal::new(&codes::BAD_STORAGE, message)
}

pub(super) async fn sign(
    s3: &AmazonS3,
    path: &Path,
    keep: Duration,
    shown: &ShownBytes<'_>,
) -> object_store::Result<Url> {
    let mut query = vec![("response-content-type".to_owned(), shown.media_type.to_owned())];
    if let Some(name) = shown.name {
        query.push(("response-content-disposition".to_owned(), disposition(name)));
    }
    let options = SignedUrlOptions::new().with_query(query);
    s3.signed_url_opts(Method::GET, path, keep, &options).await
}

/// The header with the file name of a download.
fn disposition(name: &str) -> String {
    /// All characters that RFC 5987 allows unencoded.
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    format!("attachment; filename*=UTF-8''{}", utf8_percent_encode(name, ENCODED))
}
