//! Refs: parts that were taken out of results, and contents that servers name by their own ids.

use toolgate_core::event::Durability;
use toolgate_core::file::{Ref, RefOrigin};
use toolgate_core::id::{CallId, RefId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, ServerName};

use super::shared::{read_digest, stored_limit};
use super::{blob, write};
use crate::db::{SqlStatement, without_nul};
use crate::error::doing;
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;
use crate::{Store, StoreError};

/// In the order of `push`.
const PUT: &str =
    "INSERT INTO refs (tenant, id, media_type, bytes, digest, preview, principal, session, run, call,
        tool, server, own, own_key, uri, created_at_ms, expires_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
const COLUMNS: &str =
    "SELECT id, media_type, bytes, digest, preview, principal, session, run, call, tool, server, own,
        uri, created_at_ms, expires_at_ms FROM refs ";
const BY_ID: &str = "WHERE tenant = $1 AND id = $2";
const BY_OWN: &str = "WHERE tenant = $1 AND own_key = $2 AND (session = $3 OR run = $4)
    ORDER BY created_at_ms DESC, id DESC LIMIT $5";
const FILL: &str = "UPDATE refs SET digest = $3, bytes = $4, media_type = $5, preview = $6
    WHERE tenant = $1 AND id = $2";
const EXPIRE: &str = "DELETE FROM refs WHERE tenant = $1 AND id IN (
        SELECT id FROM refs WHERE tenant = $1 AND expires_at_ms <= $2 ORDER BY expires_at_ms LIMIT $3
    )";

/// The maximum number of refs under one server's own name that are read.
const SAME_OWN_MAX: usize = 100;

impl Store {
    pub async fn put_ref(&self, one: &Ref) -> Result<(), StoreError> {
        self.put_refs(std::slice::from_ref(one)).await
    }

    /// Stores all of them or none.
    pub async fn put_refs(&self, refs: &[Ref]) -> Result<(), StoreError> {
        const DOING: &str = "store refs";
        if refs.is_empty() {
            return Ok(());
        }
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        for one in refs {
            if let Some(digest) = &one.digest {
                blob::hold(&mut tx, self.tenant, digest, DOING).await?;
            }
            let mut put = tx.sql(PUT);
            push(self.tenant, one, &mut put);
            put.execute().await.map_err(doing(DOING))?;
        }
        tx.commit().await.map_err(doing(DOING))
    }

    /// An expired ref exists until it is removed.
    pub async fn get_ref(&self, id: &RefId) -> Result<Option<Ref>, StoreError> {
        const DOING: &str = "read a ref's row";
        let read = self.db.sql(sqlx::AssertSqlSafe(format!("{COLUMNS}{BY_ID}"))).bind(self.tenant);
        let row: Option<RefRow> =
            read.bind(without_nul(id.as_str())).fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// The contents that a server names by this id, in a session or in a run. Newest first.
    pub async fn refs_by_own(
        &self,
        own: &str,
        session: &SessionId,
        run: Option<&RunId>,
    ) -> Result<Vec<Ref>, StoreError> {
        const DOING: &str = "look for a ref by its server's id";
        let read = self.db.sql(sqlx::AssertSqlSafe(format!("{COLUMNS}{BY_OWN}"))).bind(self.tenant);
        let read = read.bind(&own_key(own).as_bytes()[..]).bind(without_nul(session.as_str()));
        let read = read.bind(run.map(|run| without_nul(run.as_str()))).bind(stored_limit(SAME_OWN_MAX));
        let rows: Vec<RefRow> = read.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// Records content that was fetched from its server. `false` if the ref is gone.
    pub async fn fill_ref(
        &self,
        id: &RefId,
        digest: &Digest,
        bytes: u64,
        media_type: &str,
        preview: &str,
    ) -> Result<bool, StoreError> {
        const DOING: &str = "note what a ref stands for";
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        blob::hold(&mut tx, self.tenant, digest, DOING).await?;
        let fill = tx.sql(FILL).bind(self.tenant).bind(without_nul(id.as_str()));
        let fill = fill.bind(&digest.as_bytes()[..]).bind(stored_count(bytes));
        let fill = fill.bind(without_nul(media_type)).bind(without_nul(preview));
        let is_there = fill.execute().await.map_err(doing(DOING))? > 0;
        tx.commit().await.map_err(doing(DOING))?;
        Ok(is_there)
    }

    /// Removes refs that have expired at this time: `max` at most. Returns how many.
    pub async fn expire_refs(&self, now_ms: i64, max: usize) -> Result<u64, StoreError> {
        let expire = |to: &mut SqlStatement<'_>| {
            to.push(self.tenant);
            to.push(now_ms);
            to.push(stored_limit(max));
        };
        write(self, EXPIRE, expire).await.map_err(doing("remove refs whose time is over"))
    }
}

/// A server may use ids of any form and length.
fn own_key(own: &str) -> Digest {
    Digest::of(own)
}

fn push(tenant: &'static str, one: &Ref, to: &mut SqlStatement<'_>) {
    let origin = one.origin.as_ref();
    to.push(tenant);
    to.push(without_nul(one.id.as_str()));
    to.push(without_nul(&one.media_type));
    to.push(stored_count(one.bytes));
    to.push(one.digest.map(|digest| digest.as_bytes().to_vec()));
    to.push(without_nul(&one.preview));
    to.push(without_nul(one.principal.as_str()));
    to.push(without_nul(one.session.as_str()));
    to.push(one.run.as_ref().map(|run| without_nul(run.as_str())));
    to.push(one.call.as_ref().map(|call| without_nul(call.as_str())));
    to.push(one.tool.as_ref().map(|tool| without_nul(tool.as_str())));
    to.push(origin.map(|origin| origin.server.to_string()));
    to.push(origin.map(|origin| without_nul(&origin.own)));
    to.push(origin.map(|origin| own_key(&origin.own).as_bytes().to_vec()));
    to.push(origin.and_then(|origin| origin.uri.as_deref().map(without_nul)));
    to.push(one.created_at_ms);
    to.push(one.expires_at_ms);
}

row! {
    struct RefRow {
        id: String,
        media_type: String,
        bytes: i64,
        digest: Option<Vec<u8>>,
        preview: String,
        principal: String,
        session: String,
        run: Option<String>,
        call: Option<String>,
        tool: Option<String>,
        server: Option<String>,
        own: Option<String>,
        uri: Option<String>,
        created_at_ms: i64,
        expires_at_ms: i64,
    }
}

impl RefRow {
    fn read(self, doing: &'static str) -> Result<Ref, StoreError> {
        let origin = match (self.server, self.own) {
            (Some(server), Some(own)) => {
                let server =
                    ServerName::new(&server).map_err(|_| unreadable(doing, "server name of a ref"))?;
                Some(RefOrigin { server, own, uri: self.uri })
            }
            _ => None,
        };
        Ok(Ref {
            id: RefId::new(self.id),
            media_type: self.media_type,
            bytes: read_count(self.bytes),
            digest: self.digest.map(|digest| read_digest(&digest, doing)).transpose()?,
            preview: self.preview,
            principal: PrincipalId::new(&self.principal),
            session: SessionId::new(self.session),
            run: self.run.map(RunId::new),
            call: self.call.map(CallId::new),
            tool: self.tool.map(|tool| CanonicalName::recorded(&tool)),
            origin,
            created_at_ms: self.created_at_ms,
            expires_at_ms: self.expires_at_ms,
        })
    }
}
