//! Logins of people at the console, and links for one login. Their secrets are shown once and stored as
//! hashes.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use toolgate_core::event::Durability;
use toolgate_core::scope::Credential;
use toolgate_core::{Principal, PrincipalId};

use crate::clock::now_ms;
use crate::db::Transaction;
use crate::error::{doing, random_bytes};
use crate::token::TokenRow;
use crate::token_cache::digest;
use crate::{ListedToken, Store, StoreError};

const INSERT: &str = "INSERT INTO logins (tenant, hash, kind, token, created_at_ms, ends_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6)";
const USE_UP: &str =
    "DELETE FROM logins WHERE tenant = $1 AND hash = $2 AND kind = 'link' AND ends_at_ms > $3";
const FIND: &str = "SELECT token, ends_at_ms FROM logins
    WHERE tenant = $1 AND hash = $2 AND kind = 'login' AND ends_at_ms > $3";
const END: &str = "DELETE FROM logins WHERE tenant = $1 AND hash = $2";
const END_ALL: &str = "DELETE FROM logins WHERE tenant = $1 AND kind = 'login' AND token IN
    (SELECT id FROM tokens WHERE tenant = $1 AND (principal = $2 OR (principal IS NULL AND id = $2)))";
const END_LOCAL: &str = "DELETE FROM logins WHERE tenant = $1 AND kind = 'login' AND token IS NULL";
const SWEEP: &str = "DELETE FROM logins WHERE tenant = $1 AND ends_at_ms <= $2";
/// Nobody holds these. The newest of each person stays, since a token owns the name of its principal also when it has expired, and so
/// does one by which a session was opened: that session ends with it.
const SWEEP_TOKENS: &str =
    "DELETE FROM tokens WHERE tenant = $1 AND expires_at_ms <= $2 AND session IS NULL
        AND label LIKE 'login by %' AND created_by = principal
        AND EXISTS (
            SELECT 1 FROM tokens AS newer WHERE newer.tenant = tokens.tenant AND newer.principal = tokens.principal
                AND newer.session IS NULL AND newer.revoked_at_ms IS NULL AND newer.created_at_ms > tokens.created_at_ms
        )
        AND NOT EXISTS (
            SELECT 1 FROM tokens AS opened WHERE opened.tenant = tokens.tenant AND opened.opener = tokens.id
                AND opened.revoked_at_ms IS NULL
        )";
const TOKEN: &str =
    "SELECT id, role, label, principal, kind, groups, created_at_ms, revoked_at_ms, agent, session,
        expires_at_ms, created_by, used_at_ms
    FROM tokens WHERE tenant = $1 AND id = $2 AND revoked_at_ms IS NULL
        AND (expires_at_ms IS NULL OR expires_at_ms > $3)";

const SECRET_BYTES: usize = 32;

/// The label of a token that is made for a login by an identity provider.
pub fn login_label(provider: &str) -> String {
    format!("login by {provider}")
}

/// A logged-in user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredLogin {
    pub credential: Credential,
    pub ends_at_ms: i64,
}

/// The purpose of a row of `logins`.
#[derive(Clone, Copy)]
enum LoginKind {
    Link,
    Login,
}

impl LoginKind {
    fn as_str(self) -> &'static str {
        match self {
            LoginKind::Link => "link",
            LoginKind::Login => "login",
        }
    }
}

impl Store {
    /// Logs in the holder of a token and returns the secret of the login. The login ends with the token, and
    /// after this time.
    pub async fn log_in(&self, token: &ListedToken, time: Duration) -> Result<String, StoreError> {
        const DOING: &str = "log a person in";
        let mut transaction = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        sweep(&mut transaction, self.tenant).await.map_err(doing(DOING))?;
        let secret = insert(&mut transaction, self.tenant, LoginKind::Login, Some(&token.id), time).await?;
        transaction.commit().await.map_err(doing(DOING))?;
        Ok(secret)
    }

    /// A secret that logs the person who may read the data folder in, once, within this time.
    pub async fn create_login_link(&self, time: Duration) -> Result<String, StoreError> {
        const DOING: &str = "make a link to log in with";
        let mut transaction = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let secret = insert(&mut transaction, self.tenant, LoginKind::Link, None, time).await?;
        transaction.commit().await.map_err(doing(DOING))?;
        Ok(secret)
    }

    /// The secret of a login, in exchange for that of a link. `None` if the link was used or has expired.
    pub async fn use_login_link(&self, link: &str, time: Duration) -> Result<Option<String>, StoreError> {
        const DOING: &str = "log a person in by a link";
        let mut transaction = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        sweep(&mut transaction, self.tenant).await.map_err(doing(DOING))?;
        let used = transaction.sql(USE_UP).bind(self.tenant).bind(digest(link).to_vec()).bind(now_ms());
        if used.execute().await.map_err(doing(DOING))? == 0 {
            return Ok(None);
        }
        let secret = insert(&mut transaction, self.tenant, LoginKind::Login, None, time).await?;
        transaction.commit().await.map_err(doing(DOING))?;
        Ok(Some(secret))
    }

    /// The user with this secret, unless the login has ended or the token was revoked.
    pub async fn login(&self, secret: &str) -> Result<Option<StoredLogin>, StoreError> {
        const DOING: &str = "find out who is logged in";
        let find = self.db.sql(FIND).bind(self.tenant).bind(digest(secret).to_vec()).bind(now_ms());
        let row: Option<(Option<String>, i64)> = find.fetch_optional().await.map_err(doing(DOING))?;
        let Some((token, ends_at_ms)) = row else { return Ok(None) };
        let Some(token) = token else {
            return Ok(Some(StoredLogin { credential: Credential::of(Principal::local()), ends_at_ms }));
        };
        let find = self.db.sql(TOKEN).bind(self.tenant).bind(token).bind(now_ms());
        let row: Option<TokenRow> = find.fetch_optional().await.map_err(doing(DOING))?;
        let token = row.map(|row| row.read(DOING)).transpose()?;
        Ok(token.map(|token| StoredLogin { credential: token.credential(), ends_at_ms }))
    }

    pub async fn log_out(&self, secret: &str) -> Result<(), StoreError> {
        let end = self.db.sql(END).bind(self.tenant).bind(digest(secret).to_vec());
        end.execute().await.map(drop).map_err(doing("log a person out"))
    }

    /// Ends every login of a person and returns how many there were.
    pub async fn log_out_everywhere(&self, who: &PrincipalId) -> Result<u64, StoreError> {
        let end = match *who == Principal::local().id {
            true => self.db.sql(END_LOCAL).bind(self.tenant),
            false => self.db.sql(END_ALL).bind(self.tenant).bind(who.as_str()),
        };
        end.execute().await.map_err(doing("log a person out everywhere"))
    }
}

async fn insert(
    transaction: &mut Transaction,
    tenant: &'static str,
    kind: LoginKind,
    token: Option<&String>,
    time: Duration,
) -> Result<String, StoreError> {
    let secret = URL_SAFE_NO_PAD.encode(random_bytes::<SECRET_BYTES>()?);
    let now = now_ms();
    let ends = now.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
    let insert = transaction.sql(INSERT).bind(tenant).bind(digest(&secret).to_vec()).bind(kind.as_str());
    let insert = insert.bind(token).bind(now).bind(ends);
    insert.execute().await.map_err(doing("keep a login"))?;
    Ok(secret)
}

/// Deletes ended logins, and the tokens that were made for logins and have ended.
async fn sweep(transaction: &mut Transaction, tenant: &'static str) -> Result<(), sqlx::Error> {
    let now = now_ms();
    for statement in [SWEEP, SWEEP_TOKENS] {
        transaction.sql(statement).bind(tenant).bind(now).execute().await?;
    }
    Ok(())
}
