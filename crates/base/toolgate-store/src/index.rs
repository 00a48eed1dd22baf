//! Indexes, as rows: which index was built of which state of a pointer, and the version of each profile that counts. The `Store` reads
//! them; changes are methods of the `Books`, which write the ledger's event in the same transaction.

mod build;
mod events;
mod profile;

pub use build::{INDEX_BUILDS_MAX, INDEX_PROBLEMS_NAMED_MAX, IndexBuildKey, IndexBuildRow, IndexProblem};
pub use profile::{ActiveProfile, ProfileChangeError, ProfilePromotion};
