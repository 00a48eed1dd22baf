//! One sign-in in use: its token while it is valid, and one renewal at a time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use toolgate_core::port::NoKey;

use super::TokenAccess;
use crate::clock::now_seconds;
use crate::oauth::{AccessToken, RenewalError, SignIn, StoredSignIn, StoredSignInError, TokenRenewal};

/// A server that refuses even new tokens does not get one for each request.
const RENEW_EVERY: Duration = Duration::from_secs(10);
/// The pause after a failure of an authorization server.
const REST: Duration = Duration::from_secs(2);
const WANTED_SCOPES_MAX: usize = 64;

pub(super) struct TokenHolder {
    kept: StoredSignIn,
    /// Its holder reads, renews and writes.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<HolderState>,
    /// True if this process changed the vault and the index has not noticed yet.
    written: AtomicBool,
}

#[derive(Default)]
struct HolderState {
    /// As stored at this generation of the index.
    current: Option<(u64, CurrentToken)>,
    renewed: Option<Instant>,
    failed: Option<(Instant, NoKey)>,
}

enum CurrentToken {
    Token {
        token: AccessToken,
        url: String,
    },
    /// Only a person can help, and then the vault changes.
    Over(NoKey),
}

/// The reason of a renewal.
#[derive(Clone, Copy)]
enum RenewalCause<'c> {
    RunningOut,
    /// The server refuses it, regardless of its expiry.
    Refused {
        challenge: Option<&'c str>,
    },
}

impl<'c> RenewalCause<'c> {
    fn challenge(self) -> Option<&'c str> {
        match self {
            RenewalCause::RunningOut => None,
            RenewalCause::Refused { challenge } => challenge,
        }
    }

    /// The old token, if it may do for the moment.
    fn makeshift(self, old: &SignIn) -> Option<String> {
        let token = old.token().filter(|token| token.is_good(now_seconds()))?;
        matches!(self, RenewalCause::RunningOut).then(|| token.value.expose().to_owned())
    }
}

impl TokenHolder {
    pub(super) fn new(kept: StoredSignIn) -> Self {
        Self {
            kept,
            turn: tokio::sync::Mutex::new(()),
            state: Mutex::default(),
            written: AtomicBool::new(false),
        }
    }

    /// A token that is good for a while yet.
    pub(super) async fn token(&self, access: &TokenAccess, generation: u64) -> Result<String, NoKey> {
        if let Some(known) = self.known(access, generation) {
            return known;
        }
        let _turn = self.turn.lock().await;
        if let Some(known) = self.known(access, generation) {
            return known;
        }
        let sign_in = self.read().await?;
        self.check_address(access, &sign_in.url)?;
        if let Some(token) = sign_in.token().filter(|token| token.is_fresh(now_seconds())) {
            return Ok(self.keep(generation, token, &sign_in.url));
        }
        self.renew(access, generation, &sign_in, RenewalCause::RunningOut).await
    }

    /// The server refused a token: another one, unless this one is brand-new.
    pub(super) async fn renew_refused(
        &self,
        access: &TokenAccess,
        generation: u64,
        challenge: Option<&str>,
    ) -> Result<(), NoKey> {
        let _turn = self.turn.lock().await;
        if let Some(Err(over)) = self.known(access, generation) {
            return Err(over);
        }
        if self.lock().renewed.is_some_and(|renewed| renewed.elapsed() < RENEW_EVERY) {
            return Ok(());
        }
        let sign_in = self.read().await?;
        self.check_address(access, &sign_in.url)?;
        if let Some(token) =
            sign_in.token().filter(|token| self.is_news(token) && token.is_good(now_seconds()))
        {
            // Another process was faster.
            self.keep(generation, token, &sign_in.url);
            return Ok(());
        }
        self.lock().current = None;
        self.renew(access, generation, &sign_in, RenewalCause::Refused { challenge }).await.map(drop)
    }

    /// More scopes need a person's consent; the next sign-in asks for them.
    pub(super) async fn lacks(&self, scopes: Vec<String>) -> NoKey {
        let _turn = self.turn.lock().await;
        if let Err(error) = self.note_wanted(&scopes).await {
            tracing::warn!(%error, "the scopes that a server wants could not be noted");
        }
        let server = &self.kept.owner.server;
        let scopes =
            if scopes.is_empty() { "more scopes".into() } else { format!("the scopes {}", scopes.join(" ")) };
        NoKey(format!("\"{server}\" wants {scopes}; {}", self.hint()))
    }

    /// True if the vault was written since the last check.
    pub(super) fn take_written(&self) -> bool {
        self.written.swap(false, Ordering::AcqRel)
    }

    async fn note_wanted(&self, scopes: &[String]) -> Result<(), StoredSignInError> {
        let Some(mut sign_in) = self.kept.read().await? else { return Ok(()) };
        let before = sign_in.wanted_scopes.len();
        for scope in scopes {
            if !sign_in.wanted_scopes.contains(scope) && sign_in.wanted_scopes.len() < WANTED_SCOPES_MAX {
                sign_in.wanted_scopes.push(scope.clone());
            }
        }
        if sign_in.wanted_scopes.len() > before {
            self.kept.write(&sign_in).await?;
            self.written.store(true, Ordering::Release);
        }
        Ok(())
    }

    async fn renew(
        &self,
        access: &TokenAccess,
        generation: u64,
        old: &SignIn,
        cause: RenewalCause<'_>,
    ) -> Result<String, NoKey> {
        if let Some(resting) = self.resting() {
            return cause.makeshift(old).ok_or(resting);
        }
        let renewal =
            TokenRenewal { kept: &self.kept, outbound: access.outbound(), challenge: cause.challenge() };
        let renewed = renewal.run(old).await;
        self.written.store(true, Ordering::Release);
        let failed = match renewed {
            Ok(sign_in) => return self.renewed(generation, &sign_in),
            Err(failed) => failed,
        };
        match (cause.makeshift(old), failed) {
            (None, RenewalError::SignInAgain(why)) => Err(self.over(&why, generation)),
            (makeshift, RenewalError::SignInAgain(why) | RenewalError::Later(why)) => {
                let failed = self.rest(&why);
                makeshift.ok_or(failed)
            }
        }
    }

    fn renewed(&self, generation: u64, sign_in: &SignIn) -> Result<String, NoKey> {
        let token = sign_in.token().ok_or_else(|| self.over("it holds no token", generation))?;
        self.lock().renewed = Some(Instant::now());
        Ok(self.keep(generation, token, &sign_in.url))
    }

    fn known(&self, access: &TokenAccess, generation: u64) -> Option<Result<String, NoKey>> {
        match &self.lock().current {
            Some((of, CurrentToken::Token { token, url })) if *of == generation => {
                let good = token.is_fresh(now_seconds()) && access.is_at(url);
                good.then(|| Ok(token.value.expose().to_owned()))
            }
            Some((of, CurrentToken::Over(why))) if *of == generation => Some(Err(why.clone())),
            _ => None,
        }
    }

    fn keep(&self, generation: u64, token: AccessToken, url: &str) -> String {
        let value = token.value.expose().to_owned();
        let mut state = self.lock();
        state.current = Some((generation, CurrentToken::Token { token, url: url.to_owned() }));
        state.failed = None;
        value
    }

    fn is_news(&self, token: &AccessToken) -> bool {
        match &self.lock().current {
            Some((_, CurrentToken::Token { token: current, .. })) => current != token,
            _ => false,
        }
    }

    fn over(&self, why: &str, generation: u64) -> NoKey {
        let over =
            NoKey(format!("the sign-in at \"{}\" is over: {why}; {}", self.kept.owner.server, self.hint()));
        self.lock().current = Some((generation, CurrentToken::Over(over.clone())));
        over
    }

    fn rest(&self, why: &str) -> NoKey {
        let server = &self.kept.owner.server;
        let failed = NoKey(format!("the token for \"{server}\" could not be renewed right now: {why}"));
        self.lock().failed = Some((Instant::now(), failed.clone()));
        failed
    }

    fn resting(&self) -> Option<NoKey> {
        let state = self.lock();
        let (since, why) = state.failed.as_ref()?;
        (since.elapsed() < REST).then(|| why.clone())
    }

    async fn read(&self) -> Result<SignIn, NoKey> {
        let server = &self.kept.owner.server;
        let read = self.kept.read().await.map_err(|error| NoKey(error.to_string()))?;
        read.ok_or_else(|| NoKey(format!("the sign-in at \"{server}\" has ended; {}", self.hint())))
    }

    fn check_address(&self, access: &TokenAccess, url: &str) -> Result<(), NoKey> {
        if access.is_at(url) {
            return Ok(());
        }
        let server = &self.kept.owner.server;
        Err(NoKey(format!(
            "the sign-in at \"{server}\" was for {url}, and this instance is somewhere else; {}",
            self.hint()
        )))
    }

    fn hint(&self) -> String {
        let server = &self.kept.owner.server;
        match &self.kept.owner.principal {
            Some(principal) => {
                format!("sign in with `toolgate servers login {server} --principal {principal}`")
            }
            None => format!("sign in with `toolgate servers login {server}`"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HolderState> {
        self.state.lock()
    }
}
