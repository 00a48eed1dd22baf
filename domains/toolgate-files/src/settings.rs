//! What an operator says about bytes: where they are kept, for how long, and how large anything may be.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use toolgate_core::egress::Egress;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MIB: u64 = 1 << 20;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    pub place: Place,
    /// Of one file.
    pub upload_bytes_max: u64,
    /// How long a file is kept; for ever if nothing is said.
    pub keep: Option<Duration>,
    /// How long something that was taken out of a result can be read again.
    pub ref_keep: Duration,
    /// How long an address for an upload can be used.
    pub upload_url_keep: Duration,
    /// How long an address for a download can be used.
    pub url_keep: Duration,
    /// Of a file that is sent to a server as Base64, before it is encoded.
    pub base64_bytes_max: u64,
    /// Of a text that is filled into an argument.
    pub text_bytes_max: u64,
    /// The tool that reads documents, as operators write its name.
    pub extractor: Option<String>,
    /// Where others reach this gateway, for the addresses that it gives out.
    pub public_url: Option<String>,
    pub results: ResultSettings,
    /// How long a storage may be silent while one request is under way.
    pub storage_timeout: Duration,
    /// How often a request that the storage did not answer is sent again.
    pub retries_max: usize,
    /// How connections to a storage elsewhere leave.
    pub egress: Arc<Egress>,
}

/// Where bytes are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    Folder(PathBuf),
    S3(S3Place),
}

#[derive(Clone, PartialEq, Eq)]
pub struct S3Place {
    pub bucket: String,
    /// What every key in the bucket begins with. May be empty.
    pub prefix: String,
    /// Nothing for the one that Amazon has for the region.
    pub endpoint: Option<String>,
    pub region: String,
    pub access_key_id: String,
    pub secret_access_key: String,
    /// Whether the endpoint may be spoken to in the clear.
    pub allow_http: bool,
}

/// What stays in a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultSettings {
    pub binary: Binary,
    /// Of one text; what is longer becomes a ref.
    pub text_bytes_max: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Binary {
    #[default]
    TakeOut,
    Inline,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            place: Place::Folder(PathBuf::from("files")),
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
        Self { binary: Binary::TakeOut, text_bytes_max: 32 << 10 }
    }
}

impl fmt::Debug for S3Place {
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
        let place = S3Place {
            bucket: "b".to_owned(),
            prefix: String::new(),
            endpoint: None,
            region: "r".to_owned(),
            access_key_id: "AKIAXYZ".to_owned(),
            secret_access_key: "hush".to_owned(),
            allow_http: false,
        };
        let shown = format!("{:?}", Settings { place: Place::S3(place), ..Settings::default() });
        assert!(
            shown.contains("S3Place") && !shown.contains("AKIAXYZ") && !shown.contains("hush"),
            "{shown}"
        );
    }
}
