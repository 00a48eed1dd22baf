//! The doctor's findings about secrets, registered servers, and tools that agents cannot use.

use std::collections::BTreeSet;
use std::path::Path;

use toolgate_catalog::WithheldReason;
use toolgate_core::ServerName;
use toolgate_core::registry::ToolStatus;
use toolgate_core::server::TransportSpec;
use toolgate_credentials::{OutsideSecret, OutsideSource, SIGN_IN};
use toolgate_registry::ServerSource;
use toolgate_store::{SealedSecret, Store, StoreError};

use super::finding::{DoctorFinding, fine, wrong};
use crate::command::records::RecordsContext;
use crate::command::servers::roster;
use crate::command::shown::several;
use crate::config::{Config, VaultSettings};
use crate::failure;
use crate::{keyring, stored};

/// Withheld tools that are named; the others are counted.
const WITHHELD_SHOWN_MAX: usize = 20;
const REVIEW: &str = "`toolgate tools diff` shows what changed and how to accept or reject it";
const MEND: &str = "its server has to be fixed; `toolgate tools list --status all` shows it";

pub(super) async fn check(config: &Config, store: &Store) -> Vec<DoctorFinding> {
    let mut findings = vec![check_vault(config, store).await];
    findings.extend(check_sources(config).await);
    for found in [
        missing_secrets(config, store).await,
        without_lease(config, store).await,
        waiting_tools(store).await,
        withheld_tools(config, store).await,
        unchecked_tools(config, store).await,
    ] {
        match found {
            Ok(found) => findings.extend(found),
            Err(error) => findings.push(wrong("registry", error.to_string(), None)),
        }
    }
    findings
}

/// Looks at the key without making one.
async fn check_vault(config: &Config, store: &Store) -> DoctorFinding {
    let made = keyring::generated_key(config);
    if config.vault == VaultSettings::Generated && !made.exists() {
        return match store.list_sealed(None).await {
            Ok(secrets) if !secrets.is_empty() => wrong(
                "vault",
                format!("holds {} and its key is gone", several(secrets.len() as u64, "secret")),
                Some(format!(
                    "bring back {}, or store the secrets again with `toolgate secrets set`",
                    made.display()
                )),
            ),
            Ok(_) => check_fields(store, &made).await,
            Err(error) => wrong("vault", error.to_string(), None),
        };
    }
    match open_vault(config).await {
        Ok(says) => fine("vault", says),
        Err(error) => {
            let told = failure::render(&error);
            let (says, hint) = told.split_once("\nhint: ").unwrap_or((&told, ""));
            wrong("vault", says.to_owned(), (!hint.is_empty()).then(|| hint.to_owned()))
        }
    }
}

/// Credentials without secrets beside them: they need the key as well.
async fn check_fields(store: &Store, made: &Path) -> DoctorFinding {
    match store.any_sealed_field().await {
        Ok(None) => fine("vault", "empty; its key is made when it is first needed".into()),
        Ok(Some(_)) => {
            let hint = format!(
                "bring back {}, or create the credentials again with `toolgate credentials add`",
                made.display()
            );
            wrong("vault", "holds credentials and its key is gone".into(), Some(hint))
        }
        Err(error) => wrong("vault", error.to_string(), None),
    }
}

async fn open_vault(config: &Config) -> anyhow::Result<String> {
    let room = RecordsContext::of(config.clone()).await?;
    let opened = async {
        let vault = room.vault()?;
        vault.check_key().await?;
        let stored = vault.list(None).await?;
        let signed_in = stored.iter().filter(|one| one.name == SIGN_IN).count();
        let secrets = several((stored.len() - signed_in) as u64, "secret");
        anyhow::Ok(format!("{secrets}, {}; its key fits", several(signed_in as u64, "sign-in")))
    };
    let opened = opened.await;
    room.close().await;
    opened
}

/// Asks every source once. Its answer is not shown.
async fn check_sources(config: &Config) -> Vec<DoctorFinding> {
    let outside = match keyring::outside(config) {
        Ok(outside) => outside,
        Err(error) => {
            let told = failure::render(&error);
            let (says, hint) = told.split_once("\nhint: ").unwrap_or((&told, ""));
            return vec![wrong("secrets", says.to_owned(), (!hint.is_empty()).then(|| hint.to_owned()))];
        }
    };
    let mut findings = Vec::new();
    for secret in outside.list() {
        let OutsideSecret { server, name, source, cache, .. } = secret;
        let about = format!("secret {name} of {server}");
        let kept = format!("kept for {} s", cache.as_secs());
        findings.push(match outside.try_source(secret).await {
            Ok(()) => fine(&about, format!("its source ({}) answers; {kept}", source.kind())),
            Err(error) => wrong(
                &about,
                format!("its source ({}) gives none: {error}", source.kind()),
                Some(advice(source)),
            ),
        });
    }
    findings
}

fn advice(source: &OutsideSource) -> String {
    match source {
        OutsideSource::File(path) => {
            format!("check that {} is there and readable for this user", path.display())
        }
        OutsideSource::Command(words) => {
            let program = words.first().map(String::as_str).unwrap_or_default();
            format!(
                "run {program} by hand as this user, with its arguments of `[[secrets]]` and without a terminal"
            )
        }
        OutsideSource::OpenBao { path, field } => {
            format!("check `[openbao]`, and that the gateway may read field {field} of {path}")
        }
    }
}

/// Secrets that the file names and that are not stored.
async fn missing_secrets(config: &Config, store: &Store) -> Result<Vec<DoctorFinding>, StoreError> {
    let stored = store.list_sealed(None).await?;
    let mut findings = Vec::new();
    for server in config.servers.iter().filter(|server| server.enabled) {
        let name = &server.spec.name;
        for secret in named(&server.spec.transport) {
            let is_elsewhere = config.secrets.iter().any(|one| one.server == *name && one.name == secret);
            if !is_elsewhere && !holds(&stored, name, &secret) {
                let says = format!("server {name} needs the secret {secret}, which is not stored");
                let hint = format!("`toolgate secrets set {name} {secret}`");
                findings.push(wrong("secrets", says, Some(hint)));
            }
        }
    }
    Ok(findings)
}

fn holds(stored: &[SealedSecret], server: &ServerName, name: &str) -> bool {
    stored.iter().any(|one| one.server == *server && one.name == name)
}

/// The secrets of the vault that `headers`, `query` or `env` name.
fn named(transport: &TransportSpec) -> BTreeSet<String> {
    let texts: Vec<&String> = match transport {
        TransportSpec::Stdio { env, .. } => env.values().collect(),
        TransportSpec::Http { headers, .. } => headers.values().collect(),
        TransportSpec::Api(api) => api.templates().collect(),
    };
    let parts = texts.into_iter().flat_map(|text| text.split("${vault:").skip(1));
    parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name.to_owned()).collect()
}

async fn without_lease(config: &Config, store: &Store) -> Result<Vec<DoctorFinding>, StoreError> {
    let mut findings = Vec::new();
    for known in roster(config, store).await? {
        let registers = matches!(known.source, ServerSource::Expected | ServerSource::Registered);
        if !known.enabled || !registers {
            continue;
        }
        let about = format!("server {}", known.name);
        findings.push(match known.instances.len() {
            0 => {
                let hint = match known.source {
                    ServerSource::Expected => format!(
                        "start it with a token of `toolgate token create --role server --server {}`",
                        known.name
                    ),
                    _ => format!("start it, or forget it with DELETE /servers/{}", known.name),
                };
                wrong(&about, "no instance holds a lease".into(), Some(hint))
            }
            count => fine(&about, format!("{} registered", several(count as u64, "instance"))),
        });
    }
    Ok(findings)
}

async fn waiting_tools(store: &Store) -> Result<Vec<DoctorFinding>, StoreError> {
    let rows = store.read_tool_rows().await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let count = |status| rows.iter().filter(|tool| tool.row.status == status).count() as u64;
    let (quarantined, drifted) = (count(ToolStatus::Quarantined), count(ToolStatus::Drifted));
    let flagged = rows.iter().filter(|tool| !tool.row.findings.is_empty()).count() as u64;
    let pinned = several(rows.len() as u64, "tool");
    let says = format!("{pinned} pinned, {quarantined} quarantined, {drifted} drifted, {flagged} flagged");
    let hint = match (quarantined + drifted, flagged) {
        (1.., _) => Some(REVIEW.to_owned()),
        (0, 1..) => Some("`toolgate tools list --status all` shows which".to_owned()),
        (0, 0) => None,
    };
    Ok(vec![DoctorFinding { hint, ..fine("tools", says) }])
}

/// Tools that servers offer and no agent can use, each with its reason: the definition waits for a review, or
/// cannot be read. What a person has rejected is withheld on purpose.
async fn withheld_tools(config: &Config, store: &Store) -> Result<Vec<DoctorFinding>, StoreError> {
    let catalog = stored::catalog(config, store).await?;
    let hidden = catalog.snapshot();
    let unreadable = hidden.hidden().filter(|one| one.why == WithheldReason::Unreadable);
    let unreadable = unreadable.map(|one| (one.name.to_string(), one.reason.clone(), MEND));
    let rows = store.read_tool_rows().await?;
    let waiting = rows.iter().map(|tool| &tool.row).filter(|row| {
        let rejected = row.rejected.is_some()
            && row.rejected == row.candidate.as_ref().map(|candidate| candidate.version);
        row.status == ToolStatus::Quarantined && !rejected
    });
    let waiting = waiting.map(|row| {
        let reason = row.reason.clone().unwrap_or_else(|| "its definition waits for a review".to_owned());
        (row.name.to_string(), reason, REVIEW)
    });
    let mut withheld: Vec<(String, String, &str)> = waiting.chain(unreadable).collect();
    let more = withheld.len().saturating_sub(WITHHELD_SHOWN_MAX);
    withheld.truncate(WITHHELD_SHOWN_MAX);
    let told = |(name, reason, hint): (String, String, &str)| {
        wrong("tools", format!("no agent can use {name}: {reason}"), Some(hint.to_owned()))
    };
    let mut findings: Vec<DoctorFinding> = withheld.into_iter().map(told).collect();
    if more > 0 {
        findings.push(wrong("tools", format!("no agent can use {more} others"), Some(REVIEW.to_owned())));
    }
    Ok(findings)
}

/// Tools whose arguments are not checked, or not all of them. Their servers are at fault, and it cannot be
/// fixed here.
async fn unchecked_tools(config: &Config, store: &Store) -> Result<Vec<DoctorFinding>, StoreError> {
    let catalog = stored::catalog(config, store).await?;
    let unchecked = stored::tools(&catalog)
        .into_iter()
        .filter_map(|tool| Some((tool.name.clone(), toolgate_pipeline::schema::unchecked(&tool)?)));
    let told = |(name, why)| {
        let hint = "its server should carry the whole schema with it; a gate can ask people about its calls";
        DoctorFinding { hint: Some(hint.to_owned()), ..fine("tools", format!("{name}: its schema: {why}")) }
    };
    Ok(unchecked.map(told).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secrets_that_a_server_wants_are_found_wherever_they_stand() {
        let texts =
            [("A", "Bearer ${vault:ONE}"), ("B", "${vault:TWO}:${vault:ONE}"), ("C", "plain $ {vault:NO}")];
        let headers = texts.into_iter().map(|(key, text)| (key.to_owned(), text.to_owned())).collect();
        let named: Vec<String> = named(&TransportSpec::http("http://x/", headers)).into_iter().collect();
        assert_eq!(named, ["ONE", "TWO"]);
    }
}
