//! Callers with OAuth access tokens: the gateway's metadata, the accepted callers and their roles, and the
//! refused ones.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpAnswer, HttpClient, until_async};
use toolgate_testkit::idp::{Idp, KeyKind, Mint};

use super::hub::OPEN;
use crate::boot;
use crate::doors::WAIT;
use crate::kit::{child, listed, names, text};

const AUDIENCE: &str = "https://gate.example.com/mcp";
const METADATA: &str = "https://gate.example.com/.well-known/oauth-protected-resource/mcp";
const TOOL: &str = "files__echo";

struct Door {
    idp: Idp,
    gateway: Gateway,
}

impl Door {
    async fn open() -> Self {
        let idp = Idp::start().await.expect("it listens");
        let gateway = boot(&configuration(&idp));
        listed(&gateway, TOOL).await;
        Self { idp, gateway }
    }

    fn mint(&self, scope: &str) -> String {
        self.idp.mint(&Mint::new(AUDIENCE, scope))
    }

    fn client(&self, token: &str) -> HttpClient {
        HttpClient::new(&self.gateway.endpoint, token)
    }

    /// Asks for the tools with this token.
    async fn knock(&self, token: &str) -> HttpAnswer {
        self.client(token).modern("tools/list", json!({})).await
    }

    async fn rest(&self, token: &str, path: &str) -> HttpAnswer {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        HttpClient::finish(http.get(self.gateway.url(path)).bearer_auth(token)).await
    }

    /// Refused with 401 and these words.
    async fn refuses(&self, token: &str, why: &str) {
        let answer = self.knock(token).await;
        assert_eq!(answer.status, 401, "{why}: {answer:?}");
        let challenge = challenge(&answer);
        assert!(
            challenge.contains("error=\"invalid_token\"") && challenge.contains(why),
            "{why}: {challenge}"
        );
        assert!(challenge.contains(METADATA), "{why}: {challenge}");
        assert!(answer.text.contains(why), "{why}: {answer:?}");
        let rest = self.rest(token, "/tools").await;
        assert_eq!(rest.status, 401, "the other door: {rest:?}");
    }
}

fn configuration(idp: &Idp) -> String {
    let server = child("files", "conformance-server", &["--stdio"]);
    let scopes =
        "{ \"toolgate:call\" = \"agent\", \"toolgate:run\" = \"operator\", \"toolgate:look\" = \"auditor\" }";
    let issuer = idp.issuer();
    format!(
        "{OPEN}[oauth]\nissuer = {issuer:?}\naudience = {AUDIENCE:?}\nscopes = {scopes}\ngroups_claim = \"groups\"\n{server}"
    )
}

fn challenge(answer: &HttpAnswer) -> &str {
    answer.headers["www-authenticate"].to_str().expect("text")
}

#[tokio::test(flavor = "multi_thread")]
async fn who_brings_no_token_learns_where_to_get_one() {
    let door = Door::open().await;
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let answer = HttpClient::finish(http.post(&door.gateway.endpoint).body("{}")).await;
    assert_eq!(answer.status, 401, "{answer:?}");
    let said = challenge(&answer);
    assert!(
        said.starts_with("Bearer ") && said.contains(&format!("resource_metadata=\"{METADATA}\"")),
        "{said}"
    );
    assert!(
        said.contains("scope=\"toolgate:call\"") && !said.contains("error="),
        "no more than an agent needs: {said}"
    );
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let answer = HttpClient::finish(http.get(door.gateway.url(path))).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        let document = answer.json();
        assert_eq!(document["resource"], AUDIENCE);
        assert_eq!(document["authorization_servers"], json!([door.idp.issuer()]));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
        let scopes = document["scopes_supported"].as_array().expect("a list");
        assert!(scopes.contains(&json!("toolgate:call")), "{document}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_token_opens_both_eras_and_rest_with_the_role_of_its_scopes() {
    let door = Door::open().await;
    let agent = door.mint("openid toolgate:call");
    let client = door.client(&agent);
    assert!(names(&client).await.contains(&TOOL.to_owned()));
    let params = json!({ "name": TOOL, "arguments": { "text": "hello" } });
    let newer = client.modern("tools/call", params.clone()).await.result();
    let mut older = door.client(&agent);
    older.initialize("2025-11-25").await;
    let earlier = older.legacy(1, "tools/call", params).await.result();
    for result in [&newer, &earlier] {
        assert!(text(result).contains("hello"), "{result}");
    }
    assert_eq!(door.rest(&agent, "/tools").await.status, 200);
    let call = json!({ "name": "files:echo", "arguments": { "text": "hello" } });
    let request = client.http.post(door.gateway.url("/tools/call")).bearer_auth(&agent);
    let answer =
        HttpClient::finish(request.header("content-type", "application/json").body(call.to_string())).await;
    assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("succeeded")), "{answer:?}");
    assert_eq!(door.rest(&agent, "/servers").await.status, 403, "an agent is no operator");
    let operator = door.mint("toolgate:call toolgate:run");
    assert_eq!(door.rest(&operator, "/servers").await.status, 200, "the most powerful role counts");
    let auditor = door.mint("toolgate:look");
    assert_eq!(door.rest(&auditor, "/ledger").await.status, 200);
    assert_eq!(door.knock(&auditor).await.status, 403, "an auditor calls no tools");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ledger_names_the_person_of_the_token_and_never_the_token() {
    let door = Door::open().await;
    let mut mint = Mint::new(AUDIENCE, "toolgate:call");
    mint.subject = "carol".into();
    let token = door.idp.mint(&mint);
    let params = json!({ "name": TOOL, "arguments": { "text": "x" } });
    door.client(&token).modern("tools/call", params).await.result();
    let ledger = door.rest(&door.gateway.admin, "/ledger?limit=100").await;
    let events = ledger.json()["events"].as_array().expect("a list").clone();
    let completed = |event: &&Value| event["kind"] == "tool.call.completed";
    let done = events.iter().find(completed).unwrap_or_else(|| panic!("{events:?}"));
    assert!(done.to_string().contains("\"carol\""), "{done}");
    let claims = token.split('.').nth(1).expect("three parts");
    assert!(!ledger.text.contains(claims) && !door.gateway.log().join("\n").contains(claims));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_a_good_token_is_refused_with_the_reason() {
    let door = Door::open().await;
    let good = || Mint::new(AUDIENCE, "toolgate:call");
    let of = |mint: Mint| door.idp.mint(&mint);
    door.refuses(&of(Mint { audience: json!("https://other.example/mcp"), ..good() }), "another audience")
        .await;
    door.refuses(&of(Mint { expires_in: -120, ..good() }), "has expired").await;
    door.refuses(&of(Mint { issuer: Some("https://other.example".into()), ..good() }), "another issuer")
        .await;
    door.refuses(&of(good().with("nbf", json!(9_999_999_999_u64))), "not valid yet").await;
    door.refuses(&of(good().with("exp", Value::Null)), "when it expires").await;
    door.refuses(&of(good().with("sub", json!("gateway"))), "is a reserved name").await;
    door.refuses(&of(Mint { typ: Some("dpop+jwt".into()), ..good() }), "not an access token").await;
    door.refuses(&door.idp.mint_as(&good(), "none"), "not a signed JWT").await;
    door.refuses(&door.idp.mint_as(&good(), "HS256"), "not accepted").await;
    let whole = of(good());
    let (message, signature) = whole.rsplit_once('.').expect("three parts");
    let other = of(Mint { expires_in: 601, ..good() });
    let (_, foreign) = other.rsplit_once('.').expect("three parts");
    door.refuses(&format!("{message}.{foreign}"), "signature").await;
    door.refuses(&format!("{message}."), "not known").await;
    let claims = message.split_once('.').expect("two parts").1;
    let (header, _) = other.split_once('.').expect("three parts");
    assert_eq!(
        door.knock(&format!("{header}.{claims}.{signature}")).await.status,
        200,
        "it is one whole token"
    );
    let stranger = Idp::start().await.expect("it listens");
    let forged = stranger.mint(&Mint { issuer: Some(door.idp.issuer()), ..good() });
    door.refuses(&forged, "a key that its issuer does not have").await;
    assert_eq!(door.knock(&whole).await.status, 200, "a good one is still good");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_token_without_a_scope_that_counts_is_told_which_ones_do() {
    let door = Door::open().await;
    for scope in ["", "openid profile", "toolgate:cal"] {
        let answer = door.knock(&door.mint(scope)).await;
        assert_eq!(answer.status, 403, "{scope:?}: {answer:?}");
        let said = challenge(&answer);
        assert!(said.contains("error=\"insufficient_scope\"") && said.contains("toolgate:call"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn known_keys_outlast_an_outage_of_the_issuer() {
    let door = Door::open().await;
    assert_eq!(door.knock(&door.mint("toolgate:call")).await.status, 200);
    door.idp.behave(|idp| idp.outage = true);
    let new = door.mint("toolgate:call");
    assert_eq!(door.knock(&new).await.status, 200, "its key is known");
    assert_eq!(door.knock(&door.gateway.agent).await.status, 200, "the gateway's own tokens need no issuer");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issuer_that_was_never_reached_is_no_reason_to_say_that_a_token_is_bad() {
    let idp = Idp::start().await.expect("it listens");
    idp.behave(|idp| idp.outage = true);
    let gateway = boot(&configuration(&idp));
    let door = Door { idp, gateway };
    let token = door.mint("toolgate:call");
    let answer = door.knock(&token).await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(door.knock(&door.gateway.agent).await.status, 200, "local tokens go on");
    door.idp.behave(|idp| idp.outage = false);
    let open = until_async(WAIT, || async { (door.knock(&token).await.status == 200).then_some(()) });
    open.await.expect("the keys are fetched once the issuer is back");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_the_issuer_changes_are_followed_and_old_ones_open_nothing_any_more() {
    let door = Door::open().await;
    let old = door.mint("toolgate:call");
    assert_eq!(door.knock(&old).await.status, 200);
    door.idp.rotate_keys(KeyKind::Ed25519);
    let new = door.mint("toolgate:call");
    let open = until_async(WAIT, || async { (door.knock(&new).await.status == 200).then_some(()) });
    open.await.expect("the new key is fetched");
    door.refuses(&old, "a key that its issuer does not have").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_with_made_up_keys_do_not_make_the_gateway_ask_each_time() {
    let door = Door::open().await;
    assert_eq!(door.knock(&door.mint("toolgate:call")).await.status, 200);
    let asked = door.idp.seen("/jwks").len();
    let stranger = Idp::start().await.expect("it listens");
    for _ in 0..20 {
        stranger.rotate_keys(KeyKind::Es256);
        let forged =
            stranger.mint(&Mint { issuer: Some(door.idp.issuer()), ..Mint::new(AUDIENCE, "toolgate:call") });
        assert_eq!(door.knock(&forged).await.status, 401);
    }
    assert!(door.idp.seen("/jwks").len() <= asked + 2, "{} times", door.idp.seen("/jwks").len());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_issuer_a_jwt_is_a_stranger_and_there_is_no_metadata() {
    let idp = Idp::start().await.expect("it listens");
    let gateway = boot(OPEN);
    let answer = HttpClient::new(&gateway.endpoint, &idp.mint(&Mint::new(AUDIENCE, "toolgate:call")))
        .modern("tools/list", json!({}))
        .await;
    assert_eq!(answer.status, 401, "{answer:?}");
    assert!(!challenge(&answer).contains("resource_metadata"), "{answer:?}");
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let metadata = HttpClient::finish(http.get(gateway.url("/.well-known/oauth-protected-resource"))).await;
    assert_eq!(metadata.status, 404);
}
