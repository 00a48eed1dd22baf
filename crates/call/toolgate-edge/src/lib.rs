#![doc = include_str!("../README.md")]

// The way of a request: through a door, in a protocol era, to a call.
mod doors;

mod protocol;

mod calls;

// The way back: who is told and asked.
mod clients;

// What travels both ways.
mod messages;

// What all of them share.
mod gateway;
mod metrics;
mod quotas;

pub use calls::suppliers::GatewaySuppliers;
pub use clients::hub::Hub;
pub use doors::direct::{DirectCall, NotCalled};
pub use doors::guard::{AllowedHosts, CredentialError, Credentials, ProtectedResource};
pub use doors::listener::{serve, serve_stream};
pub use doors::patience::PatientBody;
pub use doors::rest::{RestBody, RestService, ServedCallers};
pub use doors::seats::Seats;
pub use doors::stdio::serve_pipe;
pub use gateway::{Gateway, GatewaySetup};
pub use metrics::{MetricSource, metrics_by_example};
pub use quotas::{
    Quota, QuotaHolder, QuotaHolding, QuotaRule, QuotaSubject, QuotaUsage, Quotas, StreamPlace,
};

#[cfg(test)]
mod tests;
