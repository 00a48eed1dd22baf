//! What search finds on labelled catalogues by words, by meaning and by both, and how long it takes:
//! `cargo run --release --example recall_fused -- --data DIR --model DIR [--vectors FILE] [--speed] [--misses]`.
//! FILE keeps the vectors of the catalogues from one run to the next.

#[path = "../../../toolgate-search/examples/recall/catalogue.rs"]
mod catalogue;
#[path = "../../../toolgate-search/examples/recall/labelled.rs"]
mod labelled;
#[path = "../../../toolgate-search/examples/recall/sets.rs"]
mod sets;
mod speed;

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use labelled::{Find, Row};
use sets::{Misses, Sets};
use toolgate_core::CanonicalName;
use toolgate_encoder::Model;
use toolgate_search::Hit;
use toolgate_search::meaning::Meaning;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| options.iter().skip_while(|option| *option != name).nth(1).map(PathBuf::from);
    let has = |flag: &str| options.iter().any(|option| option == flag);
    let data = value("--data").ok_or("say where the catalogues are: --data DIR")?;
    let model = value("--model").ok_or("say where the model is: --model DIR")?;
    let mut out = std::io::stdout().lock();
    let started = Instant::now();
    let model = Arc::new(Model::load(&model)?);
    writeln!(out, "the model was loaded in {:.2?}", started.elapsed())?;
    let meaning = Meaning::new(model);
    let sets = Sets::read(&data)?;
    embed(&meaning, &sets, value("--vectors").as_deref(), &mut out)?;
    if has("--speed") {
        // Before anything else is asked: a query that was embedded once is not embedded again.
        speed::measure(&meaning, &sets, &mut out)?;
    }
    let misses = if has("--misses") { Misses::Told } else { Misses::Counted };
    tell(&meaning, &sets, misses, &mut out)
}

fn embed(meaning: &Meaning, sets: &Sets, file: Option<&Path>, out: &mut impl Write) -> Outcome<()> {
    if let Some(bytes) = file.and_then(|file| fs::read(file).ok()) {
        meaning.remember(&bytes)?;
    }
    for row in sets.rows() {
        let (started, before) = (Instant::now(), meaning.follow(&row.catalogue.index));
        while !meaning.embed_some()?.is_complete() {}
        let (count, seconds) = (before.texts - before.embedded, started.elapsed().as_secs_f64());
        if count > 0 {
            writeln!(
                out,
                "{count} texts embedded in {seconds:.1} s, {:.1} a second",
                count as f64 / seconds
            )?;
        }
    }
    if let Some(file) = file {
        fs::write(file, meaning.cache())?;
    }
    Ok(())
}

fn tell(meaning: &Meaning, sets: &Sets, misses: Misses, out: &mut impl Write) -> Outcome<()> {
    for way in ["words", "meaning", "both"] {
        writeln!(out, "\n{way}")?;
        sets::head(out)?;
        for row in sets.rows() {
            with(way, meaning, &row, |find| sets::tell(&row, find, misses, out))?;
        }
    }
    Ok(())
}

fn with<T>(way: &str, meaning: &Meaning, row: &Row<'_>, work: impl FnOnce(Find<'_>) -> T) -> T {
    let subset = row.catalogue.index.all();
    match way {
        "words" => work(&|query, limit| Ok(names(subset.search(query, None, limit)))),
        "meaning" => work(&|query, limit| Ok(names(meaning.nearest(&subset, query, limit)?))),
        _ => work(&|query, limit| Ok(names(meaning.search(&subset, query, None, limit)?))),
    }
}

fn names(hits: Vec<Hit>) -> Vec<CanonicalName> {
    hits.into_iter().map(|hit| hit.name).collect()
}
