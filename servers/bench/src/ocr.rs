//! Text in pictures: our results beside those of other tools, on the pages that `others/ocr.py` prepares.
//!
//! The measure is the F1 of words, in any order: the share of a page's words that are read, and the share of
//! read words that are there. Words are runs of letters and digits; case counts. The score of a tool is the
//! mean over the pages.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use capability_ocr::{OcrEngine, OcrSettings, Picture};
use serde::Deserialize;

const OURS: &str = "this project";
const KINDS: [&str; 2] = ["clean", "noisy"];
const OTHERS: [&str; 2] = ["rapidocr", "tesseract"];

/// The results of a tool on all pages, by the name of the picture.
#[derive(Deserialize, Default)]
struct Found {
    version: String,
    pages: BTreeMap<String, OcrPage>,
}

#[derive(Deserialize, Default)]
struct OcrPage {
    text: String,
    seconds: f64,
}

/// Means over pages of one kind.
#[derive(Default)]
struct OcrScore {
    f1: f64,
    seconds: f64,
}

/// Prints the scores on the pages in `data`, with weights from `models`.
pub(crate) fn run(data: &Path, models: Option<PathBuf>) -> anyhow::Result<()> {
    let settings = OcrSettings { models, ..OcrSettings::default() };
    let engine = OcrEngine::find(&settings).context("find an engine")?;
    let mut tools = BTreeMap::from([(OURS.to_owned(), read_all(&engine, data)?)]);
    for other in OTHERS {
        let Ok(json) = fs::read(data.join(format!("{other}.json"))) else { continue };
        let found: Found = serde_json::from_slice(&json).with_context(|| format!("read {other}.json"))?;
        tools.insert(format!("{other} {}", found.version), found);
    }
    println!(
        "{:<20} {:>8} {:>8} {:>14} {:>14}",
        "tool", "clean F1", "noisy F1", "s/page clean", "s/page noisy"
    );
    for (tool, found) in &tools {
        let [clean, noisy] = KINDS.map(|kind| score(data, found, kind));
        let (clean, noisy) = (clean?, noisy?);
        println!(
            "{tool:<20} {:>8.3} {:>8.3} {:>14.2} {:>14.2}",
            clean.f1, noisy.f1, clean.seconds, noisy.seconds
        );
    }
    Ok(())
}

fn read_all(engine: &OcrEngine, data: &Path) -> anyhow::Result<Found> {
    let mut found = Found { version: engine.kind().as_str().into(), pages: BTreeMap::new() };
    for path in pictures(data)? {
        let bytes = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
        let begun = Instant::now();
        let picture = Picture::decode(&bytes).with_context(|| format!("decode {}", path.display()))?;
        let reading = engine.read(&picture).with_context(|| format!("read {}", path.display()))?;
        let page = OcrPage { text: reading.text(), seconds: begun.elapsed().as_secs_f64() };
        eprintln!("{} read in {:.1} s", name_of(&path), page.seconds);
        found.pages.insert(name_of(&path), page);
    }
    Ok(found)
}

fn pictures(data: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(data).with_context(|| format!("list {}", data.display()))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    let is_page = |path: &PathBuf| KINDS.iter().any(|kind| name_of(path).contains(&format!(".{kind}.")));
    let mut pictures: Vec<PathBuf> = paths.into_iter().filter(is_page).collect();
    pictures.sort();
    anyhow::ensure!(
        !pictures.is_empty(),
        "there are no pages in {}: run others/ocr.py first",
        data.display()
    );
    Ok(pictures)
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn score(data: &Path, found: &Found, kind: &str) -> anyhow::Result<OcrScore> {
    let mut score = OcrScore::default();
    let pages: Vec<_> = found.pages.iter().filter(|(name, _)| name.contains(&format!(".{kind}."))).collect();
    for (name, page) in &pages {
        let stem = name.split_once(&format!(".{kind}.")).map_or(name.as_str(), |(stem, _)| stem);
        let truth = data.join(format!("{stem}.truth.txt"));
        let truth = fs::read_to_string(&truth).with_context(|| format!("read {}", truth.display()))?;
        let f1 = f1(&words(&truth), &words(&page.text));
        score.f1 += f1 / pages.len() as f64;
        score.seconds += page.seconds / pages.len() as f64;
    }
    Ok(score)
}

fn words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    let plain = without_ligatures(text);
    for word in plain.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_owned()).or_default() += 1;
    }
    words
}

/// Typesetters join letters; readers do not see the difference.
fn without_ligatures(text: &str) -> String {
    const LIGATURES: [(&str, &str); 5] = [("ﬀ", "ff"), ("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬃ", "ffi"), ("ﬄ", "ffl")];
    LIGATURES.iter().fold(text.to_owned(), |text, (joined, letters)| text.replace(joined, letters))
}

fn f1(wanted: &HashMap<String, usize>, found: &HashMap<String, usize>) -> f64 {
    let count = |words: &HashMap<String, usize>| words.values().sum::<usize>();
    let right: usize =
        wanted.iter().map(|(word, count)| found.get(word).copied().unwrap_or(0).min(*count)).sum();
    match count(wanted) + count(found) {
        0 => 1.0,
        all => 2.0 * right as f64 / all as f64,
    }
}
