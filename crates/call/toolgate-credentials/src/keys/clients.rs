//! Tokens that a client gets on its own account: one request at a time for each client, and a token until shortly before its
//! end. They are in memory alone; a gateway that starts fetches its own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use toolgate_core::ServerName;
use toolgate_core::port::{ClientGrant, NoKey};
use toolgate_outbound::OutboundSettings;

use crate::clock::now_seconds;
use crate::oauth::{AccessToken, TokenClient, TokenEndpoint, TokenRefusal};
use crate::outbound::OutboundClient;

/// A server that refuses even new tokens does not get one for each request.
const REPLACE_EVERY: Duration = Duration::from_secs(10);
/// The pause after an answer that was no token.
const REST: Duration = Duration::from_secs(2);
/// A client that is refused is not tried with every call. Another secret is another client.
const REST_REFUSED: Duration = Duration::from_secs(10);
const CLIENTS_MAX: usize = 1024;

/// A client at a server. Its secret is in the digest alone.
type ClientIdentity = (ServerName, [u8; 32]);

#[derive(Default)]
pub(super) struct ClientTokens {
    holders: Mutex<HashMap<ClientIdentity, Arc<ClientTokenHolder>>>,
}

#[derive(Default)]
pub(super) struct ClientTokenHolder {
    /// Its holder asks the token endpoint.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<ClientTokenState>,
}

#[derive(Default)]
struct ClientTokenState {
    current: Option<AccessToken>,
    /// The time until which nothing is asked.
    resting: Option<(Instant, NoKey)>,
    /// The last time at which a token was given up because the server refused it.
    replaced: Option<Instant>,
}

impl ClientTokens {
    pub(super) fn holder(&self, server: &ServerName, grant: &ClientGrant) -> Arc<ClientTokenHolder> {
        let mut holders = self.holders.lock();
        let key = (server.clone(), digest(grant));
        if holders.len() >= CLIENTS_MAX && !holders.contains_key(&key) {
            holders.clear();
        }
        Arc::clone(holders.entry(key).or_default())
    }
}

impl ClientTokenHolder {
    pub(super) async fn token(
        &self,
        way: &OutboundSettings,
        server: &ServerName,
        grant: &ClientGrant,
    ) -> Result<String, NoKey> {
        if let Some(known) = self.known() {
            return known;
        }
        let _turn = self.turn.lock().await;
        if let Some(known) = self.known() {
            return known;
        }
        let fetched = fetch(way, grant).await;
        let mut state = self.lock();
        let refusal = match fetched {
            Ok(token) => {
                let value = token.value.expose().to_owned();
                state.current = Some(token);
                state.resting = None;
                return Ok(value);
            }
            Err(refusal) => refusal,
        };
        let failed = NoKey(told(server, &refusal));
        let rest = match refusal {
            TokenRefusal::Later(_) => REST,
            TokenRefusal::Refused { .. } | TokenRefusal::Unusable(_) => REST_REFUSED,
        };
        state.resting = Some((Instant::now() + rest, failed.clone()));
        state.makeshift().ok_or(failed)
    }

    /// The server refused this token.
    pub(super) fn refused(&self, token: &str) {
        let mut state = self.lock();
        let is_current = state.current.as_ref().is_some_and(|current| current.value.expose() == token);
        if is_current && state.replaced.is_none_or(|replaced| replaced.elapsed() >= REPLACE_EVERY) {
            state.current = None;
            state.replaced = Some(Instant::now());
        }
    }

    /// The token, or the reason why there is none for the moment. `None` if it is time to ask.
    fn known(&self) -> Option<Result<String, NoKey>> {
        let state = self.lock();
        if let Some(token) = state.current.as_ref().filter(|token| token.is_fresh(now_seconds())) {
            return Some(Ok(token.value.expose().to_owned()));
        }
        let (until, why) = state.resting.as_ref()?;
        (Instant::now() < *until).then(|| state.makeshift().ok_or_else(|| why.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, ClientTokenState> {
        self.state.lock()
    }
}

impl ClientTokenState {
    /// The old token, while it is good.
    fn makeshift(&self) -> Option<String> {
        let token = self.current.as_ref().filter(|token| token.is_good(now_seconds()))?;
        Some(token.value.expose().to_owned())
    }
}

async fn fetch(way: &OutboundSettings, grant: &ClientGrant) -> Result<AccessToken, TokenRefusal> {
    let outbound = OutboundClient::new(way.reach, &way.egress);
    let client =
        TokenClient { id: &grant.client_id, secret: Some(&grant.client_secret), auth: grant.client_auth };
    let endpoint = TokenEndpoint { outbound: &outbound, url: &grant.token_url, client };
    let scopes = grant.scopes.join(" ");
    let mut form = vec![("grant_type", "client_credentials")];
    if !scopes.is_empty() {
        form.push(("scope", &scopes));
    }
    let members = endpoint.ask(&form).await?;
    AccessToken::of(&members, Some(now_seconds()))
        .ok_or_else(|| TokenRefusal::Unusable("the token endpoint answered without a token".to_owned()))
}

fn told(server: &ServerName, refusal: &TokenRefusal) -> String {
    let why = format!("no token for \"{server}\" could be fetched: {refusal}");
    match refusal {
        TokenRefusal::Later(_) => why,
        TokenRefusal::Refused { .. } => format!(
            "{why}; check the client's id, secret and scopes: `toolgate secrets set {server} NAME` stores a secret anew"
        ),
        TokenRefusal::Unusable(_) => format!("{why}; check `token_url`"),
    }
}

fn digest(grant: &ClientGrant) -> [u8; 32] {
    let mut digest = Sha256::new();
    let scopes = grant.scopes.join(" ");
    for part in [&grant.token_url, &grant.client_id, &grant.client_secret, &scopes] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.update([grant.client_auth as u8]);
    digest.finalize().into()
}
