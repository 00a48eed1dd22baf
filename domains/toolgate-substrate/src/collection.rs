//! The collection of manifests, nodes and artifacts that nothing reaches. What the roots reach is marked, tree by tree; the rest is
//! removed when it was not touched for a while. `toolgate-store` says why a write of the same content loses nothing meanwhile.

mod collecting;
mod marking;
mod pins;
mod settings;
mod tools;

pub use collecting::{CollectedRows, CollectionMode, CollectionSummary};
pub use settings::CollectionSettings;
pub(crate) use settings::CollectionState;
pub(crate) use tools::add;
