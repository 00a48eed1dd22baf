//! The protocol. A request that a door has read comes in; it runs in a task of its own, in the era of its client, and one of the
//! [`calls`](crate::calls) answers it. Frames go back to the door.

// How a message is read, and how an answer is written.
pub(crate) mod era;
pub(crate) mod incoming;
pub(crate) mod opening;

// A request under way.
pub(crate) mod run;

pub(crate) mod dispatch;

pub(crate) mod exchange;
pub(crate) mod parked;

// A stream that the client asked for.
pub(crate) mod listen;
