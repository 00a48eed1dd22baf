//! Verdicts on the corpus of veraPDF: whether a file passes, and which clause it breaks.
//!
//! The data folder has `PDF_UA-1` and `PDF_A-2b`. `-pass-` and `-fail-` in a file's name are the truth, and the number before them is the
//! clause. With `each`, every wrong verdict is printed with what was found.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use audit_compliance_mcp::standard::{Standard, check};

/// The shares that each standard has to reach: verdicts, and clauses of the files that fail.
const WANTED: [(Standard, &str, f64); 2] =
    [(Standard::Ua1, "PDF_UA-1", 0.97), (Standard::A2b, "PDF_A-2b", 0.90)];
const CLAUSES_MIN: f64 = 0.90;

/// Prints the shares of right verdicts and clauses.
pub(crate) fn run(data: &Path, each: bool) -> anyhow::Result<()> {
    println!("\npdf-standards: verdicts on the corpus of veraPDF");
    println!(
        "{:<10} {:>6} {:>9} {:>7} {:>8} {:>7} {:>8}",
        "standard", "files", "verdicts", "asked", "clauses", "asked", "ms/file"
    );
    for (standard, folder, wanted) in WANTED {
        let begin = Instant::now();
        let scored = score(&data.join(folder), standard, each)?;
        let ms = begin.elapsed().as_secs_f64() * 1000.0 / scored.files.max(1) as f64;
        println!(
            "{:<10} {:>6} {:>9.3} {wanted:>7} {:>8.3} {CLAUSES_MIN:>7} {ms:>8.1}",
            standard.as_str(),
            scored.files,
            scored.right as f64 / scored.files.max(1) as f64,
            scored.clauses as f64 / scored.failing.max(1) as f64,
        );
    }
    Ok(())
}

#[derive(Default)]
struct VerdictScore {
    files: usize,
    right: usize,
    failing: usize,
    clauses: usize,
}

fn score(folder: &Path, standard: Standard, each: bool) -> anyhow::Result<VerdictScore> {
    let mut scored = VerdictScore::default();
    let mut paths: Vec<_> = fs::read_dir(folder)
        .with_context(|| format!("{} (one part of the veraPDF corpus)", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some((clause, fails)) = truth(&name) else { continue };
        let verdict = check(&fs::read(&path)?, standard);
        let passes = verdict.as_ref().is_ok_and(|it| it.passes);
        let rules: Vec<String> =
            verdict.iter().flat_map(|it| it.findings.iter().map(|it| it.rule.clone())).collect();
        let named =
            rules.iter().filter_map(|it| it.split(' ').nth(1)?.rsplit_once('-')).any(|(it, _)| it == clause);
        scored.files += 1;
        scored.right += usize::from(passes != fails);
        scored.failing += usize::from(fails);
        scored.clauses += usize::from(fails && named);
        if each && (passes == fails || (fails && !named)) {
            println!("  {name}: {rules:?}");
        }
    }
    Ok(scored)
}

/// The clause and whether the file breaks it.
fn truth(name: &str) -> Option<(String, bool)> {
    let word = name.rsplit(' ').next()?;
    let (clause, rest) = word.split_once("-t")?;
    Some((clause.replace('-', "."), rest.contains("fail")))
}
