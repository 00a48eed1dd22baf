#![doc = include_str!("../README.md")]

mod bearer;
mod clock;
#[cfg(test)]
mod fixture;
mod handles;
mod key;
mod keys;
mod oauth;
mod outbound;
mod outside;
mod people;
mod seal;
mod secret;
mod vault;

pub use bearer::{Bearer, BearerAlgorithm, BearerRefused, BearerSettings, RefusalCode, SettingsProblem};
pub use handles::{CredentialDesk, CredentialDraft, DraftValue, FieldDraft, HandleFiller, find_credential};
pub use key::{KeyProblem, KeySource, VaultKey};
pub use keys::Keys;
pub use oauth::{LoginError, LoginOptions, OAuthEndpoints, OAuthSpec, PendingLogin, SignedIn};
pub use outside::{
    ExternalSecrets, OpenBaoCredential, OpenBaoLogin, OpenBaoSettings, OutsideSecret, OutsideSource,
    SecretSourceError,
};
pub use people::{PersonAnswer, PersonLogin, PersonRefused, PersonSettings, PersonTicket};
pub use secret::Secret;
pub use vault::{SIGN_IN, SecretInfo, Vault, VaultError, origin_of};
