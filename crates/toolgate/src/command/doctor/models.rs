//! The doctor's findings about language models: keys that are not stored. Nothing is asked, for that costs money.

use serde_json::Value;
use toolgate_store::{Store, StoreError};

use super::finding::{DoctorFinding, fine, wrong};
use crate::command::shown::several;
use crate::config::Config;
use crate::models::own_server;

pub(super) async fn check(config: &Config, store: &Store) -> Vec<DoctorFinding> {
    match examine(config, store).await {
        Ok(findings) => findings,
        Err(error) => vec![wrong("models", error.to_string(), None)],
    }
}

/// A model and the name of its key, if it has one.
type ModelKey = (String, Option<String>);

async fn examine(config: &Config, store: &Store) -> Result<Vec<DoctorFinding>, StoreError> {
    let models = models(config, store).await?;
    if models.is_empty() {
        return Ok(Vec::new());
    }
    let own = own_server();
    let stored = store.list_sealed(Some(&own)).await?;
    let is_there = |key: &str| {
        let is_elsewhere = config.secrets.iter().any(|one| one.server == own && one.name == key);
        is_elsewhere || stored.iter().any(|one| one.name == key)
    };
    let missing = models.iter().filter_map(|(model, key)| Some((model, key.as_deref()?)));
    let missing = missing.filter(|(_, key)| !is_there(key)).map(|(model, key)| {
        let says = format!("model {model} needs the secret {key}, which is not stored");
        wrong("models", says, Some(format!("`toolgate secrets set {own} {key}`")))
    });
    let mut findings: Vec<DoctorFinding> = missing.collect();
    if findings.is_empty() {
        let says = format!("{} with their keys", several(models.len() as u64, "model"));
        let hint = Some("`toolgate models test NAME` asks one".to_owned());
        findings.push(DoctorFinding { hint, ..fine("models", says) });
    }
    Ok(findings)
}

/// Those of the file, and those of the setting that the file does not have.
async fn models(config: &Config, store: &Store) -> Result<Vec<ModelKey>, StoreError> {
    let of_file = config.models.iter().map(|model| (model.name.to_string(), model.key.clone()));
    let mut models: Vec<ModelKey> = of_file.collect();
    if let Some(setting) = store.read_setting("models").await? {
        let value: Value = setting.value.decode().unwrap_or_default();
        for entry in value.as_array().into_iter().flatten() {
            let text = |key: &str| entry[key].as_str().map(str::to_owned);
            let Some(name) = text("name") else { continue };
            if models.iter().all(|(known, _)| *known != name) {
                models.push((name, text("key")));
            }
        }
    }
    Ok(models)
}
