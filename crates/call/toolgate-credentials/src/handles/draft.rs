//! A new credential as people describe it, and what it must fit.

use std::collections::BTreeSet;

use toolgate_core::credential::{CredentialHandle, CredentialUser};
use toolgate_core::id::CredentialId;
use toolgate_core::{Refusal, ServerName, codes};

use super::origin::site_origin;
use crate::secret::Secret;

const NAME_CHARS_MAX: usize = 128;
const FIELDS_MAX: usize = 16;
const USERS_MAX: usize = 64;
const SERVERS_MAX: usize = 32;
const SECRET_NAME_CHARS_MAX: usize = 128;
/// Long enough for a private key; an echo of a longer one could not be recognised in every writing.
const VALUE_BYTES_MAX: usize = 4 << 10;

pub struct CredentialDraft {
    pub name: String,
    /// An address of the site; its origin counts.
    pub origin: String,
    pub fields: Vec<FieldDraft>,
    pub users: Vec<CredentialUser>,
    pub servers: Vec<ServerName>,
    pub expires_at_ms: Option<i64>,
}

pub struct FieldDraft {
    pub name: String,
    pub value: DraftValue,
}

pub enum DraftValue {
    /// It is sealed and kept in the vault.
    Value(Secret),
    /// The name of a secret of the gateway's own, which may be kept elsewhere. It must be allowed for the origin.
    Secret(String),
}

impl CredentialDraft {
    /// The same with a normalised origin, and each user and server once, in order.
    pub(super) fn checked(mut self, now_ms: i64) -> Result<Self, Refusal> {
        self.name = self.name.trim().to_owned();
        check_name(&self.name)?;
        self.origin = site_origin(&self.origin)?;
        check_fields(&self.fields)?;
        self.users = sorted(self.users);
        self.servers = sorted(self.servers);
        if !(1..=USERS_MAX).contains(&self.users.len()) {
            let what = format!("a credential has 1 to {USERS_MAX} users");
            return Err(invalid("users", what, "name who may use it, such as agent:applicant"));
        }
        if !(1..=SERVERS_MAX).contains(&self.servers.len()) {
            let what = format!("a credential goes to 1 to {SERVERS_MAX} servers");
            return Err(invalid("servers", what, "name the servers that may get it, such as browser"));
        }
        if self.expires_at_ms.is_some_and(|end| end <= now_ms) {
            let what = "a credential cannot end before it begins".to_owned();
            return Err(invalid("expires_at", what, "give a time in the future, or none"));
        }
        Ok(self)
    }
}

impl DraftValue {
    pub(super) fn check(&self) -> Result<(), Refusal> {
        match self {
            DraftValue::Value(value) if !(1..=VALUE_BYTES_MAX).contains(&value.expose().len()) => {
                let what = format!("the value of a field has 1 to {VALUE_BYTES_MAX} bytes");
                Err(invalid("fields", what, "give the value as it is typed into the site"))
            }
            DraftValue::Secret(name) if !(1..=SECRET_NAME_CHARS_MAX).contains(&name.chars().count()) => {
                let what = "a field does not say which secret has its value".to_owned();
                Err(invalid("fields", what, "name a secret of server \"toolgate\" under [[secrets]]"))
            }
            DraftValue::Value(_) | DraftValue::Secret(_) => Ok(()),
        }
    }
}

fn check_name(name: &str) -> Result<(), Refusal> {
    let fits = (1..=NAME_CHARS_MAX).contains(&name.chars().count())
        && !name.contains(char::is_control)
        && !name.starts_with(CredentialId::PREFIX);
    if fits {
        return Ok(());
    }
    let what = format!(
        "a credential's name has 1 to {NAME_CHARS_MAX} printable characters, and does not begin with cred_"
    );
    Err(invalid("name", what, "name it after the site and the account, such as Example Jobs (Ada)"))
}

fn check_fields(fields: &[FieldDraft]) -> Result<(), Refusal> {
    if !(1..=FIELDS_MAX).contains(&fields.len()) {
        let what = format!("a credential has 1 to {FIELDS_MAX} fields");
        return Err(invalid("fields", what, "give it what the site asks for, such as username and password"));
    }
    let mut names = BTreeSet::new();
    for field in fields {
        let name = &field.name;
        if !CredentialHandle::is_field(name) {
            let what = format!("{name:?} is no name for a field");
            return Err(invalid("fields", what, "use 1 to 64 of the characters a-z 0-9 _, such as password"));
        }
        if !names.insert(name) {
            let what = format!("the field {name:?} is given twice");
            return Err(invalid("fields", what, "give each field once"));
        }
        field.value.check()?;
    }
    Ok(())
}

fn sorted<T: Ord>(list: Vec<T>) -> Vec<T> {
    list.into_iter().collect::<BTreeSet<T>>().into_iter().collect()
}

pub(super) fn invalid(field: &str, what: String, hint: &str) -> Refusal {
    Refusal::new(&codes::CREDENTIAL_INVALID, what).hint(hint).field(field)
}
