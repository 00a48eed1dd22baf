//! Screenshots as files: every page as an artifact of the test run, and a chosen few in `docs/`.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use super::person::{Person, Screen};
use crate::outside::repository;

/// A long page is cut here.
const HEIGHT_MAX: u64 = 4_000;
/// Pictures of the documentation are part of the binary.
const DOCUMENT_BYTES_MAX: usize = 150 << 10;

/// Keeps the whole page as an artifact.
pub(crate) async fn keep(person: &Person, name: &str) {
    let size = person.run("return [innerWidth, document.documentElement.scrollHeight]", vec![]).await;
    let height = size[1].as_u64().unwrap_or_default().clamp(1, HEIGHT_MAX);
    let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": height, "scale": 1 });
    let wish = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
    let bytes = capture(person, wish).await;
    write(&artifacts(), name, &bytes);
}

/// Saves a screenshot into the documentation, if requested; and always among the artifacts.
pub(crate) async fn show(person: &Person, screen: Screen, name: &str) {
    person.sits_at(screen).await;
    let bytes = capture(person, json!({ "format": "png", "optimizeForSpeed": false })).await;
    write(&artifacts(), &format!("documents/{name}"), &bytes);
    assert!(bytes.len() <= DOCUMENT_BYTES_MAX, "{name} has {} bytes", bytes.len());
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        write(&repository().join("docs/pictures"), &format!("console-{name}"), &bytes);
    }
}

async fn capture(person: &Person, wish: serde_json::Value) -> Vec<u8> {
    let picture = person.browser.devtools("Page.captureScreenshot", wish).await;
    let data = picture["data"].as_str().expect("a picture has data");
    BASE64_STANDARD.decode(data).expect("it is base64")
}

/// In the build folder, so that testing does not change the repository.
fn artifacts() -> PathBuf {
    match std::env::var_os("TOOLGATE_SCREENSHOTS") {
        Some(folder) => PathBuf::from(folder),
        None => crate::toolgate().ancestors().nth(2).expect("target/debug/toolgate").join("screenshots"),
    }
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(format!("{name}.png"));
    std::fs::create_dir_all(path.parent().expect("files lie in folders")).expect("the folder can be made");
    std::fs::write(path, bytes).expect("the picture can be written");
}
