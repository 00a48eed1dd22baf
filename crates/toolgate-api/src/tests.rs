//! The API as a program sees it, over a real store.

mod access_story;
mod approvals_story;
mod gate;
mod ledger_story;
mod parts;
mod tools_story;
mod webhooks_story;
