//! `toolgate store …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum StoreCommand {
    /// Move everything that the gateway has stored from SQLite to Postgres
    #[command(
        after_help = "Examples:\n  toolgate store migrate --to postgres://gate@db.example.com/gate --dry-run\n  PGPASSWORD=… toolgate store migrate --to postgres://gate@db.example.com/gate\n\nStop the gateway first. A run that was interrupted goes on when the same command is repeated. Tokens, approvals, runs,\nsettings and the ledger are moved with their keys, and compared with the source in the end; the source stays as it is.\nFiles are not in the database: they stay in their folder or bucket. `--dry-run` creates the empty tables, and reads\neverything once."
    )]
    Migrate(MigrateArgs),
    /// Bring the database to the form of this version, as a start of the gateway does
    #[command(
        after_help = "Examples:\n  toolgate store upgrade --check\n  toolgate store upgrade\n\nRun it before a roll-out, when no gateway uses the database. It refuses while one does. `--check` changes nothing, and\nends with status 1 if there is something to do, or if a newer version has written the database."
    )]
    Upgrade {
        /// Say what would be done, and do nothing
        #[arg(long)]
        check: bool,
    },
}

#[derive(Args)]
pub(crate) struct MigrateArgs {
    /// Empty database to move to, as in `[store] url`
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
    /// Data folder to move from [default: the data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) from: Option<PathBuf>,
    /// Say what would be moved, and move nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
