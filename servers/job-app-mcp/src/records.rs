//! What is known of jobs, people and applications, and the rules by which it changes. One tool is one transaction.

mod application;
mod caller;
mod ending;
mod jobs;
mod leases;
mod listing;
mod outcome;
mod people;
mod seeding;
pub(crate) mod text;

pub(crate) use application::{ApplicationRow, EvidenceFields};
pub use caller::JobRecords;
pub(crate) use caller::nowhere;
pub(crate) use jobs::ImportCounts;
pub(crate) use leases::{LEASES_MAX, LeasedJob};
pub(crate) use listing::{ApplicationEvent, ApplicationFilter, ListedApplication};
pub(crate) use outcome::{RecordedFacts, StatusUpdate};
pub(crate) use people::AnswerEntry;
pub(crate) use seeding::origin;
pub use seeding::{SeedCounts, SeedData};

#[cfg(test)]
mod tests;
