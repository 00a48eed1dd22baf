//! The clients, as the other folders reach them. Progress, logs, questions and news of servers come in; what a client may see and can
//! answer goes out to its stream or to the door of its request.

// One client, and one request of it.
pub(crate) mod client;
pub(crate) mod session;

pub(crate) mod caller;
pub(crate) mod leash;
pub(crate) mod log_level;
pub(crate) mod mailbox;

// What waits to be read.
pub(crate) mod listener;
pub(crate) mod stream;

// What servers want of clients.
pub(crate) mod questions;

// All clients.
pub(crate) mod hub;
