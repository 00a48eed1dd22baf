//! Arguments and answers of the tools for jobs.

use std::fs;

use capability_kit::{Trouble, Work};
use capability_subtitles::SubtitleFormat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::folder::{JobFolder, JobMode, JobRecord, JobState};
use super::stretches;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateJobArguments {
    /// The presigned address of the video.
    pub(super) input_url: String,
    /// auto (default): a text track if there is one, else the speech; extract; transcribe.
    #[serde(default)]
    pub(super) mode: Option<JobMode>,
    /// The wanted language, such as en.
    #[serde(default)]
    pub(super) language: Option<String>,
    /// Formats of the result: srt (default), vtt, ass, ttml, sbv, and json: each stretch with its words, their times and
    /// confidence.
    #[serde(default)]
    pub(super) formats: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetJobArguments {
    /// From create_job.
    pub(super) job_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelJobArguments {
    /// From create_job.
    pub(super) job_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct JobAnswer {
    job_id: String,
    state: JobState,
    /// download, extract or transcribe.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<String>,
    /// Of the stage, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<JobOutcome>,
    /// Why it failed, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct JobOutcome {
    /// track: from the video's own subtitles; speech: heard.
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    cues: usize,
    /// The mean belief of the model in its words, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    files: Vec<JobFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct JobFile {
    format: String,
    /// Read the resource, or pass it as source_ref_id.
    ref_id: String,
}

/// `work` is given where results may be made readable.
pub(super) fn answer(job: &JobFolder, record: &JobRecord, work: Option<&Work>) -> Result<JobAnswer, Trouble> {
    let is_open = record.state.is_open();
    let result = match (&record.result, work) {
        (Some(result), Some(work)) => Some(JobOutcome {
            source: result.source.clone(),
            language: result.language.clone(),
            cues: result.cues,
            confidence: result.confidence,
            files: files(job, record, work)?,
            remarks: result.remarks.clone(),
        }),
        _ => None,
    };
    Ok(JobAnswer {
        job_id: job.id.clone(),
        state: record.state,
        stage: is_open.then(|| record.stage.clone()),
        progress: is_open.then(|| crate::transcript::hundredths(record.progress)),
        result,
        error: record.error.as_ref().map(ToString::to_string),
    })
}

/// Results as refs. Those that were given before and still exist are given again.
fn files(job: &JobFolder, record: &JobRecord, work: &Work) -> Result<Vec<JobFile>, Trouble> {
    let mut files = Vec::new();
    let transcript = job.path("result.txt").is_file().then(|| "txt".to_owned());
    for format in record.order.formats.iter().cloned().chain(transcript) {
        let known = job.path(&format!("ref.{format}"));
        let before = fs::read_to_string(&known).ok().filter(|id| work.find(id).is_ok());
        let ref_id = match before {
            Some(id) => id,
            None => {
                let parsed: Option<SubtitleFormat> = format.parse().ok();
                let name = parsed.map_or(format.clone(), |parsed| parsed.to_string());
                let plain = if format == stretches::FORMAT { stretches::MEDIA_TYPE } else { "text/plain" };
                let bytes = fs::read(job.path(&format!("result.{name}")));
                let bytes = bytes.map_err(|error| Trouble::internal(format!("a result is gone: {error}")))?;
                let media_type = parsed.map_or(plain, SubtitleFormat::media_type);
                let id = work.keep(&bytes, media_type, &format!("subtitles.{name}"))?.into_string();
                // It would only be made again.
                drop(fs::write(&known, &id));
                id
            }
        };
        files.push(JobFile { format, ref_id });
    }
    Ok(files)
}
