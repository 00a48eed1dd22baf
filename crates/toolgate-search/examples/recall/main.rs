//! What the lexical search finds on labelled catalogues, and how long it takes:
//! `cargo run --release --example recall -- --data DIR [--speed] [--misses]`, where DIR holds `livemcpbench`,
//! `enterprise77k` and `toucan`, each with its `tools.jsonl`.

mod catalogue;
mod labelled;
mod sets;
mod speed;

use std::error::Error;
use std::path::PathBuf;

use sets::{Misses, Sets};

fn main() -> Result<(), Box<dyn Error>> {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let data = options.iter().skip_while(|option| *option != "--data").nth(1);
    let data = PathBuf::from(data.ok_or("say where the catalogues are: --data DIR")?);
    let has = |flag: &str| options.iter().any(|option| option == flag);
    let misses = if has("--misses") { Misses::Told } else { Misses::Counted };
    let mut out = std::io::stdout().lock();
    let sets = Sets::read(&data)?;
    sets::head(&mut out)?;
    for row in sets.rows() {
        let subset = row.catalogue.index.all();
        let find = |query: &str, limit| {
            Ok(subset.search(query, None, limit).into_iter().map(|hit| hit.name).collect())
        };
        sets::tell(&row, &find, misses, &mut out)?;
    }
    if has("--speed") {
        speed::measure(&data, &[&sets.steps, &sets.tasks, &sets.wants], &mut out)?;
    }
    Ok(())
}
