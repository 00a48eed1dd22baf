//! Two gateways on one Postgres and one bucket, from the files of the example.

use serde_json::json;
use toolgate_testkit::gateway::{Gateway, HttpClient};

use super::{examples, read};
use crate::files::bucket::Bucket;
use crate::governed::bank::{pending, status};
use crate::governed::database::Backing;
use crate::kit::call;
use crate::toolgate;

/// A key of 32 bytes, as `openssl rand -base64 32` writes it.
const VAULT_KEY: &str = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=";

/// Boots a replica with its variables.
fn replica(number: u8, variables: &[(&str, &str)]) -> Gateway {
    let toml = read(&examples().join(format!("replicas/gate-{number}.toml")));
    let quick_start = examples().join("quick-start");
    let toml = toml.replace("../quick-start", quick_start.to_str().expect("paths are text"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    Gateway::boot_with(toolgate(), &toml, folder, variables)
}

fn said(gateway: &Gateway, words: &[&str], variables: &[(&str, &str)]) -> String {
    let output = gateway.cli_command(words).envs(variables.iter().copied()).output().expect("it runs");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("commands print text")
}

#[tokio::test]
async fn two_replicas_share_tokens_approvals_files_and_the_ledger() {
    let backing = Backing::postgres();
    let database = backing.database().expect("a Postgres").url.clone();
    let bucket = Bucket::of_this_test();
    let place = bucket.url();
    let variables = [
        ("DATABASE_URL", database.as_str()),
        ("S3_URL", &place),
        ("S3_ENDPOINT", &bucket.endpoint),
        ("S3_ACCESS_KEY_ID", &bucket.access_key_id),
        ("S3_SECRET", &bucket.secret_access_key),
        ("TOOLGATE_VAULT_KEY", VAULT_KEY),
    ];
    let (one, two) = (replica(1, &variables), replica(2, &variables));
    let agent = said(&one, &["token", "create", "--role", "agent", "--principal", "writer"], &variables);
    let here = HttpClient::new(&one.endpoint, agent.trim());
    let there = HttpClient::new(&two.endpoint, agent.trim());
    let letter = json!({ "to": "ann@example.com", "text": "Friday is fine." });
    let approval = pending(&call(&here, "letters__send", letter.clone()).await);
    said(&two, &["approvals", "approve", &approval], &variables);
    assert_eq!(status(&call(&there, "letters__send", letter).await), "succeeded");

    let paper = one.folder().join("paper.txt");
    std::fs::write(&paper, "Kept once, read anywhere.").expect("the file can be written");
    let put = said(&one, &["files", "put", paper.to_str().expect("paths are text")], &variables);
    let id = put.trim();
    let copy = two.folder().join("copy.txt");
    let get = ["files", "get", id, "--output", copy.to_str().expect("paths are text")];
    said(&two, &get, &variables);
    assert_eq!(read(&copy), "Kept once, read anywhere.");
    assert!(said(&one, &["ledger", "verify"], &variables).starts_with("ok"));
}
