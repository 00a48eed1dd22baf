//! The additional options of the command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::db::open::DatabasePlace;

/// Without a place for its data the server is listed and keeps nothing.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Applications")]
pub struct JobAppOptions {
    #[command(flatten)]
    pub place: PlaceOptions,
    /// How long a run has a job that it was given; each of its calls renews it. Afterwards the job goes back, or before a person
    /// if it may have been sent
    #[arg(long, value_name = "SECONDS", env = "JOB_APP_LEASE_SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub job_lease_seconds: u64,
}

#[derive(Clone, Debug, Default, clap::Args)]
pub struct PlaceOptions {
    /// Folder for the database (SQLite), made if it is missing
    #[arg(long, value_name = "FOLDER", env = "JOB_APP_DATA", conflicts_with = "database")]
    pub data: Option<PathBuf>,
    /// Instead: the URL of a database on Postgres that is this server's own
    #[arg(long, value_name = "URL", env = "JOB_APP_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
}

impl PlaceOptions {
    pub fn place(&self) -> Option<DatabasePlace> {
        let url = self.database.clone().map(DatabasePlace::Url);
        url.or_else(|| self.data.clone().map(DatabasePlace::Folder))
    }
}

impl JobAppOptions {
    pub fn lease(&self) -> Duration {
        Duration::from_secs(self.job_lease_seconds)
    }
}
