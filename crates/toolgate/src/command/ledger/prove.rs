//! `toolgate ledger prove`: a file that proves one call and shows no other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use toolgate_core::Digest;
use toolgate_core::event::RecordedEvent;
use toolgate_proof::{CallProof, DisclosedBodies, DisclosedBody, ProvenStream};
use toolgate_store::Store;

use super::export::ExportSink;
use super::found::{ReadBodies, named_call, read_bodies};
use crate::checkpoints::{SignedCheckpoint, known_keys, sign_next};
use crate::command::context::Context;
use crate::config::Config;
use crate::output::talk;
use crate::table::json;

pub(super) struct ProofRequest {
    pub(super) call: String,
    pub(super) checkpoint: Option<PathBuf>,
    pub(super) disclose: bool,
    pub(super) output: Option<PathBuf>,
}

pub(super) async fn run(
    context: &Context,
    config: &Config,
    store: &Store,
    wanted: ProofRequest,
) -> anyhow::Result<ExitCode> {
    let events = named_call(store, &wanted.call).await?;
    let call =
        events.iter().find_map(|one| one.event.about.call.as_ref()).context("the call has no events")?;
    let signed = match &wanted.checkpoint {
        Some(file) => SignedCheckpoint::read(&context.cwd.join(file), &known_keys(config).await)?,
        None => sign_next(config, store).await?,
    };
    let bodies = if wanted.disclose { read_bodies(store, &events).await? } else { BTreeMap::new() };
    let mut streams = Vec::new();
    for (stream, events) in by_stream(&events) {
        streams.push(prove(store, &signed, stream, &events, &bodies).await?);
    }
    let proof = CallProof::new(call.as_str(), streams);
    let target = wanted.output.map(|file| context.cwd.join(file));
    ExportSink::put(target.as_deref(), &json(&proof))?;
    if let Some(target) = target {
        talk!("wrote the proof of {call} to {}", target.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn by_stream(events: &[RecordedEvent]) -> BTreeMap<&str, Vec<&RecordedEvent>> {
    let mut streams: BTreeMap<&str, Vec<&RecordedEvent>> = BTreeMap::new();
    for event in events {
        streams.entry(&event.stream).or_default().push(event);
    }
    streams
}

async fn prove(
    store: &Store,
    signed: &SignedCheckpoint,
    stream: &str,
    events: &[&RecordedEvent],
    bodies: &ReadBodies,
) -> anyhow::Result<ProvenStream> {
    const NEWER: &str = "leave --checkpoint out, or give a newer one";
    let mut trees = signed.checkpoint.streams.iter().zip(&signed.notes);
    let Some((tree, note)) = trees.find(|(tree, _)| tree.stream == stream) else {
        bail!("the checkpoint does not have the stream {stream}\nhint: {NEWER}");
    };
    let numbers: BTreeSet<i64> = events.iter().map(|one| one.number).collect();
    if numbers.last().is_some_and(|last| u64::try_from(*last).is_ok_and(|last| last > tree.size)) {
        bail!("the call has events that were recorded after the checkpoint\nhint: {NEWER}");
    }
    let Some(mut proven) = store.prove_events(tree, &numbers).await? else {
        bail!(
            "the stream {stream} is not what the checkpoint says\n\
             hint: `toolgate ledger verify --against FILE` names what is wrong"
        );
    };
    for one in &mut proven {
        let event = events.iter().find(|event| event.number.unsigned_abs() == one.number);
        let shown = event.map(|event| disclosed(event, bodies)).unwrap_or_default();
        one.disclosed = Some(shown).filter(|shown| *shown != DisclosedBodies::default());
    }
    Ok(ProvenStream { checkpoint: note.to_string(), events: proven })
}

fn disclosed(event: &RecordedEvent, bodies: &ReadBodies) -> DisclosedBodies {
    let find = |digest: Option<Digest>| {
        let kept = bodies.get(&digest?)?.as_ref()?;
        Some(DisclosedBody { salt: kept.salt, body: kept.json.as_str().to_owned() })
    };
    DisclosedBodies { input: find(event.event.input), output: find(event.event.output) }
}
