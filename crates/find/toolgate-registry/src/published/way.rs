//! The ways in which a published server can be had, and the choice among them.

use toolgate_core::address::AddressRules;

use super::entry::{PublishedEntry, WayRefusal};
use super::server::{PublicationStatus, PublishedServer};
use super::wishes::AddWishes;
use super::{package, remote};

/// One package or remote of an entry, and what becomes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublishedWay {
    /// npm, pypi, nuget, oci, mcpb, cargo, go, other or remote.
    pub kind: &'static str,
    /// The package with its version, or the address.
    pub target: String,
    pub entry: Result<PublishedEntry, WayRefusal>,
}

impl PublishedServer {
    /// Every way, in the order of the entry, packages first.
    pub fn ways(&self, wishes: &AddWishes, rules: AddressRules) -> Vec<PublishedWay> {
        let packages = self.packages.iter().map(|one| PublishedWay {
            kind: one.kind(),
            target: one.named(),
            entry: package::command(one, wishes),
        });
        let remotes = self.remotes.iter().map(|one| PublishedWay {
            kind: "remote",
            target: one.url.clone(),
            entry: remote::reached(one, wishes, rules),
        });
        packages.chain(remotes).collect()
    }

    /// The first way that works, or the first of the kind that the operator wants.
    pub fn choose<'w>(
        &self,
        ways: &'w [PublishedWay],
        kind: Option<&str>,
    ) -> Result<(&'w PublishedWay, &'w PublishedEntry), WayRefusal> {
        if self.status == PublicationStatus::Deleted {
            let why = self.status_message.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            let says = format!("{} {} was deleted from its registry{why}", self.name, self.version);
            return Err(WayRefusal::new(says, "look for another server: `toolgate servers search`"));
        }
        let wanted = || ways.iter().filter(|way| kind.is_none_or(|kind| way.kind == kind));
        if let Some(chosen) = wanted().find_map(|way| Some((way, way.entry.as_ref().ok()?))) {
            return Ok(chosen);
        }
        match wanted().find_map(|way| way.entry.as_ref().err()) {
            Some(refusal) => Err(refusal.clone()),
            None => Err(self.without_way(kind)),
        }
    }

    fn without_way(&self, kind: Option<&str>) -> WayRefusal {
        match kind {
            Some(kind) => {
                let says = format!("{} {} has no way of the kind {kind:?}", self.name, self.version);
                WayRefusal::new(says, format!("it has {}", self.kinds().join(", ")))
            }
            None => {
                let says = format!("{} {} names neither a package nor an address", self.name, self.version);
                WayRefusal::new(
                    says,
                    "its repository may say how to run it; then add it to toolgate.toml by hand",
                )
            }
        }
    }
}
