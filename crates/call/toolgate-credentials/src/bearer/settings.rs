//! The operator's settings for access tokens: the issuer, the audience, and the meaning of scopes.

use std::collections::BTreeMap;

use jsonwebtoken::Algorithm;
use toolgate_core::Role;

const PRINCIPAL_CLAIM: &str = "sub";

/// Algorithms with public keys. Shared secrets and `none` are not among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BearerAlgorithm {
    Rs256,
    Ps256,
    Es256,
    Es384,
    EdDsa,
}

impl BearerAlgorithm {
    pub const ALL: [BearerAlgorithm; 5] = [
        BearerAlgorithm::Rs256,
        BearerAlgorithm::Ps256,
        BearerAlgorithm::Es256,
        BearerAlgorithm::Es384,
        BearerAlgorithm::EdDsa,
    ];

    /// The algorithms accepted by default.
    pub const USUAL: [BearerAlgorithm; 3] =
        [BearerAlgorithm::Rs256, BearerAlgorithm::Es256, BearerAlgorithm::EdDsa];

    pub fn as_str(self) -> &'static str {
        match self {
            BearerAlgorithm::Rs256 => "RS256",
            BearerAlgorithm::Ps256 => "PS256",
            BearerAlgorithm::Es256 => "ES256",
            BearerAlgorithm::Es384 => "ES384",
            BearerAlgorithm::EdDsa => "EdDSA",
        }
    }

    pub fn parse(text: &str) -> Option<BearerAlgorithm> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }

    pub(crate) fn of(algorithm: Algorithm) -> Option<BearerAlgorithm> {
        match algorithm {
            Algorithm::RS256 => Some(BearerAlgorithm::Rs256),
            Algorithm::PS256 => Some(BearerAlgorithm::Ps256),
            Algorithm::ES256 => Some(BearerAlgorithm::Es256),
            Algorithm::ES384 => Some(BearerAlgorithm::Es384),
            Algorithm::EdDSA => Some(BearerAlgorithm::EdDsa),
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BearerSettings {
    /// Exactly as in tokens.
    pub issuer: String,
    /// The audience of tokens for this gateway.
    pub audience: String,
    /// The URL of the issuer's keys, instead of its metadata.
    pub jwks_url: Option<String>,
    /// Empty means the usual ones.
    pub algorithms: Vec<BearerAlgorithm>,
    /// The role of each scope. The most powerful role wins.
    pub scopes: BTreeMap<String, Role>,
    /// A claim with the caller's groups: a list of texts, or one text.
    pub groups_claim: Option<String>,
    /// The claim that identifies the caller, if it is not `sub`.
    pub principal_claim: Option<String>,
}

/// Contradictory settings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsProblem {
    #[error("`{field}` is not an http or https address: {value}")]
    Address { field: &'static str, value: String },
    #[error("`audience` is empty: a token for any service would open this gateway")]
    Audience,
    #[error("`scopes` is empty: no token would be let in")]
    Scopes,
}

impl BearerSettings {
    pub(super) fn check(&self) -> Result<(), SettingsProblem> {
        let addresses = [("issuer", Some(&self.issuer)), ("jwks_url", self.jwks_url.as_ref())];
        for (field, value) in addresses {
            if let Some(value) = value.filter(|value| !is_http(value)) {
                return Err(SettingsProblem::Address { field, value: value.clone() });
            }
        }
        match (self.audience.trim().is_empty(), self.scopes.is_empty()) {
            (true, _) => Err(SettingsProblem::Audience),
            (_, true) => Err(SettingsProblem::Scopes),
            _ => Ok(()),
        }
    }

    pub(super) fn accepts(&self, algorithm: Algorithm) -> bool {
        let accepted =
            if self.algorithms.is_empty() { &BearerAlgorithm::USUAL[..] } else { &self.algorithms };
        BearerAlgorithm::of(algorithm).is_some_and(|one| accepted.contains(&one))
    }

    pub(super) fn principal_claim(&self) -> &str {
        self.principal_claim.as_deref().unwrap_or(PRINCIPAL_CLAIM)
    }

    /// The scopes for an agent: those that let it call tools, or all if none is for agents alone.
    pub(super) fn wanted_scopes(&self) -> Vec<&str> {
        let named = |keep: fn(Role) -> bool| {
            let kept = self.scopes.iter().filter(move |(_, role)| keep(**role));
            kept.map(|(scope, _)| scope.as_str()).collect::<Vec<_>>()
        };
        let for_agents = named(|role| role == Role::Agent);
        if for_agents.is_empty() { named(|_| true) } else { for_agents }
    }
}

fn is_http(address: &str) -> bool {
    url::Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}
