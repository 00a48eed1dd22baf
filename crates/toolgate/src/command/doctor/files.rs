//! The doctor's findings about files.

use std::sync::Arc;

use toolgate_core::CanonicalName;
use toolgate_files::{Blobs, S3Storage, StoragePlace};
use toolgate_store::Store;

use super::finding::{DoctorFinding, fine, wrong};
use crate::config::Config;
use crate::governance::SystemClock;
use crate::{failure, stored};

pub(super) async fn check(config: &Config, store: &Store) -> Vec<DoctorFinding> {
    let mut findings = vec![storage(config, store).await];
    match stored::catalog(config, store).await {
        Ok(catalog) => {
            let snapshot = catalog.snapshot();
            findings.extend(snapshot.misfits.iter().map(misfit));
            findings.extend(snapshot.renamed.iter().map(renamed));
            findings.extend(snapshot.completed.iter().map(completed));
        }
        Err(error) => findings.push(wrong("files", failure::render(&error.into()), None)),
    }
    findings
}

async fn storage(config: &Config, store: &Store) -> DoctorFinding {
    let place = shown(&config.files.place);
    let reached = match Blobs::new(&config.files, store.clone(), Arc::new(SystemClock::default())) {
        Ok(blobs) => blobs.reachable().await,
        Err(refusal) => Err(refusal),
    };
    match reached {
        Ok(()) => fine("files", format!("are kept in {place}")),
        Err(refusal) => wrong("files", format!("{place}: {}", refusal.message), Some(refusal.hint)),
    }
}

fn shown(place: &StoragePlace) -> String {
    match place {
        StoragePlace::Folder(folder) => folder.display().to_string(),
        StoragePlace::S3(S3Storage { bucket, prefix, endpoint, region, .. }) => {
            let at = endpoint.as_deref().unwrap_or(region);
            format!("s3://{bucket}/{prefix} at {at}")
        }
    }
}

/// The tool was listed last without the argument of a file setting.
fn misfit((name, why): &(CanonicalName, String)) -> DoctorFinding {
    let hint = "name the argument in `[[tools.files]]`, or let its server say which one takes the file";
    wrong("files", format!("{name}: {why}"), Some(hint.to_owned()))
}

/// Agents can still call it; but people may search for it under its plain name.
fn renamed((name, why): &(CanonicalName, String)) -> DoctorFinding {
    let hint = "an alias gives it a name that says more; names that were given stay";
    DoctorFinding { hint: Some(hint.to_owned()), ..fine("names", format!("{name}: {why}")) }
}

/// Nothing is wrong for agents; the server's author may want to know.
fn completed((name, what): &(CanonicalName, String)) -> DoctorFinding {
    let hint = "its server should write `\"type\": \"object\"` into the schema";
    DoctorFinding { hint: Some(hint.to_owned()), ..fine("tools", format!("{name}: {what}")) }
}
