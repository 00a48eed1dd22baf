//! Tokens: shown once, stored as a hash, refused once revoked.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use toolgate_core::event::{Durability, Event, EventKind, EventSubject, LedgerEntry};
use toolgate_core::id::{SessionId, TokenId};
use toolgate_core::moment::rfc3339;
use toolgate_core::scope::{AgentName, Credential};
use toolgate_core::{Principal, PrincipalId, PrincipalKind, RawJson, Role, ServerName};

use crate::clock::now_ms;
use crate::db::{DbLock, Transaction, without_nul};
use crate::error::{doing, random_bytes};
use crate::ledger::append_in;
use crate::row::row;
use crate::token_cache::{KnownToken, TokenDigest, digest};
use crate::{Store, StoreError, StoredSession};

const INSERT: &str =
    "INSERT INTO tokens (tenant, id, hash, role, label, principal, kind, groups, created_at_ms, agent, session, opener,
        expires_at_ms, created_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
const ANY: &str = "SELECT EXISTS (SELECT 1 FROM tokens WHERE tenant = $1 AND role = $2 AND session IS NULL)";
const LIST: &str =
    "SELECT id, role, label, principal, kind, groups, created_at_ms, revoked_at_ms, agent, session,
        expires_at_ms, created_by, used_at_ms
    FROM tokens WHERE tenant = $1 AND session IS NULL ORDER BY created_at_ms, id";
const LIST_OF: &str =
    "SELECT id, role, label, principal, kind, groups, created_at_ms, revoked_at_ms, agent, session,
        expires_at_ms, created_by, used_at_ms
    FROM tokens WHERE tenant = $1 AND session = $2 ORDER BY created_at_ms, id";
const REVOKE: &str =
    "UPDATE tokens SET revoked_at_ms = $3 WHERE tenant = $1 AND id = $2 AND revoked_at_ms IS NULL";
const REVOKE_OF_SESSION: &str =
    "UPDATE tokens SET revoked_at_ms = $3 WHERE tenant = $1 AND session = $2 AND revoked_at_ms IS NULL";
/// The token of a session expires no later than the one that opened the session.
const VERIFY: &str =
    "SELECT id, role, label, principal, kind, groups, created_at_ms, revoked_at_ms, agent, session,
        expires_at_ms, created_by, used_at_ms
    FROM tokens WHERE tenant = $1 AND hash = $2 AND revoked_at_ms IS NULL
        AND (expires_at_ms IS NULL OR expires_at_ms > $3)
        AND NOT EXISTS (
            SELECT 1 FROM tokens AS openers WHERE openers.tenant = tokens.tenant AND openers.id = tokens.opener
                AND (openers.revoked_at_ms IS NOT NULL OR openers.expires_at_ms <= $3)
        )";
const USED: &str = "UPDATE tokens SET used_at_ms = $3
    WHERE tenant = $1 AND id = $2 AND (used_at_ms IS NULL OR used_at_ms <= $4)";

const ID_PREFIX: &str = "tok_";
const SECRET_BYTES: usize = 32;
/// 32 bytes in base64 without padding.
const SECRET_CHARS: usize = 43;

/// Names that would be ambiguous in the ledger.
const RESERVED: [&str; 3] = ["gateway", "local", "stdio"];
const NAME_CHARS_MAX: usize = 256;
const GROUPS_MAX: usize = 64;
/// The precision of the last use of a token, so that using one costs next to no writes.
const USED_PRECISION_MS: i64 = 60_000;

/// The properties of a new token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTokenSpec {
    pub role: Role,
    /// A label to recognise it by.
    pub label: Option<String>,
    /// The owner of the token. Several tokens may belong to one principal; without a name, each is its own. A
    /// server's token must have the name of the server.
    pub principal: Option<String>,
    /// The default kind for the role, if missing.
    pub kind: Option<PrincipalKind>,
    pub groups: Vec<String>,
    /// The agent definition it is bound to: it sees no more than that one admits.
    pub agent: Option<AgentName>,
    /// The expiry; `None` means never.
    pub expires_at_ms: Option<i64>,
    /// The creator.
    pub created_by: Option<PrincipalId>,
}

impl NewTokenSpec {
    pub fn of(role: Role) -> Self {
        Self {
            role,
            label: None,
            principal: None,
            kind: None,
            groups: Vec::new(),
            agent: None,
            expires_at_ms: None,
            created_by: None,
        }
    }

    #[must_use]
    pub fn labelled(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    fn check(&self) -> Result<(), StoreError> {
        let refused = |what: &str| Err(StoreError::TokenSpec { what: what.into() });
        let named = self.label.iter().map(|label| ("label", label));
        let named = named.chain(self.principal.iter().map(|principal| ("principal", principal)));
        for (what, name) in named.chain(self.groups.iter().map(|group| ("group", group))) {
            let chars = name.chars().count();
            if chars == 0 || chars > NAME_CHARS_MAX || name.chars().any(char::is_control) {
                return refused(&format!("a {what} has 1 to {NAME_CHARS_MAX} printable characters"));
            }
        }
        if self.groups.len() > GROUPS_MAX {
            return refused(&format!("a token has at most {GROUPS_MAX} groups"));
        }
        if self.expires_at_ms.is_some_and(|expires_at_ms| expires_at_ms <= now_ms()) {
            return refused("a token expires after it was made: its time is longer than none");
        }
        let is_server = |name: &String| ServerName::new(name).is_ok();
        if self.role == Role::Server && !self.principal.as_ref().is_some_and(is_server) {
            return refused(
                "a token of role server is for one server: its principal is the name of that server",
            );
        }
        if self.agent.is_some() && !self.role.may_call_tools() {
            return refused(&format!(
                "a token of role {} calls no tools, so it has no agent",
                self.role.as_str()
            ));
        }
        match self.principal.as_deref() {
            Some(name) if is_reserved_principal(name) => refused(&format!(
                "a principal may not be called {name:?}, which could be mistaken for another principal"
            )),
            _ => Ok(()),
        }
    }
}

/// True if a principal of this name would be ambiguous in the ledger.
pub fn is_reserved_principal(name: &str) -> bool {
    RESERVED.contains(&name) || name.starts_with(ID_PREFIX)
}

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
pub struct ListedToken {
    pub id: String,
    pub role: Role,
    pub label: Option<String>,
    /// The owner, if named.
    pub principal: Option<String>,
    pub kind: PrincipalKind,
    pub groups: Vec<String>,
    /// The agent definition it is bound to.
    pub agent: Option<AgentName>,
    /// The session that it was made for, and that it ends with.
    pub session: Option<SessionId>,
    /// Milliseconds since 1970, as everywhere here.
    pub created_at_ms: i64,
    /// The creator; unknown for tokens from before this was recorded.
    pub created_by: Option<String>,
    /// The last use, to the minute.
    pub used_at_ms: Option<i64>,
    pub expires_at_ms: Option<i64>,
    pub revoked_at_ms: Option<i64>,
}

/// The validity of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenState {
    Live,
    Expired,
    Revoked,
}

impl TokenState {
    pub fn as_str(self) -> &'static str {
        match self {
            TokenState::Live => "live",
            TokenState::Expired => "expired",
            TokenState::Revoked => "revoked",
        }
    }
}

impl ListedToken {
    pub fn state(&self, now_ms: i64) -> TokenState {
        match self {
            ListedToken { revoked_at_ms: Some(_), .. } => TokenState::Revoked,
            ListedToken { expires_at_ms: Some(expires_at_ms), .. } if *expires_at_ms <= now_ms => {
                TokenState::Expired
            }
            _ => TokenState::Live,
        }
    }

    pub fn is_live(&self, now_ms: i64) -> bool {
        self.state(now_ms) == TokenState::Live
    }
    /// The principal that presents it.
    pub fn principal(&self) -> Principal {
        let id = PrincipalId::new(self.principal.as_deref().unwrap_or(&self.id));
        Principal { id, kind: self.kind, role: self.role, groups: self.groups.clone().into() }
    }

    /// The credential that it stands for.
    pub fn credential(&self) -> Credential {
        Credential {
            principal: self.principal(),
            agent: self.agent.clone(),
            session: self.session.clone(),
            token: Some(TokenId::new(self.id.as_str())),
        }
    }
}

impl Store {
    /// Creates a token and records it in this stream of the ledger, in one transaction.
    pub async fn create_token(&self, stream: &str, spec: NewTokenSpec) -> Result<NewToken, StoreError> {
        const DOING: &str = "create a token";
        spec.check()?;
        let pen = self.pen(stream).await?;
        let mut transaction = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let token = insert(&mut transaction, self.tenant, &spec, None).await?;
        append_in(&mut transaction, &pen, entry(vec![created(&token.id, &spec)]))
            .await
            .map_err(doing(DOING))?;
        transaction.commit().await.map_err(doing(DOING))?;
        self.tokens.clear();
        Ok(token)
    }

    /// An admin's and an agent's token, unless there was ever one of that role.
    pub async fn first_start_tokens(&self, stream: &str) -> Result<Vec<NewToken>, StoreError> {
        const DOING: &str = "create the first tokens";
        let pen = self.pen(stream).await?;
        let mut transaction = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        transaction.alone(DbLock::FirstTokens).await.map_err(doing(DOING))?;
        let (mut made, mut events) = (Vec::new(), Vec::new());
        for role in [Role::Admin, Role::Agent] {
            let any = transaction.sql(ANY).bind(self.tenant).bind(role.as_str());
            let (any,): (bool,) = any.fetch_one().await.map_err(doing(DOING))?;
            if !any {
                let spec = NewTokenSpec {
                    created_by: Some(PrincipalId::gateway()),
                    ..NewTokenSpec::of(role).labelled(format!("first {}", role.as_str()))
                };
                let token = insert(&mut transaction, self.tenant, &spec, None).await?;
                events.push(created(&token.id, &spec));
                made.push(token);
            }
        }
        if !events.is_empty() {
            append_in(&mut transaction, &pen, entry(events)).await.map_err(doing(DOING))?;
        }
        transaction.commit().await.map_err(doing(DOING))?;
        self.tokens.clear();
        Ok(made)
    }

    /// All tokens but those of sessions, revoked ones too, oldest first.
    pub async fn list_tokens(&self) -> Result<Vec<ListedToken>, StoreError> {
        const DOING: &str = "list the tokens";
        let rows: Vec<TokenRow> =
            self.db.sql(LIST).bind(self.tenant).fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// The tokens that were created for a session.
    pub async fn list_session_tokens(&self, session: &SessionId) -> Result<Vec<ListedToken>, StoreError> {
        const DOING: &str = "list the tokens of a session";
        let list = self.db.sql(LIST_OF).bind(self.tenant).bind(without_nul(session.as_str()));
        let rows: Vec<TokenRow> = list.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// Revokes the token with this id, label, or beginning of an id, and with it the tokens of the sessions that it opened; the
    /// sessions themselves are closed by `close_unused_sessions`. Revoking twice changes nothing. That of a
    /// session ends with its session, and is not found here.
    pub async fn revoke_token(
        &self,
        stream: &str,
        by: &PrincipalId,
        given: &str,
    ) -> Result<ListedToken, StoreError> {
        const DOING: &str = "revoke the token";
        let tokens = self.list_tokens().await?;
        let mut token = pick(&tokens, given)?.clone();
        let now = now_ms();
        let pen = self.pen(stream).await?;
        let mut transaction = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let revoke = transaction.sql(REVOKE).bind(self.tenant).bind(&token.id).bind(now);
        if revoke.execute().await.map_err(doing(DOING))? == 1 {
            let detail = serde_json::json!({ "token": token.id });
            let revoked = event(EventKind::TokenRevoked, by.clone(), detail);
            append_in(&mut transaction, &pen, entry(vec![revoked])).await.map_err(doing(DOING))?;
        }
        transaction.commit().await.map_err(doing(DOING))?;
        self.tokens.clear();
        token.revoked_at_ms.get_or_insert(now);
        Ok(token)
    }

    /// The credential of this secret, if it is a live token. Changes by other processes take effect within a
    /// second.
    pub async fn verify(&self, presented: &str) -> Result<Option<Credential>, StoreError> {
        if !has_the_form_of_a_token(presented) {
            return Ok(None);
        }
        let digest = digest(presented);
        if let Some(verdict) = self.tokens.check(&digest) {
            return Ok(verdict);
        }
        // The answer is as old as its question.
        let asked = std::time::Instant::now();
        let token = self.look_up(&digest).await?;
        let verdict = token.as_ref().map(ListedToken::credential);
        let expires_at_ms = token.as_ref().and_then(|token| token.expires_at_ms);
        self.tokens.keep(
            digest,
            verdict.clone().map(|credential| KnownToken { credential, expires_at_ms }),
            asked,
        );
        if let Some(token) = token {
            self.note_use(token);
        }
        Ok(verdict)
    }

    /// Records the last use of a token in the background; if that fails, the next use tries again.
    fn note_use(&self, token: ListedToken) {
        let now = now_ms();
        if token.used_at_ms.is_some_and(|used_at_ms| now - used_at_ms < USED_PRECISION_MS) {
            return;
        }
        let store = self.clone();
        self.tasks.spawn(async move {
            let used = store.db.sql(USED).bind(store.tenant).bind(&token.id).bind(now);
            let used = used.bind(now - USED_PRECISION_MS);
            if let Err(error) = used.execute().await {
                tracing::debug!(%error, token = token.id, "when it was used could not be kept");
            }
        });
    }

    /// The answer of `verify` if it is known without asking the database: `None` means "ask".
    pub fn check_cached(&self, presented: &str) -> Option<Option<Credential>> {
        if !has_the_form_of_a_token(presented) {
            return Some(None);
        }
        self.tokens.check(&digest(presented))
    }

    /// Like `verify`; but while the database is down, the last positive verdict if it is younger than
    /// `max_age`.
    ///
    /// `Ok(None)` is an invalid token. An error means that the answer is unknown.
    pub async fn verify_or_last_known(
        &self,
        presented: &str,
        max_age: Duration,
    ) -> Result<Option<Credential>, StoreError> {
        let digest = digest(presented);
        if let Some(known) = self.tokens.last_known_in_an_outage(&digest, max_age) {
            return Ok(Some(known));
        }
        match self.verify(presented).await {
            Ok(verdict) => Ok(verdict),
            Err(error) => {
                self.tokens.outage();
                self.tokens.last_known(&digest, max_age).map(Some).ok_or(error)
            }
        }
    }

    /// The live token that has this secret, as the database knows it now.
    pub async fn token_of_secret(&self, secret: &str) -> Result<Option<ListedToken>, StoreError> {
        self.look_up(&digest(secret)).await
    }

    async fn look_up(&self, digest: &TokenDigest) -> Result<Option<ListedToken>, StoreError> {
        const DOING: &str = "verify a token";
        let query = self.db.sql(VERIFY).bind(self.tenant).bind(&digest[..]).bind(now_ms());
        let row: Option<TokenRow> = query.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// Cached verdicts may be outdated.
    pub(crate) fn forget_verdicts(&self) {
        self.tokens.clear();
    }
}

fn created(id: &str, spec: &NewTokenSpec) -> Event {
    let mut detail = serde_json::json!({
        "token": id, "role": spec.role, "principal": spec.principal, "groups": spec.groups, "agent": spec.agent,
    });
    if let Some(expires_at_ms) = spec.expires_at_ms {
        detail["expires_at"] = rfc3339(expires_at_ms).into();
    }
    let by = spec.created_by.clone().unwrap_or_else(PrincipalId::gateway);
    event(EventKind::TokenCreated, by, detail)
}

fn event(kind: EventKind, by: PrincipalId, detail: serde_json::Value) -> Event {
    let mut event = Event::new(kind, now_ms(), by, Arc::new(EventSubject::default()));
    event.detail = Some(RawJson::from(detail));
    event
}

fn entry(events: Vec<Event>) -> LedgerEntry {
    LedgerEntry { events, durability: Durability::OnDisk, ..LedgerEntry::default() }
}

async fn insert(
    transaction: &mut Transaction,
    tenant: &'static str,
    spec: &NewTokenSpec,
    of_session: Option<(&SessionId, Option<&TokenId>)>,
) -> Result<NewToken, StoreError> {
    let NewTokenSpec { role, label, principal, kind, groups, agent, expires_at_ms, created_by } = spec;
    let id = format!("{ID_PREFIX}{}", uuid::Uuid::now_v7().simple());
    let random = URL_SAFE_NO_PAD.encode(random_bytes::<SECRET_BYTES>()?);
    let secret = format!("tg_{}_{random}", role.as_str());
    let groups = serde_json::to_string(groups).expect("names are text");
    let insert = transaction.sql(INSERT).bind(tenant).bind(&id).bind(digest(&secret).to_vec());
    let insert = insert.bind(role.as_str()).bind(label).bind(principal.as_deref().map(without_nul));
    let insert = insert.bind(kind.unwrap_or(role.usual_kind()).as_str()).bind(groups).bind(now_ms());
    let insert = insert.bind(agent.as_ref().map(AgentName::as_str));
    let insert = insert.bind(of_session.map(|(session, _)| without_nul(session.as_str())));
    let insert =
        insert.bind(of_session.and_then(|(_, opener)| opener).map(|opener| opener.as_str().to_owned()));
    let insert = insert.bind(*expires_at_ms);
    let insert = insert.bind(created_by.as_ref().map(|created_by| without_nul(created_by.as_str())));
    insert.execute().await.map_err(doing("create a token"))?;
    Ok(NewToken { id, secret, role: *role })
}

/// The token for reaching a session. Regardless of the opener, it has the rights of an agent, and lives no
/// longer than the token that opened it.
pub(crate) async fn insert_for_session(
    transaction: &mut Transaction,
    tenant: &'static str,
    session: &StoredSession,
    opener: Option<&TokenId>,
) -> Result<NewToken, StoreError> {
    let spec = NewTokenSpec {
        principal: Some(session.principal.id.as_str().into()),
        kind: Some(session.principal.kind),
        groups: session.principal.groups.to_vec(),
        ..NewTokenSpec::of(Role::Agent)
    };
    insert(transaction, tenant, &spec, Some((&session.id, opener))).await
}

/// Tokens of a session end with it.
pub(crate) async fn revoke_of_session(
    transaction: &mut Transaction,
    tenant: &'static str,
    session: &str,
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    let revoke = transaction.sql(REVOKE_OF_SESSION).bind(tenant).bind(session.to_owned()).bind(now_ms);
    revoke.execute().await.map(drop)
}

row! {
    pub(crate) struct TokenRow {
        id: String,
        role: String,
        label: Option<String>,
        principal: Option<String>,
        kind: String,
        groups: String,
        created_at_ms: i64,
        revoked_at_ms: Option<i64>,
        agent: Option<String>,
        session: Option<String>,
        expires_at_ms: Option<i64>,
        created_by: Option<String>,
        used_at_ms: Option<i64>,
    }
}

impl TokenRow {
    pub(crate) fn read(self, doing: &'static str) -> Result<ListedToken, StoreError> {
        let unreadable = |what| StoreError::Unreadable { doing, what };
        // A token that lost its agent would see more than it should.
        let agent = self.agent.map(|agent| AgentName::new(&agent).map_err(|_| unreadable("agent")));
        Ok(ListedToken {
            id: self.id,
            role: Role::parse(&self.role).ok_or(unreadable("role"))?,
            label: self.label,
            principal: self.principal,
            kind: PrincipalKind::parse(&self.kind).ok_or(unreadable("kind"))?,
            groups: serde_json::from_str(&self.groups).map_err(|_| unreadable("groups"))?,
            agent: agent.transpose()?,
            session: self.session.map(SessionId::new),
            created_at_ms: self.created_at_ms,
            created_by: self.created_by,
            used_at_ms: self.used_at_ms,
            expires_at_ms: self.expires_at_ms,
            revoked_at_ms: self.revoked_at_ms,
        })
    }
}

/// An exact id beats everything; a live token beats a revoked one; several matches are ambiguous.
fn pick<'t>(tokens: &'t [ListedToken], given: &str) -> Result<&'t ListedToken, StoreError> {
    if let Some(token) = tokens.iter().find(|token| token.id == given) {
        return Ok(token);
    }
    let is_prefix = given.len() > ID_PREFIX.len() && given.starts_with(ID_PREFIX);
    let fits = |token: &&ListedToken| {
        token.label.as_deref() == Some(given) || (is_prefix && token.id.starts_with(given))
    };
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
