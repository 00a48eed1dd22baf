//! What Citus asks for, as far as Postgres alone can tell: keys with the stream and the day, no foreign keys, and statements
//! that name the stream.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::world::StoreWorld;

/// The tables that are distributed by `stream`.
const SPREAD: [&str; 7] = [
    "figures",
    "figures_due",
    "ledger_blocks",
    "ledger_cuts",
    "ledger_heads",
    "ledger_lines",
    "ledger_terms",
];
/// How statements begin that are about all streams, and so about every machine.
const OF_ALL_STREAMS: [&str; 7] = [
    "DELETE FROM figures WHERE",
    // Its columns have a name of their own.
    "INSERT INTO figures ({COLUMNS})",
    "SELECT CAST(COALESCE(SUM(number), 0) AS BIGINT) FROM ledger_heads",
    "SELECT COALESCE(MAX(time), 0) FROM ledger_heads",
    "SELECT COUNT(*) FROM figures_due",
    "SELECT at, name, sums FROM figures",
    "UPDATE ledger_heads SET erasures",
];
/// More than these are found.
const STATEMENTS_MIN: usize = 40;

/// Citus distributes tables by `stream`, and Postgres partitions them by `day`: both must be in each unique key.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_unique_key_has_the_stream_and_the_day() {
    let world = StoreWorld::postgres();
    let _store = world.open().await;
    let keys = "SELECT owner.relname::TEXT, (bool_or(attname = 'stream')::INT + 2 * bool_or(attname = 'day')::INT)::BIGINT, \
         ''::BYTEA FROM pg_index JOIN pg_class owner ON owner.oid = indrelid \
         JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey::INT2[]) \
         WHERE indisunique AND owner.relname ~ '^(ledger_|figures)' AND NOT owner.relispartition \
         GROUP BY owner.relname, indexrelid";
    let found: BTreeMap<String, i64> =
        world.rows(keys).await.into_iter().map(|(table, has, _)| (table, has)).collect();
    let (stream, both) = (1, 3);
    let expected = [
        ("figures", stream),
        ("figures_due", both),
        ("ledger_blocks", both),
        // Found by its digest alone, whichever stream it came with first.
        ("ledger_bodies", 0),
        ("ledger_cuts", stream),
        ("ledger_heads", stream),
        ("ledger_lines", both),
        ("ledger_terms", both),
    ];
    assert_eq!(found, expected.map(|(table, has)| (table.to_owned(), has)).into());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_foreign_key_leads_to_or_from_the_ledger() {
    let world = StoreWorld::postgres();
    let _store = world.open().await;
    let keys = "SELECT conname::TEXT, 0::BIGINT, ''::BYTEA FROM pg_constraint \
         JOIN pg_class ends ON ends.oid IN (conrelid, confrelid) \
         WHERE contype = 'f' AND ends.relname ~ '^(ledger_|figures)'";
    let found: Vec<String> = world.rows(keys).await.into_iter().map(|(name, ..)| name).collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn every_statement_about_a_table_that_is_distributed_names_the_stream() {
    let (mut found, mut of_all) = (0, BTreeSet::new());
    for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let source = std::fs::read_to_string(&file).expect("a source file");
        for statement in texts(&source).into_iter().filter(|text| is_about_spread(text)) {
            found += 1;
            match OF_ALL_STREAMS.iter().find(|known| statement.starts_with(**known)) {
                Some(known) => of_all.extend([*known]),
                None => assert!(words(&statement).contains(&"stream"), "{}: {statement}", file.display()),
            }
        }
    }
    assert!(found > STATEMENTS_MIN, "{found} statements");
    assert_eq!(of_all, BTreeSet::from(OF_ALL_STREAMS));
}

#[test]
fn the_page_distributes_these_tables() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/how-to/spread-the-ledger.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let commands = page.lines().filter_map(|line| line.strip_prefix("SELECT create_distributed_table('"));
    let tables: BTreeSet<&str> =
        commands.filter_map(|rest| rest.split_once("', 'stream'")).map(|one| one.0).collect();
    assert_eq!(tables, BTreeSet::from(SPREAD));
}

/// Source files, without those of tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let all = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    all.filter(|path| path.extension().is_some_and(|kind| kind == "rs") && !path.ends_with("tests.rs"))
        .collect()
}

/// The texts in quotation marks of a source file, before its tests.
fn texts(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = lines.join("\n").replace("'\"'", "");
    let (mut found, mut open) = (Vec::new(), None::<String>);
    let mut rest = code.chars().peekable();
    while let Some(sign) = rest.next() {
        let Some(text) = &mut open else {
            if sign == '"' {
                open = Some(String::new());
            }
            continue;
        };
        match sign {
            '"' => found.extend(open.take()),
            '\\' => match rest.next() {
                // The text goes on in the next line.
                Some('\n') => while rest.next_if(|next| next.is_whitespace()).is_some() {},
                escaped => text.extend(escaped),
            },
            _ => text.push(sign),
        }
    }
    found
}

fn words(text: &str) -> Vec<&str> {
    let parts = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    parts.filter(|word| !word.is_empty()).collect()
}

fn is_about_spread(text: &str) -> bool {
    let begins = |word: &str| ["FROM", "INTO", "JOIN", "UPDATE"].contains(&word);
    words(text).windows(2).any(|pair| begins(pair[0]) && SPREAD.contains(&pair[1]))
}
