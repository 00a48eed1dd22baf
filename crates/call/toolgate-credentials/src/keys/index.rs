//! The content of the vault, without its values: the existence of a secret is known without a query.

use std::collections::{BTreeSet, HashSet};

use toolgate_core::{PrincipalId, ServerName};
use toolgate_store::{SecretOrigin, SecretOwner};

use crate::oauth::SignInOwner;
use crate::vault::{SIGN_IN, SecretInfo};

#[derive(Default)]
pub(super) struct SecretIndex {
    /// Counts up with each change that was noticed.
    pub(super) generation: u64,
    /// The vault's own count.
    pub(super) revision: Option<u64>,
    secrets: HashSet<(SignInOwner, String)>,
    signed_in: HashSet<SignInOwner>,
    servers: BTreeSet<String>,
    origins: Vec<SecretOrigin>,
}

impl SecretIndex {
    pub(super) fn new(
        generation: u64,
        revision: u64,
        stored: &[SecretInfo],
        origins: Vec<SecretOrigin>,
    ) -> Self {
        let mut index = Self { generation, revision: Some(revision), origins, ..Self::default() };
        for one in stored {
            let Ok(server) = ServerName::new(&one.server) else { continue };
            let owner = SignInOwner { server, principal: one.principal.clone() };
            if one.name == SIGN_IN {
                index.servers.insert(one.server.clone());
                index.signed_in.insert(owner);
            } else {
                index.secrets.insert((owner, one.name.clone()));
            }
        }
        index
    }

    pub(super) fn signs_in(&self, server: &ServerName) -> bool {
        self.servers.contains(server.as_str())
    }

    pub(super) fn has_signed_in(&self, owner: &SignInOwner) -> bool {
        self.signed_in.contains(owner)
    }

    /// The principal's own, otherwise the shared one.
    pub(super) fn sign_in_of(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
    ) -> Option<SignInOwner> {
        owners(server, principal).find(|owner| self.signed_in.contains(owner))
    }

    /// True if a secret may be sent to an address outside the operator's file.
    pub(super) fn allows(&self, owner: &SignInOwner, name: &str, origin: &str) -> bool {
        let SignInOwner { server, principal } = owner;
        self.origins.iter().any(|one| one.allows(server, principal.as_ref(), name, origin))
    }

    /// The same for secrets from outside: a value stored under the same name, with its own origins, is
    /// another value.
    pub(super) fn allows_all(&self, server: &ServerName, name: &str, origin: &str) -> bool {
        let by_admin = self.origins.iter().filter(|one| one.whose == SecretOwner::All);
        by_admin.into_iter().any(|one| one.allows(server, None, name, origin))
    }

    /// The owner of the secret of this name: the principal itself, otherwise all.
    pub(super) fn holder_of(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
    ) -> Option<SignInOwner> {
        let mut found = owners(server, principal).map(|owner| (owner, name.to_owned()));
        found.find(|key| self.secrets.contains(key)).map(|(owner, _)| owner)
    }
}

fn owners(server: &ServerName, principal: Option<&PrincipalId>) -> impl Iterator<Item = SignInOwner> {
    let own = principal.map(|principal| Some(principal.clone()));
    let server = server.clone();
    own.into_iter().chain([None]).map(move |principal| SignInOwner { server: server.clone(), principal })
}
