//! The entry of one code.

use crate::Blame;

/// The entry of one code.
#[derive(Debug)]
pub struct Code {
    pub code: &'static str,
    pub fault: Blame,
    pub retry: Retry,
    /// The places where it occurs.
    pub seen: &'static [Seen],
    pub title: &'static str,
    pub happened: &'static str,
    pub advice: &'static str,
    /// An example of the gateway's message.
    pub message: &'static str,
    /// An example of the hint; empty if there is none.
    pub hint: &'static str,
    /// Other codes, and places of the reference such as `configuration.md#limits`.
    pub see: &'static [&'static str],
}

/// The chance that the same request succeeds when it is sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retry {
    Yes,
    No,
    /// A program should not repeat it unchanged, but a new request can succeed.
    Anew,
    /// The answer itself says whether.
    Sometimes,
}

/// The way in which a code reaches a caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A problem with this HTTP status.
    Http(u16),
    /// The `error` of a tool call's result.
    Result,
    /// The `data` of a JSON-RPC error.
    Rpc,
    /// A warning beside a result.
    Warning,
    /// A page of the console.
    Console,
    /// The gateway does not start.
    Start,
}
