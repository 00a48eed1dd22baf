//! Connectors on the real binary, against stand-ins of their providers: what leaves, who agrees to it, and what is taken in.

mod killed;
mod mail;
mod office;
mod programs;
mod seen;
mod sending;
mod syncing;
mod troubled;
