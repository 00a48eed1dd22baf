//! The settings of a database.

/// The password is in `CONNECTORS_PASSWORD`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "postgres")]
pub struct PostgresOptions {
    /// The database: postgres://USER@HOST:PORT/DATABASE, without a password
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// The time of one statement
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=300))]
    pub statement_seconds: u64,
    /// The rows of one answer
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub rows_max: u32,
    /// A table whose rows are a stream, as SCHEMA.TABLE, or as SCHEMA.TABLE@COLUMN if that column grows with every change of a
    /// row; may be repeated
    #[arg(long, value_name = "TABLE")]
    pub stream: Vec<String>,
}
