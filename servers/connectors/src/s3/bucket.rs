//! The bucket, and the words about what its server refuses. The server's own words are not passed on: they may have keys in them.

use std::time::Duration;

use capability_kit::{Trouble, TroubleCode};
use http::StatusCode;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, RetryConfig};

use super::http::{BucketConnector, BucketFailure};
use super::options::S3Options;
use crate::credential::ProviderSecret;
use crate::net::{Encryption, HostPort, ProviderWay, check_name};
use crate::options::WayOptions;

const ACCESS_KEY: &str = "CONNECTORS_ACCESS_KEY_ID";
const SECRET_KEY: &str = "CONNECTORS_SECRET_ACCESS_KEY";
const SESSION_TOKEN: &str = "CONNECTORS_SESSION_TOKEN";
const HTTPS_PORT: u16 = 443;
const HTTP_PORT: u16 = 80;
const RETRIES_MAX: usize = 2;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// The served part of a bucket.
pub(super) struct Bucket {
    pub(super) objects: PrefixStore<AmazonS3>,
    /// The address of the served part, for people.
    pub(super) url: String,
    pub(super) object_bytes_max: u64,
    pub(super) allow_overwrite: bool,
}

impl Bucket {
    pub(super) fn of(options: &S3Options, way: &WayOptions) -> Result<Self, Trouble> {
        let bad = |what: &str| {
            Trouble::unavailable(what.to_owned())
                .hint("the operator starts this server with --bucket NAME, --endpoint URL and --region NAME")
        };
        let name = options.bucket.as_deref().ok_or_else(|| bad("--bucket was not set"))?;
        let amazon = format!("https://s3.{}.amazonaws.com", options.region);
        let endpoint = options.endpoint.as_deref().unwrap_or(&amazon).trim_end_matches('/');
        let url = check_name("--endpoint", endpoint, &["https", "http"])?;
        let (encryption, port) = match url.scheme() {
            "https" => (Encryption::FromTheStart, HTTPS_PORT),
            _ if way.without_tls => (Encryption::Never, HTTP_PORT),
            _ => return Err(bad("--endpoint is not encrypted, and --without-tls was not set")),
        };
        if way.without_tls && encryption != Encryption::Never {
            return Err(bad("--endpoint is https, and --without-tls was set"));
        }
        let place = HostPort::of_url(&url, port).ok_or_else(|| bad("--endpoint has no host"))?;
        let prefix = Path::parse(&options.prefix).map_err(|_| bad("--prefix is no path"))?;
        let store = client(name, endpoint, options, ProviderWay::new(place, encryption, way))?;
        let store = store.build().map_err(|_| bad("the bucket is not described well"))?;
        Ok(Self {
            url: format!("{endpoint}/{name}/{prefix}").trim_end_matches('/').to_owned(),
            objects: PrefixStore::new(store, prefix),
            object_bytes_max: options.object_mib << 20,
            allow_overwrite: options.allow_overwrite,
        })
    }

    /// The key of an object, below the prefix.
    pub(super) fn key(written: &str) -> Result<Path, Trouble> {
        const BYTES_MAX: usize = 1_024;
        let path =
            Path::parse(written).ok().filter(|path| !path.as_ref().is_empty() && written.len() <= BYTES_MAX);
        path.ok_or_else(|| {
            Trouble::bad_arguments(format!("{written:?} is no key of an object"))
                .hint("write it as list_objects returns it: no empty steps, and neither . nor ..")
        })
    }

    pub(super) fn too_large(&self, bytes: u64) -> Trouble {
        let message = format!("the object has {bytes} bytes; at most {} are moved", self.object_bytes_max);
        Trouble::new(TroubleCode::TooLarge, message).hint("the server's option --object-mib sets the limit")
    }

    pub(super) fn trouble(&self, doing: &str, failure: &BucketFailure) -> Trouble {
        use object_store::Error;
        let is_locked = matches!(failure.status, Some(StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED));
        match &failure.error {
            Error::NotFound { .. } => {
                Trouble::bad_arguments(format!("cannot {doing}: there is no such object"))
                    .hint("list_objects shows the keys")
            }
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => locked(doing),
            _ if is_locked => locked(doing),
            Error::AlreadyExists { .. } | Error::Precondition { .. } => {
                Trouble::new(TroubleCode::Conflict, format!("cannot {doing}: the object is there already"))
                    .hint("choose another key")
            }
            _ => {
                tracing::warn!(place = self.url, "cannot {doing}");
                Trouble::unavailable(format!(
                    "cannot {doing}: the server of the bucket did not answer as it should"
                ))
                .hint("try again later; the operator checks --endpoint, --region and the network")
            }
        }
    }
}

fn locked(doing: &str) -> Trouble {
    let message = format!("cannot {doing}: the server does not let this connector in");
    Trouble::new(TroubleCode::Locked, message).hint(format!(
        "the operator has to check {ACCESS_KEY}, {SECRET_KEY} and what they may do in the bucket"
    ))
}

fn client(
    name: &str,
    endpoint: &str,
    options: &S3Options,
    way: ProviderWay,
) -> Result<AmazonS3Builder, Trouble> {
    let silence_max = way.silence_max;
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(name)
        .with_region(&options.region)
        .with_endpoint(endpoint)
        .with_access_key_id(ProviderSecret::required(ACCESS_KEY)?.reveal())
        .with_secret_access_key(ProviderSecret::required(SECRET_KEY)?.reveal())
        .with_allow_http(way.encryption == Encryption::Never)
        .with_retry(RetryConfig {
            backoff: BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: PAUSE_MAX, base: 2.0 },
            max_retries: RETRIES_MAX,
            retry_timeout: silence_max,
        })
        .with_http_connector(BucketConnector::new(way));
    if let Some(token) = ProviderSecret::of_variable(SESSION_TOKEN) {
        builder = builder.with_token(token.reveal());
    }
    Ok(builder)
}
