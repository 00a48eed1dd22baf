//! `toolgate servers import`: the servers of a client's configuration, or an API by its OpenAPI document.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use bytes::Bytes;
use http::Request;
use openapi_tools::{ReadLimits, read};
use serde_json::{Value, json};
use toolgate_core::address::Reach;
use toolgate_core::server::is_web_address;
use toolgate_outbound::Client;

use super::writing;
use crate::cli::ImportArgs;
use crate::command::context::Context;
use crate::config::Config;
use crate::import::openapi::{DocumentWishes, of_document};
use crate::import::{self, ImportEnvironment, ImportPlan, ImportedServers};
use crate::output::{printable, put, say};

/// The time limit for fetching a document.
const FETCH_LIMIT: Duration = Duration::from_secs(30);

pub(super) async fn import(context: &Context, args: ImportArgs) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let (found, origin) = match (&args.file, &args.openapi) {
        (Some(file), _) => of_client(context, &config, file)?,
        (None, Some(openapi)) => of_api(context, &config, openapi, &args).await?,
        (None, None) => bail!("give a client's configuration file, or `--openapi` and a document"),
    };
    let target = context.whereabouts().file_to_write();
    let current = writing::current_text(&target)?;
    let plan = import::plan(found, &origin, &target, current.as_deref(), &BTreeMap::new())?;
    if context.global.json {
        say!("{}", plan_json(&plan));
    } else {
        put!("{}", printable(&plan.to_string()));
    }
    if args.dry_run || plan.additions.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let is_written = writing::write(context, &config, &plan, args.yes)?;
    Ok(if is_written { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn of_client(context: &Context, config: &Config, file: &Path) -> anyhow::Result<(ImportedServers, PathBuf)> {
    let path = context.cwd.join(file);
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("could not read {}", file.display()))?;
    let home = std::env::home_dir();
    let around = ImportEnvironment { home: home.as_deref(), listen: config.listen };
    Ok((import::read_client_config(&path, &text, &around)?, path))
}

async fn of_api(
    context: &Context,
    config: &Config,
    openapi: &str,
    args: &ImportArgs,
) -> anyhow::Result<(ImportedServers, PathBuf)> {
    let (place, bytes) = if is_web_address(openapi) {
        (openapi.to_owned(), fetched(config, openapi).await?)
    } else {
        let path = context.cwd.join(openapi);
        let bytes = std::fs::read(&path).with_context(|| format!("could not read {openapi}"))?;
        (path.to_string_lossy().into_owned(), bytes.into())
    };
    let document = read(&bytes, &ReadLimits::default()).with_context(|| {
        format!("{openapi} is no document that tools can be made of\nhint: give an OpenAPI document of version 2.0, 3.0 or 3.1, as JSON or YAML")
    })?;
    let wishes =
        DocumentWishes { openapi: &place, name: args.name.as_deref(), base_url: args.base_url.as_deref() };
    Ok((of_document(&document, &wishes), PathBuf::from(openapi)))
}

async fn fetched(config: &Config, url: &str) -> anyhow::Result<Bytes> {
    let mut request = Request::new(Bytes::new());
    *request.uri_mut() = url.parse().with_context(|| format!("{url} is not an address"))?;
    let client = Client::within(Reach::Anywhere, &config.egress);
    let answer = client.send(request, FETCH_LIMIT, ReadLimits::default().bytes_max).await;
    let answer = answer.with_context(|| format!("could not read {url}"))?;
    if !answer.status().is_success() {
        bail!(
            "{url} answered HTTP {}\nhint: give the address where the document really is, or download it and give its path",
            answer.status().as_u16()
        );
    }
    answer.into_body().with_context(|| format!("could not read {url}"))
}

fn plan_json(plan: &ImportPlan) -> Value {
    json!({
        "file": plan.target,
        "added": plan.additions.iter().map(|server| &server.name).collect::<Vec<_>>(),
        "skipped": plan.skipped.iter().map(|(name, reason)| json!({ "name": name, "reason": reason })).collect::<Vec<_>>(),
        "conflicts": plan.conflicts.iter().map(|one| json!({ "name": one.name, "suggested": one.suggested })).collect::<Vec<_>>(),
    })
}
