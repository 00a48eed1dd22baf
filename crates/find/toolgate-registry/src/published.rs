//! Servers as an MCP registry publishes them: reading entries that strangers wrote, the entry of the configuration
//! that each would become, and the difference between two versions. Pure: nothing here asks a registry.
//!
//! Whatever an entry says is a wish. It names no program but the known runners of packages, no version that is not exact, no
//! address that `[network]` refuses, and secrets by their names alone.

mod entry;
mod facts;
mod finding;
mod finds;
mod input;
mod name;
mod package;
mod pinned;
mod reading;
mod remote;
mod server;
mod way;
mod wishes;

#[cfg(test)]
mod tests;

pub use entry::{LeftOutInput, PublishedEntry, PublishedSecret, PublishedTransport, WayRefusal};
pub use facts::difference;
pub use finding::{OriginFinding, OriginStanding};
pub use finds::PublishedFinds;
pub use name::{BadPublishedName, PublishedName, PublishedOrigin};
pub use reading::{BadPublication, PublishedPage};
pub use server::{PublicationStatus, PublishedServer};
pub use way::PublishedWay;
pub use wishes::{AddWishes, ContainerRuntime};
