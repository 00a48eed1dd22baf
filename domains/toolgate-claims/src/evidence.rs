//! Checking evidence: words must stand in their document, and a calculation must have ended well.

use std::sync::Arc;

use docir::{Citation, CitationStanding, DocIr, QUOTE_LETTERS_MIN, Quote};
use engine_protocol::DocumentTier;
use toolgate_core::claim::{ClaimEvidence, EvidenceLocation, EvidenceStanding};
use toolgate_core::id::RunId;
use toolgate_core::run::RunState;
use toolgate_core::substrate::{ArtifactDigest, parse_digest};
use toolgate_core::{RawJson, Refusal, RefusalKind, codes};
use toolgate_documents::content_id;
use toolgate_domain::ToolContext;
use toolgate_runs::visible_run;
use toolgate_store::Actor;

use crate::claims::Claims;
use crate::refusal::{absent, ambiguous, down, invalid, unknown_citation};

const QUOTE_CHARS_MAX: usize = 8_000;
const CONTEXT_CHARS_MAX: usize = 200;
/// An item that no document has.
const NOWHERE: &str = "";

/// Words that a caller says stand in a document.
pub(crate) struct OfferedCitation {
    pub(crate) artifact: String,
    pub(crate) docir: Option<String>,
    /// The place, if the caller knows it.
    pub(crate) span: Option<OfferedSpan>,
    pub(crate) quote: Quote,
}

pub(crate) struct OfferedSpan {
    pub(crate) item: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Evidence that was checked.
pub(crate) struct CheckedEvidence {
    pub(crate) location: EvidenceLocation,
    pub(crate) standing: EvidenceStanding,
}

impl Claims {
    /// Checks words against their document. Those that do not stand there are refused.
    pub(crate) async fn check_citation(
        &self,
        context: &ToolContext,
        offered: OfferedCitation,
    ) -> Result<CheckedEvidence, Refusal> {
        check_length(&offered.quote)?;
        let artifact = read_digest(&offered.artifact, "artifact")?;
        let docir = self.docir_of(context, artifact, offered.docir.as_deref()).await?;
        let document = self.documents.docir(docir).await?;
        let has_span = offered.span.is_some();
        let span = offered.span.unwrap_or_else(|| OfferedSpan { item: NOWHERE.to_owned(), start: 0, end: 0 });
        let citation = Citation {
            artifact: content_id(artifact).as_str().to_owned(),
            docir: content_id(docir).as_str().to_owned(),
            item: span.item,
            start: span.start,
            end: span.end,
            page: None,
            quads: Vec::new(),
            quote: offered.quote,
        };
        let (citation, is_moved) = judge(document, citation).await?;
        let standing = match is_moved && has_span {
            true => EvidenceStanding::Moved,
            false => EvidenceStanding::Verified,
        };
        let citation = RawJson::from_serialize(&citation);
        Ok(CheckedEvidence { location: EvidenceLocation::Citation { artifact, docir, citation }, standing })
    }

    /// Checks the run of a calculation. One that the caller does not see does not exist.
    pub(crate) async fn check_run(
        &self,
        context: &ToolContext,
        id: String,
    ) -> Result<CheckedEvidence, Refusal> {
        let run = visible_run(&self.runs, context, Some(id)).await?;
        if run.state != RunState::Completed {
            let message = format!("the run {} is {}", run.id, run.state.as_str());
            return Err(Refusal::new(&codes::EVIDENCE_RUN, message).field("run"));
        }
        let (location, standing) = (EvidenceLocation::Run(run.id), EvidenceStanding::Verified);
        Ok(CheckedEvidence { location, standing })
    }

    /// The standing of evidence now.
    pub(crate) async fn standing_now(&self, evidence: &ClaimEvidence) -> Result<EvidenceStanding, Refusal> {
        match &evidence.location {
            EvidenceLocation::Word => Ok(EvidenceStanding::Stated),
            EvidenceLocation::Run(run) => self.run_standing(run).await,
            EvidenceLocation::Citation { docir, citation, .. } => {
                let Ok(citation) = citation.decode::<Citation>() else { return Ok(EvidenceStanding::Absent) };
                match self.documents.docir(*docir).await {
                    Ok(document) => Ok(standing(&blocking_check(document, citation).await)),
                    Err(refusal) if matches!(refusal.kind, RefusalKind::Down | RefusalKind::TooMany) => {
                        Err(refusal)
                    }
                    Err(_) => Ok(EvidenceStanding::Absent),
                }
            }
        }
    }

    async fn run_standing(&self, run: &RunId) -> Result<EvidenceStanding, Refusal> {
        let run = self.store.run(run).await.map_err(|error| down(&error))?;
        Ok(match run {
            Some(run) if run.state == RunState::Completed => EvidenceStanding::Verified,
            _ => EvidenceStanding::Absent,
        })
    }

    /// The parsed form of a document that the caller may read: the one that was named, or one that is made now.
    async fn docir_of(
        &self,
        context: &ToolContext,
        artifact: ArtifactDigest,
        docir: Option<&str>,
    ) -> Result<ArtifactDigest, Refusal> {
        let found = self.files.find(&context.holder, &artifact.to_string()).await?;
        let Some(docir) = docir else {
            let name = found.name.as_ref().map(|name| name.as_str());
            let (media_type, author) = (Some(found.media_type.as_str()), Actor::of(&context.holder));
            let tier = DocumentTier::Standard;
            let parsed = self.documents.parsed(artifact, media_type, name, tier, &author).await?;
            return Ok(parsed.docir);
        };
        let docir = read_digest(docir, "docir")?;
        let parsed = self.store.parsed_document_of(&docir).await.map_err(|error| down(&error))?;
        match parsed.is_some_and(|parsed| parsed.artifact == artifact) {
            true => Ok(docir),
            false => Err(unknown_citation(format!("{docir} is no parsed form of {artifact}"))),
        }
    }
}

/// The citation at the place where its words stand, and true if that is not the place that it named.
async fn judge(document: Arc<DocIr>, citation: Citation) -> Result<(Citation, bool), Refusal> {
    let judging = move || {
        let checked = docir::check(&document, &citation);
        let (item, span, is_moved) = match checked {
            CitationStanding::Verified => (citation.item.clone(), citation.start..citation.end, false),
            CitationStanding::Moved { item, start, end } => (item, start..end, true),
            CitationStanding::Absent => {
                let places = docir::count_places(&document, &citation.quote.exact);
                let exact = &citation.quote.exact;
                return Err(if places > 1 { ambiguous(exact, places) } else { absent(exact) });
            }
        };
        let cited = docir::cite(&document, &citation.artifact, &citation.docir, &item, span);
        cited.map(|cited| (cited, is_moved)).ok_or_else(|| absent(&citation.quote.exact))
    };
    // A long document takes a while, and others wait for this thread.
    tokio::task::spawn_blocking(judging).await.expect("checking a citation does not panic")
}

async fn blocking_check(document: Arc<DocIr>, citation: Citation) -> CitationStanding {
    let checking = move || docir::check(&document, &citation);
    tokio::task::spawn_blocking(checking).await.expect("checking a citation does not panic")
}

fn standing(checked: &CitationStanding) -> EvidenceStanding {
    match checked {
        CitationStanding::Verified => EvidenceStanding::Verified,
        CitationStanding::Moved { .. } => EvidenceStanding::Moved,
        CitationStanding::Absent => EvidenceStanding::Absent,
    }
}

fn check_length(quote: &Quote) -> Result<(), Refusal> {
    if docir::quote_letters(&quote.exact) < QUOTE_LETTERS_MIN {
        let message = format!("the quotation has fewer than {QUOTE_LETTERS_MIN} characters");
        return Err(invalid(message, "quote").hint("quote enough words to be found by no chance"));
    }
    for (text, max) in [
        (&quote.exact, QUOTE_CHARS_MAX),
        (&quote.prefix, CONTEXT_CHARS_MAX),
        (&quote.suffix, CONTEXT_CHARS_MAX),
    ] {
        if text.chars().nth(max).is_some() {
            let message = format!("a part of the quotation has more than {max} characters");
            return Err(invalid(message, "quote").hint("quote the sentences that matter"));
        }
    }
    Ok(())
}

fn read_digest(text: &str, field: &'static str) -> Result<ArtifactDigest, Refusal> {
    parse_digest(text).map_err(|_| {
        invalid(format!("`{field}` is no digest"), field).hint("give `sha256:` and 64 hexadecimal digits")
    })
}
