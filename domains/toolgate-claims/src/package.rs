//! A claim as a manifest that needs nothing else: the claim, PROV-JSON, every document that it cites with its parsed form, the runs, the ledger's
//! events of the calls that made it, and proofs of them. `toolgate substrate export` writes it as one file.

use std::collections::BTreeSet;

use bytes::Bytes;
use manifest_tree::EntryPath;
use serde_json::{Value, json};
use toolgate_core::claim::EvidenceLocation;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::moment::rfc3339;
use toolgate_core::substrate::ArtifactDigest;
use toolgate_core::{Refusal, codes};
use toolgate_documents::content_id;
use toolgate_domain::ToolContext;
use toolgate_store::{Actor, ledger_event_json};
use toolgate_substrate::{Manifest, SnapshotContent, SnapshotEntry};

use crate::case::ClaimCase;
use crate::claims::Claims;
use crate::prov;
use crate::refusal::down;

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";

/// A package that was made.
pub(crate) struct ClaimPackage {
    pub(crate) manifest: Manifest,
    pub(crate) events: usize,
    /// `None` where no checkpoints are signed.
    pub(crate) proofs: Option<usize>,
}

impl Claims {
    /// Makes the package. The caller must be allowed to read every document that is cited.
    pub(crate) async fn package(
        &self,
        context: &ToolContext,
        case: &ClaimCase,
        whole: Value,
    ) -> Result<ClaimPackage, Refusal> {
        let mut entries =
            vec![text("claim.json", JSON, &whole)?, text("prov.json", JSON, &prov::document(case))?];
        entries.extend(self.documents_of(context, case).await?);
        for run in runs_of(case) {
            entries.push(self.run_entry(run).await?);
        }
        let calls = case.calls();
        let (lines, events) = self.ledger_of(&calls).await?;
        entries.push(entry("ledger.jsonl", LINES, lines)?);
        let proofs = self.proofs.prove(&calls).await?;
        let count = proofs.as_ref().map(Vec::len);
        for proved in proofs.into_iter().flatten() {
            entries.push(entry(&format!("proofs/{}.json", proved.call), JSON, proved.proof)?);
        }
        let message = format!("claim {}, {}", case.claim.id, case.claim.digest);
        let manifest = self.substrate.snapshot(&Actor::of(&context.holder), entries, &message).await?;
        Ok(ClaimPackage { manifest, events, proofs: count })
    }

    async fn documents_of(
        &self,
        context: &ToolContext,
        case: &ClaimCase,
    ) -> Result<Vec<SnapshotEntry>, Refusal> {
        let mut entries = Vec::new();
        let cited: BTreeSet<(ArtifactDigest, ArtifactDigest)> = cited(case).collect();
        let artifacts: BTreeSet<ArtifactDigest> = cited.iter().map(|(artifact, _)| *artifact).collect();
        for artifact in artifacts {
            self.files.find(&context.holder, &artifact.to_string()).await?;
            entries.push(stored(&format!("artifacts/{}", content_id(artifact).as_str()), artifact)?);
        }
        let parsed: BTreeSet<ArtifactDigest> = cited.into_iter().map(|(_, docir)| docir).collect();
        for docir in parsed {
            entries.push(stored(&format!("docir/{}.json", content_id(docir).as_str()), docir)?);
        }
        Ok(entries)
    }

    async fn run_entry(&self, id: &RunId) -> Result<SnapshotEntry, Refusal> {
        let run = self.store.run(id).await.map_err(|error| down(&error))?;
        let about = run.map(|run| {
            json!({
                "id": run.id,
                "state": run.state.as_str(),
                "agent": run.agent.as_str(),
                "principal": run.principal,
                "input_manifest": run.manifests.input,
                "output_manifest": run.manifests.output,
                "result": run.report.result,
                "created_at": rfc3339(run.created_at_ms),
                "ended_at": run.ended_at_ms.map(rfc3339),
            })
        });
        text(&format!("runs/{id}.json"), JSON, &about.unwrap_or_else(|| json!({ "id": id, "state": "gone" })))
    }

    /// The events of these calls, a line each.
    async fn ledger_of(&self, calls: &[CallId]) -> Result<(Vec<u8>, usize), Refusal> {
        let (mut lines, mut count) = (Vec::new(), 0);
        for call in calls {
            for event in self.store.ledger_call(call).await.map_err(|error| down(&error))? {
                lines.extend_from_slice(ledger_event_json(&event).to_string().as_bytes());
                lines.push(b'\n');
                count += 1;
            }
        }
        Ok((lines, count))
    }
}

/// Documents and their parsed forms.
fn cited(case: &ClaimCase) -> impl Iterator<Item = (ArtifactDigest, ArtifactDigest)> {
    case.evidence.iter().filter_map(|evidence| match &evidence.location {
        EvidenceLocation::Citation { artifact, docir, .. } => Some((*artifact, *docir)),
        EvidenceLocation::Run(_) | EvidenceLocation::Word => None,
    })
}

fn runs_of(case: &ClaimCase) -> BTreeSet<&RunId> {
    let runs = case.evidence.iter().filter_map(|evidence| match &evidence.location {
        EvidenceLocation::Run(run) => Some(run),
        EvidenceLocation::Citation { .. } | EvidenceLocation::Word => None,
    });
    runs.collect()
}

fn text(path: &str, media_type: &str, value: &Value) -> Result<SnapshotEntry, Refusal> {
    entry(path, media_type, format!("{value:#}\n").into_bytes())
}

fn entry(path: &str, media_type: &str, bytes: Vec<u8>) -> Result<SnapshotEntry, Refusal> {
    let content = SnapshotContent::Bytes { bytes: Bytes::from(bytes), media_type: media_type.to_owned() };
    Ok(SnapshotEntry { path: read_path(path)?, content, metadata: None })
}

fn stored(path: &str, digest: ArtifactDigest) -> Result<SnapshotEntry, Refusal> {
    let content = SnapshotContent::Artifact(digest);
    Ok(SnapshotEntry { path: read_path(path)?, content, metadata: None })
}

/// Ids of runs and calls come from rows, and could be anything.
fn read_path(path: &str) -> Result<EntryPath, Refusal> {
    EntryPath::new(path)
        .map_err(|error| Refusal::new(&codes::INVALID_ARGUMENTS, format!("{path:?} is no path: {error}")))
}
