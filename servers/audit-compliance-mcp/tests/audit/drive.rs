//! Starting the server, with what it reads pictures by and without.

use std::path::PathBuf;

use capability_testkit::{Client, server};

pub(crate) async fn start() -> Client {
    start_with(&[]).await
}

async fn start_with(arguments: &[&str]) -> Client {
    Client::start(server(env!("CARGO_BIN_EXE_audit-compliance-mcp"), arguments)).await
}

/// On a machine that has neither weights nor Tesseract.
pub(crate) async fn start_blind() -> Client {
    let empty = tempfile::tempdir().unwrap();
    let folder = empty.path().to_str().unwrap();
    let mut command = server(env!("CARGO_BIN_EXE_audit-compliance-mcp"), &["--ocr-models", folder]);
    command.env("PATH", folder);
    Client::start(command).await
}

/// With the weights, if available: without them the test is skipped and says so, unless `TOOLGATE_TEST_OCR`
/// requires it. The variable is the folder with the weights, or just set.
pub(crate) async fn start_with_weights() -> Option<Client> {
    let said = std::env::var_os("TOOLGATE_TEST_OCR").map(PathBuf::from);
    let usual = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/ocr");
    let folder = said.clone().filter(|folder| folder.is_dir()).unwrap_or(usual);
    if folder.join("PP-OCRv6_rec_small.onnx").is_file() {
        return Some(start_with(&["--ocr-models", folder.to_str().unwrap()]).await);
    }
    assert!(said.is_none(), "TOOLGATE_TEST_OCR is set, but there are no weights in {}", folder.display());
    eprintln!("skipped: there are no weights in {}; script/ocr-model fetches them", folder.display());
    None
}
