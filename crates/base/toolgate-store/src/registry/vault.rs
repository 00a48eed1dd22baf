//! The vault's rows: secrets that were sealed elsewhere. Nothing here can open one.

use toolgate_core::event::Event;
use toolgate_core::{PrincipalId, ServerName};

use super::columns::read_server;
use super::origins::{SecretOwner, replace};
use crate::books::Books;
use crate::clock::now_ms;
use crate::db::without_nul;
use crate::error::doing;
use crate::revisions::{RevisionTopic, TopicChange};
use crate::row::row;
use crate::{Store, StoreError};

const PUT: &str = "INSERT INTO vault (tenant, server, principal, name, sealed, created_at_ms, updated_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $6)
    ON CONFLICT (tenant, server, principal, name) DO UPDATE SET
        sealed = excluded.sealed, updated_at_ms = excluded.updated_at_ms";
const GET: &str =
    "SELECT sealed FROM vault WHERE tenant = $1 AND server = $2 AND principal = $3 AND name = $4";
const LIST: &str = "SELECT server, principal, name, created_at_ms, updated_at_ms FROM vault
    WHERE tenant = $1 ORDER BY server, principal, name";
const LIST_OF: &str = "SELECT server, principal, name, created_at_ms, updated_at_ms FROM vault
    WHERE tenant = $1 AND server = $2 ORDER BY principal, name";
const REMOVE: &str = "DELETE FROM vault WHERE tenant = $1 AND server = $2 AND principal = $3 AND name = $4";

/// The existence of a secret, without the secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SealedSecret {
    pub server: ServerName,
    /// The owner; `None` for the shared one.
    pub principal: Option<PrincipalId>,
    pub name: String,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
}

impl Store {
    /// The secret of exactly this principal, or the shared one. One does not replace the other.
    pub async fn get_sealed(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let get = self.db.sql(GET).bind(self.tenant).bind(server.as_str());
        let get = get.bind(stored_principal(principal)).bind(without_nul(name));
        let row: Option<(Vec<u8>,)> = get.fetch_optional().await.map_err(doing("read a secret"))?;
        Ok(row.map(|(sealed,)| sealed))
    }

    /// By server, principal and name; those of one server or all.
    pub async fn list_sealed(&self, server: Option<&ServerName>) -> Result<Vec<SealedSecret>, StoreError> {
        const DOING: &str = "list the secrets";
        let list = match server {
            Some(server) => self.db.sql(LIST_OF).bind(self.tenant).bind(server.as_str()),
            None => self.db.sql(LIST).bind(self.tenant),
        };
        let rows: Vec<SealedRow> = list.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }
}

impl Books {
    /// Stores a secret, replacing an existing one. It may be sent to `origins`, and to those that apply to
    /// all secrets of the name; the rules of the replaced one are forgotten.
    pub async fn put_sealed(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        sealed: &[u8],
        origins: &[String],
        events: Vec<Event>,
    ) -> Result<(), StoreError> {
        let doing = doing("store a secret");
        let mut change = TopicChange::begin(self, RevisionTopic::Vault).await.map_err(&doing)?;
        let put = change.tx.sql(PUT).bind(change.tenant).bind(server.as_str());
        let put = put.bind(stored_principal(principal)).bind(without_nul(name)).bind(sealed).bind(now_ms());
        put.execute().await.map_err(&doing)?;
        let (tenant, whose) = (change.tenant, SecretOwner::One(principal.cloned()));
        replace(&mut change.tx, tenant, (server, &whose, name), origins).await.map_err(&doing)?;
        change.finish(events).await.map_err(&doing)
    }

    /// `false` if there was none; then there are no events either.
    pub async fn remove_sealed(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        events: Vec<Event>,
    ) -> Result<bool, StoreError> {
        let doing = doing("remove a secret");
        let mut change = TopicChange::begin(self, RevisionTopic::Vault).await.map_err(&doing)?;
        let remove = change.tx.sql(REMOVE).bind(change.tenant).bind(server.as_str());
        let remove = remove.bind(stored_principal(principal)).bind(without_nul(name));
        if remove.execute().await.map_err(&doing)? == 0 {
            return Ok(false);
        }
        let (tenant, whose) = (change.tenant, SecretOwner::One(principal.cloned()));
        replace(&mut change.tx, tenant, (server, &whose, name), &[]).await.map_err(&doing)?;
        change.finish(events).await.map_err(&doing)?;
        Ok(true)
    }
}

/// No principal has an empty id, so it can stand for the shared one in a key.
pub(super) fn stored_principal(principal: Option<&PrincipalId>) -> String {
    principal.map(|principal| without_nul(principal.as_str())).unwrap_or_default()
}

row! {
    struct SealedRow {
        server: String,
        principal: String,
        name: String,
        created_at_ms: i64,
        updated_at_ms: i64,
    }
}

impl SealedRow {
    fn read(self, doing: &'static str) -> Result<SealedSecret, StoreError> {
        let SealedRow { server, principal, name, created_at_ms, updated_at_ms } = self;
        let server = read_server(&server, doing)?;
        let principal = (!principal.is_empty()).then(|| PrincipalId::new(&principal));
        Ok(SealedSecret { server, principal, name, created_at_ms, updated_at_ms })
    }
}
