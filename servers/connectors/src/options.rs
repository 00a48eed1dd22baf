//! The command line: the provider, and its settings. Secrets are no options; they come from the environment.

use std::path::PathBuf;
use std::time::Duration;

use crate::mail::MailOptions;
use crate::postgres::PostgresOptions;
use crate::s3::S3Options;

/// The provider and everything that can be said about it.
#[derive(Clone, Debug, clap::Args)]
pub struct ConnectorOptions {
    /// The provider that this process serves
    #[arg(value_name = "PROVIDER")]
    pub provider: ProviderName,
    #[command(flatten)]
    pub way: WayOptions,
    #[command(flatten)]
    pub mail: MailOptions,
    #[command(flatten)]
    pub s3: S3Options,
    #[command(flatten)]
    pub postgres: PostgresOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum ProviderName {
    /// Sending by SMTP, reading by IMAP.
    Mail,
    /// Objects of one bucket.
    S3,
    /// Questions to one database.
    Postgres,
}

/// The way to the provider.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Connection")]
pub struct WayOptions {
    /// Certificates of authorities to trust beside the machine's, in PEM
    #[arg(long, value_name = "FILE", env = "CONNECTORS_CA_FILE")]
    pub ca_file: Option<PathBuf>,
    /// Speak without encryption; refused for public addresses
    #[arg(long)]
    pub without_tls: bool,
    /// The longest silence of the provider: for a connection, and for each answer
    #[arg(long, value_name = "SECONDS", env = "CONNECTORS_SILENCE_SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub silence_seconds: u64,
}

impl WayOptions {
    pub fn silence_max(&self) -> Duration {
        Duration::from_secs(self.silence_seconds)
    }
}
