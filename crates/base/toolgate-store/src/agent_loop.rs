//! The loops of runs that the gateway drives itself, as rows: their turns and their messages. The `Store` reads them and leases
//! them; what the ledger records are methods of the `Books`, which write both in one transaction.
//!
//! A gateway works on a loop under a lease with a number, the fence. Each write checks it, so a gateway that lost its lease and does
//! not know yet changes nothing. Loops follow the states of their runs (`run/loops.rs`).
//!
//! Messages are kept for as long as their run, like the results of batches; an erasure empties those of ended runs.

mod create;
mod digest;
mod error;
mod fold;
mod fork;
mod held_loop;
mod lease;
mod message;
mod read;
mod row;
mod spend;
mod summary;
mod told;
mod turn;
mod turn_row;
mod verify;
mod wait;
mod write;

pub use error::LoopError;
pub use lease::LoopLease;
pub use read::{LOOP_MESSAGES_PAGE_MAX, LOOP_TURNS_PAGE_MAX};
pub use spend::{SPEND_ROWS_MAX, SpendBy, SpendQuery, SpendRow};
pub use verify::{CHANGED_RUNS_MAX, MessageVerification};
pub use write::{AnsweredTurn, BilledSummary, Folding, NewMessage};
