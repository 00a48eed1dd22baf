//! `toolgate ledger prove`: a file that proves one call and shows no other.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate_core::Digest;
use toolgate_core::event::{Event, RecordedEvent};
use toolgate_proof::{CallProof, DisclosedBodies, DisclosedBody, ProvenStream};
use toolgate_store::Store;

use super::export::ExportSink;
use super::found::{ReadBodies, named_call, read_bodies};
use crate::checkpoints::{SignedCheckpoint, known_keys, sign_next};
use crate::command::context::Context;
use crate::config::Config;
use crate::output::talk;
use crate::proving::{by_stream, prove_stream};
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
        let mut proven = prove_stream(store, &signed, stream, &events).await?;
        disclose(&mut proven, &events, &bodies);
        streams.push(proven);
    }
    let proof = CallProof::new(call.as_str(), streams);
    let target = wanted.output.map(|file| context.cwd.join(file));
    ExportSink::put(target.as_deref(), &json(&proof))?;
    if let Some(target) = target {
        talk!("wrote the proof of {call} to {}", target.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds what the events' bodies were, as far as they are shown.
fn disclose(proven: &mut ProvenStream, events: &[&RecordedEvent], bodies: &ReadBodies) {
    for one in &mut proven.events {
        let event = events.iter().find(|event| event.number.unsigned_abs() == one.number);
        let shown = event.map(|event| disclosed(event, bodies)).unwrap_or_default();
        one.disclosed = Some(shown).filter(|shown| *shown != DisclosedBodies::default());
    }
}

fn disclosed(event: &RecordedEvent, bodies: &ReadBodies) -> DisclosedBodies {
    let find = |digest: Option<Digest>| {
        let kept = bodies.get(&digest?)?.as_ref()?;
        Some(DisclosedBody { salt: kept.salt, body: kept.json.as_str().to_owned() })
    };
    let Event { input, output, meta, .. } = &event.event;
    DisclosedBodies { input: find(*input), output: find(*output), meta: find(*meta) }
}
