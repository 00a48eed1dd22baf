//! Messages: a request taken apart, an answer before it has an era and after, and values that leave the gateway and come back.
//! Nothing here knows the gateway.

// In.
pub(crate) mod parts;
pub(crate) mod request_state;

// Out.
pub(crate) mod frame;
pub(crate) mod reply;

// Out and in again.
pub(crate) mod seal;
pub(crate) mod server_state;
pub(crate) mod task_id;

pub(crate) mod text;
