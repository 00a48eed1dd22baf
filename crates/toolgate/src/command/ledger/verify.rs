//! `toolgate ledger verify`: the ledger by itself, beside the checkpoints that were signed of it, and in its archive; and the messages of
//! runs, whose digests it has.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use toolgate_proof::{LedgerCheckpoint, VerifierKey};
use toolgate_store::{
    BodyCheck, CHANGED_RUNS_MAX, LedgerVerification, MessageVerification, Store, Tampering,
};

use super::archive;
use super::progress::ProgressLine;
use super::render::{self, HeldAgainst};
use crate::checkpoints::{SignedCheckpoint, checkpoint_files, known_keys};
use crate::command::context::Context;
use crate::config::Config;
use crate::output::{say, talk};

/// The result is a line on standard output; progress goes to standard error.
pub(super) async fn run(
    context: &Context,
    config: &Config,
    store: &Store,
    against: &[PathBuf],
    mut keys: Vec<VerifierKey>,
    bodies: BodyCheck,
) -> anyhow::Result<ExitCode> {
    keys.extend(known_keys(config).await);
    let files = files(context, config, against)?;
    let checkpoints = read(store, &files, &keys).await?;
    let mut progress = ProgressLine::new();
    let verified = store.verify_ledger_against(&checkpoints, bodies, |events| progress.tell(events)).await?;
    let archived = match config.ledger.archive.enabled {
        true => Some(archive::verify(context, store, &mut progress).await?),
        false => None,
    };
    // An edited ledger proves nothing about messages.
    let messages = match verified.fault {
        None => store.verify_all_messages().await?,
        Some(_) => MessageVerification::default(),
    };
    progress.clear();
    if verified.events == 0 && verified.fault.is_none() {
        bail!(
            "nothing is verified: the ledger has no events, though the first start of a gateway records some\n\
             hint: `toolgate ledger verify --against FILE` holds it against a checkpoint from wherever it was kept"
        );
    }
    let held = match checkpoints.len() {
        0 if config.checkpoints.is_some() => HeldAgainst::NoneOfThem,
        count => HeldAgainst::Checkpoints(count as u64),
    };
    if context.global.json {
        let LedgerVerification { events, streams, bodies, erased, cuts, checkpoints_before_cuts, fault } =
            &verified;
        let mut told = serde_json::json!({
            "events": events, "streams": streams, "bodies": bodies, "erased": erased,
            "cuts": cuts, "checkpoints": checkpoints.len(), "checkpoints_before_cuts": checkpoints_before_cuts,
            "fault": fault,
        });
        if let Some(archived) = &archived {
            told["archive"] = archive::verified_json(archived);
        }
        if messages.runs > 0 {
            told["messages"] = messages_json(&messages);
        }
        say!("{told}");
    } else {
        say!("{}", render::verified(&verified, held));
        archived.iter().for_each(archive::say_verified);
        say_messages(&messages);
    }
    if let Some(fault) = &verified.fault {
        talk!("hint: {}", advice(fault.what));
    } else if held == HeldAgainst::NoneOfThem {
        talk!(
            "hint: `[checkpoints]` is set, and there is no checkpoint here; `--against FILE` takes one from wherever it was kept"
        );
    }
    let is_proven = verified.fault.is_none() && held != HeldAgainst::NoneOfThem;
    let is_archived = archived.is_none_or(|archived| archived.faults.is_empty());
    Ok(if is_proven && is_archived && messages.changed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The messages of runs that the gateway drives, whose digests the ledger has.
fn messages_json(messages: &MessageVerification) -> serde_json::Value {
    let MessageVerification { runs, messages, changed } = messages;
    let changed: Vec<serde_json::Value> = changed
        .iter()
        .map(|(run, number)| serde_json::json!({ "run": run.as_str(), "number": number }))
        .collect();
    serde_json::json!({ "runs": runs, "messages": messages, "changed": changed })
}

fn say_messages(verified: &MessageVerification) {
    let MessageVerification { runs, messages, changed } = verified;
    for (run, number) in changed {
        say!("message {number} of run {run} is not the one that was written");
    }
    if changed.len() == CHANGED_RUNS_MAX {
        say!("no more runs were checked after {CHANGED_RUNS_MAX} with such a message");
    } else if *runs > 0 && changed.is_empty() {
        say!("{messages} messages of {runs} runs are as they were written");
    }
}

fn advice(what: Tampering) -> &'static str {
    match what {
        what if what.is_first_in_its_stream() => {
            "what comes before it in its stream is as it was written; compare the rest with an export or a backup"
        }
        Tampering::TermForged => {
            "the events of its stream are as they were written, but searches may not find all of them; an export without a filter has them"
        }
        Tampering::BodyEdited | Tampering::BodyMissing | Tampering::BodyForged => {
            "the events are as they were written; compare the arguments and results with a backup"
        }
        _ => "compare the whole ledger with an export or a backup",
    }
}

/// The files that were named, or those of the configured folder.
fn files(context: &Context, config: &Config, against: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let configured = config.checkpoints.as_ref().and_then(|settings| settings.folder.as_deref());
    if against.is_empty() {
        return configured.map_or(Ok(Vec::new()), checkpoint_files);
    }
    let mut files = Vec::new();
    for path in against {
        let path = context.cwd.join(path);
        if !path.is_dir() {
            files.push(path);
            continue;
        }
        let found = checkpoint_files(&path)?;
        if found.is_empty() {
            bail!("there is no checkpoint in {}\nhint: their files end in `.checkpoint`", path.display());
        }
        files.extend(found);
    }
    Ok(files)
}

async fn read(
    store: &Store,
    files: &[PathBuf],
    keys: &[VerifierKey],
) -> anyhow::Result<Vec<LedgerCheckpoint>> {
    let own = store.ledger_name().await?;
    files.iter().map(|file| SignedCheckpoint::read_own(file, &own, keys)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_promises_no_more_than_was_found() {
        for what in [Tampering::Edited, Tampering::Dropped, Tampering::TailRemoved] {
            assert!(advice(what).starts_with("what comes before it in its stream"), "{what}");
        }
        assert!(
            advice(Tampering::TermForged).starts_with("the events of its stream are as they were written")
        );
        assert!(advice(Tampering::BodyMissing).starts_with("the events are as they were written"));
        for what in
            [Tampering::Rewritten, Tampering::StreamRemoved, Tampering::OlderDatabase, Tampering::HeadForged]
        {
            assert!(!advice(what).contains("as it was written"), "{what}");
        }
    }
}
