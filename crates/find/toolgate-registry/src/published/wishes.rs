//! The operator's wishes about a server that is added.

use std::collections::BTreeMap;

/// The operator's wishes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AddWishes {
    /// The program that may start containers; without it no image is run.
    pub containers: Option<ContainerRuntime>,
    /// Values of inputs, by their names.
    pub values: BTreeMap<String, String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContainerRuntime {
    Docker,
    Podman,
}

impl ContainerRuntime {
    pub fn as_str(self) -> &'static str {
        match self {
            ContainerRuntime::Docker => "docker",
            ContainerRuntime::Podman => "podman",
        }
    }
}
