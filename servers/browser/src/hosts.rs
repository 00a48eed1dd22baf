//! Which hosts may be dialled.

use std::str::FromStr;

use capability_kit::Trouble;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostRules {
    /// Empty: any public host.
    pub allow: Vec<HostPattern>,
    /// Loopback, private and link-local addresses too.
    pub private: bool,
    /// Empty: 80, 443 and every port from 1024 up.
    pub ports: Vec<u16>,
}

/// `jobs.example` is this host alone, `*.jobs.example` every host below it, each with an optional `:port`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostPattern {
    host: String,
    below: bool,
    port: Option<u16>,
}

impl FromStr for HostPattern {
    type Err = Trouble;

    fn from_str(_text: &str) -> Result<Self, Trouble> {
        todo!()
    }
}
