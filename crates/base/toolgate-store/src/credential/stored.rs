//! A credential as it is kept.

use toolgate_core::credential::CredentialUser;
use toolgate_core::id::CredentialId;
use toolgate_core::{PrincipalId, ServerName};

/// A credential without its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredCredential {
    pub id: CredentialId,
    pub name: String,
    /// Scheme, host and port.
    pub origin: String,
    pub users: Vec<CredentialUser>,
    pub servers: Vec<ServerName>,
    /// By name.
    pub fields: Vec<CredentialField>,
    pub created_by: PrincipalId,
    pub created_at_ms: i64,
    pub expires_at_ms: Option<i64>,
    pub last_used_at_ms: Option<i64>,
    pub erased_at_ms: Option<i64>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CredentialField {
    pub name: String,
    /// The secret of the gateway's own that has its value, if it is not sealed here.
    pub secret: Option<String>,
    pub updated_at_ms: i64,
}

/// A sealed value and what it was sealed for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SealedField {
    pub id: CredentialId,
    pub origin: String,
    pub name: String,
    pub sealed: Vec<u8>,
}

/// The value of a field, as it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FieldValue {
    Sealed(Vec<u8>),
    /// The name of a secret of the gateway's own.
    Secret(String),
}
