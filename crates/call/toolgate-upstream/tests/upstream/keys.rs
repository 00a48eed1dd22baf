//! The credentials shown to servers, and the addresses they may lead to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use http::Response;
use parking_lot::Mutex;
use serde_json::{Value, json};
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::port::{AskKind, BoxFuture, Keyring, NoKey, SecretViewer, ServerError};
use toolgate_core::server::{InstanceState, Isolation, Sandbox, ServerSpec, ServerState, TransportSpec};
use toolgate_core::{PrincipalId, ServerName};

use crate::fleet::fleet;
use crate::kit::{Agent, LIMIT, UpstreamGateway, eventually, fault_code, someone, spec};
use crate::neighbour::child_with;
use crate::web::{Body, Seen, Web, empty, ok, reply};

/// Credentials in memory: secrets by principal and name (those without a principal are shared), and tokens,
/// the next one last.
#[derive(Default)]
pub(crate) struct Pocket {
    secrets: Mutex<BTreeMap<(Option<PrincipalId>, String), String>>,
    tokens: Mutex<Vec<String>>,
    /// The only address that tokens are for, if not all.
    only_at: Mutex<Option<String>>,
    challenges: Mutex<Vec<String>>,
    generation: AtomicU64,
}

impl Pocket {
    fn put(&self, principal: Option<&str>, name: &str, value: &str) {
        let key = (principal.map(PrincipalId::new), name.to_owned());
        self.secrets.lock().insert(key, value.to_owned());
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    fn take(&self, principal: Option<&str>, name: &str) {
        let key = (principal.map(PrincipalId::new), name.to_owned());
        self.secrets.lock().remove(&key);
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn with_tokens(tokens: &[&str]) -> Arc<Self> {
        let tokens = Mutex::new(tokens.iter().rev().map(ToString::to_string).collect());
        Arc::new(Self { tokens, ..Self::default() })
    }
}

impl Keyring for Pocket {
    fn secret(
        &self,
        _server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        _: SecretViewer<'_>,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        let secrets = self.secrets.lock();
        let own = secrets.get(&(principal.cloned(), name.to_owned()));
        let found = own.or_else(|| secrets.get(&(None, name.to_owned()))).cloned();
        Box::pin(std::future::ready(found.ok_or_else(|| NoKey(format!("there is no secret {name}")))))
    }

    fn secrets_refused(&self, _: &ServerName) -> BoxFuture<'static, bool> {
        Box::pin(std::future::ready(false))
    }

    fn signs_in(&self, _server: &ServerName) -> bool {
        !self.tokens.lock().is_empty()
    }

    fn access_token(
        &self,
        _server: &ServerName,
        _principal: Option<&PrincipalId>,
        url: &str,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        let only_at = self.only_at.lock().clone();
        if only_at.is_some_and(|only| only != url) {
            return Box::pin(std::future::ready(Err(NoKey("the sign-in was for somewhere else".into()))));
        }
        let token = self.tokens.lock().last().cloned();
        Box::pin(std::future::ready(token.ok_or_else(|| NoKey("nobody has signed in".into()))))
    }

    fn token_refused(
        &self,
        _server: &ServerName,
        _principal: Option<&PrincipalId>,
        _url: &str,
        challenge: Option<&str>,
    ) -> BoxFuture<'static, Result<(), NoKey>> {
        self.challenges.lock().push(challenge.unwrap_or_default().to_owned());
        let mut tokens = self.tokens.lock();
        let has_another = tokens.len() > 1;
        if has_another {
            tokens.pop();
        }
        let sign_in = NoKey("the sign-in has run out".into());
        Box::pin(std::future::ready(if has_another { Ok(()) } else { Err(sign_in) }))
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }
}

fn modern(seen: &Seen) -> Response<Body> {
    match seen.rpc() {
        "server/discover" => ok(&seen.result(json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        }))),
        "tools/list" => {
            ok(&seen.result(json!({"resultType": "complete", "tools": [{"name": "t", "inputSchema": {}}]})))
        }
        "tools/call" => ok(&seen.result(json!({"resultType": "complete", "content": []}))),
        _ => reply(404, &seen.error(-32601, Value::Null)),
    }
}

fn challenge(status: u16, challenge: &str) -> Response<Body> {
    let mut response = empty(status);
    response.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
    response
}

/// A server that lets in only who shows one of `tokens`.
async fn guarded(tokens: &'static [&'static str]) -> Web {
    Web::start(move |seen| {
        let shown = seen.header("authorization").and_then(|text| text.strip_prefix("Bearer "));
        let is_let_in = shown.is_some_and(|token| tokens.contains(&token));
        std::future::ready(if is_let_in { modern(&seen) } else { challenge(401, "Bearer realm=\"x\"") })
    })
    .await
}

fn spec_with(web: &Web, headers: &[(&str, &str)]) -> ServerSpec {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    spec(TransportSpec::http(web.url(), headers))
}

fn shown(seen: &[Seen], rpc: &str, header: &str) -> Vec<String> {
    let of = seen.iter().filter(|seen| seen.rpc() == rpc);
    of.map(|seen| seen.header(header).unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn each_caller_shows_its_own_secret_and_the_gateway_its_own() {
    let web = Web::start(|seen| std::future::ready(modern(&seen))).await;
    let pocket = Arc::new(Pocket::default());
    pocket.put(None, "KEY", "everybody");
    pocket.put(Some("ann"), "KEY", "ann");
    let spec = spec_with(&web, &[("X-Key", "key ${vault:KEY}"), ("X-Plain", "plain")]);
    let gateway = UpstreamGateway::with_keyring(spec, pocket.clone());
    gateway.recorder.healthy().await;
    for who in ["ann", "bob"] {
        gateway.call("t", "{}", &Agent::new(who, 1).shared()).await.unwrap();
    }
    pocket.put(Some("bob"), "KEY", "bob");
    gateway.call("t", "{}", &Agent::new("bob", 1).shared()).await.unwrap();
    let seen = web.seen();
    assert_eq!(shown(&seen, "tools/call", "x-key"), ["key ann", "key everybody", "key bob"]);
    assert!(shown(&seen, "tools/list", "x-key").iter().all(|key| key == "key everybody"));
    assert!(seen.iter().all(|seen| seen.header("x-plain") == Some("plain")));
    gateway.end().await;
}

#[tokio::test]
async fn sessions_of_the_older_era_show_the_secret_of_their_principal() {
    let web = Web::start(|seen| {
        let session = seen.header("x-key").unwrap_or_default().to_owned();
        let response = match (seen.method.as_str(), seen.rpc()) {
            ("POST", "initialize") => {
                let result =
                    json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {}});
                let mut response = ok(&seen.result(result));
                response.headers_mut().insert("mcp-session-id", session.parse().unwrap());
                response
            }
            ("POST", "tools/list" | "tools/call") => ok(&seen.result(json!({"tools": [], "content": []}))),
            ("POST", "server/discover") => reply(400, &seen.error(-32000, Value::Null)),
            ("POST", _) => empty(202),
            ("DELETE", _) => empty(200),
            _ => empty(405),
        };
        std::future::ready(response)
    })
    .await;
    let pocket = Arc::new(Pocket::default());
    pocket.put(None, "KEY", "everybody");
    pocket.put(Some("ann"), "KEY", "ann");
    let gateway = UpstreamGateway::with_keyring(spec_with(&web, &[("X-Key", "${vault:KEY}")]), pocket);
    gateway.recorder.healthy().await;
    gateway.call("t", "{}", &Agent::new("ann", 1).shared()).await.unwrap();
    gateway.end().await;
    for seen in web.seen().iter().filter(|seen| seen.header("mcp-session-id").is_some()) {
        assert_eq!(seen.header("mcp-session-id"), seen.header("x-key"), "{seen:?}");
    }
    assert_eq!(shown(&web.seen(), "tools/call", "x-key"), ["ann"]);
}

#[tokio::test]
async fn a_refused_token_is_replaced_and_the_call_repeated_once() {
    let web = guarded(&["new"]).await;
    let pocket = Pocket::with_tokens(&["old", "new"]);
    let gateway = UpstreamGateway::with_keyring(spec_with(&web, &[]), pocket.clone());
    gateway.recorder.healthy().await;
    gateway.call("t", "{}", &someone()).await.unwrap();
    assert_eq!(*pocket.challenges.lock(), ["Bearer realm=\"x\""]);
    assert_eq!(shown(&web.seen(), "tools/call", "authorization"), ["Bearer new"]);
    gateway.end().await;
}

#[tokio::test]
async fn each_instance_is_shown_only_a_token_for_its_own_address() {
    let (signed_in, snoop) = (guarded(&["token"]).await, guarded(&["token"]).await);
    let pocket = Pocket::with_tokens(&["token"]);
    *pocket.only_at.lock() = Some(signed_in.url());
    let gateway = UpstreamGateway::with_keyring(fleet(&[("a", &signed_in), ("b", &snoop)]), pocket);
    let reason = gateway.recorder.until("the other to be refused", |told| {
        let refused = |instance: &InstanceState| {
            instance.reason.as_deref().is_some_and(|why| why.contains("somewhere else"))
        };
        told.states.last().is_some_and(|state| state.instances.iter().any(refused))
    });
    reason.await;
    gateway.call("t", "{}", &someone()).await.unwrap();
    assert!(snoop.seen().is_empty(), "it was shown nothing");
    gateway.end().await;
}

#[tokio::test]
async fn of_many_calls_refused_at_once_one_replaces_the_token() {
    let has_expired = Arc::new(AtomicBool::new(false));
    let expired = has_expired.clone();
    let web = Web::start(move |seen| {
        let is_old = seen.header("authorization") == Some("Bearer old");
        let is_refused = is_old && expired.load(Ordering::SeqCst);
        std::future::ready(if is_refused { challenge(401, "Bearer") } else { modern(&seen) })
    })
    .await;
    let pocket = Pocket::with_tokens(&["old", "new", "never"]);
    let gateway = UpstreamGateway::with_keyring(spec_with(&web, &[]), pocket.clone());
    gateway.recorder.healthy().await;
    has_expired.store(true, Ordering::SeqCst);
    let caller = someone();
    let calls = (0..16).map(|_| gateway.call("t", "{}", &caller));
    for reply in futures_util::future::join_all(calls).await {
        reply.unwrap();
    }
    assert_eq!(pocket.challenges.lock().len(), 1);
    gateway.end().await;
}

#[tokio::test]
async fn a_call_that_no_token_opens_is_unauthorized_and_was_not_repeated_for_ever() {
    let web = Web::start(|seen| {
        let is_call = seen.rpc() == "tools/call";
        std::future::ready(if is_call {
            challenge(403, "Bearer error=\"insufficient_scope\"")
        } else {
            modern(&seen)
        })
    })
    .await;
    let pocket = Pocket::with_tokens(&["first", "second", "third"]);
    let gateway = UpstreamGateway::with_keyring(spec_with(&web, &[]), pocket);
    gateway.recorder.healthy().await;
    let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "server_unauthorized");
    assert_eq!(shown(&web.seen(), "tools/call", "authorization"), ["Bearer first", "Bearer second"]);
    gateway.end().await;
}

#[tokio::test]
async fn a_forbidden_call_that_is_not_about_scopes_stays_the_servers_refusal() {
    let web = Web::start(|seen| {
        std::future::ready(if seen.rpc() == "tools/call" { empty(403) } else { modern(&seen) })
    })
    .await;
    let gateway = UpstreamGateway::with(spec_with(&web, &[]));
    gateway.recorder.healthy().await;
    let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "server_refused");
    gateway.end().await;
}

#[tokio::test]
async fn a_server_without_its_credential_says_so_and_is_back_when_it_has_it() {
    let web = guarded(&["right"]).await;
    let pocket = Arc::new(Pocket::default());
    let spec = spec_with(&web, &[("Authorization", "Bearer ${vault:TOKEN}")]);
    let gateway = UpstreamGateway::with_keyring(spec, pocket.clone());
    assert!(gateway.recorder.degraded().await.contains("there is no secret TOKEN"));
    assert!(web.seen().is_empty(), "nothing was sent");
    pocket.put(None, "TOKEN", "right");
    gateway.recorder.healthy().await;
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_asks_for_a_credential_is_told_how_to_sign_in() {
    let web = guarded(&[]).await;
    let gateway = UpstreamGateway::with(spec_with(&web, &[]));
    let reason = gateway.recorder.degraded().await;
    assert!(reason.contains("401") && reason.contains("toolgate servers login neighbour"), "{reason}");
    gateway.end().await;
}

#[tokio::test]
async fn a_child_is_not_started_without_its_secret_and_gets_it_when_it_is_there() {
    let script = r#"echo "key is $KEY" >&2; exec sleep 60"#;
    let child = TransportSpec::Stdio {
        command: "sh".into(),
        args: vec!["-c".into(), script.into()],
        env: [("KEY".to_owned(), "<${vault:KEY}>".to_owned())].into(),
        cwd: None,
        sandbox: Sandbox::default(),
    };
    let pocket = Arc::new(Pocket::default());
    let gateway = UpstreamGateway::with_keyring(spec(child), pocket.clone());
    assert!(gateway.recorder.degraded().await.contains("there is no secret KEY"));
    assert!(gateway.recorder.told().stderr.is_empty());
    pocket.put(None, "KEY", "s3");
    gateway
        .recorder
        .until("the child's word", |told| told.stderr.iter().any(|line| line == "key is <s3>"))
        .await;
    gateway.end().await;
}

/// The key that a child of `caller` got.
async fn key_of(gateway: &UpstreamGateway, caller: &Arc<Agent>) -> String {
    let env: BTreeMap<String, String> = serde_json::from_str(&gateway.text("env", caller).await).unwrap();
    env["KEY"].clone()
}

async fn until_key_is(gateway: &UpstreamGateway, caller: &Arc<Agent>, key: &str) {
    let changing = async {
        while key_of(gateway, caller).await != key {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(tokio::time::timeout(LIMIT, changing).await.is_ok(), "waited in vain for the key {key}");
}

#[tokio::test]
async fn a_child_whose_secret_changed_is_started_again_when_nobody_needs_it() {
    let pocket = Arc::new(Pocket::default());
    pocket.put(None, "KEY", "old");
    let gateway =
        UpstreamGateway::with_keyring(child_with("legacy", &[("KEY", "${vault:KEY}")]), pocket.clone());
    let pid = gateway.recorder.healthy().await.pid;
    assert_eq!(key_of(&gateway, &someone()).await, "old");
    pocket.put(None, "OTHER", "no matter");
    let slow = Agent {
        can: vec![AskKind::Elicitation],
        answer_after: Duration::from_secs(1),
        ..Agent::new("slow", 2)
    }
    .shared();
    let under_way = tokio::spawn(gateway.call("ask", "{}", &slow));
    eventually("the question", || slow.questions() == 1).await;
    assert_eq!(key_of(&gateway, &someone()).await, "old");
    assert_eq!(gateway.recorder.told().states.last().unwrap().pid, pid, "its own secret is the same");
    pocket.put(None, "KEY", "new");
    until_key_is(&gateway, &someone(), "new").await;
    under_way.await.unwrap().expect("what was under way finished");
    let told = gateway.recorder.told();
    assert!(told.states.iter().any(|state| state.reason.as_deref() == Some("its secrets changed")));
    gateway.recorder.healthy().await;
    pocket.take(None, "KEY");
    let lacks =
        |state: &ServerState| state.reason.as_deref().is_some_and(|why| why.contains("no secret KEY"));
    gateway.recorder.until("the missing secret", |told| told.states.last().is_some_and(lacks)).await;
    gateway.end().await;
}

#[tokio::test]
async fn a_principals_own_child_is_replaced_when_its_secret_changes() {
    let pocket = Arc::new(Pocket::default());
    pocket.put(None, "KEY", "all");
    pocket.put(Some("ann"), "KEY", "hers");
    let isolated =
        ServerSpec { isolation: Isolation::Principal, ..child_with("legacy", &[("KEY", "${vault:KEY}")]) };
    let gateway = UpstreamGateway::with_keyring(isolated, pocket.clone());
    let (ann, bob) = (Agent::new("ann", 1).shared(), Agent::new("bob", 2).shared());
    assert_eq!(key_of(&gateway, &ann).await, "hers");
    assert_eq!(key_of(&gateway, &bob).await, "all");
    let restarts = gateway.recorder.healthy().await.restarts;
    pocket.put(Some("ann"), "KEY", "new");
    until_key_is(&gateway, &ann, "new").await;
    assert_eq!(gateway.text("count", &bob).await, "2", "nobody else's was touched");
    assert_eq!(gateway.recorder.told().states.last().unwrap().restarts, restarts);
    gateway.end().await;
}

fn within(spec: ServerSpec, allow_loopback: bool) -> ServerSpec {
    ServerSpec { reach: Reach::Within(AddressRules { allow_loopback, allow_private: false }), ..spec }
}

#[tokio::test]
async fn an_address_of_this_machine_is_dialled_only_with_permission() {
    let web = Web::start(|seen| std::future::ready(modern(&seen))).await;
    let by_name = web.url().replace("127.0.0.1", "localhost");
    for url in [web.url(), by_name] {
        let spec = spec(TransportSpec::http(&url, BTreeMap::new()));
        let gateway = UpstreamGateway::with(within(spec, false));
        let reason = gateway.recorder.degraded().await;
        assert!(reason.contains("allow_loopback"), "{reason}");
        let error = gateway.call("t", "{}", &someone()).await.unwrap_err();
        assert!(matches!(&error, ServerError::Fault(fault) if fault.kind.safe_to_retry()), "{error}");
        gateway.end().await;
    }
    assert!(web.seen().is_empty());
    let gateway = UpstreamGateway::with(within(spec_with(&web, &[]), true));
    gateway.recorder.healthy().await;
    gateway.call("t", "{}", &someone()).await.unwrap();
    gateway.end().await;
}
