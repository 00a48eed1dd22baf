//! The link to the engine: its parts, its state and its end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use engine_protocol::EngineGreeting;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::Refusal;
use toolgate_core::governance::Clock;
use toolgate_files::Blobs;
use toolgate_sandbox::Confiner;

use crate::contents::EngineContents;
use crate::places::RequestPlaces;
use crate::settings::{EngineLimits, EngineSettings};
use crate::supervision::{EngineState, EngineSupervisor};

pub struct EngineSetup {
    pub settings: EngineSettings,
    /// Folders in which the program is looked for, before PATH.
    pub beside: Vec<PathBuf>,
    /// The environment that the process inherits.
    pub env: BTreeMap<String, String>,
    pub blobs: Blobs,
    /// None: the process is not confined.
    pub confiner: Option<Confiner>,
    pub clock: Arc<dyn Clock>,
}

/// The one way to the engine. Nothing is started before something is asked.
pub struct EngineLink {
    pub(crate) supervisor: EngineSupervisor,
    pub(crate) contents: EngineContents,
    pub(crate) places: RequestPlaces,
    pub(crate) limits: EngineLimits,
}

impl EngineLink {
    pub fn new(setup: EngineSetup) -> Arc<Self> {
        let EngineSetup { settings, beside, env, blobs, confiner, clock } = setup;
        let limits = settings.limits;
        Arc::new(Self {
            contents: EngineContents::new(&settings.folder, blobs, settings.contents_bytes_max),
            places: RequestPlaces::new(&limits),
            limits,
            supervisor: EngineSupervisor {
                settings,
                beside,
                env,
                confiner,
                clock,
                slot: tokio::sync::Mutex::default(),
                known: parking_lot::Mutex::default(),
                tasks: TaskTracker::new(),
                stop: CancellationToken::new(),
            },
        })
    }

    /// The abilities of the engine, which is started for it.
    pub async fn greeting(&self) -> Result<EngineGreeting, Refusal> {
        self.supervisor.running().await.map(|running| running.greeting.clone())
    }

    /// The engine as it is, without starting it.
    pub fn state(&self) -> EngineState {
        self.supervisor.state()
    }

    /// Ends the engine for good. Requests that are under way are refused.
    pub async fn stop(&self) {
        self.supervisor.stop().await;
    }
}
