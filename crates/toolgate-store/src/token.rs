//! Tokens: shown once, kept as a hash, refused once revoked.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sqlx::SqliteConnection;
use toolgate_core::{Principal, PrincipalId, Role};

use crate::error::{doing, random_bytes};
use crate::token_cache::{Digest, digest};
use crate::{Store, StoreError, now_ms};

const INSERT: &str =
    "INSERT INTO tokens (tenant, id, hash, role, label, created_at_ms) VALUES ($1, $2, $3, $4, $5, $6)";
const ANY: &str = "SELECT EXISTS (SELECT 1 FROM tokens WHERE tenant = $1 AND role = $2)";
const LIST: &str = "SELECT id, role, label, created_at_ms, revoked_at_ms FROM tokens WHERE tenant = $1 ORDER BY created_at_ms, id";
const REVOKE: &str =
    "UPDATE tokens SET revoked_at_ms = $3 WHERE tenant = $1 AND id = $2 AND revoked_at_ms IS NULL";
const VERIFY: &str = "SELECT id, role FROM tokens WHERE tenant = $1 AND hash = $2 AND revoked_at_ms IS NULL";

/// A deferred transaction that reads first and writes later fails at once if somebody wrote in between.
const WRITING: &str = "BEGIN IMMEDIATE";

const ID_PREFIX: &str = "tok_";
const SECRET_BYTES: usize = 32;
/// 32 bytes in base64 without padding.
const SECRET_CHARS: usize = 43;

/// A token at the one moment its secret is known.
#[derive(Clone, PartialEq, Eq)]
pub struct NewToken {
    pub id: String,
    pub secret: String,
    pub role: Role,
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewToken").field("id", &self.id).field("role", &self.role).finish_non_exhaustive()
    }
}

/// A token as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Token {
    pub id: String,
    pub role: Role,
    pub label: Option<String>,
    /// Milliseconds since 1970, as everywhere here.
    pub created_at_ms: i64,
    pub revoked_at_ms: Option<i64>,
}

impl Store {
    pub async fn create_token(&self, role: Role, label: Option<&str>) -> Result<NewToken, StoreError> {
        const DOING: &str = "create a token";
        let mut connection = self.pool.acquire().await.map_err(doing(DOING))?;
        let token = self.insert_token(&mut connection, role, label).await?;
        self.tokens.clear();
        Ok(token)
    }

    /// An admin's and an agent's token, unless there has ever been one of that role.
    pub async fn first_start_tokens(&self) -> Result<Vec<NewToken>, StoreError> {
        const DOING: &str = "create the first tokens";
        let mut transaction = self.pool.begin_with(WRITING).await.map_err(doing(DOING))?;
        let mut made = Vec::new();
        for role in [Role::Admin, Role::Agent] {
            let any = sqlx::query_scalar(ANY).bind(self.tenant).bind(role.as_str());
            if !any.fetch_one(&mut *transaction).await.map_err(doing(DOING))? {
                let label = format!("first {}", role.as_str());
                made.push(self.insert_token(&mut transaction, role, Some(&label)).await?);
            }
        }
        transaction.commit().await.map_err(doing(DOING))?;
        self.tokens.clear();
        Ok(made)
    }

    /// All tokens, revoked ones too, oldest first.
    pub async fn list_tokens(&self) -> Result<Vec<Token>, StoreError> {
        const DOING: &str = "list the tokens";
        let rows: Vec<TokenRow> =
            sqlx::query_as(LIST).bind(self.tenant).fetch_all(&self.pool).await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// Revokes the token with this id, label, or beginning of an id. Revoking twice changes nothing.
    pub async fn revoke_token(&self, given: &str) -> Result<Token, StoreError> {
        const DOING: &str = "revoke the token";
        let tokens = self.list_tokens().await?;
        let mut token = pick(&tokens, given)?.clone();
        let now = now_ms();
        let revoke = sqlx::query(REVOKE).bind(self.tenant).bind(&token.id).bind(now);
        revoke.execute(&self.pool).await.map_err(doing(DOING))?;
        self.tokens.clear();
        token.revoked_at_ms.get_or_insert(now);
        Ok(token)
    }

    /// Who presents this secret, if it is a live token. Whatever is done elsewhere takes effect within a second.
    pub async fn verify(&self, presented: &str) -> Result<Option<Principal>, StoreError> {
        if !has_the_form_of_a_token(presented) {
            return Ok(None);
        }
        let digest = digest(presented);
        if let Some(verdict) = self.tokens.check(&digest) {
            return Ok(verdict);
        }
        // The answer is as old as its question.
        let asked = std::time::Instant::now();
        let verdict = self.look_up(&digest).await?;
        self.tokens.keep(digest, verdict.clone(), asked);
        Ok(verdict)
    }

    /// The answer of `verify` if it is known without asking the database: `None` means "ask".
    pub fn check_cached(&self, presented: &str) -> Option<Option<Principal>> {
        if !has_the_form_of_a_token(presented) {
            return Some(None);
        }
        self.tokens.check(&digest(presented))
    }

    async fn look_up(&self, digest: &Digest) -> Result<Option<Principal>, StoreError> {
        const DOING: &str = "verify a token";
        let query = sqlx::query_as(VERIFY).bind(self.tenant).bind(&digest[..]);
        let row: Option<(String, String)> = query.fetch_optional(&self.pool).await.map_err(doing(DOING))?;
        let Some((id, role)) = row else { return Ok(None) };
        Ok(Some(Principal::new(PrincipalId::new(&id), read_role(&role, DOING)?)))
    }

    async fn insert_token(
        &self,
        connection: &mut SqliteConnection,
        role: Role,
        label: Option<&str>,
    ) -> Result<NewToken, StoreError> {
        let id = format!("{ID_PREFIX}{}", uuid::Uuid::now_v7().simple());
        let random = URL_SAFE_NO_PAD.encode(random_bytes::<SECRET_BYTES>()?);
        let secret = format!("tg_{}_{random}", role.as_str());
        let insert = sqlx::query(INSERT).bind(self.tenant).bind(&id).bind(digest(&secret).to_vec());
        let insert = insert.bind(role.as_str()).bind(label).bind(now_ms());
        insert.execute(connection).await.map_err(doing("create a token"))?;
        Ok(NewToken { id, secret, role })
    }
}

#[derive(sqlx::FromRow)]
struct TokenRow {
    id: String,
    role: String,
    label: Option<String>,
    created_at_ms: i64,
    revoked_at_ms: Option<i64>,
}

impl TokenRow {
    fn read(self, doing: &'static str) -> Result<Token, StoreError> {
        let TokenRow { id, role, label, created_at_ms, revoked_at_ms } = self;
        Ok(Token { id, role: read_role(&role, doing)?, label, created_at_ms, revoked_at_ms })
    }
}

fn read_role(role: &str, doing: &'static str) -> Result<Role, StoreError> {
    Role::parse(role).ok_or(StoreError::Unreadable { doing, what: "role" })
}

/// An exact id beats everything; a live token beats a revoked one; several that fit are one too many.
fn pick<'t>(tokens: &'t [Token], given: &str) -> Result<&'t Token, StoreError> {
    if let Some(token) = tokens.iter().find(|token| token.id == given) {
        return Ok(token);
    }
    let is_prefix = given.len() > ID_PREFIX.len() && given.starts_with(ID_PREFIX);
    let fits =
        |token: &&Token| token.label.as_deref() == Some(given) || (is_prefix && token.id.starts_with(given));
    let (revoked, live): (Vec<_>, Vec<_>) =
        tokens.iter().filter(fits).partition(|token| token.revoked_at_ms.is_some());
    let candidates = if live.is_empty() { revoked } else { live };
    match candidates[..] {
        [] => Err(StoreError::TokenUnknown { given: given.into() }),
        [token] => Ok(token),
        _ => {
            let ids = candidates.iter().map(|token| token.id.clone()).collect();
            Err(StoreError::TokenAmbiguous { given: given.into(), ids })
        }
    }
}

/// Tells most garbage from a token without a hash or a query.
fn has_the_form_of_a_token(presented: &str) -> bool {
    let random = Role::ALL
        .iter()
        .find_map(|role| presented.strip_prefix("tg_")?.strip_prefix(role.as_str())?.strip_prefix('_'));
    random.is_some_and(|random| random.len() == SECRET_CHARS)
}
