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
mod patience;
mod places;
mod rest;

mod dispatch;
mod era;

mod deed;
mod described;
mod direct;
mod errand;
mod jobs;
mod lookup;
mod own;
mod said;
mod server_state;
mod suppliers;
mod through;
mod tool_call;

mod caller;
mod exchange;
mod find;
mod hub;
mod leash;
mod listen;
mod mailbox;
mod parked;
mod parts;
mod questions;
mod quotas;
mod seal;
mod seats;
mod session;
mod stream;
mod task_id;

mod gateway;
mod metrics;

pub use direct::{DirectCall, NotCalled};
pub use gateway::{Archive, Gateway, Setup};
pub use guard::{AllowedHosts, Credentials, NotLetIn, ProtectedResource};
pub use hub::Hub;
pub use listener::{serve, serve_stream};
pub use metrics::{Numbers, metrics_by_example};
pub use patience::PatientBody;
pub use quotas::{Quota, QuotaRule, Quotas, StreamPlace, Usage, Who};
pub use rest::{Rest, RestBody, Serves};
pub use seats::{NoSeat, NoSeatKind, Seats};
pub use stdio::serve_pipe;
pub use suppliers::Supply;
