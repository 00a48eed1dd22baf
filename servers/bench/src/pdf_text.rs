//! Text of PDFs: our results beside those of other tools, on the documents that `others/pdf_text.py`
//! prepares.
//!
//! Two measures, both shares of the truth that is found again. *Order*: all runs of eight words, at least six
//! of which are letters only, so that the cells of tables and the ticks of diagrams, which have no one order,
//! do not count. *Words*: words, in any place. Case, punctuation and the hyphenation of a word at the end of
//! a line do not count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use capability_documents::{DocumentKind, OpenOptions};
use serde::Deserialize;

const OURS: &str = "this project";
const OTHERS: [&str; 5] = ["pdftotext", "pdfium", "pymupdf", "pymupdf-sorted", "pdfplumber"];
const RUN_WORDS: usize = 8;
const RUN_LETTERS_MIN: usize = 6;
/// The sets of documents by name prefix, with their meaning.
const SETS: [(&str, &str); 3] = [("made-", "order, made"), ("crop-", "order, paper"), ("words-", "words")];

#[derive(Deserialize)]
struct Truth {
    kind: Measure,
    segments: Vec<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Measure {
    Order,
    Words,
}

/// The shares found in the documents of a set, and the reading time.
#[derive(Default)]
struct TextScore {
    shares: Vec<f64>,
    seconds: f64,
}

impl TextScore {
    fn mean(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len().max(1) as f64
    }
}

/// Prints the scores on the documents in `data`.
pub(crate) fn run(data: &Path) -> anyhow::Result<()> {
    let mut scores: BTreeMap<(usize, &str), TextScore> = BTreeMap::new();
    for folder in folders(data)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(set) = SETS.iter().position(|(prefix, _)| name.starts_with(prefix)) else { continue };
        let truth: Truth = serde_json::from_slice(&fs::read(folder.join("truth.json"))?)
            .with_context(|| format!("read the truth of {name}"))?;
        if truth.segments.iter().all(|segment| segment.trim().is_empty()) {
            continue;
        }
        let (text, seconds) = ours(&folder)?;
        add(&mut scores, (set, OURS), share(&truth, &text), seconds);
        for other in OTHERS {
            let Ok(text) = fs::read_to_string(folder.join(format!("{other}.txt"))) else { continue };
            let seconds = fs::read_to_string(folder.join(format!("{other}.seconds")))
                .ok()
                .and_then(|text| text.trim().parse().ok());
            add(&mut scores, (set, other), share(&truth, &text), seconds.unwrap_or_default());
        }
    }
    print(&scores);
    Ok(())
}

fn folders(data: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(data)
        .with_context(|| format!("read {}; others/pdf_text.py makes it", data.display()))?;
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("truth.json").exists())
        .collect();
    folders.sort();
    Ok(folders)
}

fn add<'t>(
    scores: &mut BTreeMap<(usize, &'t str), TextScore>,
    key: (usize, &'t str),
    share: f64,
    seconds: f64,
) {
    let score = scores.entry(key).or_default();
    score.shares.push(share);
    score.seconds += seconds;
}

fn print(scores: &BTreeMap<(usize, &str), TextScore>) {
    println!("{:<16} {:<14} {:>9} {:>7} {:>9}", "set", "tool", "documents", "score", "seconds");
    for ((set, tool), score) in scores {
        let (documents, mean) = (score.shares.len(), score.mean());
        println!("{:<16} {tool:<14} {documents:>9} {mean:>7.3} {:>9.2}", SETS[*set].1, score.seconds);
    }
}

/// Our text, and the time. A refused document has none.
fn ours(folder: &Path) -> anyhow::Result<(String, f64)> {
    let bytes = fs::read(folder.join("document.pdf"))?;
    let began = Instant::now();
    let document =
        capability_documents::open(&bytes, Some(DocumentKind::Pdf.media_type()), &OpenOptions::default());
    let seconds = began.elapsed().as_secs_f64();
    Ok((document.map(|document| document.text()).unwrap_or_default(), seconds))
}

fn share(truth: &Truth, text: &str) -> f64 {
    let found = counted(truth.kind, text);
    let (mut all, mut hit) = (0, 0);
    let mut wanted: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for segment in &truth.segments {
        for (run, count) in counted(truth.kind, segment) {
            *wanted.entry(run).or_default() += count;
        }
    }
    for (run, count) in wanted {
        all += count;
        hit += count.min(found.get(&run).copied().unwrap_or_default());
    }
    hit as f64 / all.max(1) as f64
}

/// Counts the words, or the sequences of words, of a text.
fn counted(measure: Measure, text: &str) -> BTreeMap<Vec<String>, usize> {
    let words = words(text);
    let length = if measure == Measure::Order { RUN_WORDS } else { 1 };
    let mut counted = BTreeMap::new();
    for run in words.windows(length) {
        let letters = run.iter().filter(|word| word.chars().all(char::is_alphabetic)).count();
        if measure == Measure::Words || letters >= RUN_LETTERS_MIN {
            *counted.entry(run.to_vec()).or_default() += 1;
        }
    }
    counted
}

fn words(text: &str) -> Vec<String> {
    let text = unbroken(text);
    let bare = |word: &str| {
        word.chars()
            .filter(|letter| letter.is_alphanumeric() || *letter == '_')
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

/// Rejoins words that are hyphenated at the end of a line and splits ligatures.
fn unbroken(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.split('\n') {
        let line = line.trim();
        let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let mut ending = joined.trim_end().chars().rev();
        let broken = matches!(ending.next(), Some('-' | '\u{AD}' | '\u{2010}' | '\u{FFFE}' | '\u{2}'))
            && is_letter(ending.next());
        if broken && is_letter(line.chars().next()) {
            let kept = joined.trim_end().char_indices().next_back().map_or(0, |(index, _)| index);
            joined.truncate(kept);
        } else {
            joined.push('\n');
        }
        joined.push_str(line);
    }
    for (ligature, letters) in [("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬀ", "ff"), ("ﬃ", "ffi"), ("ﬄ", "ffl")] {
        if joined.contains(ligature) {
            joined = joined.replace(ligature, letters);
        }
    }
    joined
}
