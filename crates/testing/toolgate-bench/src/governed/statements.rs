//! What a gateway asks of Postgres: statements for each batch of its ledger, as the server counts them. Each statement of the writer is a
//! round trip; the few that other parts of a gateway send meanwhile are counted with them.

use anyhow::Context as _;
use toolgate_stage::postgres::Database;

/// The extension that counts. It has to be loaded when the server starts.
const LIBRARY: &str = "pg_stat_statements";
/// All of them, and those that move the head of a stream, of which each batch has one.
const COUNTED: &str = "SELECT COALESCE(SUM(calls), 0) || ' ' || \
     COALESCE(SUM(calls) FILTER (WHERE query LIKE '%UPDATE ledger_heads SET%'), 0) FROM pg_stat_statements \
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query NOT LIKE '%pg_stat_statements%'";

/// The statements of one database from now on.
pub(super) struct StatementCounter<'a>(&'a Database);

impl<'a> StatementCounter<'a> {
    /// `None` where the server does not count.
    pub(super) fn begin(database: &'a Database) -> Option<Self> {
        if !counts(database) {
            return None;
        }
        database.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
        database.run("SELECT pg_stat_statements_reset()");
        Some(Self(database))
    }

    /// `None` if nothing was recorded.
    pub(super) fn per_batch(&self) -> anyhow::Result<Option<f64>> {
        let counted = self.0.ask(COUNTED);
        let (all, batches) = counted.split_once(' ').context("statements are not counted")?;
        let (all, batches): (f64, f64) = (all.parse()?, batches.parse()?);
        Ok((batches > 0.0).then(|| all / batches))
    }
}

fn counts(database: &Database) -> bool {
    database.ask("SHOW shared_preload_libraries").contains(LIBRARY)
}

/// Sentences about a server, without which its figures mislead.
pub(super) fn about(database: &Database) -> Vec<String> {
    let of = |setting: &str| database.ask(&format!("SHOW {setting}"));
    let (fsync, commits) = (of("fsync"), of("synchronous_commit"));
    let mut told = vec![format!(
        "Postgres {} has fsync {fsync} and synchronous_commit {commits}.",
        of("server_version")
    )];
    if fsync == "off" {
        let hint = "durable starts wait for no disk there: begin it with `script/postgres start -c fsync=on` to measure them";
        told.push(hint.to_owned());
    }
    if !counts(database) {
        told.push(format!(
            "It counts no statements: begin it with `script/postgres start -c shared_preload_libraries={LIBRARY}`."
        ));
    }
    told
}
