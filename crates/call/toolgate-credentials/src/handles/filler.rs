//! Credentials on the way of a call: looked up before it is judged, written into it once it may be sent.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::credential::{
    CredentialHandles, CredentialHolder, CredentialUse, FilledArguments, SentSecret,
};
use toolgate_core::id::CredentialId;
use toolgate_core::moment::rfc3339;
use toolgate_core::port::{BoxFuture, Keyring, SecretViewer};
use toolgate_core::{Refusal, ServerName, Tool, codes};
use toolgate_store::{FieldValue, StoredCredential};

use super::desk::{CredentialDesk, down, erased, unknown, unreadable};
use super::events;
use super::mention::{CredentialMention, mentions};
use crate::clock::now_ms;
use crate::secret::Secret;

pub struct HandleFiller {
    desk: CredentialDesk,
    /// The secrets of the gateway's own, for fields that are kept elsewhere.
    keyring: Arc<dyn Keyring>,
    own: ServerName,
}

impl HandleFiller {
    /// `own` is the server whose secrets are the gateway's own.
    pub fn new(desk: CredentialDesk, keyring: Arc<dyn Keyring>, own: ServerName) -> Self {
        Self { desk, keyring, own }
    }

    async fn looked_up(
        &self,
        holder: &CredentialHolder,
        tool: &Tool,
        arguments: &Value,
    ) -> Result<Vec<CredentialUse>, Refusal> {
        let mut uses = Vec::new();
        for mention in mentions(&tool.handling.secrets, arguments)? {
            uses.push(self.usable(holder, tool, mention).await?);
        }
        Ok(uses)
    }

    async fn filled(
        &self,
        holder: &CredentialHolder,
        tool: &Tool,
        mut arguments: Value,
        judged: &[CredentialUse],
    ) -> Result<FilledArguments, Refusal> {
        let mut sent: Vec<SentSecret> = Vec::new();
        for one in self.looked_up(holder, tool, &arguments).await? {
            if !judged.iter().any(|known| known.id == one.id && known.field == one.field) {
                return Err(not_judged(&one));
            }
            let value = self.value(&one).await?;
            self.note(holder, tool, &one).await?;
            let handle = one.handle();
            let place = arguments.pointer_mut(&one.place).expect("a handle was found there");
            *place = json!({ "handle": handle, "origin": one.origin, "value": value.expose() });
            if !sent.iter().any(|known| known.handle == handle) {
                sent.push(SentSecret::new(handle, value.expose().to_owned()));
            }
        }
        Ok(FilledArguments { arguments, sent })
    }

    /// The credential that is meant, if this caller may have it sent to this server.
    async fn usable(
        &self,
        holder: &CredentialHolder,
        tool: &Tool,
        mention: CredentialMention,
    ) -> Result<CredentialUse, Refusal> {
        let CredentialMention { place, id, field } = mention;
        let store = self.desk.vault().store();
        let found = store.get_credential(&id).await.map_err(down)?;
        // One that is not for this caller is not told apart from one that does not exist.
        let found = found.filter(|one| one.users.iter().any(|user| user.admits(holder)));
        let at = |refusal: Refusal| refusal.field(place.clone());
        let credential = found.ok_or_else(|| at(unknown(id.as_str())))?;
        check(&credential, tool).map_err(at)?;
        self.check_address(&id, &tool.server).map_err(at)?;
        let field = field_of(&credential, field.as_deref()).map_err(at)?;
        let is_new = !store.has_used_credential(&id, &holder.session).await.map_err(down)?;
        let StoredCredential { name, origin, .. } = credential;
        Ok(CredentialUse { place, id, field, name, origin, is_new })
    }

    /// Operators set the addresses of servers that are not in the file, and servers register their own: whoever does would
    /// get every value that is meant for the name.
    fn check_address(&self, id: &CredentialId, server: &ServerName) -> Result<(), Refusal> {
        if self.keyring.may_get(server, id.as_str()) {
            return Ok(());
        }
        let message =
            format!("{id} is not for server \"{server}\": its address is not from the configuration file");
        let hint = format!(
            "put the server into the file, or have an admin allow it: `toolgate secrets allow {server} {id} '*'`"
        );
        Err(Refusal::new(&codes::CREDENTIAL_NOT_FOR_SERVER, message).hint(hint))
    }

    async fn value(&self, one: &CredentialUse) -> Result<Secret, Refusal> {
        let kept = self.desk.vault().store().credential_value(&one.id, &one.field).await.map_err(down)?;
        match kept {
            None => Err(unknown(one.id.as_str())),
            Some(FieldValue::Sealed(sealed)) => {
                self.desk.open((&one.id, one.origin.as_str(), one.field.as_str()), &sealed)
            }
            Some(FieldValue::Secret(name)) => {
                let viewer = SecretViewer::Address(&one.origin);
                let value = self.keyring.secret(&self.own, None, &name, viewer).await;
                value.map(Secret::new).map_err(|why| unreadable(&one.handle(), &why.to_string()))
            }
        }
    }

    /// Records the first use of a session before anything is sent; later ones only count as use.
    async fn note(&self, holder: &CredentialHolder, tool: &Tool, one: &CredentialUse) -> Result<(), Refusal> {
        let vault = self.desk.vault();
        if one.is_new {
            let told = vec![events::used(holder, tool, one)];
            vault.books().use_credential(&one.id, &holder.session, told).await.map_err(down)?;
        }
        vault.store().touch_credential(&one.id).await.map_err(down)
    }
}

impl CredentialHandles for HandleFiller {
    fn look_up<'a>(
        &'a self,
        holder: &'a CredentialHolder,
        tool: &'a Tool,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Vec<CredentialUse>, Refusal>> {
        Box::pin(self.looked_up(holder, tool, arguments))
    }

    fn fill<'a>(
        &'a self,
        holder: &'a CredentialHolder,
        tool: &'a Tool,
        arguments: Value,
        judged: &'a [CredentialUse],
    ) -> BoxFuture<'a, Result<FilledArguments, Refusal>> {
        Box::pin(self.filled(holder, tool, arguments, judged))
    }
}

/// A caller that may use it is told why it cannot be used now, or here.
fn check(credential: &StoredCredential, tool: &Tool) -> Result<(), Refusal> {
    let StoredCredential { id, servers, expires_at_ms, erased_at_ms, .. } = credential;
    if let Some(at_ms) = erased_at_ms {
        return Err(erased(id, *at_ms));
    }
    if let Some(end_ms) = expires_at_ms.filter(|end_ms| *end_ms <= now_ms()) {
        let message = format!("{id} has expired at {}", rfc3339(end_ms));
        return Err(Refusal::new(&codes::CREDENTIAL_EXPIRED, message));
    }
    if !servers.contains(&tool.server) {
        let message = format!("{id} is not for server {:?}", tool.server.as_str());
        return Err(Refusal::new(&codes::CREDENTIAL_NOT_FOR_SERVER, message));
    }
    Ok(())
}

/// The field that is meant: the one that is named, or the only one.
fn field_of(credential: &StoredCredential, field: Option<&str>) -> Result<String, Refusal> {
    let names: Vec<&str> = credential.fields.iter().map(|field| field.name.as_str()).collect();
    let message = match (field, names.as_slice()) {
        (Some(field), names) if names.contains(&field) => return Ok(field.to_owned()),
        (None, [only]) => return Ok((*only).to_owned()),
        (Some(field), _) => {
            format!("{} has no field {field:?}; its fields are {}", credential.id, names.join(", "))
        }
        (None, _) => format!("{} has several fields: {}", credential.id, names.join(", ")),
    };
    Err(Refusal::new(&codes::BAD_CREDENTIAL_HANDLE, message))
}

fn not_judged(one: &CredentialUse) -> Refusal {
    let message = format!("{} was not in the call when it was judged", one.handle());
    Refusal::new(&codes::CREDENTIAL_CHANGED, message).field(one.place.clone())
}
