//! A real storage that speaks S3: each test has a part of the bucket for itself.

use std::process::Command;
use std::sync::OnceLock;

use crate::kit::label;

#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    pub(crate) endpoint: String,
    bucket: String,
    pub(crate) access_key_id: String,
    pub(crate) secret_access_key: String,
    prefix: String,
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
