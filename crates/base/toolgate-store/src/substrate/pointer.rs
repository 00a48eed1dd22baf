//! Pointers and their moves, as rows. The `Store` reads them; changes are methods of the `Books`, which write the head, the
//! move and the ledger event in one transaction.

mod change;
mod error;
mod event;
mod read;
mod row;
mod stamp;

pub use change::{MovedPointer, NewHead};
pub use error::PointerError;
pub use read::{POINTER_MOVES_PAGE_MAX, POINTERS_PAGE_MAX, PointerFilter};
pub use stamp::MoveStamp;
