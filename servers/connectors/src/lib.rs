#![doc = include_str!("../README.md")]

// The way out.
mod credential;
mod net;
mod patience;
mod provided;

// One module for each provider.
mod mail;
mod postgres;
mod s3;

// The program.
mod capability;
mod options;

pub use capability::capability;
pub use mail::MailOptions;
pub use options::{ConnectorOptions, ProviderName, WayOptions};
pub use postgres::PostgresOptions;
pub use s3::S3Options;
