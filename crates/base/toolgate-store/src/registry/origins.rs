//! The addresses that secrets may be sent to, besides those in the operator's file.

use toolgate_core::event::Event;
use toolgate_core::{PrincipalId, ServerName};

use super::columns::read_server;
use super::vault::stored_principal;
use crate::books::Books;
use crate::clock::now_ms;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::revisions::{RevisionTopic, TopicChange};
use crate::row::row;
use crate::{Store, StoreError};

const LIST: &str = "SELECT server, whose, name, origin FROM secret_origins
    WHERE tenant = $1 ORDER BY server, name, whose, origin";
const ALLOW: &str = "INSERT INTO secret_origins (tenant, server, whose, name, origin, allowed_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
const FORGET: &str =
    "DELETE FROM secret_origins WHERE tenant = $1 AND server = $2 AND whose = $3 AND name = $4";

/// An admin's rule for all secrets of a name.
const ALL: &str = "*";
/// The prefix of a principal, so that no name is confused with all.
const ONE: &str = "=";

/// A place that a secret may be sent to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecretOrigin {
    pub server: ServerName,
    pub whose: SecretOwner,
    pub name: String,
    /// Scheme, host and port; or `*` for everywhere.
    pub origin: String,
}

/// The owner of a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecretOwner {
    /// All secrets of the name, now and later.
    All,
    /// The secret of one principal, or the shared one.
    One(Option<PrincipalId>),
}

impl SecretOrigin {
    /// True if it allows sending a secret to an address.
    pub fn allows(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        origin: &str,
    ) -> bool {
        let is_whose = match &self.whose {
            SecretOwner::All => true,
            SecretOwner::One(holder) => holder.as_ref() == principal,
        };
        is_whose
            && self.server == *server
            && self.name == name
            && (self.origin == origin || self.origin == Self::ANYWHERE)
    }

    /// The origin of every address.
    pub const ANYWHERE: &str = "*";
}

impl SecretOwner {
    fn stored(&self) -> String {
        match self {
            SecretOwner::All => ALL.to_owned(),
            SecretOwner::One(principal) => format!("{ONE}{}", stored_principal(principal.as_ref())),
        }
    }

    fn read(stored: &str) -> Self {
        match stored.strip_prefix(ONE) {
            Some("") => SecretOwner::One(None),
            Some(principal) => SecretOwner::One(Some(PrincipalId::new(principal))),
            None => SecretOwner::All,
        }
    }
}

impl Store {
    /// By server and name.
    pub async fn list_secret_origins(&self) -> Result<Vec<SecretOrigin>, StoreError> {
        const DOING: &str = "list where secrets may be sent";
        let list = self.db.sql(LIST).bind(self.tenant);
        let rows: Vec<OriginRow> = list.fetch_all().await.map_err(doing(DOING))?;
        let read = |row: OriginRow| {
            Ok(SecretOrigin {
                server: read_server(&row.server, DOING)?,
                whose: SecretOwner::read(&row.whose),
                name: row.name,
                origin: row.origin,
            })
        };
        rows.into_iter().map(read).collect()
    }
}

row! {
    struct OriginRow {
        server: String,
        whose: String,
        name: String,
        origin: String,
    }
}

impl Books {
    /// Sets the addresses that all secrets of a name may be sent to, replacing the earlier ones.
    pub async fn set_secret_origins(
        &self,
        server: &ServerName,
        name: &str,
        origins: &[String],
        events: Vec<Event>,
    ) -> Result<(), StoreError> {
        let doing = doing("say where a secret may be sent");
        let mut change = TopicChange::begin(self, RevisionTopic::Vault).await.map_err(&doing)?;
        let tenant = change.tenant;
        replace(&mut change.tx, tenant, (server, &SecretOwner::All, name), origins).await.map_err(&doing)?;
        change.finish(events).await.map_err(&doing)
    }
}

/// A secret: server, owner, name.
type SecretId<'a> = (&'a ServerName, &'a SecretOwner, &'a str);

/// Within a transaction: these and no others.
pub(super) async fn replace(
    tx: &mut Transaction,
    tenant: &'static str,
    which: SecretId<'_>,
    origins: &[String],
) -> Result<(), sqlx::Error> {
    let (server, whose, name) = which;
    let forget = tx.sql(FORGET).bind(tenant).bind(server.as_str());
    forget.bind(whose.stored()).bind(without_nul(name)).execute().await?;
    for origin in origins {
        allow(tx, tenant, which, origin).await?;
    }
    Ok(())
}

/// Within a transaction: this one too.
pub(super) async fn allow(
    tx: &mut Transaction,
    tenant: &'static str,
    (server, whose, name): SecretId<'_>,
    origin: &str,
) -> Result<(), sqlx::Error> {
    let allow = tx.sql(ALLOW).bind(tenant).bind(server.as_str()).bind(whose.stored());
    let allow = allow.bind(without_nul(name)).bind(without_nul(origin)).bind(now_ms());
    allow.execute().await.map(drop)
}
