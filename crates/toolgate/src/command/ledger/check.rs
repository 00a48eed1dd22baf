//! `toolgate ledger check`: the proof of a call, checked with nothing but a public key.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::Value;
use toolgate_core::event::RecordedEvent;
use toolgate_core::moment::rfc3339;
use toolgate_core::{Digest, RawJson};
use toolgate_proof::{CallProof, CheckedLine, DisclosedBody, VerifierKey};
use toolgate_store::{event_of_line, ledger_event_json};

use super::render::{self, StoredBody};
use crate::command::context::Context;
use crate::output::{printable, put};
use crate::table::json;

/// The maximum size of a proof that is read.
const FILE_BYTES_MAX: u64 = 256 << 20;
const MADE_BY: &str =
    "a proof is the file of one call that `toolgate ledger prove` wrote; ask its sender for it again";

pub(super) fn run(context: &Context, file: &Path, keys: &[VerifierKey]) -> anyhow::Result<ExitCode> {
    if keys.is_empty() {
        bail!(
            "a proof is checked with a public key\n\
             hint: --key KEY; its owner prints it with `toolgate ledger key`, and you must have it from somewhere you trust"
        );
    }
    let path = context.cwd.join(file);
    let size = path.metadata().with_context(|| format!("could not read {}", path.display()))?.len();
    if size > FILE_BYTES_MAX {
        bail!("{} is too large for a proof\nhint: {MADE_BY}", path.display());
    }
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let proved = ProvedCall::of(&text, keys)
        .with_context(|| format!("{} proves nothing\nhint: {MADE_BY}", path.display()))?;
    if context.global.json {
        put!("{}", json(&proved.output()));
    } else {
        put!("{}", printable(&proved.shown()));
    }
    Ok(ExitCode::SUCCESS)
}

/// What a file proves.
struct ProvedCall {
    call: String,
    /// In the order of time.
    events: Vec<RecordedEvent>,
    bodies: BTreeMap<Digest, RawJson>,
    signed: Vec<SignedBy>,
}

#[derive(PartialEq, serde::Serialize)]
struct SignedBy {
    stream: String,
    /// The number of events that the checkpoint covers.
    size: u64,
    at: String,
    ledger: String,
    key: String,
}

/// For programs.
#[derive(serde::Serialize)]
struct ProofOutput<'a> {
    call: &'a str,
    events: Vec<Value>,
    bodies: &'a BTreeMap<Digest, RawJson>,
    signed: &'a [SignedBy],
}

impl ProvedCall {
    fn of(text: &str, keys: &[VerifierKey]) -> anyhow::Result<Self> {
        let proof = CallProof::parse(text)?;
        let (mut events, mut bodies, mut signed) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut numbers = BTreeSet::new();
        for line in proof.check(keys)? {
            let event = event_of(&proof, &line)?;
            let (named, shown) = (&event.event, &line.disclosed);
            let pairs =
                [(named.input, &shown.input), (named.output, &shown.output), (named.meta, &shown.meta)];
            for (digest, body) in pairs {
                bodies.extend(opened(digest, body.as_ref(), event.number)?);
            }
            if !numbers.insert((event.stream.to_string(), event.number)) {
                bail!("event {} of stream {} is in it more than once", event.number, event.stream);
            }
            let by = SignedBy::of(&line);
            if signed.first().is_some_and(|first: &SignedBy| first.ledger != by.ledger) {
                bail!("its events are of different ledgers, which may have the same streams and calls");
            }
            if !signed.contains(&by) {
                signed.push(by);
            }
            events.push(event);
        }
        events.sort_by_key(|one: &RecordedEvent| one.time);
        Ok(Self { call: proof.call, events, bodies, signed })
    }

    fn output(&self) -> ProofOutput<'_> {
        let events = self.events.iter().map(ledger_event_json).collect();
        ProofOutput { call: &self.call, events, bodies: &self.bodies, signed: &self.signed }
    }

    fn shown(&self) -> String {
        let body = |digest: &Digest| match self.bodies.get(digest) {
            Some(json) => StoredBody::Here(json.clone()),
            None => StoredBody::Undisclosed,
        };
        let mut text = "proved: these events were in the ledger when it was signed\n\n".to_owned();
        text.push_str(&render::call(&self.events, body));
        text.push('\n');
        for by in &self.signed {
            let SignedBy { stream, size, at, ledger, key } = by;
            text.push_str(&format!(
                "signed at {at} by {key}: ledger {ledger}, stream {stream}, {size} events\n"
            ));
        }
        text.push_str("Further events of the call, if there are any, are not shown.\n");
        text
    }
}

impl SignedBy {
    fn of(line: &CheckedLine) -> Self {
        let signed = &line.signed;
        Self {
            stream: signed.tree.stream.clone(),
            size: signed.tree.size,
            at: rfc3339(signed.at_ms),
            ledger: signed.store.clone(),
            key: signed.key.to_string(),
        }
    }
}

/// The event of a line, which must say itself that it belongs to the call and to its place.
fn event_of(proof: &CallProof, line: &CheckedLine) -> anyhow::Result<RecordedEvent> {
    let (number, stream) = (line.number, &line.signed.tree.stream);
    let event = event_of_line(&line.line)
        .with_context(|| format!("event {number} of stream {stream} is signed, but cannot be read"))?;
    if *event.stream != **stream || event.number.unsigned_abs() != number {
        bail!("event {number} of stream {stream} is signed, but says that it stands elsewhere");
    }
    if event.event.about.call.as_ref().is_none_or(|call| call.as_str() != proof.call) {
        bail!("event {number} of stream {stream} is signed, but is not about the call {}", proof.call);
    }
    Ok(event)
}

/// A disclosed body, which must have the digest that the event names.
fn opened(
    digest: Option<Digest>,
    body: Option<&DisclosedBody>,
    number: i64,
) -> anyhow::Result<Option<(Digest, RawJson)>> {
    let Some(body) = body else { return Ok(None) };
    let digest = digest.filter(|digest| body.opens(digest)).with_context(|| {
        format!(
            "event {number} is signed, but the arguments, result or `_meta` shown with it are not its own"
        )
    })?;
    let json = RawJson::parse(body.body.clone().into_bytes().into()).context("what is shown is not JSON")?;
    Ok(Some((digest, json)))
}
