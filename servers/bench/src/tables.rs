//! Tables in PDFs: our results beside those of other tools, on the documents that `others/tables.py`
//! prepares.
//!
//! The measure is adjacency relations: each cell with text and its next neighbour with text, to the right and
//! below. Blanks are skipped, white space, hyphens and typographic variants do not count, relations are
//! pooled over a document.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use capability_documents::{Block, OpenOptions};
use serde::Deserialize;

const OURS: &str = "this project";

#[derive(Deserialize, Default)]
struct Tables {
    #[serde(default)]
    seconds: f64,
    tables: Vec<Table>,
}

#[derive(Deserialize)]
struct Table {
    rows: Vec<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Right,
    Below,
}

type Relations = HashMap<(String, String, Side), usize>;

/// The numbers of right, found and expected relations.
#[derive(Clone, Copy, Default)]
struct RelationTally {
    right: usize,
    found: usize,
    wanted: usize,
}

#[derive(Default)]
struct TableScore {
    all: RelationTally,
    documents: Vec<f64>,
    seconds: f64,
}

/// Prints a table of scores for each set under `data`.
pub(crate) fn run(data: &Path) -> anyhow::Result<()> {
    for set in folders(&data.join("sets"))? {
        let documents = documents(&set)?;
        println!("\n{} ({} documents)", name_of(&set), documents.len());
        println!("{:<18} {:>6} {:>6} {:>6} {:>9} {:>9}", "tool", "P", "R", "F1", "macro F1", "seconds");
        for (tool, score) in scores(data, &set, &documents)? {
            print_score(&tool, &score);
        }
    }
    Ok(())
}

fn scores(data: &Path, set: &Path, documents: &[PathBuf]) -> anyhow::Result<BTreeMap<String, TableScore>> {
    let mut scores: BTreeMap<String, TableScore> = BTreeMap::new();
    let tools = folders(&data.join("found"))?;
    for path in documents {
        let wanted = relations(&read(&path.with_extension("json"))?);
        let ours = find_ours(path)?;
        scores.entry(OURS.into()).or_default().add(&wanted, &ours);
        for tool in &tools {
            let found = tool.join(name_of(set)).join(name_of(path)).with_extension("json");
            let Ok(found) = read(&found) else { continue };
            scores.entry(name_of(tool)).or_default().add(&wanted, &found);
        }
    }
    Ok(scores)
}

fn find_ours(path: &Path) -> anyhow::Result<Tables> {
    let bytes = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    let begun = Instant::now();
    let document = capability_documents::open(&bytes, Some("pdf"), &OpenOptions::default())
        .with_context(|| format!("open {}", path.display()))?;
    let seconds = begun.elapsed().as_secs_f64();
    let blocks = document.pages.into_iter().flat_map(|page| page.blocks);
    let tables = blocks.filter_map(|block| match block {
        Block::Table(table) => Some(Table { rows: table.rows }),
        _ => None,
    });
    Ok(Tables { seconds, tables: tables.collect() })
}

fn relations(tables: &Tables) -> Relations {
    let mut relations = Relations::new();
    for table in &tables.tables {
        let rows: Vec<Vec<String>> =
            table.rows.iter().map(|row| row.iter().map(|cell| squeezed(cell)).collect()).collect();
        for (y, row) in rows.iter().enumerate() {
            for (x, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let right = row[x + 1..].iter().find(|cell| !cell.is_empty());
                let below = rows[y + 1..].iter().filter_map(|row| row.get(x)).find(|cell| !cell.is_empty());
                for (neighbour, side) in [(right, Side::Right), (below, Side::Below)] {
                    let Some(neighbour) = neighbour else { continue };
                    *relations.entry((cell.clone(), neighbour.clone(), side)).or_default() += 1;
                }
            }
        }
    }
    relations
}

/// A text without line breaks, hyphens and typographic variants; a lone dash stays.
fn squeezed(text: &str) -> String {
    let plain = |letter: char| match letter {
        '‐' | '‑' | '–' | '—' | '−' => '-',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        other => other,
    };
    let spelled = text.replace('ﬁ', "fi").replace('ﬂ', "fl").replace('ﬀ', "ff").replace('ﬃ', "ffi");
    let dense: String = spelled.chars().filter(|c| !c.is_whitespace() && *c != '\u{ad}').map(plain).collect();
    let bare: String = dense.chars().filter(|c| *c != '-').collect();
    if bare.is_empty() { dense } else { bare }
}

fn compare(wanted: &Relations, found: &Relations) -> RelationTally {
    let shared =
        found.iter().map(|(relation, count)| wanted.get(relation).map_or(0, |wanted| (*wanted).min(*count)));
    RelationTally { right: shared.sum(), found: found.values().sum(), wanted: wanted.values().sum() }
}

impl TableScore {
    fn add(&mut self, wanted: &Relations, found: &Tables) {
        let tally = compare(wanted, &relations(found));
        self.all.right += tally.right;
        self.all.found += tally.found;
        self.all.wanted += tally.wanted;
        self.documents.push(tally.f1());
        self.seconds += found.seconds;
    }

    fn macro_f1(&self) -> f64 {
        self.documents.iter().sum::<f64>() / self.documents.len().max(1) as f64
    }
}

impl RelationTally {
    fn precision(self) -> f64 {
        share(self.right, self.found)
    }

    fn recall(self) -> f64 {
        share(self.right, self.wanted)
    }

    /// A document without tables in which none was found scores 1.
    fn f1(self) -> f64 {
        share(2 * self.right, self.found + self.wanted)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn print_score(tool: &str, score: &TableScore) {
    let all = score.all;
    println!(
        "{tool:<18} {:>6.3} {:>6.3} {:>6.3} {:>9.3} {:>9.2}",
        all.precision(),
        all.recall(),
        all.f1(),
        score.macro_f1(),
        score.seconds
    );
}

fn read(path: &Path) -> anyhow::Result<Tables> {
    let text = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("understand {}", path.display()))
}

fn documents(set: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = entries(set)?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "pdf"));
    Ok(paths)
}

fn folders(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = entries(path)?;
    paths.retain(|path| path.is_dir());
    Ok(paths)
}

fn entries(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let read =
        fs::read_dir(path).with_context(|| format!("list {}; others/tables.py makes it", path.display()))?;
    let mut paths: Vec<PathBuf> = read.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
