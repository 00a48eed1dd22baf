#![doc = include_str!("../README.md")]

mod entrance;
mod http;
mod message;
mod pipe;
mod sse;
mod stdio;

mod body;
mod guard;
mod listener;

mod dispatch;
mod era;

mod caller;
mod exchange;
mod hub;
mod listen;
mod mailbox;
mod parked;
mod parts;
mod seal;
mod session;
mod stream;
mod task_id;

mod gateway;
mod metrics;

pub use gateway::{Gateway, Setup};
pub use guard::{AllowedHosts, Credentials};
pub use hub::Hub;
pub use listener::serve;
pub use stdio::serve_pipe;
