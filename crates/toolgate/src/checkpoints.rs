//! Signed checkpoints of the ledger: the key, the signing, the places where they are kept, and the schedule.

mod anchor;
mod folder;
mod held;
mod key;
mod last;
mod schedule;
mod signed;

pub(crate) use folder::{checkpoint_files, newest};
pub(crate) use held::ConfiguredFolder;
pub(crate) use key::{known_keys, make_key, signing_key};
pub(crate) use last::sign_next;
pub(crate) use schedule::{AnchorBoard, Checkpointer};
pub(crate) use signed::SignedCheckpoint;
