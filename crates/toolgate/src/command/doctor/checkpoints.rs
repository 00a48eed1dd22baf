//! The doctor's findings about checkpoints of the ledger.

use std::path::Path;

use toolgate_core::moment::rfc3339;
use toolgate_proof::{LedgerCheckpoint, VerifierKey};
use toolgate_store::Store;

use super::finding::{DoctorFinding, fine, wrong};
use crate::checkpoints::{SignedCheckpoint, known_keys, newest, signing_key};
use crate::command::shown::now_ms;
use crate::config::{CheckpointSettings, Config};
use crate::failure;
use crate::table::clean;

const ABOUT: &str = "checkpoints";
/// A checkpoint may be late by the time that an anchor takes.
const LATE_MS: i64 = 60_000;

pub(super) async fn check(config: &Config, store: &Store) -> Vec<DoctorFinding> {
    let Some(settings) = &config.checkpoints else { return Vec::new() };
    let key = match signing_key(config).await {
        Ok(key) => fine(ABOUT, format!("are signed by {}", key.public())),
        Err(error) => told(&error),
    };
    let mut findings = vec![key];
    findings.extend(unsigned(store).await.unwrap_or_else(|error| Some(told(&error))));
    if let Some(folder) = &settings.folder {
        findings.push(kept(config, settings, folder, store).await.unwrap_or_else(|error| told(&error)));
    }
    findings
}

/// Streams that no checkpoint can have.
async fn unsigned(store: &Store) -> anyhow::Result<Option<DoctorFinding>> {
    let sizes = store.ledger_sizes().await?;
    let unnamed: Vec<String> = sizes
        .into_keys()
        .filter(|stream| !LedgerCheckpoint::can_name(stream))
        .map(|stream| clean(&stream))
        .collect();
    if unnamed.is_empty() {
        return Ok(None);
    }
    let says = format!("do not sign the streams {unnamed:?}: no gateway gives such names");
    let hint = "`toolgate ledger verify` says whether someone inserted them";
    Ok(Some(wrong(ABOUT, says, Some(hint.to_owned()))))
}

async fn kept(
    config: &Config,
    settings: &CheckpointSettings,
    folder: &Path,
    store: &Store,
) -> anyhow::Result<DoctorFinding> {
    let keys: Vec<VerifierKey> = known_keys(config).await;
    let shown = folder.display();
    let Some(file) = newest(folder)? else {
        return Ok(fine(ABOUT, format!("{shown} has none yet; a gateway that runs writes them")));
    };
    let newest = SignedCheckpoint::read(&file, &keys)?.checkpoint;
    let age_ms = now_ms() - newest.at_ms;
    let late_ms = i64::try_from(settings.every.as_millis()).unwrap_or(i64::MAX).saturating_mul(2);
    let time = rfc3339(newest.at_ms);
    if age_ms > late_ms.saturating_add(LATE_MS) && !covers(&newest, store).await? {
        let hint = "`toolgate serve` writes them; its log and the metric `toolgate_checkpoints_waiting` say what fails";
        let says = format!("the newest in {shown} is of {time}, and the ledger has gone on since");
        return Ok(wrong(ABOUT, says, Some(hint.to_owned())));
    }
    Ok(fine(ABOUT, format!("the newest in {shown} is of {time}")))
}

/// True if nothing was recorded since.
async fn covers(checkpoint: &LedgerCheckpoint, store: &Store) -> anyhow::Result<bool> {
    let sizes = store.ledger_sizes().await?;
    let signed = |stream: &str| checkpoint.streams.iter().find(|tree| tree.stream == stream);
    let mut nameable = sizes.iter().filter(|(stream, _)| LedgerCheckpoint::can_name(stream));
    Ok(nameable.all(|(stream, size)| signed(stream).is_some_and(|tree| tree.size >= *size)))
}

fn told(error: &anyhow::Error) -> DoctorFinding {
    let text = failure::render(error);
    match text.split_once("\nhint: ") {
        Some((says, hint)) => wrong(ABOUT, says.to_owned(), Some(hint.to_owned())),
        None => wrong(ABOUT, text, None),
    }
}
