//! The settings of a bucket.

/// The keys are in `CONNECTORS_ACCESS_KEY_ID` and `CONNECTORS_SECRET_ACCESS_KEY`, a token in `CONNECTORS_SESSION_TOKEN`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "s3")]
pub struct S3Options {
    /// The bucket
    #[arg(long, value_name = "NAME")]
    pub bucket: Option<String>,
    /// The part of the bucket that is served, such as reports/2026
    #[arg(long, value_name = "PREFIX", default_value = "")]
    pub prefix: String,
    /// The server, such as https://s3.example.com; Amazon's of the region if omitted
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
    /// The region
    #[arg(long, value_name = "NAME", default_value = "us-east-1")]
    pub region: String,
    /// Offer put_object
    #[arg(long)]
    pub allow_put: bool,
    /// Let put_object replace objects
    #[arg(long, requires = "allow_put")]
    pub allow_overwrite: bool,
    /// The largest object that is read or written
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=512))]
    pub object_mib: u64,
}
