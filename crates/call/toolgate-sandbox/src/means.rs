//! The means of this machine to confine a process.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

/// The Landlock that also stops signals and abstract sockets; Linux 6.12.
const LANDLOCK_OF_SIGNALS: u32 = 6;
/// The one that also stops TCP; Linux 6.7.
const LANDLOCK_OF_NETWORK: u32 = 4;

/// Determined by trying, in a separate process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SandboxSupport {
    /// The reason why places cannot be hidden, if so.
    pub no_namespaces: Option<String>,
    /// The version of Landlock; 0 for none.
    pub landlock: u32,
}

impl SandboxSupport {
    /// No means at all, for this reason.
    pub fn none(why: &str) -> Self {
        Self { no_namespaces: Some(why.to_owned()), landlock: 0 }
    }

    /// Asks a program that ends in [`crate::probe`] and prints the answer as JSON. It takes some
    /// milliseconds.
    pub fn ask(launcher: &Path, args: &[String]) -> Self {
        let output =
            Command::new(launcher).args(args).env_clear().stdin(Stdio::null()).stderr(Stdio::null()).output();
        let said = output.map_err(|error| error.to_string()).and_then(|output| {
            serde_json::from_slice(&output.stdout).map_err(|_| "the launcher did not answer".to_owned())
        });
        said.unwrap_or_else(|error| Self::none(&error))
    }

    pub fn has_namespaces(&self) -> bool {
        self.no_namespaces.is_none()
    }

    pub fn has_landlock(&self) -> bool {
        self.landlock > 0
    }

    pub(crate) fn stops_signals(&self) -> bool {
        self.landlock >= LANDLOCK_OF_SIGNALS
    }

    pub(crate) fn closes_network(&self) -> bool {
        self.has_namespaces() || self.landlock >= LANDLOCK_OF_NETWORK
    }

    /// The missing means, each with its consequence.
    pub fn lacking(&self) -> Vec<String> {
        let mut lacking = Vec::new();
        if let Some(why) = &self.no_namespaces {
            let instead = match self.has_landlock() {
                true => {
                    "secrets in the home folder are not hidden, and what the gateway keeps is by Landlock alone"
                }
                false => "nothing is hidden from servers, not even what the gateway keeps",
            };
            lacking.push(format!("user namespaces are not to be had ({why}): {instead}"));
        }
        match self.landlock {
            0 => lacking.push("the kernel has no Landlock: servers may write wherever their user may".to_owned()),
            _ if !self.stops_signals() => lacking.push(
                "the kernel's Landlock is older than Linux 6.12: servers may send signals to other processes of their user"
                    .to_owned(),
            ),
            _ => {}
        }
        lacking
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_with_what_it_means() {
        let all = SandboxSupport { no_namespaces: None, landlock: 7 };
        assert!(all.lacking().is_empty());
        let older = SandboxSupport { landlock: 5, ..all.clone() };
        assert!(older.lacking().join("").contains("signals"));
        let container = SandboxSupport { no_namespaces: Some("EPERM".into()), ..all };
        assert!(container.lacking().join("").contains("by Landlock alone"));
        let none = SandboxSupport::none("no");
        assert_eq!(none.lacking().len(), 2);
        assert!(none.lacking()[0].contains("not even what the gateway keeps"));
    }

    #[test]
    fn a_launcher_that_is_not_there_is_no_means() {
        let means = SandboxSupport::ask(Path::new("/nowhere/launcher"), &[]);
        assert!(!means.has_namespaces() && !means.has_landlock());
    }
}
