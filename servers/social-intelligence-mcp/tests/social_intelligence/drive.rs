//! Starting the server, with what it reads pictures by and without.

use std::path::PathBuf;

use capability_testkit::{Client, server};

const PROGRAM: &str = env!("CARGO_BIN_EXE_social-intelligence-mcp");

/// On a machine that has neither weights nor Tesseract.
pub(crate) async fn start() -> Client {
    let empty = tempfile::tempdir().unwrap();
    let folder = empty.path().to_str().unwrap();
    let mut command = server(PROGRAM, &["--ocr-models", folder]);
    command.env("PATH", folder);
    Client::start(command).await
}

/// With a language model at this address that has a second to answer.
pub(crate) async fn with_llm(url: &str) -> Client {
    let options = ["--llm-url", url, "--llm-model", "test-model", "--llm-timeout-seconds", "1"];
    Client::start(server(PROGRAM, &options)).await
}

/// With the weights, if available: without them the test is skipped and says so, unless `TOOLGATE_TEST_OCR`
/// requires it. The variable is the folder with the weights, or just set.
pub(crate) async fn with_weights() -> Option<Client> {
    let said = std::env::var_os("TOOLGATE_TEST_OCR").map(PathBuf::from);
    let usual = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/ocr");
    let folder = said.clone().filter(|folder| folder.is_dir()).unwrap_or(usual);
    if folder.join("PP-OCRv6_rec_small.onnx").is_file() {
        return Some(Client::start(server(PROGRAM, &["--ocr-models", folder.to_str().unwrap()])).await);
    }
    assert!(said.is_none(), "TOOLGATE_TEST_OCR is set, but there are no weights in {}", folder.display());
    eprintln!("skipped: there are no weights in {}; script/ocr-model fetches them", folder.display());
    None
}

/// With the model of faces, and the picture that lies beside it, if they are there: without them the test is skipped and says so,
/// unless `TOOLGATE_TEST_FACES` requires them.
pub(crate) async fn with_faces() -> Option<(Client, Vec<u8>)> {
    let said = std::env::var_os("TOOLGATE_TEST_FACES").map(PathBuf::from);
    let usual = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/faces");
    let folder = said.clone().filter(|folder| folder.is_dir()).unwrap_or(usual);
    if let Ok(picture) = std::fs::read(folder.join("test.png")) {
        // Without an OCR engine: the picture is full of names, and reading them takes longer than finding faces.
        let empty = tempfile::tempdir().unwrap();
        let none = empty.path().to_str().unwrap();
        let options = ["--ocr-models", none, "--face-models", folder.to_str().unwrap()];
        let mut command = server(PROGRAM, &options);
        command.env("PATH", none);
        return Some((Client::start(command).await, picture));
    }
    assert!(said.is_none(), "TOOLGATE_TEST_FACES is set, but there is no picture in {}", folder.display());
    eprintln!("skipped: there is no model of faces in {}; script/face-model fetches it", folder.display());
    None
}
