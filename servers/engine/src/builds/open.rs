//! The builds that are open, by number.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine_protocol::{BuildId, EngineErrorCode, EngineFault, Profile};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

use crate::contents::ContentPins;
use crate::fault::{hinted, too_large};
use crate::port::Build;

/// Each has a writer with memory of its own.
const BUILDS_MAX: usize = 16;
/// A build that nobody asked about for so long was forgotten by its gateway, and makes room for another.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(1800);

#[derive(Default)]
pub(super) struct OpenBuilds {
    builds: Mutex<BTreeMap<BuildId, Arc<OpenBuild>>>,
    last: AtomicU64,
}

pub(super) struct OpenBuild {
    pub(super) profile: Profile,
    /// The digest of the model whose vectors are put, if any.
    pub(super) model: Option<String>,
    /// None once it is finished.
    work: Mutex<Option<Box<dyn Build>>>,
    used: Mutex<Instant>,
    /// The files of the version that it goes on from.
    _pins: ContentPins,
}

impl OpenBuilds {
    /// A fault if no build can be added. Asked before the work of beginning one.
    pub(super) fn check_room(&self) -> Result<(), EngineFault> {
        let mut builds = self.builds.lock();
        if builds.len() >= BUILDS_MAX {
            builds.retain(|_, build| build.used.lock().elapsed() < FORGOTTEN_AFTER);
        }
        if builds.len() >= BUILDS_MAX {
            let message = format!("{BUILDS_MAX} builds are open");
            return Err(too_large(message, "finish or abandon one, and begin again"));
        }
        Ok(())
    }

    pub(super) fn add(
        &self,
        work: Box<dyn Build>,
        profile: Profile,
        model: Option<String>,
        pins: ContentPins,
    ) -> Result<BuildId, EngineFault> {
        self.check_room()?;
        let id = BuildId(self.last.fetch_add(1, Ordering::Relaxed) + 1);
        let (work, used) = (Mutex::new(Some(work)), Mutex::new(Instant::now()));
        self.builds.lock().insert(id, Arc::new(OpenBuild { profile, model, work, used, _pins: pins }));
        Ok(id)
    }

    pub(super) fn find(&self, id: BuildId) -> Result<Arc<OpenBuild>, EngineFault> {
        let build = self.builds.lock().get(&id).map(Arc::clone).ok_or_else(|| unknown(id))?;
        *build.used.lock() = Instant::now();
        Ok(build)
    }

    pub(super) fn remove(&self, id: BuildId) -> Result<Arc<OpenBuild>, EngineFault> {
        self.builds.lock().remove(&id).ok_or_else(|| unknown(id))
    }
}

impl OpenBuild {
    /// Waits for another request of the same build.
    pub(super) fn work(&self, id: BuildId) -> Result<MappedMutexGuard<'_, Box<dyn Build>>, EngineFault> {
        MutexGuard::try_map(self.work.lock(), Option::as_mut).map_err(|_| unknown(id))
    }

    pub(super) fn take(&self, id: BuildId) -> Result<Box<dyn Build>, EngineFault> {
        self.work.lock().take().ok_or_else(|| unknown(id))
    }
}

fn unknown(id: BuildId) -> EngineFault {
    hinted(
        EngineErrorCode::UnknownBuild,
        format!("there is no build {}", id.0),
        "it was finished or abandoned, or the engine was started anew: begin another one",
    )
}
