//! The doctor's findings about files.

use std::sync::Arc;

use toolgate_core::CanonicalName;
use toolgate_files::{Blobs, Place, S3Place};
use toolgate_store::Store;

use super::finding::{Finding, fine, wrong};
use crate::config::Config;
use crate::governance::SystemClock;
use crate::{failure, stored};

pub(super) async fn check(config: &Config, store: &Store) -> Vec<Finding> {
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

async fn storage(config: &Config, store: &Store) -> Finding {
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

fn shown(place: &Place) -> String {
    match place {
        Place::Folder(folder) => folder.display().to_string(),
        Place::S3(S3Place { bucket, prefix, endpoint, region, .. }) => {
            let at = endpoint.as_deref().unwrap_or(region);
            format!("s3://{bucket}/{prefix} at {at}")
        }
    }
}

/// The tool was listed last without the argument of a file setting.
fn misfit((name, why): &(CanonicalName, String)) -> Finding {
    let hint = "name the argument in `[[tools.files]]`, or let its server say which one takes the file";
    wrong("files", format!("{name}: {why}"), Some(hint.to_owned()))
}

/// Agents can still call it; but people may search for it under its plain name.
fn renamed((name, why): &(CanonicalName, String)) -> Finding {
    let hint = "an alias gives it a name that says more; names that were given stay";
    Finding { hint: Some(hint.to_owned()), ..fine("names", format!("{name}: {why}")) }
}

/// Nothing is wrong for agents; the server's author may want to know.
fn completed((name, what): &(CanonicalName, String)) -> Finding {
    let hint = "its server should write `\"type\": \"object\"` into the schema";
    Finding { hint: Some(hint.to_owned()), ..fine("tools", format!("{name}: {what}")) }
}
