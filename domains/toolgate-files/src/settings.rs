//! The operator's settings for bytes: their place, their retention, and the size limits.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use toolgate_core::egress::Egress;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MIB: u64 = 1 << 20;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilesSettings {
    pub place: StoragePlace,
    /// The maximum size of one file.
    pub upload_bytes_max: u64,
    /// The retention of a file; `None` means forever.
    pub keep: Option<Duration>,
    /// The time for which a ref can be read.
    pub ref_keep: Duration,
    /// The lifetime of an address for an upload.
    pub upload_url_keep: Duration,
    /// The lifetime of an address for a download.
    pub url_keep: Duration,
    /// The maximum size of a file that is sent to a server as Base64, before encoding.
    pub base64_bytes_max: u64,
    /// The maximum size of a text that fills an argument.
    pub text_bytes_max: u64,
    /// The tool that reads documents, as operators write its name.
    pub extractor: Option<String>,
    /// The public URL of this gateway, for the addresses that it issues.
    pub public_url: Option<String>,
    pub results: ResultSettings,
    /// The maximum silence of a storage during a request.
    pub storage_timeout: Duration,
    /// The number of retries of a request that the storage did not answer.
    pub retries_max: usize,
    /// The connection settings for a remote storage.
    pub egress: Arc<Egress>,
}

/// The place of the bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoragePlace {
    Folder(PathBuf),
    S3(S3Storage),
}

#[derive(Clone, PartialEq, Eq)]
pub struct S3Storage {
    pub bucket: String,
    /// The prefix of every key in the bucket. May be empty.
    pub prefix: String,
    /// `None` for Amazon's endpoint of the region.
    pub endpoint: Option<String>,
    pub region: String,
    pub access_key_id: String,
    pub secret_access_key: String,
    /// True if plain HTTP to the endpoint is allowed.
    pub allow_http: bool,
}

/// The limits for results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultSettings {
    pub binary: BinaryTreatment,
    /// The maximum size of one text; a longer one becomes a ref.
    pub text_bytes_max: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BinaryTreatment {
    #[default]
    TakeOut,
    Inline,
}

impl Default for FilesSettings {
    fn default() -> Self {
        Self {
            place: StoragePlace::Folder(PathBuf::from("files")),
            upload_bytes_max: 2048 * MIB,
            keep: Some(30 * DAY),
            ref_keep: DAY,
            upload_url_keep: Duration::from_secs(15 * 60),
            url_keep: Duration::from_secs(60 * 60),
            base64_bytes_max: 100 * MIB,
            text_bytes_max: 10 * MIB,
            extractor: Some("doc-parser-mcp:extract_text".to_owned()),
            public_url: None,
            results: ResultSettings::default(),
            storage_timeout: Duration::from_secs(15),
            retries_max: 4,
            egress: Arc::default(),
        }
    }
}

impl Default for ResultSettings {
    fn default() -> Self {
        Self { binary: BinaryTreatment::TakeOut, text_bytes_max: 32 << 10 }
    }
}

impl fmt::Debug for S3Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The keys are for the storage alone.
        let mut shown = f.debug_struct("S3Place");
        shown.field("bucket", &self.bucket).field("prefix", &self.prefix).field("endpoint", &self.endpoint);
        shown.field("region", &self.region).field("allow_http", &self.allow_http).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_storage_are_not_shown() {
        let place = S3Storage {
            bucket: "b".to_owned(),
            prefix: String::new(),
            endpoint: None,
            region: "r".to_owned(),
            access_key_id: "AKIAXYZ".to_owned(),
            secret_access_key: "hush".to_owned(),
            allow_http: false,
        };
        let shown =
            format!("{:?}", FilesSettings { place: StoragePlace::S3(place), ..FilesSettings::default() });
        assert!(
            shown.contains("S3Place") && !shown.contains("AKIAXYZ") && !shown.contains("hush"),
            "{shown}"
        );
    }
}
