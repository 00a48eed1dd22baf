//! Work that takes long, as rows. Of one kind and key one row is open at most, so that whoever asks for the same joins it. A gateway
//! works on a row while it has the lease; one whose lease ran out is anybody's. Its run tells the ledger about it.

mod lease;
mod open;
mod read;
mod row;

pub use open::{NewWork, OpenedWork};
pub use read::{WORKS_PAGE_MAX, WorkFilter};
pub use row::{WorkRow, WorkState};
