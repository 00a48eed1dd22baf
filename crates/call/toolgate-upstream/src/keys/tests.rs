use std::sync::atomic::{AtomicBool, AtomicUsize};

use toolgate_core::address::Reach;
use toolgate_core::port::{BoxFuture, SecretViewer};
use toolgate_core::server::{Affinity, EraChoice, Sandbox};

use super::*;

const URL: &str = "https://remote.example/mcp";

/// A keyring in memory that counts its calls.
#[derive(Default)]
pub(crate) struct Pocket {
    pub(crate) generation: AtomicU64,
    pub(crate) signs_in: AtomicBool,
    /// By principal and name; the empty principal means all.
    pub(crate) secrets: Mutex<BTreeMap<(String, String), String>>,
    /// The tokens that are left, the last one first.
    pub(crate) tokens: Mutex<Vec<String>>,
    pub(crate) challenges: Mutex<Vec<Option<String>>>,
    pub(crate) asked: AtomicUsize,
}

impl Pocket {
    pub(crate) fn with_secret(principal: &str, name: &str, value: &str) -> Arc<Self> {
        let pocket = Arc::new(Self::default());
        pocket.put(principal, name, value);
        pocket
    }

    pub(crate) fn with_tokens(tokens: &[&str]) -> Arc<Self> {
        let tokens = Mutex::new(tokens.iter().rev().map(ToString::to_string).collect());
        Arc::new(Self { signs_in: AtomicBool::new(true), tokens, ..Self::default() })
    }

    pub(crate) fn put(&self, principal: &str, name: &str, value: &str) {
        let key = (principal.to_owned(), name.to_owned());
        self.secrets.lock().insert(key, value.to_owned());
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    fn count(&self) -> usize {
        self.asked.load(Ordering::Acquire)
    }
}

impl Keyring for Pocket {
    fn secret(
        &self,
        _: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        _: SecretViewer<'_>,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        self.asked.fetch_add(1, Ordering::AcqRel);
        let secrets = self.secrets.lock();
        let of = |who: &str| secrets.get(&(who.to_owned(), name.to_owned())).cloned();
        let own = principal.and_then(|principal| of(principal.as_str()));
        let found = own.or_else(|| of("")).ok_or_else(|| NoKey(format!("there is no secret {name}")));
        Box::pin(std::future::ready(found))
    }

    fn secrets_refused(&self, _: &ServerName) -> BoxFuture<'static, bool> {
        Box::pin(std::future::ready(false))
    }

    fn signs_in(&self, _: &ServerName) -> bool {
        self.asked.fetch_add(1, Ordering::AcqRel);
        self.signs_in.load(Ordering::Acquire)
    }

    fn access_token(
        &self,
        _: &ServerName,
        _: Option<&PrincipalId>,
        url: &str,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        assert_eq!(url, URL);
        let token = self.tokens.lock().last().cloned();
        Box::pin(std::future::ready(token.ok_or_else(|| NoKey("nobody has signed in".into()))))
    }

    fn token_refused(
        &self,
        _: &ServerName,
        _: Option<&PrincipalId>,
        _: &str,
        challenge: Option<&str>,
    ) -> BoxFuture<'static, Result<(), NoKey>> {
        self.challenges.lock().push(challenge.map(str::to_owned));
        let mut tokens = self.tokens.lock();
        tokens.pop();
        let left = if tokens.is_empty() { Err(NoKey("sign in again".into())) } else { Ok(()) };
        Box::pin(std::future::ready(left))
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }
}

fn name() -> ServerName {
    ServerName::new("remote").expect("a name")
}

fn keys(pocket: &Arc<Pocket>, value: &str) -> Arc<ServerKeys> {
    let template = SecretTemplate::parse(value).expect("a template");
    ServerKeys::new(
        name(),
        URL.into(),
        pocket.clone(),
        vec![(HeaderName::from_static("x-key"), template)],
        TokenSource::SignIn,
    )
}

async fn shown(keys: &ServerKeys, who: Option<&str>) -> Result<String, NoKey> {
    let who = who.map(PrincipalId::new);
    let mut headers = HeaderMap::new();
    keys.shown(who.as_ref()).await?.put_on(&mut headers);
    assert!(headers.values().all(HeaderValue::is_sensitive));
    let text = headers.values().map(|value| value.to_str().expect("text").to_owned());
    Ok(text.collect::<Vec<_>>().join(" and "))
}

#[tokio::test]
async fn a_server_without_secrets_where_nobody_signs_in_asks_the_keyring_once() {
    let pocket = Arc::new(Pocket::default());
    let keys = ServerKeys::new(name(), URL.into(), pocket.clone(), Vec::new(), TokenSource::SignIn);
    assert!((0..100).all(|_| keys.are_none()));
    assert_eq!(pocket.count(), 1);
    pocket.signs_in.store(true, Ordering::Release);
    pocket.generation.fetch_add(1, Ordering::AcqRel);
    assert!(!keys.are_none(), "somebody has signed in meanwhile");
}

#[tokio::test]
async fn each_principal_shows_its_own_secret_and_else_everybodys() {
    let pocket = Pocket::with_secret("", "KEY", "all");
    pocket.put("ann", "KEY", "hers");
    let keys = keys(&pocket, "Key ${vault:KEY}!");
    assert_eq!(shown(&keys, Some("ann")).await.as_deref(), Ok("Key hers!"));
    assert_eq!(shown(&keys, Some("bob")).await.as_deref(), Ok("Key all!"));
    assert_eq!(shown(&keys, None).await.as_deref(), Ok("Key all!"));
}

#[tokio::test]
async fn values_are_remembered_until_credentials_change() {
    let pocket = Pocket::with_secret("", "KEY", "old");
    let keys = keys(&pocket, "${vault:KEY}");
    let resolved = |pocket: &Pocket| pocket.secrets.lock().len();
    assert_eq!(shown(&keys, None).await.as_deref(), Ok("old"));
    // Changed behind the keyring's back: only a cached value can still say "old".
    pocket.secrets.lock().clear();
    assert_eq!(resolved(&pocket), 0);
    assert_eq!(shown(&keys, None).await.as_deref(), Ok("old"));
    pocket.put("", "KEY", "new");
    assert_eq!(shown(&keys, None).await.as_deref(), Ok("new"));
}

#[tokio::test]
async fn a_flood_of_principals_does_not_grow_what_is_remembered() {
    let pocket = Pocket::with_secret("", "KEY", "all");
    let keys = keys(&pocket, "${vault:KEY}");
    for number in 0..PRINCIPALS_MAX * 2 + 1 {
        shown(&keys, Some(&number.to_string())).await.expect("everybody's");
    }
    assert!(keys.known(pocket.generation()).values.len() <= PRINCIPALS_MAX);
}

#[tokio::test]
async fn a_missing_secret_is_named_and_a_bad_one_is_not_shown() {
    let pocket = Pocket::with_secret("", "BAD", "line\nbreak");
    let missing = shown(&keys(&pocket, "${vault:KEY}"), None).await.expect_err("missing");
    assert!(missing.0.contains("KEY"), "{missing}");
    let bad = shown(&keys(&pocket, "${vault:BAD}"), None).await.expect_err("no header");
    assert!(bad.0.contains("x-key") && !bad.0.contains("break"), "{bad}");
}

#[tokio::test]
async fn who_signed_in_shows_a_token() {
    let pocket = Pocket::with_tokens(&["t1"]);
    let keys = ServerKeys::new(name(), URL.into(), pocket, Vec::new(), TokenSource::SignIn);
    assert_eq!(shown(&keys, None).await.as_deref(), Ok("Bearer t1"));
}

fn process(env: &[(&str, &str)], isolation: Isolation) -> ServerSpec {
    let env = env.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    ServerSpec {
        name: name(),
        transport: TransportSpec::Stdio {
            command: "true".into(),
            args: Vec::new(),
            env,
            cwd: None,
            sandbox: Sandbox::default(),
        },
        timeout: Duration::from_secs(1),
        connect_timeout: Duration::from_secs(1),
        concurrency_max: 1,
        rate: None,
        isolation,
        affinity: Affinity::default(),
        era: EraChoice::default(),
        reach: Reach::Anywhere,
        egress: Arc::default(),
    }
}

#[tokio::test]
async fn a_child_gets_the_secrets_of_its_owner() {
    let pocket = Pocket::with_secret("", "KEY", "all");
    pocket.put("ann", "KEY", "hers");
    let spec = process(&[("A", "plain"), ("B", "k=${vault:KEY}")], Isolation::Shared);
    let of = |(env, _): (BTreeMap<String, String>, GivenEnvironment)| env.into_values().collect::<Vec<_>>();
    let ann = PrincipalId::new("ann");
    assert_eq!(filled_env(&spec, &*pocket, None).await.map(of), Ok(vec!["plain".into(), "k=all".into()]));
    assert_eq!(
        filled_env(&spec, &*pocket, Some(&ann)).await.map(of),
        Ok(vec!["plain".into(), "k=hers".into()])
    );
    let spec = process(&[("A", "${vault:NONE}")], Isolation::Shared);
    assert!(filled_env(&spec, &*pocket, None).await.is_err());
    let spec = process(&[("A", "${vault:")], Isolation::Shared);
    let refused = filled_env(&spec, &*pocket, None).await.err().expect("not closed");
    assert!(refused.0.starts_with("A: "), "{refused}");
}

#[tokio::test]
async fn a_child_is_outdated_when_it_would_be_given_something_else() {
    let pocket = Pocket::with_secret("", "KEY", "old");
    let spec = process(&[("A", "plain"), ("B", "${vault:KEY}")], Isolation::Shared);
    assert!(gives_secrets(&spec) && !gives_secrets(&process(&[("A", "plain")], Isolation::Shared)));
    let (_, given) = filled_env(&spec, &*pocket, None).await.expect("there is a key");
    let asked = pocket.count();
    assert!(!given.is_outdated(&spec, &*pocket, None).await);
    assert_eq!(pocket.count(), asked, "nothing has changed, nothing is asked");
    pocket.put("", "OTHER", "new");
    assert!(!given.is_outdated(&spec, &*pocket, None).await);
    pocket.put("", "KEY", "new");
    assert!(given.is_outdated(&spec, &*pocket, None).await);
    pocket.put("", "KEY", "old");
    assert!(!given.is_outdated(&spec, &*pocket, None).await);
    pocket.secrets.lock().clear();
    pocket.generation.fetch_add(1, Ordering::AcqRel);
    assert!(given.is_outdated(&spec, &*pocket, None).await, "there is none any more");
}

#[test]
fn results_are_shared_only_where_no_credential_can_be_personal() {
    let pocket = Pocket::default();
    let of = |spec: ServerSpec| sharing(&spec, &pocket);
    assert_eq!(of(process(&[("A", "plain")], Isolation::Shared)), CacheSharing::Allowed);
    assert_eq!(of(process(&[], Isolation::Principal)), CacheSharing::Never);
    assert_eq!(of(process(&[("A", "${vault:K}")], Isolation::Shared)), CacheSharing::Never);
    pocket.signs_in.store(true, Ordering::Release);
    assert_eq!(sharing(&process(&[], Isolation::Shared), &pocket), CacheSharing::Never);
}

#[tokio::test(start_paused = true)]
async fn a_changed_credential_is_noticed_within_a_moment() {
    let pocket = Pocket::with_secret("", "KEY", "old");
    let generation = pocket.generation();
    let waiting = changed_since(&*pocket, generation);
    let changing = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        pocket.put("", "KEY", "new");
    };
    let began = tokio::time::Instant::now();
    tokio::join!(waiting, changing);
    let took = began.elapsed();
    assert!(took >= Duration::from_secs(3) && took <= Duration::from_secs(3) + LOOK, "{took:?}");
}
