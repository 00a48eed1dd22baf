//! The edge on ports that live in memory: no sockets, no store, no server.

mod dispatch;
mod era;
mod exchange;
mod hub;
mod kit;
mod parked;
mod parts;
