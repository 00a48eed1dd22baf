//! The API as a program sees it, over a real store.

mod access_story;
mod agents_story;
mod approvals_story;
mod events_story;
mod gate;
mod ledger_story;
mod listening;
mod parts;
mod registry_story;
mod roster;
mod search_story;
mod secrets_story;
mod servers_story;
mod sessions_story;
mod settings_story;
mod tools_story;
mod webhooks_story;
