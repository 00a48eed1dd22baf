//! Opening work, or joining the one that is open.

use serde_json::{Value, json};
use toolgate_core::id::{RunId, WorkId};
use toolgate_core::run::{RunBudget, RunLabel};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, stop_point};
use toolgate_runs::{NewRun, RunInput};
use toolgate_store::{Actor, NewWork, WorkFilter, WorkRow};

use crate::desk::WorkDesk;
use crate::refusal::down;

/// The characters of a run's name, and of a key in its configuration.
const NAME_CHARS_MAX: usize = 200;
/// The reason of a run whose work was opened by another at the same moment.
const JOINED: &str = "the same work is open in another run";
const NOT_OPENED: &str = "its work could not be opened";

/// Work that somebody asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkOrder {
    /// That of its worker; the run has it as its type.
    pub kind: String,
    /// Whoever asks for the same kind and key meanwhile joins it.
    pub key: String,
    pub input: Value,
    /// The name of the run.
    pub name: String,
    /// The one that asks for it, with session, run and call. That run becomes the parent, unless it is one of other work.
    pub actor: Actor,
    pub input_manifest: Option<ManifestDigest>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartedWork {
    pub id: WorkId,
    pub run: RunId,
    /// True if it was open already.
    pub joined: bool,
}

impl StartedWork {
    fn of(work: WorkRow, joined: bool) -> Self {
        Self { id: work.id, run: work.run, joined }
    }
}

impl WorkDesk {
    /// Opens work with its run, unless the same is open.
    pub async fn start(&self, mut new: WorkOrder) -> Result<StartedWork, Refusal> {
        let open = self.store.open_work_of(&new.kind, &new.key).await.map_err(|error| down(&error))?;
        if let Some(work) = open {
            return Ok(StartedWork::of(work, true));
        }
        new.actor.run = self.run_above(new.actor.run.take()).await?;
        let id = WorkId::new(self.clock.fresh_id(WorkId::PREFIX));
        let run = self.runs.create(run_of(&new, &id)).await?;
        stop_point::reach("run of work created");
        let by = new.actor.principal.clone();
        let row = NewWork {
            id,
            kind: new.kind,
            key: new.key,
            input: new.input,
            run: run.id.clone(),
            actor: new.actor,
            at_ms: self.clock.now_ms(),
        };
        match self.store.open_work(&row).await {
            Ok(opened) => {
                if opened.joined {
                    self.runs.cancel(&run.id, &by, JOINED).await?;
                }
                self.bell.notify_one();
                Ok(StartedWork::of(opened.work, opened.joined))
            }
            Err(error) => {
                let refused = down(&error);
                // The store may be back by now; if not, the run stays as it is.
                drop(self.runs.cancel(&run.id, &by, NOT_OPENED).await);
                Err(refused)
            }
        }
    }
}

impl WorkDesk {
    /// The run above new work. Work that asks for more of it is not above that, since it ends first: both have the same run above.
    async fn run_above(&self, run: Option<RunId>) -> Result<Option<RunId>, Refusal> {
        let Some(run) = run else { return Ok(None) };
        let filter = WorkFilter { run: Some(run.clone()), ..WorkFilter::default() };
        let asking = self.store.works(&filter, 1).await.map_err(|error| down(&error))?;
        Ok(match asking.into_iter().next() {
            Some(work) => work.actor.run,
            None => Some(run),
        })
    }
}

fn run_of(new: &WorkOrder, id: &WorkId) -> NewRun {
    let clip = |text: &str| -> String {
        text.chars().filter(|one| !one.is_control()).take(NAME_CHARS_MAX).collect()
    };
    let content = match new.input_manifest {
        Some(manifest) => RunInput::Manifest(manifest.digest()),
        None => RunInput::Files,
    };
    NewRun {
        task: None,
        agent: None,
        principal: new.actor.principal.clone(),
        created_by: new.actor.principal.clone(),
        parent: new.actor.run.clone(),
        input: Vec::new(),
        content,
        label: RunLabel {
            run_type: Some(new.kind.clone()),
            name: Some(clip(&new.name)).filter(|name| !name.trim().is_empty()),
            config: Some(json!({ "work": id, "key": clip(&new.key) })),
            made_in: new.actor.session.clone(),
        },
        budget: RunBudget::default(),
    }
}
