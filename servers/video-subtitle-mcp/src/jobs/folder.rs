//! The folder of jobs: for each a record, the video while it is needed, and results.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use capability_kit::Trouble;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Jobs that are kept; the oldest finished ones give way.
const JOBS_MAX: usize = 200;

/// The way to the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobMode {
    /// A text track if there is one, else the speech.
    #[default]
    Auto,
    /// A text track.
    Extract,
    /// The speech.
    Transcribe,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobState {
    Queued,
    Running,
    Done,
    Failed,
    Cancelled,
}

impl JobState {
    pub(super) fn is_open(self) -> bool {
        matches!(self, JobState::Queued | JobState::Running)
    }
}

/// What was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct VideoJobOrder {
    pub(super) input_url: String,
    pub(super) mode: JobMode,
    pub(super) language: Option<String>,
    pub(super) formats: Vec<String>,
}

/// How far it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct JobRecord {
    pub(super) order: VideoJobOrder,
    pub(super) state: JobState,
    /// download, extract or transcribe.
    pub(super) stage: String,
    /// Of the stage, from 0 to 1.
    pub(super) progress: f64,
    /// The video is there as a whole.
    pub(super) is_fetched: bool,
    /// Beginnings since the last step forward.
    pub(super) attempts: u32,
    pub(super) error: Option<Trouble>,
    pub(super) result: Option<JobResult>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct JobResult {
    /// `track` or `speech`.
    pub(super) source: String,
    pub(super) language: Option<String>,
    pub(super) cues: usize,
    pub(super) confidence: Option<f64>,
    pub(super) remarks: Vec<String>,
}

/// All jobs.
pub(super) struct JobsFolder {
    path: PathBuf,
}

/// One job.
#[derive(Clone)]
pub(super) struct JobFolder {
    pub(super) id: String,
    path: PathBuf,
}

fn broken(error: &io::Error) -> Trouble {
    Trouble::internal(format!("the folder of jobs cannot be used: {error}"))
        .hint("the server's option --jobs names another one")
}

impl JobsFolder {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Readable for this user alone. One that others may enter is not used.
    fn open(&self) -> Result<(), Trouble> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path).map_err(|error| broken(&error))?;
        let mode = self.path.metadata().map_err(|error| broken(&error))?.permissions().mode();
        match mode & 0o077 {
            0 => Ok(()),
            _ => Err(broken(&io::Error::other(format!("{} is open to others", self.path.display())))),
        }
    }

    pub(super) fn create(&self, order: VideoJobOrder) -> Result<JobFolder, Trouble> {
        self.open()?;
        self.make_room();
        let id = format!("job_{}", uuid::Uuid::now_v7().simple());
        let job = JobFolder { path: self.path.join(&id), id };
        fs::create_dir(&job.path).map_err(|error| broken(&error))?;
        job.save(&JobRecord {
            order,
            state: JobState::Queued,
            stage: "download".into(),
            progress: 0.0,
            is_fetched: false,
            attempts: 0,
            error: None,
            result: None,
        })?;
        Ok(job)
    }

    /// Only names that this folder gives lead to jobs.
    pub(super) fn find(&self, id: &str) -> Option<JobFolder> {
        let rest = id.strip_prefix("job_")?;
        let is_id = rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
        let job = JobFolder { id: id.to_owned(), path: self.path.join(id) };
        (is_id && job.path.join("job.json").is_file()).then_some(job)
    }

    /// Ids begin with their time, so names are in order.
    fn make_room(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut jobs: Vec<JobFolder> = names.filter_map(|name| self.find(&name)).collect();
        jobs.sort_by(|one, other| one.id.cmp(&other.id));
        let too_many = (jobs.len() + 1).saturating_sub(JOBS_MAX);
        let done = jobs.iter().filter(|job| job.record().is_ok_and(|record| !record.state.is_open()));
        for job in done.take(too_many) {
            // One that another worker removes at the same time is gone all the same.
            drop(fs::remove_dir_all(&job.path));
        }
    }
}

impl JobFolder {
    pub(super) fn record(&self) -> Result<JobRecord, Trouble> {
        let bytes = fs::read(self.path.join("job.json")).map_err(|error| broken(&error))?;
        serde_json::from_slice(&bytes).map_err(|error| broken(&io::Error::other(error)))
    }

    /// Whole or not at all.
    pub(super) fn save(&self, record: &JobRecord) -> Result<(), Trouble> {
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
            serde_json::to_writer(&mut file, record)?;
            file.flush()?;
            file.persist(self.path.join("job.json")).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|error| broken(&error))
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The right to run it, for as long as the file is open. `None` if somebody has it.
    pub(super) fn seize(&self) -> Option<File> {
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).open(self.path("lock")).ok()?;
        file.try_lock().is_ok().then_some(file)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.seize().is_some()
    }

    /// Waits until no other job of this folder works.
    pub(super) fn wait_for_turn(&self) -> io::Result<File> {
        let parent = self.path.parent().unwrap_or(Path::new("."));
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(parent.join("turn"))?;
        file.lock()?;
        Ok(file)
    }

    pub(super) fn ask_to_stop(&self) -> Result<(), Trouble> {
        File::create(self.path("stop")).map(drop).map_err(|error| broken(&error))
    }

    pub(super) fn is_asked_to_stop(&self) -> bool {
        self.path("stop").exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> VideoJobOrder {
        VideoJobOrder {
            input_url: "https://example.com/v".into(),
            mode: JobMode::Auto,
            language: None,
            formats: vec!["srt".into()],
        }
    }

    #[test]
    fn jobs_are_found_by_the_ids_that_were_given_and_no_others() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = JobsFolder::new(temporary.path().join("jobs"));
        let job = folder.create(order()).unwrap();
        assert!(folder.find(&job.id).is_some());
        for other in ["", "job_", "job_../x", "../jobs", "job_00000000000000000000000000000000"] {
            assert!(folder.find(other).is_none(), "{other}");
        }
    }

    #[test]
    fn one_at_a_time_has_the_right_to_run_a_job() {
        let temporary = tempfile::tempdir().unwrap();
        let job = JobsFolder::new(temporary.path().join("jobs")).create(order()).unwrap();
        let held = job.seize().unwrap();
        assert!(!job.is_idle());
        drop(held);
        assert!(job.is_idle());
    }

    #[test]
    fn a_folder_that_others_may_enter_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("open");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(JobsFolder::new(path).create(order()).is_err());
    }
}
