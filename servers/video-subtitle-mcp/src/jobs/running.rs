//! The work of a job: fetch the video, take its text track or hear its speech, write the results.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::time::{Duration, Instant};

use capability_kit::{DownloadError, DownloadPlan, Trouble, download};
use capability_speech::SpokenSegment;
use capability_subtitles::{SubtitleFormat, Subtitles, media_kind, read_track, tracks, write};
use url::Url;

use super::JobOffice;
use super::folder::{JobFolder, JobMode, JobRecord, JobResult, JobState};
use super::stretches::{self, json_of, store, stored};
use crate::extract::choose;
use crate::speech::cues_of;
use crate::transcript::{confidence, text_of};
use crate::trouble::{of_download, of_subtitles};

/// Progress is written no more often than this.
const SAVE_EVERY: Duration = Duration::from_millis(500);
const REMARKS_MAX: usize = 10;

/// The reason why a job ended early.
enum JobEnding {
    Trouble(Trouble),
    Stopped,
}

impl From<Trouble> for JobEnding {
    fn from(trouble: Trouble) -> Self {
        JobEnding::Trouble(trouble)
    }
}

/// Does all of it, or what is left. Whoever holds the lock of the job runs it.
pub(super) fn run(office: &JobOffice, job: &JobFolder) {
    let Some(_held) = job.seize() else { return };
    let Ok(_turn) = job.wait_for_turn() else { return };
    let Ok(mut record) = job.record() else { return };
    if !record.state.is_open() {
        return;
    }
    record.state = JobState::Running;
    record.attempts += 1;
    if job.save(&record).is_err() {
        return;
    }
    let mut runner = JobRunner { office, job, record, saved: Instant::now() };
    let ended = runner.work();
    runner.finish(ended);
}

struct JobRunner<'a> {
    office: &'a JobOffice,
    job: &'a JobFolder,
    record: JobRecord,
    saved: Instant,
}

impl JobRunner<'_> {
    fn work(&mut self) -> Result<JobResult, JobEnding> {
        if self.job.is_asked_to_stop() {
            return Err(JobEnding::Stopped);
        }
        if !self.record.is_fetched {
            self.fetch()?;
            self.record.is_fetched = true;
            self.record.attempts = 1;
            self.job.save(&self.record)?;
        }
        let found = match self.record.order.mode {
            JobMode::Transcribe => None,
            JobMode::Auto | JobMode::Extract => self.track()?,
        };
        match found {
            Some(subtitles) => self.written(&subtitles, "track", &[]),
            None if self.record.order.mode == JobMode::Extract => {
                Err(Trouble::unsupported("the video has no text track")
                    .hint("create a job with mode transcribe")
                    .into())
            }
            None => self.transcribe(),
        }
    }

    fn finish(mut self, ended: Result<JobResult, JobEnding>) {
        match ended {
            Ok(result) => {
                self.record.state = JobState::Done;
                self.record.progress = 1.0;
                self.record.result = Some(result);
            }
            Err(JobEnding::Stopped) => self.record.state = JobState::Cancelled,
            Err(JobEnding::Trouble(trouble)) => {
                self.record.state = JobState::Failed;
                self.record.error = Some(trouble);
            }
        }
        // The video is large and not needed any more. The address is a secret that has done its work.
        drop(fs::remove_file(self.job.path("input")));
        self.record.order.input_url.clear();
        drop(self.job.save(&self.record));
    }

    /// Writes how far it is, now and then; false if somebody wants it to stop.
    fn tell(&mut self, stage: &str, progress: f64) -> bool {
        let is_new = self.record.stage != stage;
        if is_new || self.saved.elapsed() >= SAVE_EVERY {
            self.record.stage = stage.to_owned();
            self.record.progress = progress.clamp(0.0, 1.0);
            self.saved = Instant::now();
            drop(self.job.save(&self.record));
            return !self.job.is_asked_to_stop();
        }
        true
    }

    fn fetch(&mut self) -> Result<(), JobEnding> {
        let bad = || {
            Trouble::bad_arguments("input_url is no address").hint("pass a presigned address of the video")
        };
        let url: Url = self.record.order.input_url.parse().map_err(|_| bad())?;
        let to = self.job.path("input");
        let office = self.office;
        let plan = DownloadPlan {
            url: &url,
            to: &to,
            bytes_max: office.bytes_max,
            private_hosts: &office.private_hosts,
        };
        let fetched = download(&plan, |done, total| {
            self.tell("download", total.map_or(0.0, |total| done as f64 / total.max(1) as f64))
        });
        match fetched {
            Ok(0) => Err(Trouble::unreadable("the video is empty").hint("check the address").into()),
            Ok(_) => Ok(()),
            Err(DownloadError::Stopped) => Err(JobEnding::Stopped),
            Err(error) => Err(of_download(&error).into()),
        }
    }

    /// The text track of the video, if it has one.
    fn track(&mut self) -> Result<Option<Subtitles>, JobEnding> {
        self.tell("extract", 0.0);
        let opened = File::open(self.job.path("input")).map(BufReader::new).map_err(|error| disk(&error))?;
        let mut file = opened;
        let head = file.fill_buf().map_err(|error| disk(&error))?;
        if media_kind(head).is_none() {
            return Ok(None);
        }
        let found = match tracks(&mut file) {
            Ok(found) => found,
            // The sound may still be readable.
            Err(_) if self.record.order.mode == JobMode::Auto => return Ok(None),
            Err(error) => return Err(of_subtitles(&error).into()),
        };
        let Some(number) = choose(&found, self.record.order.language.as_deref()) else { return Ok(None) };
        Ok(Some(read_track(&mut file, number).map_err(|error| of_subtitles(&error))?))
    }

    /// Hears what was not heard before the last end.
    fn transcribe(&mut self) -> Result<JobResult, JobEnding> {
        crate::transcript::english(self.record.order.language.as_deref())?;
        let path = self.job.path("segments");
        let mut segments = stored(&path);
        let from = segments.last().map_or(0, |segment| segment.end_ms);
        let mut log =
            OpenOptions::new().append(true).create(true).open(&path).map_err(|error| disk(&error))?;
        let (office, input) = (self.office, self.job.path("input"));
        let mut is_lost = false;
        // A step forward: the beginnings before it are forgiven.
        let is_further = Cell::new(false);
        let on_segment = |segment: SpokenSegment| {
            is_lost = store(&mut log, &segment).is_err();
            segments.push(segment);
            is_further.set(true);
            !is_lost
        };
        let on_progress = |heard_ms: i64, duration: Option<f64>| {
            if is_further.take() {
                self.record.attempts = 1;
            }
            let share = duration
                .filter(|duration| *duration > 0.0)
                .map_or(0.0, |duration| heard_ms as f64 / 1000.0 / duration);
            self.tell("transcribe", share)
        };
        let ended = office.engine.hear(&input, from, on_segment, on_progress)?;
        if is_lost {
            return Err(disk(&io::Error::other("no room")).into());
        }
        if ended.end.is_stopped {
            return Err(JobEnding::Stopped);
        }
        fs::write(self.job.path("result.txt"), text_of(&segments)).map_err(|error| disk(&error))?;
        let mut subtitles = cues_of(&segments);
        if segments.is_empty() {
            subtitles.remarks.push("no speech was found".to_owned());
        }
        subtitles.remarks.extend(ended.cut_off);
        self.written(&subtitles, "speech", &segments)
    }

    fn written(
        &mut self,
        subtitles: &Subtitles,
        source: &str,
        heard: &[SpokenSegment],
    ) -> Result<JobResult, JobEnding> {
        let mut remarks = subtitles.remarks.clone();
        for format in &self.record.order.formats {
            if format == stretches::FORMAT {
                let text = json_of(subtitles, source, heard).map_err(|error| disk(&error))?;
                let to = self.job.path(&format!("result.{format}"));
                fs::write(to, text).map_err(|error| disk(&error))?;
                continue;
            }
            let format: SubtitleFormat = format.parse().unwrap_or(SubtitleFormat::Srt);
            let written = write(subtitles, format);
            remarks.extend(written.lost.into_iter().map(|lost| format!("{format}: {lost}")));
            fs::write(self.job.path(&format!("result.{format}")), written.text)
                .map_err(|error| disk(&error))?;
        }
        remarks.truncate(REMARKS_MAX);
        let (language, cues) = (subtitles.language.clone(), subtitles.cues.len());
        let confidence = confidence(heard);
        Ok(JobResult { source: source.to_owned(), language, cues, confidence, remarks })
    }
}

fn disk(error: &io::Error) -> Trouble {
    Trouble::internal(format!("a file of the job cannot be used: {error}"))
        .hint("the server's machine may have no room left; create the job again")
}
