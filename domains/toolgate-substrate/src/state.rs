//! The state of all tools of the substrate.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use manifest_tree::{NewNode, TreeBuilder};
use toolgate_core::governance::Clock;
use toolgate_files::Files;
use toolgate_store::{Books, Store};

use crate::cache::NodeCache;
use crate::collection::{CollectionSettings, CollectionState};
use crate::limits::CACHE_BYTES_MAX;

pub struct SubstrateSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub files: Arc<Files>,
    pub clock: Arc<dyn Clock>,
    pub collection: CollectionSettings,
}

/// Live; one per gateway process.
pub struct Substrate {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) files: Arc<Files>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) collection: CollectionState,
    pub(crate) cache: NodeCache,
    /// The number of nodes that were read from the store.
    pub(crate) nodes_read: AtomicU64,
    /// The one node of a tree without entries, which need not be stored to be compared with.
    pub(crate) empty: NewNode,
}

impl Substrate {
    pub fn new(setup: SubstrateSetup) -> Arc<Substrate> {
        let SubstrateSetup { store, books, files, clock, collection } = setup;
        Arc::new(Substrate {
            store,
            books,
            files,
            clock,
            collection: CollectionState::new(collection),
            cache: NodeCache::new(CACHE_BYTES_MAX),
            nodes_read: AtomicU64::new(0),
            empty: empty_tree(),
        })
    }
}

fn empty_tree() -> NewNode {
    let mut builder = TreeBuilder::default();
    builder.finish().expect("without entries nothing can be wrong");
    builder.take_nodes().pop().expect("a tree has a root")
}
