//! The tier `deep` with real OCR: a picture of a page becomes a DocIR with words, boxes and a confidence, and a citation in it has boxes on
//! the picture.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::files::archive::{Fetched, encoded, text};
use crate::governed::database::Backing;
use crate::index::library::{IndexLibrary, STILL};
use crate::knowledge::lease_pdf;

const LINES: [&str; 2] =
    ["The notice period of the lease is thirty days.", "Rent is due on the third working day."];
/// Pixels of a page of 595 points. The engine makes letters large enough by itself.
const WIDTH: u32 = 900;
/// The beginning of the first line on its page, in shares of width and height: 72 points from the left, 142 from the top.
const LEFT: f64 = 72.0 / 595.0;
const BASELINE: f64 = 142.0 / 842.0;
/// A box may be so far from the glyphs, as a share of the page: half the height of a letter.
const AWAY_MAX: f64 = 0.012;

/// The folder with the weights. Without one, a test says that it was skipped.
fn weights() -> Option<PathBuf> {
    let folder = std::env::var_os("TOOLGATE_TEST_OCR").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("skipped: TOOLGATE_TEST_OCR names no folder with weights; script/ocr-model fetches them");
    }
    folder
}

/// What a scanner would make of a page of this PDF.
async fn scanned(library: &IndexLibrary, pdf: &[u8]) -> Vec<u8> {
    let artifact = library.entry("lease.pdf", pdf).await["artifact_sha256"].clone();
    let path = format!("/artifacts/{}/pages/1?width={WIDTH}", text(&artifact));
    let picture = Fetched::of(library.site.request(library.admin(), "GET", &path, None)).await;
    assert_eq!((picture.status, picture.header("content-type")), (200, "image/png"));
    picture.bytes
}

/// The item of a DocIR that has these words, in any spelling of spaces.
fn item_with<'a>(docir: &'a Value, words: &str) -> &'a Value {
    let items = docir["texts"].as_array().expect("a list").iter();
    let mut fitting = items.filter(|item| text(&item["text"]).to_lowercase().contains(words));
    fitting.next().unwrap_or_else(|| panic!("nothing says {words:?}: {docir:#}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[tokio::test]
async fn a_scan_is_read_by_the_deep_tier_and_its_words_are_cited_where_they_stand() {
    let Some(weights) = weights() else { return };
    let library = IndexLibrary::open(Backing::Sqlite, &format!("{STILL}[engine]\nocr = {weights:?}\n"));
    let scan = scanned(&library, &lease_pdf(&LINES)).await;
    let artifact = library.entry("scan.png", &scan).await["artifact_sha256"].clone();
    let standard = library.done("document.parse", json!({ "artifact": artifact })).await;
    let warnings = standard["document"]["warnings"].to_string();
    assert!(warnings.contains("the tier `deep` reads them"), "{standard:#}");

    let parsed = library.done("document.parse", json!({ "artifact": artifact, "tier": "deep" })).await;
    let document = &parsed["document"];
    assert_eq!((&document["pages"], &document["warnings"]), (&json!(1), &json!([])), "{document:#}");
    assert!((0.7..=1.0).contains(&number(&document["confidence"])), "{document:#}");
    let url = library.done("substrate.artifact.url", json!({ "sha256": document["docir"] })).await;
    let docir = Fetched::of(library.site.agent().http.get(text(&url["url"]))).await.json();
    let item = item_with(&docir, "thirty days");
    let sure = number(&item["meta"]["toolgate__confidence"]);
    assert!((0.7..=1.0).contains(&sure), "{item:#}");
    let words = text(&item["text"]);
    let end = words.find("days").expect("it is said") + "days".len();

    let path = format!(
        "/citations?artifact={}&docir={}&item={}&start=0&end={end}",
        encoded(text(&artifact)),
        encoded(text(&document["docir"])),
        encoded(text(&item["self_ref"]))
    );
    let shown = library.site.get(&path).await;
    let page = &shown["pages"][0];
    let first = &page["boxes"][0];
    let (width, height) = (number(&page["width"]), number(&page["height"]));
    let (left, right) = (number(&first["left"]) / width, number(&first["right"]) / width);
    let (top, bottom) = (number(&first["top"]) / height, number(&first["bottom"]) / height);
    assert!((left - LEFT).abs() < AWAY_MAX && right > 0.4, "beside the words: {shown:#}");
    assert!(top < BASELINE && (bottom - BASELINE).abs() < AWAY_MAX, "above or below the words: {shown:#}");
}

#[tokio::test]
async fn without_weights_the_deep_tier_names_the_pages_that_it_cannot_read() {
    let library = IndexLibrary::open(Backing::Sqlite, STILL);
    let scan = scanned(&library, &lease_pdf(&LINES)).await;
    let artifact = library.entry("scan.png", &scan).await["artifact_sha256"].clone();
    let parsed = library.done("document.parse", json!({ "artifact": artifact, "tier": "deep" })).await;
    let warnings = parsed["document"]["warnings"].to_string();
    assert!(warnings.contains("page 1") && warnings.contains("were not read"), "{parsed:#}");
}
