//! A server held against the registry that it came from: what became of its entry, and whether there is another version.

use toolgate_core::codes;
use toolgate_registry::{OriginFinding, OriginStanding, PublishedOrigin, PublishedServer, difference};

use super::{EntryFault, RegistryClient};

/// What became of the entry that a server was made from.
pub(crate) struct OriginReport {
    pub(crate) origin: PublishedOrigin,
    pub(crate) latest: Option<PublishedServer>,
    pub(crate) standing: OriginStanding,
    /// Between the entry of its version, as it is now, and the latest.
    pub(crate) difference: Vec<String>,
}

impl OriginReport {
    pub(crate) fn finding(&self) -> OriginFinding {
        OriginFinding {
            standing: self.standing,
            version: self.origin.version.clone(),
            latest: self.latest.as_ref().map(|latest| latest.version.clone()),
        }
    }
}

impl RegistryClient {
    /// An entry that is gone is a finding; a registry that does not answer is not.
    pub(crate) async fn report(&self, origin: PublishedOrigin) -> Result<OriginReport, EntryFault> {
        if origin.registry != self.address.url {
            let standing = OriginStanding::Foreign;
            return Ok(OriginReport { origin, latest: None, standing, difference: Vec::new() });
        }
        let latest = if_there(self.look_up(&origin.name, None).await)?;
        let own = match &latest {
            Some(latest) if latest.version == origin.version => Some(latest.clone()),
            _ => if_there(self.look_up(&origin.name, Some(&origin.version)).await)?,
        };
        let standing = OriginStanding::of(&origin, own.as_ref(), latest.as_ref());
        let difference = match (&own, &latest) {
            (Some(own), Some(latest)) => difference(own, latest),
            _ => Vec::new(),
        };
        Ok(OriginReport { origin, latest, standing, difference })
    }
}

fn if_there(entry: Result<PublishedServer, EntryFault>) -> Result<Option<PublishedServer>, EntryFault> {
    match entry {
        Ok(server) => Ok(Some(server)),
        Err(EntryFault::OfEntry(refusal)) if refusal.code == &codes::UNKNOWN_PUBLISHED_SERVER => Ok(None),
        Err(fault) => Err(fault),
    }
}
