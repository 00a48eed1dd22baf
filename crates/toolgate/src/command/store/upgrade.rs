//! `toolgate store upgrade`: the migrations of a start, before the start.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::json;
use toolgate_store::{Store, StoreVersion};

use crate::command::context::Context;
use crate::command::shown::{self, several};
use crate::config::Config;
use crate::local::open_store;
use crate::lock::{self, GatewayLock};
use crate::output::{say, talk};

/// A gateway on the database shows a sign of life more often than this.
const GATEWAY_SILENT_MS_MAX: i64 = 20_000;
/// Since this form, a database knows the gateways on it.
const KNOWS_GATEWAYS: i64 = 16;

pub(super) async fn check(context: &Context) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    let version = version(&config).await?;
    let is_current = version.missing.is_empty() && !version.is_from_the_future();
    if context.global.json {
        say!(
            "{}",
            json!({
                "current": is_current, "stored": version.stored, "known": version.known, "missing": version.missing,
            })
        );
    } else {
        say!("{}", told(&version));
    }
    Ok(if is_current { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(super) async fn run(context: &Context) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    let before = version(&config).await?;
    if before.missing.is_empty() && !before.is_from_the_future() {
        say!("{}", told(&before));
        return Ok(ExitCode::SUCCESS);
    }
    let _lock = alone(&config, &before).await?;
    talk!("{}", told(&before));
    let store = open_store(&config).await?;
    store.close().await;
    say!("the database has form {} now, that of this version", before.known);
    Ok(ExitCode::SUCCESS)
}

async fn version(config: &Config) -> anyhow::Result<StoreVersion> {
    match &config.store.url {
        Some(url) => Ok(Store::version_at(url).await?),
        None => match Store::version_in(&config.data).await? {
            Some(version) => Ok(version),
            None => bail!(
                "there is no database in {}, so there is nothing to upgrade\nhint: name the data folder with `--data DIR`; `toolgate serve` creates a new one",
                config.data.display()
            ),
        },
    }
}

fn told(version: &StoreVersion) -> String {
    let StoreVersion { stored, known, missing } = version;
    if version.is_from_the_future() {
        return format!(
            "a newer version of Toolgate has written the database: it has form {stored}, and this version knows up to {known}"
        );
    }
    match missing.len() as u64 {
        0 => format!("the database has form {stored}, that of this version; there is nothing to do"),
        steps => format!(
            "the database has form {stored}, and this version writes form {known}: {} to go ({})",
            several(steps, "step"),
            missing.join(", ")
        ),
    }
}

/// Nothing else may use the database: an older gateway does not know what the steps do to its tables.
async fn alone(config: &Config, version: &StoreVersion) -> anyhow::Result<Option<GatewayLock>> {
    if let Some(running) = lock::running(&config.data) {
        bail!(
            "a gateway (pid {}) runs on {}\nhint: stop it first; an older gateway must not run on the tables of a newer one",
            running.pid,
            config.data.display()
        );
    }
    if config.store.url.is_none() {
        return GatewayLock::take(&config.data, None).await.map(Some);
    }
    let others = if version.stored >= KNOWS_GATEWAYS { gateways(config).await? } else { Vec::new() };
    if !others.is_empty() {
        bail!(
            "gateways run on the database: {}\nhint: stop all of them first; an older gateway must not run on the tables of a newer one",
            others.join(", ")
        );
    }
    Ok(None)
}

/// The gateways that have shown a sign of life lately.
async fn gateways(config: &Config) -> anyhow::Result<Vec<String>> {
    let Some(url) = &config.store.url else { return Ok(Vec::new()) };
    let since_ms = shown::now_ms() - GATEWAY_SILENT_MS_MAX;
    Ok(Store::gateways_at(url, since_ms).await?)
}
