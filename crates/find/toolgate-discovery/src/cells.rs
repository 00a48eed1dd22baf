//! Views by their viewer. An outdated one is rebuilt on the next use from its predecessor: only changed tools
//! are judged again.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwapOption;
use parking_lot::{Mutex, RwLock};
use toolgate_catalog::Snapshot;
use toolgate_core::decision::Policy;
use toolgate_core::scope::Seat;

use crate::own::OwnTool;
use crate::view::View;
use crate::viewer::ToolViewer;

/// The maximum number of cached views. Beyond it, the least recently used are dropped.
const CELLS_MAX: usize = 1024;

pub(crate) struct ViewCells {
    cells: RwLock<HashMap<u64, Arc<ViewCell>>>,
    hasher: RandomState,
    clock: AtomicU64,
}

struct ViewCell {
    seat: Seat,
    current: ArcSwapOption<View>,
    /// One task at a time rebuilds it; the others wait for that one.
    making: Mutex<()>,
    used: AtomicU64,
}

impl ViewCells {
    pub(crate) fn new() -> Self {
        Self { cells: RwLock::default(), hasher: RandomState::new(), clock: AtomicU64::new(0) }
    }

    pub(crate) fn view(
        &self,
        seat: &Seat,
        snapshot: &Arc<Snapshot>,
        policy: &dyn Policy,
        own: &[OwnTool],
    ) -> Arc<View> {
        self.cell(seat).view(snapshot, policy, own)
    }

    fn cell(&self, seat: &Seat) -> Arc<ViewCell> {
        let Seat { principal, scope_id, .. } = seat;
        let key = self.hasher.hash_one((
            scope_id.as_bytes(),
            &principal.id,
            principal.kind,
            principal.role,
            &principal.groups,
            seat.run.is_some(),
        ));
        let cells = self.cells.read();
        let known = cells.get(&key).filter(|cell| cell.fits(seat)).cloned();
        drop(cells);
        let cell = known.unwrap_or_else(|| self.add(key, seat));
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        cell.used.store(now, Ordering::Relaxed);
        cell
    }

    fn add(&self, key: u64, seat: &Seat) -> Arc<ViewCell> {
        let cell = Arc::new(ViewCell {
            seat: seat.clone(),
            current: ArcSwapOption::empty(),
            making: Mutex::default(),
            used: AtomicU64::new(0),
        });
        let mut cells = self.cells.write();
        if cells.len() >= CELLS_MAX {
            let mut used: Vec<u64> = cells.values().map(|cell| cell.used.load(Ordering::Relaxed)).collect();
            used.sort_unstable();
            let oldest = used[used.len() / 4];
            cells.retain(|_, cell| cell.used.load(Ordering::Relaxed) > oldest);
        }
        cells.insert(key, cell.clone());
        cell
    }
}

impl ViewCell {
    /// Everything that decides visibility. The session does not: two with one scope see the same.
    fn fits(&self, seat: &Seat) -> bool {
        self.seat.scope_id == seat.scope_id
            && self.seat.principal == seat.principal
            && self.seat.run.is_some() == seat.run.is_some()
    }

    fn view(&self, snapshot: &Arc<Snapshot>, policy: &dyn Policy, own: &[OwnTool]) -> Arc<View> {
        if let Some(view) = self.fresh(snapshot, policy) {
            return view;
        }
        let _held = self.making.lock();
        if let Some(view) = self.fresh(snapshot, policy) {
            return view;
        }
        let viewer = ToolViewer::of(&self.seat, policy, own);
        let view = Arc::new(View::of(viewer, snapshot.clone(), self.current.load().as_deref()));
        self.current.store(Some(view.clone()));
        view
    }

    fn fresh(&self, snapshot: &Arc<Snapshot>, policy: &dyn Policy) -> Option<Arc<View>> {
        let current = self.current.load();
        let view = current.as_ref().filter(|view| view.is_of(snapshot, policy.version()))?;
        Some(Arc::clone(view))
    }
}
