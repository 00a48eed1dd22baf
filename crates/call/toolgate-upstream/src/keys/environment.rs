//! The environment of a child, with its secrets, and whether it is still the one the child would be given.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use toolgate_core::Digest;
use toolgate_core::port::{Keyring, NoKey, SecretViewer};
use toolgate_core::server::{ServerSpec, TransportSpec};

use super::template::{SecretTemplate, SecretUser, has_secret};

type Environment = BTreeMap<String, String>;

/// A fingerprint of a child's environment, to be compared later; not the secrets themselves.
pub(crate) struct GivenEnvironment {
    env: Digest,
    /// The generation of the credentials in which it was last found to be current.
    checked: AtomicU64,
}

/// The environment for a child of `owner`, and a note of it.
pub(crate) async fn filled_env(
    spec: &ServerSpec,
    keyring: &dyn Keyring,
    owner: SecretUser<'_>,
) -> Result<(Environment, GivenEnvironment), NoKey> {
    // The generation first: a change in between is found at the next check.
    let generation = keyring.generation();
    let env = filled(spec, keyring, owner).await?;
    let given = GivenEnvironment { env: digest(&env), checked: AtomicU64::new(generation) };
    Ok((env, given))
}

/// True if a child of this server gets secrets at all.
pub(crate) fn gives_secrets(spec: &ServerSpec) -> bool {
    matches!(&spec.transport, TransportSpec::Stdio { env, .. } if env.values().any(|value| has_secret(value)))
}

impl GivenEnvironment {
    /// True if the child would get another environment now, or none for lack of a secret.
    pub(crate) async fn is_outdated(
        &self,
        spec: &ServerSpec,
        keyring: &dyn Keyring,
        owner: SecretUser<'_>,
    ) -> bool {
        let generation = keyring.generation();
        if self.checked.load(Ordering::Acquire) == generation {
            return false;
        }
        let is_same = filled(spec, keyring, owner).await.is_ok_and(|env| digest(&env) == self.env);
        if is_same {
            self.checked.store(generation, Ordering::Release);
        }
        !is_same
    }
}

async fn filled(
    spec: &ServerSpec,
    keyring: &dyn Keyring,
    owner: SecretUser<'_>,
) -> Result<Environment, NoKey> {
    let TransportSpec::Stdio { env, .. } = &spec.transport else { return Ok(BTreeMap::new()) };
    let mut filled = BTreeMap::new();
    for (name, value) in env {
        let template = SecretTemplate::parse(value).map_err(|error| NoKey(format!("{name}: {error}")))?;
        filled
            .insert(name.clone(), template.filled(keyring, &spec.name, owner, SecretViewer::Program).await?);
    }
    Ok(filled)
}

fn digest(env: &Environment) -> Digest {
    // No environment can contain the character between the variables.
    let text: String = env.iter().map(|(name, value)| format!("{name}={value}\0")).collect();
    Digest::of(text)
}
