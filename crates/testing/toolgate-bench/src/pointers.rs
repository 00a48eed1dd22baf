//! `toolgate-bench pointers`: writers that move one pointer at the same moment, through two stores on one database.
//!
//! Each round all of them name the same head, and exactly one may win. A round that has another number of winners fails the
//! measurement.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use toolgate_core::id::PointerId;
use toolgate_core::pointer::{ExpectedHead, MoveOperation, Pointer, PointerKind, PointerPath};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, PrincipalId};
use toolgate_stage::postgres::Database;
use toolgate_store::{Actor, Books, BooksSettings, MoveStamp, NewHead, NewManifest, PointerError, Store};

use crate::say::say;

/// A moment in 2026.
const START_MS: i64 = 1_780_000_000_000;
const NODE: &[u8] = b"a node that nobody reads";

#[derive(clap::Args)]
pub(crate) struct PointersOptions {
    /// Writers that move the pointer at once
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1024))]
    writers: u16,
    /// Rounds on each database
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Also measure on this Postgres server; a database is made there, and dropped in the end
    #[arg(long, value_name = "URL", env = "TOOLGATE_BENCH_POSTGRES")]
    postgres: Option<String>,
}

/// The outcome of all rounds on one database.
struct PointerRounds {
    rounds: u32,
    took: Duration,
    slowest: Duration,
}

pub(crate) async fn run(options: PointersOptions) -> anyhow::Result<ExitCode> {
    let folder = tempfile::tempdir().context("make a temporary folder")?;
    let stores = [Store::open(folder.path()).await?, Store::open(folder.path()).await?];
    tell("SQLite", &options, &measure(&stores, &options).await?)?;
    if let Some(server) = &options.postgres {
        let database = Database::create(server);
        let stores = [open(folder.path(), &database).await?, open(folder.path(), &database).await?];
        tell("Postgres", &options, &measure(&stores, &options).await?)?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn open(folder: &Path, database: &Database) -> anyhow::Result<Store> {
    Ok(Store::open_url(folder, &database.url).await?)
}

fn tell(database: &str, options: &PointersOptions, measured: &PointerRounds) -> anyhow::Result<()> {
    let (rounds, seconds) = (measured.rounds, measured.took.as_secs_f64());
    let per_second = f64::from(rounds) / seconds;
    say(&format!(
        "{database}: {} writers on one pointer, {rounds} rounds, one winner each: {per_second:.1} rounds/s, {:.0} tries/s, \
         slowest round {:.1} ms",
        options.writers,
        per_second * f64::from(options.writers),
        measured.slowest.as_secs_f64() * 1e3,
    ))
}

async fn measure(stores: &[Store; 2], options: &PointersOptions) -> anyhow::Result<PointerRounds> {
    let books = [books(&stores[0], "one").await?, books(&stores[1], "two").await?];
    let manifests = manifests(&books[0], u32::from(options.writers) + 1).await?;
    let pointer = books[0].create_pointer(pointer(manifests[0]), &stamp()).await?;
    let mut head = manifests[0];
    let (begun, mut slowest) = (Instant::now(), Duration::ZERO);
    for round in 0..options.rounds {
        let since = Instant::now();
        // The head of the round before is nobody's goal in this one.
        let goals = manifests.iter().copied().filter(|manifest| *manifest != head);
        head = round_of(&books, &pointer.id, head, goals).await.with_context(|| format!("round {round}"))?;
        slowest = slowest.max(since.elapsed());
    }
    let took = begun.elapsed();
    let kept = stores[1].pointer(&pointer.id).await?.context("the pointer is there")?;
    ensure!(kept.version == u64::from(options.rounds) + 1, "{} moves were kept", kept.version);
    Ok(PointerRounds { rounds: u32::from(options.rounds), took, slowest })
}

/// The winner of a round, of which there must be one.
async fn round_of(
    books: &[Books; 2],
    pointer: &PointerId,
    head: ManifestDigest,
    goals: impl Iterator<Item = ManifestDigest>,
) -> anyhow::Result<ManifestDigest> {
    let mut tries = tokio::task::JoinSet::new();
    for (place, manifest) in goals.enumerate() {
        let expected = ExpectedHead::Exactly(Some(head));
        let wanted =
            NewHead { pointer: pointer.clone(), operation: MoveOperation::Advance, expected, manifest };
        let books = books[place % 2].clone();
        tries.spawn(async move { books.move_pointer(&wanted, &stamp()).await });
    }
    let mut winner = None;
    while let Some(tried) = tries.join_next().await {
        match tried.context("a writer broke")? {
            Ok(moved) => {
                ensure!(winner.replace(moved.pointer.manifest).is_none(), "two writers won");
            }
            Err(PointerError::Moved(_)) => {}
            Err(error) => bail!(error),
        }
    }
    winner.flatten().context("no writer won")
}

async fn books(store: &Store, stream: &str) -> anyhow::Result<Books> {
    let settings = BooksSettings {
        stream: stream.to_owned(),
        approved_valid: Duration::from_secs(60),
        escalate_to: Vec::new(),
    };
    Ok(store.books(settings).await?)
}

/// Manifests that lead to nothing.
async fn manifests(books: &Books, count: u32) -> anyhow::Result<Vec<ManifestDigest>> {
    let root = Digest::of(NODE);
    books.store().put_tree_nodes(&[(root, NODE)], START_MS).await?;
    let mut manifests = Vec::new();
    for number in 0..count {
        let document = format!("{{\"number\":{number}}}");
        let digest = ManifestDigest::new(Digest::of(&document));
        let new = NewManifest {
            digest,
            root,
            parents: &[],
            entries: 0,
            bytes: 0,
            document: &document,
            shared: &[],
            artifacts: &[],
            manifests: &[],
            created_at_ms: START_MS,
        };
        books.store_manifest(&new, &stamp().by).await?;
        manifests.push(digest);
    }
    Ok(manifests)
}

fn pointer(manifest: ManifestDigest) -> Pointer {
    Pointer {
        id: PointerId::new("ptr_bench"),
        path: PointerPath::new("bench", "draft").expect("letters alone"),
        kind: PointerKind::Bundle,
        manifest: Some(manifest),
        description: String::new(),
        version: 1,
        created_by: PrincipalId::new("bench"),
        created_at_ms: START_MS,
        moved_at_ms: START_MS,
        deleted_at_ms: None,
    }
}

fn stamp() -> MoveStamp {
    let by = Actor::person(&PrincipalId::new("bench"));
    MoveStamp { by, approval: None, reason: String::new(), at_ms: START_MS }
}
