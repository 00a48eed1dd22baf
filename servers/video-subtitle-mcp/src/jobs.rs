//! Jobs: long work on a video, kept in a folder so that it survives workers and restarts.
//!
//! A job runs on a thread of the worker that was asked, and holds a lock while it does. If that worker ends, so does the
//! thread; whoever is asked about the job next finds the lock free and goes on where it stopped.

mod answers;
mod folder;
mod running;
mod stretches;

pub(crate) use answers::{CancelJobArguments, CreateJobArguments, GetJobArguments, JobAnswer};

use std::sync::Arc;

use capability_kit::{Trouble, TroubleCode, Work};
use capability_subtitles::SubtitleFormat;
use url::Url;

use crate::options::VideoSubtitleOptions;
use crate::speech::SpeechEngine;
use crate::transcript::english;
use folder::{JobFolder, JobMode, JobRecord, JobState, JobsFolder, VideoJobOrder};

/// The jobs of this server.
pub(crate) struct JobOffice {
    folder: JobsFolder,
    engine: Arc<SpeechEngine>,
    private_hosts: Vec<String>,
    bytes_max: u64,
}

/// Times that a job is taken up again without getting any further.
const ATTEMPTS_MAX: u32 = 3;
/// An address has no more.
const URL_CHARS_MAX: usize = 16 << 10;

impl JobOffice {
    pub(crate) fn new(options: &VideoSubtitleOptions, engine: Arc<SpeechEngine>) -> Self {
        let folder = options.jobs.clone().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| std::env::temp_dir().join("video-subtitle-jobs"));
        let private_hosts = options.private_hosts.iter().filter(|host| !host.is_empty()).cloned().collect();
        Self { folder: JobsFolder::new(folder), engine, private_hosts, bytes_max: options.video_mib << 20 }
    }

    pub(crate) fn create(self: &Arc<Self>, arguments: CreateJobArguments) -> Result<JobAnswer, Trouble> {
        let bad_url = || {
            Trouble::bad_arguments("input_url is no http or https address")
                .hint("pass a presigned address of the video")
        };
        let url: Url = arguments.input_url.parse().map_err(|_| bad_url())?;
        if !matches!(url.scheme(), "http" | "https") || arguments.input_url.len() > URL_CHARS_MAX {
            return Err(bad_url());
        }
        let mode = arguments.mode.unwrap_or_default();
        if mode == JobMode::Transcribe {
            english(arguments.language.as_deref())?;
            if let Some(missing) = self.engine.missing() {
                return Err(missing);
            }
        }
        let said = if arguments.formats.is_empty() { vec!["srt".to_owned()] } else { arguments.formats };
        let formats: Result<Vec<String>, Trouble> = said.iter().map(|said| format_of(said)).collect();
        let mut formats = formats?;
        formats.sort();
        formats.dedup();
        let order =
            VideoJobOrder { input_url: arguments.input_url, mode, language: arguments.language, formats };
        let job = self.folder.create(order)?;
        self.start(&job);
        answers::answer(&job, &job.record()?, None)
    }

    pub(crate) fn get(
        self: &Arc<Self>,
        arguments: &GetJobArguments,
        work: &Work,
    ) -> Result<JobAnswer, Trouble> {
        let job = self.find(&arguments.job_id)?;
        let record = job.record()?;
        if record.state.is_open() && job.is_idle() {
            self.resume(&job, record)?;
        }
        answers::answer(&job, &job.record()?, Some(work))
    }

    pub(crate) fn cancel(self: &Arc<Self>, arguments: &CancelJobArguments) -> Result<JobAnswer, Trouble> {
        let job = self.find(&arguments.job_id)?;
        job.ask_to_stop()?;
        let record = job.record()?;
        if record.state.is_open() && job.is_idle() {
            job.save(&JobRecord { state: JobState::Cancelled, ..record })?;
        }
        answers::answer(&job, &job.record()?, None)
    }

    fn find(&self, id: &str) -> Result<JobFolder, Trouble> {
        self.folder.find(id).ok_or_else(|| {
            Trouble::new(TroubleCode::UnknownRef, format!("there is no job {id:?}"))
                .hint("create it with create_job; old jobs are removed")
        })
    }

    /// Takes up a job whose worker is gone.
    fn resume(self: &Arc<Self>, job: &JobFolder, record: JobRecord) -> Result<(), Trouble> {
        if job.is_asked_to_stop() {
            return job.save(&JobRecord { state: JobState::Cancelled, ..record });
        }
        if record.attempts >= ATTEMPTS_MAX {
            let error = Trouble::new(TroubleCode::Crashed, "the job ended again and again at the same place")
                .hint("the video may be damaged; create a job for another one");
            return job.save(&JobRecord { state: JobState::Failed, error: Some(error), ..record });
        }
        self.start(job);
        Ok(())
    }

    /// Runs a job on a thread of its own, unless somebody else already does.
    fn start(self: &Arc<Self>, job: &JobFolder) {
        let (office, job) = (Arc::clone(self), job.clone());
        let run = move || running::run(&office, &job);
        // Without a thread the job stays open, and the next question about it tries again.
        drop(std::thread::Builder::new().name("video-job".to_owned()).spawn(run));
    }
}

/// The name of a format of results.
fn format_of(said: &str) -> Result<String, Trouble> {
    if said.eq_ignore_ascii_case(stretches::FORMAT) {
        return Ok(stretches::FORMAT.to_owned());
    }
    let format = crate::input::format(Some(said), SubtitleFormat::Srt);
    let format = format.map_err(|error| error.hint("pass srt, vtt, ass, ttml, sbv or json"))?;
    Ok(format.to_string())
}
