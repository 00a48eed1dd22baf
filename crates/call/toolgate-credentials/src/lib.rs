#![doc = include_str!("../README.md")]

mod bearer;
mod clock;
#[cfg(test)]
mod fixture;
mod key;
mod keys;
mod oauth;
mod outbound;
mod outside;
mod seal;
mod secret;
mod vault;

pub use bearer::{Bearer, BearerAlgorithm, BearerRefused, BearerSettings, RefusalCode, SettingsProblem};
pub use key::{KeyProblem, KeySource, VaultKey};
pub use keys::Keys;
pub use oauth::{Login, LoginError, LoginOptions, OAuthSpec, SignedIn};
pub use outside::{Given, OpenBaoLogin, OpenBaoSettings, Outside, OutsideSecret, OutsideSource, Unanswered};
pub use secret::Secret;
pub use vault::{SIGN_IN, Stored, Vault, VaultError, origin_of};
