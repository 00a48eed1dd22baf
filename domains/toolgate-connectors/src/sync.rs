//! Taking in the records of a connector, as work.

mod form;
mod note;
mod order;
mod passing;
mod publishing;
mod records;
mod worker;

pub(crate) use form::RecordForm;
pub(crate) use order::SYNC_KIND;
pub(crate) use worker::{SyncResult, SyncWorker};
