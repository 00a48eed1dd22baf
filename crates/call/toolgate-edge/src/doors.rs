//! The doors. Bytes of a connection come in; a request with a seat goes on to [`protocol`](crate::protocol), and what it answers
//! leaves by the same door.

// HTTP: connections, then the checks of every route, then what each route serves.
pub(crate) mod listener;
mod places;

pub(crate) mod entrance;
pub(crate) mod guard;
pub(crate) mod seats;

pub(crate) mod http;

pub(crate) mod pairs;
pub(crate) mod sse;

pub(crate) mod patience;
pub(crate) mod rest;

pub(crate) mod body;
pub(crate) mod http_message;

// Everything over one connection in both directions.
pub(crate) mod pipe;
pub(crate) mod stdio;

// Calls that no client of MCP makes.
pub(crate) mod direct;
