//! Automations and their fires, as rows. The `Store` reads them; changes are methods of the `Books`, which write the ledger's event in
//! the same transaction.
//!
//! A fire is one instant or cause of an automation, and has one row. Whoever adds one holds the row of the automation (`held.rs`), so
//! that gateways which fire at the same moment have one order: the first one claims it, and the others find it there.

mod change;
mod error;
mod events;
mod fire;
mod held;
mod pass;
mod read;
mod row;
mod settle;

pub use change::AUTOMATIONS_MAX;
pub use error::AutomationError;
pub use fire::{BusyFires, FireClaim, FireHolder, FireOutcome, FireRetake, FireVerdict, NewFire};
pub use pass::{InstantPass, MissedInstant};
pub use read::{FIRES_PAGE_MAX, WatchedAutomation};
