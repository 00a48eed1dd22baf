//! Pointers: names that lead to a manifest. A bundle moves freely, a corpus when people agree, a snapshot never. The rules are
//! in `toolgate_core::pointer`, the rows and the compare-and-set in the store.

mod arguments;
mod finding;
mod listing;
mod moving;
mod output;
mod own;
mod plan;
mod refusal;
mod shown;
pub(crate) mod tools;

pub use own::PointerHead;
