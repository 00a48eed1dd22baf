//! `toolgate store`: moving what the gateway has stored to another database, and bringing it to the form of this version.

mod progress;
mod upgrade;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::json;
use toolgate_core::moment::rfc3339;
use toolgate_files::StoragePlace;
use toolgate_store::{Store, StoreTransfer, TransferError, TransferOutset, TransferReport};

use super::context::Context;
use super::shown;
use crate::cli::{MigrateArgs, StoreCommand};
use crate::config::Config;
use crate::lock::{self, GatewayLock};
use crate::output::{put, talk};
use crate::table::TextTable;
use progress::TransferLine;

pub(super) async fn run(context: &Context, command: StoreCommand) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Migrate(args) => migrate(context, args).await,
        StoreCommand::Upgrade { check: true } => upgrade::check(context).await,
        StoreCommand::Upgrade { check: false } => upgrade::run(context).await,
    }
}

async fn migrate(context: &Context, args: MigrateArgs) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let folder = args.from.as_ref().map_or_else(|| config.data.clone(), |from| context.cwd.join(from));
    let _lock = locked(&folder).await?;
    let source = Store::open(&folder).await?;
    let moved = moved(&source, &args).await;
    source.close().await;
    let report = moved?;
    put!("{}", table(&report).render(context.reader(), &view(&report, args.dry_run)));
    tell(&report, &args, &config, &folder);
    Ok(ExitCode::SUCCESS)
}

/// The lock keeps gateways from starting meanwhile.
async fn locked(folder: &Path) -> anyhow::Result<GatewayLock> {
    if !Store::is_kept_in(folder) {
        bail!(
            "there is no database in {}, so there is nothing to move\nhint: name the data folder of the gateway with `--from DIR`",
            folder.display()
        );
    }
    if let Some(running) = lock::running(folder) {
        bail!(
            "a gateway (pid {}) runs on {}\nhint: stop it first, so that nothing is written that would not be moved",
            running.pid,
            folder.display()
        );
    }
    GatewayLock::take(folder, None).await
}

async fn moved(source: &Store, args: &MigrateArgs) -> anyhow::Result<TransferReport> {
    let target = Store::open_target(&args.to).await.context("could not open the target")?;
    let mut line = TransferLine::new();
    let report = async {
        let transfer = StoreTransfer::new(source, &target).await?;
        match args.dry_run {
            true => transfer.rehearse(|progress| line.at(progress)).await,
            false => transfer.run(|progress| line.at(progress)).await,
        }
    };
    let report = report.await;
    line.clear();
    target.close().await;
    report.map_err(refused)
}

fn refused(error: TransferError) -> anyhow::Error {
    let hint = match &error {
        TransferError::NotEmpty { .. } | TransferError::OtherStore => {
            "move to an empty database, such as a new one of `createdb`".to_owned()
        }
        TransferError::Done { ended_at_ms } => format!(
            "it was finished at {}; set `url` in `[store]`, or move to an empty database if the gateway went on with SQLite",
            rfc3339(*ended_at_ms)
        ),
        TransferError::Differs { .. } | TransferError::LedgerDiffers { .. } => {
            "see that nothing else uses the data folder or the target, and repeat the command: it begins from the start"
                .to_owned()
        }
        TransferError::Tables { .. } => {
            "let no other program change the tables of the target, or move to an empty database".to_owned()
        }
        TransferError::Store(_) => "repeat the command: it goes on where it stopped".to_owned(),
    };
    match error {
        TransferError::Store(error) => {
            anyhow::Error::new(error).context(format!("the store was not moved\nhint: {hint}"))
        }
        error => anyhow::anyhow!("{error}\nhint: {hint}"),
    }
}

fn view(report: &TransferReport, is_dry_run: bool) -> serde_json::Value {
    let tables: Vec<_> =
        report.tables.iter().map(|(table, rows)| json!({ "table": table, "rows": rows })).collect();
    let ledger = &report.ledger;
    json!({
        "dry_run": is_dry_run,
        "start": report.start,
        "tables": tables,
        "rows": report.rows(),
        "ledger": { "events": ledger.events, "streams": ledger.streams, "fault": ledger.fault },
    })
}

fn table(report: &TransferReport) -> TextTable {
    let mut table = TextTable::new(["TABLE", "ROWS"]);
    for (name, rows) in &report.tables {
        table.row([name.clone(), shown::count(*rows)]);
    }
    table
}

/// The result and the next step, for people.
fn tell(report: &TransferReport, args: &MigrateArgs, config: &Config, folder: &Path) {
    let (rows, events) =
        (shown::several(report.rows(), "row"), shown::several(report.ledger.events, "event"));
    match report.start {
        TransferOutset::Fresh => {}
        TransferOutset::Resumed => talk!("an earlier run was interrupted; this one goes on with it"),
        TransferOutset::StartedOver => {
            talk!(
                "the source has changed since an earlier run was interrupted; this one begins from the start"
            )
        }
    }
    if let Some(fault) = &report.ledger.fault {
        talk!("warning: the ledger does not verify, in the source as in the target: {fault}");
    }
    if args.dry_run {
        talk!("{rows} would be moved, with {events} of the ledger; nothing was");
        return;
    }
    talk!("moved {rows}; both databases hold the same, and the ledger with its {events} verifies as before");
    talk!(
        "next: write this into toolgate.toml, and start the gateway:\n\n[store]\nurl = {:?}\n",
        without_password(&args.to)
    );
    match &config.files.place {
        StoragePlace::Folder(files) => {
            talk!(
                "files were not moved and stay in {}; the vault's key stays in {}",
                files.display(),
                folder.display()
            );
        }
        StoragePlace::S3(_) => {
            talk!(
                "files were not moved and stay in their bucket; the vault's key stays in {}",
                folder.display()
            );
        }
    }
    talk!("{} is not read any more; keep it until you are content", folder.join("toolgate.db").display());
}

/// The URL with a reference to the environment in place of its password.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let Some((login, place)) = rest.rsplit_once('@') else { return url.to_owned() };
    match login.split_once(':') {
        Some((user, _)) => format!("{scheme}://{user}:${{DATABASE_PASSWORD}}@{place}"),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_of_a_url_is_not_printed() {
        let shown = without_password("postgres://me:ge:heim@db.example.com:5432/gate?sslmode=require");
        assert_eq!(shown, "postgres://me:${DATABASE_PASSWORD}@db.example.com:5432/gate?sslmode=require");
        for plain in ["postgres://me@db/gate", "postgres:///gate?host=/run/postgresql"] {
            assert_eq!(without_password(plain), plain);
        }
    }
}
