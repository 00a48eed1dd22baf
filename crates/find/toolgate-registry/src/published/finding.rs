//! What became of the entry that a server was made from, and what is kept of that.

use toolgate_core::ServerName;
use toolgate_store::OutdatedServer;

use super::name::PublishedOrigin;
use super::server::{PublicationStatus, PublishedServer};

/// The relation of a server to the registry that it came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OriginStanding {
    Current,
    /// There is another version.
    Outdated,
    /// The entry of the very version is another one now.
    Changed,
    Deprecated,
    Deleted,
    /// The registry does not have it any more.
    Gone,
    /// It comes from a registry that is not configured now.
    Foreign,
}

impl OriginStanding {
    const ALL: [Self; 7] = [
        Self::Current,
        Self::Outdated,
        Self::Changed,
        Self::Deprecated,
        Self::Deleted,
        Self::Gone,
        Self::Foreign,
    ];

    /// `own` is the entry of the version that the server was made from, as the registry has it now.
    pub fn of(
        origin: &PublishedOrigin,
        own: Option<&PublishedServer>,
        latest: Option<&PublishedServer>,
    ) -> Self {
        let Some(own) = own else { return Self::Gone };
        match own.status {
            PublicationStatus::Deleted => Self::Deleted,
            _ if own.digest != origin.digest => Self::Changed,
            PublicationStatus::Deprecated => Self::Deprecated,
            PublicationStatus::Active if latest.is_some_and(|latest| latest.version != origin.version) => {
                Self::Outdated
            }
            PublicationStatus::Active => Self::Current,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Outdated => "outdated",
            Self::Changed => "changed",
            Self::Deprecated => "deprecated",
            Self::Deleted => "deleted",
            Self::Gone => "gone",
            Self::Foreign => "of another registry",
        }
    }

    /// True if there is nothing to tell.
    pub(crate) fn is_quiet(self) -> bool {
        matches!(self, Self::Current | Self::Foreign)
    }
}

/// What a look at the registry has found about a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OriginFinding {
    pub standing: OriginStanding,
    /// The version that the server was made from.
    pub version: String,
    /// The latest version in the registry, if it has one.
    pub latest: Option<String>,
}

impl OriginFinding {
    /// What is kept about a server. What was found about an earlier version of it does not count any more.
    pub fn among(
        kept: &[OutdatedServer],
        server: &ServerName,
        origin: Option<&PublishedOrigin>,
    ) -> Option<Self> {
        let version = &origin?.version;
        let found = kept.iter().find(|one| one.server == *server && one.version == *version)?;
        let standing = OriginStanding::ALL.into_iter().find(|one| one.as_str() == found.state)?;
        Some(Self { standing, version: found.version.clone(), latest: found.latest.clone() })
    }

    pub(crate) fn stored(&self, server: &ServerName, at_ms: i64) -> OutdatedServer {
        OutdatedServer {
            server: server.clone(),
            version: self.version.clone(),
            state: self.standing.as_str().to_owned(),
            latest: self.latest.clone(),
            found_at_ms: at_ms,
        }
    }

    /// In words, without a period.
    pub fn says(&self) -> String {
        let Self { standing, version, latest } = self;
        match standing {
            OriginStanding::Current => format!("version {version} is the latest in the registry"),
            OriginStanding::Outdated => {
                let latest = latest.as_deref().unwrap_or("another");
                format!("version {latest} is in the registry (yours: {version})")
            }
            OriginStanding::Changed => {
                format!("the registry's entry of version {version} is not the one that was added")
            }
            OriginStanding::Deprecated => format!("the registry calls version {version} deprecated"),
            OriginStanding::Deleted => format!("version {version} was deleted in the registry"),
            OriginStanding::Gone => format!("the registry has no version {version} any more"),
            OriginStanding::Foreign => "it came from a registry that is not configured now".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(version: &str, state: &str) -> OutdatedServer {
        let latest = Some("2.0.0".to_owned());
        let server = ServerName::new("weather").expect("a name");
        OutdatedServer { server, version: version.into(), state: state.into(), latest, found_at_ms: 1 }
    }

    fn origin(version: &str) -> PublishedOrigin {
        PublishedOrigin {
            registry: "https://r.example/".into(),
            name: super::super::PublishedName::new("io.github.ann/weather").expect("a name"),
            version: version.into(),
            digest: toolgate_core::Digest::of("an entry"),
        }
    }

    #[test]
    fn what_was_found_counts_for_the_version_that_it_was_found_about() {
        let weather = ServerName::new("weather").expect("a name");
        let kept = [kept("1.0.0", "outdated")];
        let found = OriginFinding::among(&kept, &weather, Some(&origin("1.0.0"))).expect("a finding");
        assert_eq!(found.says(), "version 2.0.0 is in the registry (yours: 1.0.0)");
        assert_eq!(found.stored(&weather, 1), kept[0]);
        assert_eq!(OriginFinding::among(&kept, &weather, Some(&origin("2.0.0"))), None, "it was taken");
        assert_eq!(OriginFinding::among(&kept, &weather, None), None);
        let other = ServerName::new("mail").expect("a name");
        assert_eq!(OriginFinding::among(&kept, &other, Some(&origin("1.0.0"))), None);
    }

    #[test]
    fn a_word_of_a_later_release_is_no_finding() {
        let weather = ServerName::new("weather").expect("a name");
        let kept = [kept("1.0.0", "haunted")];
        assert_eq!(OriginFinding::among(&kept, &weather, Some(&origin("1.0.0"))), None);
    }
}
