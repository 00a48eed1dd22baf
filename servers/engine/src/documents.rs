//! Documents from the engine's side: jobs for workers, and what they made.

use std::path::PathBuf;
use std::sync::Arc;

use capability_kit::{CallEnding, JobLimits, Trouble, TroubleCode, Workers};
use engine_protocol::{ContentId, EngineErrorCode, EngineFault, PagePicture, Parse, Parsed, RenderedPicture};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::TempPath;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use crate::contents::{ContentPins, Contents};
use crate::fault::{bad_request, cancelled, fault, hinted, internal, missing_contents};
use crate::options::POSTGRES_VARIABLE;
use crate::worker::{DocumentJob, DrawnFacts, PAGE_PICTURE, PARSE, ParsedFacts};

/// Pixels of a page's picture.
const PICTURE_WIDTH_MAX: u32 = 4096;

pub(crate) struct Documents {
    contents: Arc<Contents>,
    workers: Workers,
}

/// A file that a worker has written, and the facts about it.
struct WorkerResult<F> {
    facts: F,
    content: ContentId,
    bytes: u64,
}

impl Documents {
    /// `scratch` is there and the engine's own.
    pub(crate) fn new(contents: Arc<Contents>, limits: JobLimits, scratch: PathBuf) -> Self {
        Self { contents, workers: Workers::new(limits, scratch, &[POSTGRES_VARIABLE]) }
    }

    pub(crate) async fn parse(
        &self,
        parse: Parse,
        cancelled: CancellationToken,
    ) -> Result<Parsed, EngineFault> {
        let artifact = parse.artifact.clone();
        let made: WorkerResult<ParsedFacts> = self.make(PARSE, &artifact, parse, cancelled).await?;
        Ok(Parsed {
            docir: made.content,
            bytes: made.bytes,
            media_type: made.facts.media_type,
            pages: made.facts.pages,
            items: made.facts.items,
            tables: made.facts.tables,
            confidence: made.facts.confidence,
            warnings: made.facts.warnings,
        })
    }

    pub(crate) async fn page_picture(
        &self,
        picture: PagePicture,
        cancelled: CancellationToken,
    ) -> Result<RenderedPicture, EngineFault> {
        if picture.page == 0 || picture.width == 0 || picture.width > PICTURE_WIDTH_MAX {
            let message = format!("there is no page {} that is {} pixels wide", picture.page, picture.width);
            let hint = format!("pages count from 1, and a picture has 1 to {PICTURE_WIDTH_MAX} pixels");
            return Err(bad_request(message, &hint));
        }
        let artifact = picture.artifact.clone();
        let made: WorkerResult<DrawnFacts> = self.make(PAGE_PICTURE, &artifact, picture, cancelled).await?;
        Ok(RenderedPicture {
            picture: made.content,
            bytes: made.bytes,
            width: made.facts.width,
            height: made.facts.height,
            page_width: made.facts.page_width,
            page_height: made.facts.page_height,
        })
    }

    /// Ends the worker processes.
    pub(crate) async fn close(&self) {
        self.workers.close().await;
    }

    async fn make<R: Serialize, F: DeserializeOwned>(
        &self,
        job: &'static str,
        artifact: &ContentId,
        request: R,
        cancelled: CancellationToken,
    ) -> Result<WorkerResult<F>, EngineFault> {
        let _pins: ContentPins = self.contents.pin([artifact.clone()]);
        let from = self.contents.path(artifact).ok_or_else(|| missing_contents(vec![artifact.clone()]))?;
        let file = self.contents.unfinished()?;
        let arguments = serde_json::to_value(DocumentJob { request, from, to: file.to_path_buf() })
            .map_err(|error| internal("writing a job", error))?;
        let answer = self.workers.call(job, arguments, cancelled).await.map_err(ending)?;
        let told: Result<F, EngineFault> =
            serde_json::from_value(answer).map_err(|error| internal("reading a worker's answer", error))?;
        match told {
            Ok(facts) => self.take(facts, file).await,
            Err(fault) if fault.code == EngineErrorCode::MissingContents => {
                Err(self.drop_damaged(fault).await)
            }
            Err(fault) => Err(fault),
        }
    }

    async fn take<F>(&self, facts: F, file: TempPath) -> Result<WorkerResult<F>, EngineFault> {
        let contents = Arc::clone(&self.contents);
        let put = move || -> Result<(ContentId, u64), EngineFault> {
            let bytes =
                std::fs::metadata(&file).map_err(|error| internal("reading a worker's file", error))?;
            Ok((contents.put_file(&file)?, bytes.len()))
        };
        let done = spawn_blocking(put).await.map_err(|error| internal("storing a worker's file", error))?;
        let (content, bytes) = done?;
        Ok(WorkerResult { facts, content, bytes })
    }

    /// A worker found that a content is not what its name says: it is removed, so that it is brought again.
    async fn drop_damaged(&self, fault: EngineFault) -> EngineFault {
        let (contents, missing) = (Arc::clone(&self.contents), fault.missing.clone());
        let verified = spawn_blocking(move || contents.verify(&missing)).await;
        if !matches!(verified, Ok(Err(_))) {
            tracing::warn!("a worker could not read a document that is whole");
        }
        fault
    }
}

/// The end of a worker in the words of the engine, whose options have other names than those of servers.
fn ending(ending: CallEnding) -> EngineFault {
    let trouble = match ending {
        CallEnding::Cancelled => return cancelled(),
        CallEnding::Trouble(trouble) => trouble,
    };
    let Trouble { code, message, hint } = trouble;
    match code {
        TroubleCode::TimedOut => hinted(
            EngineErrorCode::TimedOut,
            message,
            "parse with less effort, or split the document; the engine's option --parse-seconds sets the limit",
        ),
        TroubleCode::Crashed => hinted(
            EngineErrorCode::Unreadable,
            message,
            "the document may be damaged or made to break readers; the engine's option --parse-memory sets the limit of memory",
        ),
        TroubleCode::Busy => hinted(EngineErrorCode::TooLarge, message, "send fewer documents at a time"),
        _ => EngineFault { hint, ..fault(EngineErrorCode::Internal, message) },
    }
}
