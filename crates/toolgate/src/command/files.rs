//! `toolgate files`: bytes that agents use by their id alone.

mod progress;
mod render;
mod transfer;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::context::Context;
use super::pages::ApiList;
use super::shown::text;
use crate::cli::{FilesCommand, GetArgs, ListFilesArgs, PutArgs};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{put, say, talk};
use crate::table;
use transfer::{DownloadTarget, UploadSource};

const FILES: ApiList =
    ApiList { path: "files", prefix: "file_", noun: "file", command: "toolgate files list", everything: &[] };

pub(super) async fn run(context: &Context, command: FilesCommand) -> anyhow::Result<ExitCode> {
    match command {
        FilesCommand::Put(args) => store(context, args).await,
        FilesCommand::List(args) => list(context, &args).await,
        FilesCommand::Get(args) => get(context, &args).await,
        FilesCommand::Show { which } => show(context, &which.id).await,
        FilesCommand::Delete { which } => delete(context, &which.id).await,
    }
}

async fn store(context: &Context, args: PutArgs) -> anyhow::Result<ExitCode> {
    // An unreadable file is detected before a gateway is assembled.
    let source = UploadSource::open(&args.path, args.name).await?;
    let mut query = vec![("name", source.name.clone())];
    query.extend(args.owner.map(|owner| ("owner", owner)));
    query.extend(args.expires_in.map(|span| ("expires_in_seconds", span.as_secs().to_string())));
    let ask = async |api: &mut LocalApi| source.send(api, &query).await;
    let file = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if context.global.json {
        put!("{}", table::json(&file));
    } else {
        say!("{}", text(&file["id"]));
        talk!("{}", render::stored(&file));
    }
    Ok(ExitCode::SUCCESS)
}

/// Stores a file under its own name, for a command that hands it on.
async fn put_file(api: &mut LocalApi, path: &Path) -> anyhow::Result<Value> {
    let source = UploadSource::open(path, None).await?;
    let query = [("name", source.name.clone())];
    source.send(api, &query).await
}

/// Stores files, as the input of runs.
pub(super) async fn put_files(api: &mut LocalApi, paths: &[PathBuf]) -> anyhow::Result<Value> {
    let mut input = Vec::with_capacity(paths.len());
    for path in paths {
        let file = put_file(api, path).await?;
        input.push(json!({ "path": file["name"], "file_id": file["id"] }));
    }
    Ok(Value::Array(input))
}

async fn list(context: &Context, args: &ListFilesArgs) -> anyhow::Result<ExitCode> {
    let mut query = Vec::new();
    query.extend(args.owner.as_ref().map(|owner| ("owner", owner.clone())));
    query.extend(args.name.as_ref().map(|name| ("name", name.clone())));
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let ask = async |api: &mut LocalApi| FILES.newest(api, &query, limit).await;
    let files = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", render::list(&files).render(context.reader(), &files));
    if files.len() == limit {
        talk!("the newest {limit} of them; --limit shows more");
    }
    Ok(ExitCode::SUCCESS)
}

async fn get(context: &Context, args: &GetArgs) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| {
        let id = find(api, &args.which.id).await?;
        let file = api.get(&["files", &id], &[]).await?;
        let place = DownloadTarget::of(args.output.as_deref(), &context.cwd, text(&file["name"]))?;
        let download = api.fetch(&["files", &id, "content"]).await?;
        transfer::save(download, &place, text(&file["digest"])).await?;
        Ok((file, place))
    };
    let (file, place) = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    match &place {
        // The bytes were all that was asked for.
        DownloadTarget::StandardOutput => {}
        DownloadTarget::File { .. } if context.global.json => put!("{}", table::json(&file)),
        DownloadTarget::File { path, .. } => say!("{}", path.display()),
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(context: &Context, id: &str) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| {
        let id = find(api, id).await?;
        api.get(&["files", &id], &[]).await
    };
    let file = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", if context.global.json { table::json(&file) } else { render::show(&file) });
    Ok(ExitCode::SUCCESS)
}

async fn delete(context: &Context, id: &str) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| {
        let id = find(api, id).await?;
        let file = api.get(&["files", &id], &[]).await?;
        api.delete(&["files", &id]).await?;
        Ok(file)
    };
    let file = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if context.global.json {
        put!("{}", table::json(&file));
    } else {
        say!("deleted {}", text(&file["id"]));
    }
    Ok(ExitCode::SUCCESS)
}

/// The id of the one matching file.
async fn find(api: &mut LocalApi, given: &str) -> anyhow::Result<String> {
    FILES.find(api, given).await.map(|file| text(&file["id"]).to_owned())
}
