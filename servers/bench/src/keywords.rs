//! Key phrases of abstracts: ours beside other tools', on Inspec from the repository `boudinfl/ake-datasets`.
//!
//! The data folder is a clone of that repository (or any number of `datasets/Inspec/test/*.xml`, with
//! `datasets/Inspec/references/test.uncontr.stem.json`), or has a part of it as `test-half.jsonl`. `others/keywords.py FOLDER` writes the results of
//! other tools into `FOLDER/found/TOOL.json`. A phrase is right if its stems (Porter) are those of a phrase
//! that the indexers chose; the figures are means over documents, of the ten best phrases.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use capability_language::{Encoder, KeywordOptions, Model, keywords};
use serde::Deserialize;
use snowball_stemmers_rs::{Algorithm, Stemmer};

const TOP_K: usize = 10;
const OURS: &str = "this project";

/// The results of a tool: phrases by document, the best first.
#[derive(Deserialize, Default)]
struct Found {
    #[serde(default)]
    seconds: f64,
    phrases: BTreeMap<String, Vec<String>>,
}

struct Document {
    name: String,
    text: String,
    /// In stems.
    wanted: HashSet<String>,
}

#[derive(Clone, Copy, Default)]
struct KeywordScore {
    precision: f64,
    recall: f64,
    f1: f64,
}

/// Prints a line for each tool. `model` is the folder of a sentence encoder.
pub(crate) fn run(data: &Path, model: Option<PathBuf>) -> anyhow::Result<()> {
    let documents = documents(data)?;
    println!(
        "\nkeywords: Inspec, test, uncontrolled, stemmed, first {TOP_K} ({} documents)",
        documents.len()
    );
    println!("{:<34} {:>6} {:>6} {:>6} {:>9}", "tool", "P", "R", "F1", "seconds");
    let model = model.filter(|folder| !folder.as_os_str().is_empty());
    let model = model.map(|folder| Model::load(&folder)).transpose().context("the encoder")?;
    if let Some(model) = &model {
        let (found, method) = (ours(&documents, Some(model))?, "embeddings");
        print_score(&format!("{OURS} ({method})"), &found, &documents);
    }
    print_score(&format!("{OURS} (statistical)"), &ours(&documents, None)?, &documents);
    for (tool, found) in others(data)? {
        print_score(&tool, &found, &documents);
    }
    Ok(())
}

fn ours(documents: &[Document], encoder: Option<&dyn Encoder>) -> anyhow::Result<Found> {
    let options = KeywordOptions { top_k: TOP_K, language: Some("en".to_owned()) };
    let begin = Instant::now();
    let mut phrases = BTreeMap::new();
    for document in documents {
        let found = keywords(&document.text, &options, encoder)?.keywords;
        phrases.insert(document.name.clone(), found.into_iter().map(|keyword| keyword.phrase).collect());
    }
    Ok(Found { seconds: begin.elapsed().as_secs_f64(), phrases })
}

fn print_score(tool: &str, found: &Found, documents: &[Document]) {
    let scores: Vec<KeywordScore> = documents
        .iter()
        .map(|document| score(document, found.phrases.get(&document.name).map_or(&[], Vec::as_slice)))
        .collect();
    let mean =
        |value: fn(&KeywordScore) -> f64| scores.iter().map(value).sum::<f64>() / scores.len().max(1) as f64;
    let (precision, recall) = (mean(|score| score.precision), mean(|score| score.recall));
    let f1 = mean(|score| score.f1);
    println!("{tool:<34} {precision:>6.3} {recall:>6.3} {f1:>6.3} {:>9.2}", found.seconds);
}

fn score(document: &Document, phrases: &[String]) -> KeywordScore {
    let mut seen = HashSet::new();
    let stemmed = phrases.iter().map(|phrase| stemmed(phrase)).filter(|phrase| seen.insert(phrase.clone()));
    let given: Vec<String> = stemmed.take(TOP_K).collect();
    let right = given.iter().filter(|phrase| document.wanted.contains(*phrase)).count() as f64;
    let precision = right / given.len().max(1) as f64;
    let recall = right / document.wanted.len().max(1) as f64;
    let f1 = if right > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
    KeywordScore { precision, recall, f1 }
}

fn stemmed(phrase: &str) -> String {
    let stemmer = Stemmer::create(Algorithm::Porter);
    let lower = phrase.to_lowercase();
    lower.split_whitespace().map(|word| stemmer.stem(word).into_owned()).collect::<Vec<_>>().join(" ")
}

/// A line of `test-half.jsonl`.
#[derive(Deserialize)]
struct KeyphraseRecord {
    id: String,
    text: String,
    keyphrases: Vec<String>,
}

fn documents(data: &Path) -> anyhow::Result<Vec<Document>> {
    match fs::read_to_string(data.join("test-half.jsonl")) {
        Ok(lines) => lines.lines().map(document).collect(),
        Err(_) => cloned_documents(data),
    }
}

fn document(line: &str) -> anyhow::Result<Document> {
    let KeyphraseRecord { id, text, keyphrases } = serde_json::from_str(line).context("test-half.jsonl")?;
    let wanted = keyphrases.iter().map(|phrase| stemmed(phrase)).collect();
    Ok(Document { name: id, text, wanted })
}

fn cloned_documents(data: &Path) -> anyhow::Result<Vec<Document>> {
    let inspec = data.join("datasets/Inspec");
    let references = inspec.join("references/test.uncontr.stem.json");
    let references = fs::read(&references)
        .with_context(|| format!("{} (clone boudinfl/ake-datasets)", references.display()))?;
    let references: BTreeMap<String, Vec<Vec<String>>> = serde_json::from_slice(&references)?;
    let mut documents = Vec::new();
    for (name, wanted) in references {
        let path = inspec.join("test").join(format!("{name}.xml"));
        // A part of the repository will do.
        let Ok(xml) = fs::read_to_string(&path) else { continue };
        documents.push(Document {
            name,
            text: text_of(&xml),
            wanted: wanted.into_iter().flatten().collect(),
        });
    }
    anyhow::ensure!(!documents.is_empty(), "there are no documents in {}", inspec.display());
    Ok(documents)
}

fn others(data: &Path) -> anyhow::Result<BTreeMap<String, Found>> {
    let mut others = BTreeMap::new();
    let Ok(entries) = fs::read_dir(data.join("found")) else { return Ok(others) };
    for entry in entries {
        let path = entry?.path();
        let tool = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let found = serde_json::from_slice(&fs::read(&path)?).with_context(|| path.display().to_string())?;
        others.insert(tool, found);
    }
    Ok(others)
}

/// The text of a document that is stored as tokens with their positions. Sentences become paragraphs, and
/// headings get a point, so that no tool takes the title for a part of the first sentence.
fn text_of(xml: &str) -> String {
    let mut text = String::new();
    for sentence in xml.split("</sentence>") {
        let mut last_end = None;
        for token in sentence.split("</token>") {
            let field = |name: &str| between(token, &format!("<{name}>"), &format!("</{name}>"));
            let (Some(word), Some(begin), Some(end)) =
                (field("word"), field("CharacterOffsetBegin"), field("CharacterOffsetEnd"))
            else {
                continue;
            };
            if last_end.is_some_and(|last| last != begin) {
                text.push(' ');
            }
            text.push_str(&written(word));
            last_end = Some(end);
        }
        if last_end.is_some() {
            if !text.ends_with(['.', '!', '?']) {
                text.push('.');
            }
            text.push_str("\n\n");
        }
    }
    text
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    Some(rest.split_once(end)?.0)
}

/// The text before tokenization.
fn written(word: &str) -> String {
    match word {
        "-LRB-" => "(".to_owned(),
        "-RRB-" => ")".to_owned(),
        "-LSB-" => "[".to_owned(),
        "-RSB-" => "]".to_owned(),
        "``" | "''" => "\"".to_owned(),
        _ => word
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&apos;", "'")
            .replace("&quot;", "\"")
            .replace("&amp;", "&"),
    }
}
