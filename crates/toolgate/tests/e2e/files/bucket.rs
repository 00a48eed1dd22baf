//! A real storage that speaks S3: each test has a part of the bucket for itself.

use std::process::Command;
use std::sync::OnceLock;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::kit::label;

#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    pub(crate) endpoint: String,
    pub(crate) bucket: String,
    pub(crate) access_key_id: String,
    pub(crate) secret_access_key: String,
    pub(crate) prefix: String,
}

impl Bucket {
    pub(crate) fn of_this_test() -> Self {
        let words: Vec<&str> = shared_server().split_whitespace().collect();
        let [endpoint, bucket, access_key_id, secret_access_key] = words[..] else {
            panic!("TOOLGATE_TEST_S3 is: ADDRESS BUCKET ACCESS_KEY SECRET_KEY")
        };
        Self {
            endpoint: endpoint.to_owned(),
            bucket: bucket.to_owned(),
            access_key_id: access_key_id.to_owned(),
            secret_access_key: secret_access_key.to_owned(),
            prefix: label("e2e"),
        }
    }

    /// The same, reached through another host.
    pub(crate) fn through(mut self, endpoint: String) -> Self {
        self.endpoint = endpoint;
        self
    }

    /// The address of this test's files.
    pub(crate) fn url(&self) -> String {
        format!("s3://{}/{}", self.bucket, self.prefix)
    }

    /// `[files]` with more in it.
    pub(crate) fn toml(&self, more: &str) -> String {
        format!(
            "[files]\nurl = {:?}\nendpoint = {:?}\naccess_key_id = {:?}\nsecret_access_key = {:?}\n\
             allow_http = true\n{more}",
            self.url(),
            self.endpoint,
            self.access_key_id,
            self.secret_access_key
        )
    }
}

/// What the gateway has written, read without it.
impl Bucket {
    /// The keys that begin with this.
    pub(crate) async fn keys(&self, prefix: &str) -> Vec<String> {
        let listed =
            self.get("", &format!("list-type=2&prefix={}", encoded(prefix).replace('/', "%2F"))).await;
        let keys = listed.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>"));
        keys.map(|(key, _)| key.to_owned()).collect()
    }

    /// An object that is text.
    pub(crate) async fn text(&self, key: &str) -> String {
        self.get(&format!("/{}", encoded(key)), "").await
    }

    /// A request as S3 wants it signed.
    async fn get(&self, path: &str, query: &str) -> String {
        let (path, now) = (format!("/{}{path}", self.bucket), now());
        let host = self.endpoint.trim_start_matches("http://");
        let names = "host;x-amz-content-sha256;x-amz-date";
        let headers = format!("host:{host}\nx-amz-content-sha256:{BODY}\nx-amz-date:{now}\n");
        let request = format!("GET\n{path}\n{query}\n{headers}\n{names}\n{BODY}");
        let scope = format!("{}/{REGION}/s3/aws4_request", &now[..8]);
        let signed = format!("AWS4-HMAC-SHA256\n{now}\n{scope}\n{}", hex(&Sha256::digest(request)));
        let key = format!("AWS4{}", self.secret_access_key).into_bytes();
        let key = [&now[..8], REGION, "s3", "aws4_request"].iter().fold(key, |key, word| mac(&key, word));
        let signature = hex(&mac(&key, &signed));
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
            self.access_key_id
        );
        let request = reqwest::Client::new().get(format!("{}{path}?{query}", self.endpoint));
        let request = request.header("x-amz-date", &now).header("x-amz-content-sha256", BODY);
        let answer = request.header("authorization", authorization).send().await.expect("an answer");
        let (status, text) = (answer.status(), answer.text().await.expect("text"));
        assert!(status.is_success(), "{path}?{query}: {status} {text}");
        text
    }
}

/// The region that the gateway uses unless another is configured.
const REGION: &str = "us-east-1";
/// What is said of a body that is not signed.
const BODY: &str = "UNSIGNED-PAYLOAD";

/// `20261119T012345Z`
fn now() -> String {
    let date = Command::new("date").args(["-u", "+%Y%m%dT%H%M%SZ"]).output().expect("there is a clock");
    String::from_utf8(date.stdout).expect("a date is text").trim().to_owned()
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// As in a path.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let letter = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(letter).collect()
}

/// The server that `script/test` has started, or one that is started now and stays.
fn shared_server() -> &'static str {
    static SERVER: OnceLock<String> = OnceLock::new();
    SERVER.get_or_init(|| std::env::var("TOOLGATE_TEST_S3").unwrap_or_else(|_| start()))
}

fn start() -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../script/s3");
    let output = Command::new(script).arg("start").output().expect("the script runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("an address is text").trim().to_owned()
}
