//! The keyring against a real authorization server on a loopback port.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

use std::collections::BTreeSet;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderValue, Method, Request, StatusCode};
use toolgate_testkit::idp::Idp;

use super::*;
use crate::fixture::{Fixture, server};
use crate::oauth::{LoginError, LoginOptions, OAuthSpec, PendingLogin};

const REDIRECT: &str = "http://127.0.0.1:9/callback";

struct KeysScene {
    fixture: Fixture,
    idp: Idp,
    keys: Keys,
    /// The address of the server that the token is for.
    url: String,
}

impl KeysScene {
    async fn new() -> Self {
        let (fixture, idp) = (Fixture::new().await, Idp::start().await.unwrap());
        let keys = Keys::open(fixture.vault.clone(), ExternalSecrets::default()).await.unwrap();
        keys.know([(server("mail"), Reach::Anywhere.into())].into());
        let url = idp.resource();
        Self { fixture, idp, keys, url }
    }

    fn options(&self) -> LoginOptions {
        LoginOptions {
            server: server("mail"),
            principal: None,
            by: PrincipalId::local(),
            url: self.idp.resource(),
            reach: Reach::Anywhere,
            egress: Arc::default(),
            spec: OAuthSpec::default(),
        }
    }

    async fn open(&self, options: LoginOptions) -> Result<PendingLogin, LoginError> {
        PendingLogin::open(&self.fixture.vault, options, REDIRECT).await
    }

    /// A whole sign-in, with a person who agrees.
    async fn sign_in_with(&self, options: LoginOptions) -> Vec<String> {
        let login = self.open(options).await.unwrap();
        let callback = self.idp.consent(login.authorization_url()).await.unwrap();
        let signed_in = login.finish(&callback).await.unwrap();
        self.keys.refresh().await.unwrap();
        signed_in.scopes
    }

    async fn sign_in(&self) {
        self.sign_in_with(self.options()).await;
    }

    async fn token(&self) -> Result<String, NoKey> {
        self.keys.access_token(&server("mail"), None, &self.url).await
    }

    async fn refused(&self, challenge: Option<&str>) -> Result<(), NoKey> {
        self.keys.token_refused(&server("mail"), None, &self.url, challenge).await
    }

    /// The protected server's answer to a token.
    async fn show(&self, token: &str) -> StatusCode {
        let mut request = Request::new(bytes::Bytes::from_static(br#"{"id":1,"method":"ping"}"#));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.idp.resource().parse().unwrap();
        request
            .headers_mut()
            .insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}")).unwrap());
        OutboundClient::new(Reach::Anywhere, &Arc::default()).send(request).await.unwrap().status()
    }

    fn refreshes(&self) -> Vec<String> {
        let tokens = self.idp.seen("/token").into_iter();
        tokens.filter_map(|seen| seen.parameters.get("refresh_token").cloned()).collect()
    }
}

fn scopes(url: &str) -> BTreeSet<String> {
    let url = Url::parse(url).unwrap();
    let scope = url.query_pairs().find(|(name, _)| name == "scope").map(|(_, scope)| scope.into_owned());
    scope.unwrap_or_default().split_ascii_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn somebody_signs_in_and_the_token_opens_the_server() {
    let scene = KeysScene::new().await;
    assert!(!scene.keys.signs_in(&server("mail")));
    assert!(scene.token().await.unwrap_err().0.contains("`toolgate servers login mail`"));
    let granted = scene.sign_in_with(scene.options()).await;
    assert_eq!(granted, ["read"]);
    assert!(scene.keys.signs_in(&server("mail")) && !scene.keys.signs_in(&server("files")));
    let token = scene.token().await.unwrap();
    assert_eq!(scene.show(&token).await, StatusCode::OK);
    assert_eq!(scene.show("nonsense").await, StatusCode::UNAUTHORIZED);
    assert_eq!(scene.token().await.unwrap(), token);
    assert_eq!(scene.refreshes().len(), 0);
}

#[tokio::test]
async fn the_whole_exchange_names_the_server_it_is_for() {
    let scene = KeysScene::new().await;
    scene.sign_in().await;
    scene.refused(None).await.unwrap();
    let asked = scene.idp.seen("/authorize").remove(0).parameters;
    assert_eq!(asked["code_challenge_method"], "S256");
    let resource = scene.idp.resource();
    assert_eq!(asked["resource"], resource);
    let tokens = scene.idp.seen("/token");
    assert_eq!(tokens.len(), 2);
    assert!(tokens.iter().all(|seen| seen.parameters["resource"] == resource));
}

#[tokio::test]
async fn what_is_kept_is_sealed_and_listed_by_name_only() {
    let scene = KeysScene::new().await;
    scene.sign_in().await;
    let token = scene.token().await.unwrap();
    let listed = scene.fixture.vault.list(None).await.unwrap();
    assert_eq!((listed.len(), listed[0].name.as_str()), (1, crate::vault::SIGN_IN));
    let sealed =
        scene.fixture.store.get_sealed(&server("mail"), None, crate::vault::SIGN_IN).await.unwrap().unwrap();
    assert!(!sealed.windows(20).any(|part| part == &token.as_bytes()[..20]));
}

#[tokio::test]
async fn a_token_that_has_run_out_is_renewed_with_the_newest_refresh_token() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|behaviour| behaviour.expires_in = 0);
    scene.sign_in().await;
    let mut tokens = BTreeSet::new();
    for _ in 0..3 {
        tokens.insert(scene.token().await.unwrap());
    }
    assert_eq!(tokens.len(), 3);
    let used: BTreeSet<String> = scene.refreshes().into_iter().collect();
    assert_eq!(used.len(), 3, "each is good once");
    // The last stored value is what the next process needs.
    let next = Keys::open(scene.fixture.vault.clone(), ExternalSecrets::default()).await.unwrap();
    next.know([(server("mail"), Reach::Anywhere.into())].into());
    next.access_token(&server("mail"), None, &scene.url).await.unwrap();
}

#[tokio::test]
async fn a_server_whose_challenge_alone_says_where_to_sign_in_is_heard_each_time() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|idp| {
        idp.hides_metadata = true;
        idp.expires_in = 0;
    });
    assert_eq!(scene.sign_in_with(scene.options()).await, ["read"]);
    scene.idp.behave(|idp| idp.expires_in = 3_600);
    let renewed = scene.token().await.unwrap();
    assert_eq!(scene.show(&renewed).await, StatusCode::OK);
    let asked = scene.idp.seen("/elsewhere/metadata.json").len();
    assert_eq!(asked, 2, "once to sign in and once to renew");
}

#[tokio::test]
async fn many_who_need_a_new_token_fetch_it_once() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|behaviour| behaviour.expires_in = 0);
    scene.sign_in().await;
    scene.idp.behave(|behaviour| behaviour.expires_in = 3_600);
    let waiting: Vec<_> =
        (0..20).map(|_| tokio::spawn(scene.keys.access_token(&server("mail"), None, &scene.url))).collect();
    let mut tokens = BTreeSet::new();
    for one in waiting {
        tokens.insert(one.await.unwrap().unwrap());
    }
    assert_eq!((tokens.len(), scene.refreshes().len()), (1, 1));
}

#[tokio::test]
async fn a_refresh_token_that_was_taken_back_ends_the_sign_in_with_a_hint() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|behaviour| behaviour.expires_in = 0);
    scene.sign_in().await;
    scene.idp.behave(|behaviour| behaviour.refresh_revoked = true);
    let over = scene.token().await.unwrap_err();
    assert!(over.0.contains("is over") && over.0.contains("`toolgate servers login mail`"), "{over}");
    assert_eq!(scene.token().await.unwrap_err(), over);
    assert_eq!(scene.refused(None).await.unwrap_err(), over);
    assert!(scene.refreshes().len() <= 2, "nobody knocks on and on");
    scene.idp.behave(|behaviour| (behaviour.refresh_revoked, behaviour.expires_in) = (false, 3_600));
    scene.sign_in().await;
    scene.token().await.unwrap();
}

#[tokio::test]
async fn without_a_refresh_token_the_sign_in_lasts_as_long_as_its_token() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|behaviour| behaviour.gives_refresh_tokens = false);
    scene.sign_in().await;
    scene.token().await.unwrap();
    let over = scene.refused(None).await.unwrap_err();
    assert!(over.0.contains("cannot be renewed"), "{over}");
}

#[tokio::test]
async fn an_outage_of_the_authorization_server_is_not_the_end() {
    let scene = KeysScene::new().await;
    scene.sign_in().await;
    let token = scene.token().await.unwrap();
    scene.idp.behave(|behaviour| behaviour.outage = true);
    let later = scene.refused(None).await.unwrap_err();
    assert!(later.0.contains("right now") && !later.0.contains("login"), "{later}");
    scene.idp.behave(|behaviour| behaviour.outage = false);
    assert_eq!(scene.token().await.unwrap(), token, "the old one is still there");
}

#[tokio::test]
async fn a_refused_token_is_replaced_once_and_not_for_each_request() {
    let scene = KeysScene::new().await;
    scene.sign_in().await;
    let old = scene.token().await.unwrap();
    scene.refused(Some("Bearer error=\"invalid_token\"")).await.unwrap();
    assert_ne!(scene.token().await.unwrap(), old);
    for _ in 0..5 {
        scene.refused(None).await.unwrap();
    }
    assert_eq!(scene.refreshes().len(), 1);
}

#[tokio::test]
async fn what_another_gateway_fetched_is_used_instead_of_fetching_again() {
    let scene = KeysScene::new().await;
    scene.sign_in().await;
    let other = Keys::open(scene.fixture.vault.clone(), ExternalSecrets::default()).await.unwrap();
    other.know([(server("mail"), Reach::Anywhere.into())].into());
    let old = other.access_token(&server("mail"), None, &scene.url).await.unwrap();
    scene.refused(None).await.unwrap();
    other.token_refused(&server("mail"), None, &scene.url, None).await.unwrap();
    let new = other.access_token(&server("mail"), None, &scene.url).await.unwrap();
    assert_ne!(new, old);
    assert_eq!(new, scene.token().await.unwrap());
    assert_eq!(scene.refreshes().len(), 1);
}

#[tokio::test]
async fn more_scopes_take_a_person_who_is_then_asked_for_all_of_them() {
    let scene = KeysScene::new().await;
    scene.sign_in().await;
    let challenge = "Bearer error=\"insufficient_scope\", scope=\"write admin\"";
    let lacking = scene.refused(Some(challenge)).await.unwrap_err();
    assert!(
        lacking.0.contains("the scopes write admin") && lacking.0.contains("toolgate servers login mail"),
        "{lacking}"
    );
    assert_eq!(scene.refreshes().len(), 0);
    scene.token().await.unwrap();
    let login = scene.open(scene.options()).await.unwrap();
    assert_eq!(scopes(login.authorization_url()), ["admin", "read", "write"].map(str::to_owned).into());
    let callback = scene.idp.consent(login.authorization_url()).await.unwrap();
    login.finish(&callback).await.unwrap();
    let again = scene.open(scene.options()).await.unwrap();
    assert_eq!(scopes(again.authorization_url()), ["read".to_owned()].into(), "they are not wanted any more");
}

#[tokio::test]
async fn a_principals_own_sign_in_goes_before_everybodys() {
    let scene = KeysScene::new().await;
    let (ann, bob) = (PrincipalId::new("ann"), PrincipalId::new("bob"));
    scene.sign_in().await;
    scene.sign_in_with(LoginOptions { principal: Some(ann.clone()), ..scene.options() }).await;
    let token = async |principal: Option<&PrincipalId>| {
        scene.keys.access_token(&server("mail"), principal, &scene.url).await.unwrap()
    };
    let everybodys = token(None).await;
    assert_ne!(token(Some(&ann)).await, everybodys);
    assert_eq!(token(Some(&bob)).await, everybodys);
}

#[tokio::test]
async fn a_token_is_shown_at_the_address_it_was_given_for_and_nowhere_else() {
    let mut scene = KeysScene::new().await;
    scene.sign_in().await;
    scene.token().await.unwrap();
    let here = scene.url.clone();
    let mut other_port = Url::parse(&here).unwrap();
    other_port.set_port(Some(1)).unwrap();
    let other_scheme = here.replace("http://", "https://");
    for elsewhere in ["https://evil.example/mcp", other_port.as_str(), &other_scheme, "nonsense", ""] {
        elsewhere.clone_into(&mut scene.url);
        let refused = scene.token().await.unwrap_err();
        assert!(refused.0.contains("is somewhere else"), "{refused}");
    }
    scene.url = Url::parse(&here).unwrap().join("/other/path").unwrap().into();
    scene.token().await.unwrap();
}

#[tokio::test]
async fn a_sign_in_is_never_shown_to_another_authorization_server() {
    let scene = KeysScene::new().await;
    scene.sign_in().await;
    let other = Idp::start().await.unwrap();
    scene.idp.behave(|behaviour| behaviour.issuer = Some(other.issuer()));
    let over = scene.refused(None).await.unwrap_err();
    assert!(over.0.contains("another authorization server"), "{over}");
    assert_eq!((other.seen("/token").len(), scene.refreshes().len()), (0, 0));
}

#[tokio::test]
async fn addresses_out_of_reach_are_not_dialled_to_sign_in_or_to_renew() {
    let scene = KeysScene::new().await;
    let within = Reach::Within(AddressRules::default());
    let refused = scene.open(LoginOptions { reach: within, ..scene.options() }).await.err().unwrap();
    assert!(refused.to_string().contains("address of this machine"), "{refused}");
    assert_eq!(scene.idp.seen("/.well-known/oauth-authorization-server").len(), 0);
    scene.sign_in().await;
    let seen = scene.idp.seen("/token").len();
    scene.keys.know([(server("mail"), within.into())].into());
    scene.refused(None).await.unwrap_err();
    assert_eq!(scene.idp.seen("/token").len(), seen);
}

#[tokio::test]
async fn a_callback_that_was_not_asked_for_changes_nothing() {
    let scene = KeysScene::new().await;
    let login = scene.open(scene.options()).await.unwrap();
    let callback = scene.idp.consent(login.authorization_url()).await.unwrap();
    for forged in
        ["http://127.0.0.1:9/callback?code=x&state=y", "http://127.0.0.1:9/callback?error=no", "nonsense"]
    {
        let refused = login.finish(forged).await.unwrap_err();
        assert!(matches!(refused, LoginError::Foreign { .. }), "{forged}: {refused}");
    }
    login.finish(&callback).await.unwrap();
}

#[tokio::test]
async fn an_answer_from_another_issuer_is_refused() {
    let scene = KeysScene::new().await;
    for (issuer, omits) in [(Some("https://evil.example".to_owned()), false), (None, true)] {
        scene.idp.behave(|behaviour| {
            (behaviour.callback_issuer, behaviour.omits_callback_issuer) = (issuer.clone(), omits);
        });
        let login = scene.open(scene.options()).await.unwrap();
        let callback = scene.idp.consent(login.authorization_url()).await.unwrap();
        let refused = login.finish(&callback).await.unwrap_err();
        assert!(refused.to_string().contains("issuer"), "{refused}");
    }
    assert_eq!(scene.idp.seen("/token").len(), 0);
}

#[tokio::test]
async fn a_person_who_says_no_is_heard() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|behaviour| behaviour.denies = Some("access_denied".into()));
    let login = scene.open(scene.options()).await.unwrap();
    let callback = scene.idp.consent(login.authorization_url()).await.unwrap();
    let refused = login.finish(&callback).await.unwrap_err();
    assert_eq!(refused.to_string(), "the authorization server said no: access_denied");
}

#[tokio::test]
async fn nobody_signs_in_without_pkce() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|behaviour| behaviour.advertises_pkce = false);
    let refused = scene.open(scene.options()).await.err().unwrap();
    assert!(matches!(refused, LoginError::NoPkce { .. }), "{refused}");
}

#[tokio::test]
async fn a_client_registered_by_hand_goes_before_all_other_ways() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|behaviour| behaviour.reads_metadata_documents = true);
    scene.idp.register("by-hand", Some("s3cret"));
    let spec = OAuthSpec {
        client_id: Some("by-hand".into()),
        client_secret: Some(Secret::new("s3cret")),
        scopes: vec!["mail.read".into()],
        endpoints: None,
        client_metadata_url: Some("https://gate.example/client.json".into()),
    };
    let granted = scene.sign_in_with(LoginOptions { spec, ..scene.options() }).await;
    assert_eq!(granted, ["mail.read"]);
    assert_eq!(scene.idp.seen("/register").len(), 0);
    assert_eq!(scene.idp.seen("/authorize")[0].parameters["client_id"], "by-hand");
    scene.refused(None).await.unwrap();
}

#[tokio::test]
async fn a_metadata_document_is_used_where_such_are_read() {
    let scene = KeysScene::new().await;
    let document = "https://gate.example/client.json";
    let spec = OAuthSpec { client_metadata_url: Some(document.into()), ..OAuthSpec::default() };
    let options = LoginOptions { spec, ..scene.options() };
    scene.sign_in_with(options.clone()).await;
    assert_eq!(scene.idp.seen("/register").len(), 1, "it reads none");
    scene.idp.behave(|behaviour| behaviour.reads_metadata_documents = true);
    scene.sign_in_with(options.clone()).await;
    assert_eq!(scene.idp.seen("/register").len(), 1);
    assert_eq!(scene.idp.seen("/authorize")[1].parameters["client_id"], document);
    let spec =
        OAuthSpec { client_metadata_url: Some("http://gate.example/a".into()), ..OAuthSpec::default() };
    let refused = scene.open(LoginOptions { spec, ..options }).await.err().unwrap();
    assert!(matches!(refused, LoginError::MetadataUrl { .. }), "{refused}");
}

#[tokio::test]
async fn the_secret_of_a_registered_client_is_kept_for_renewals() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|behaviour| behaviour.gives_secrets = true);
    scene.sign_in().await;
    let old = scene.token().await.unwrap();
    scene.refused(None).await.unwrap();
    assert_ne!(scene.token().await.unwrap(), old);
}

#[tokio::test]
async fn where_nobody_can_register_the_operator_is_told_how_to() {
    let scene = KeysScene::new().await;
    scene.idp.behave(|behaviour| behaviour.registers = false);
    let refused = scene.open(scene.options()).await.err().unwrap();
    assert!(refused.to_string().contains("hint: register a client there by hand"), "{refused}");
}

#[tokio::test]
async fn a_server_without_oauth_is_told_apart() {
    let scene = KeysScene::new().await;
    let options = LoginOptions { url: format!("{}/nothing", scene.idp.issuer()), ..scene.options() };
    scene.idp.behave(|behaviour| behaviour.outage = true);
    let refused = scene.open(options).await.err().unwrap();
    assert!(refused.to_string().contains("toolgate secrets set mail"), "{refused}");
}

#[tokio::test]
async fn a_secret_is_the_principals_own_or_everybodys_and_changes_are_noticed() {
    let scene = KeysScene::new().await;
    let (vault, keys, mail) = (&scene.fixture.vault, &scene.keys, server("mail"));
    let (local, ann) = (PrincipalId::local(), PrincipalId::new("ann"));
    let missing = keys.secret(&mail, Some(&ann), "key", SecretViewer::Program).await.unwrap_err();
    assert!(missing.0.contains("`toolgate secrets set mail key`"), "{missing}");
    vault.set(&local, &mail, None, "key", &Secret::new("everybody's"), &[]).await.unwrap();
    let before = keys.generation();
    keys.refresh().await.unwrap();
    assert!(keys.generation() > before);
    assert_eq!(keys.secret(&mail, Some(&ann), "key", SecretViewer::Program).await.unwrap(), "everybody's");
    vault.set(&local, &mail, Some(&ann), "key", &Secret::new("ann's"), &[]).await.unwrap();
    keys.refresh().await.unwrap();
    assert_eq!(keys.secret(&mail, Some(&ann), "key", SecretViewer::Program).await.unwrap(), "ann's");
    assert_eq!(keys.secret(&mail, None, "key", SecretViewer::Program).await.unwrap(), "everybody's");
    vault.set(&local, &mail, None, "key", &Secret::new("new"), &[]).await.unwrap();
    keys.refresh().await.unwrap();
    assert_eq!(keys.secret(&mail, None, "key", SecretViewer::Program).await.unwrap(), "new");
    let same = keys.generation();
    keys.refresh().await.unwrap();
    assert_eq!(keys.generation(), same, "nothing changed");
    assert!(keys.secret(&mail, None, crate::vault::SIGN_IN, SecretViewer::Program).await.is_err());
}

#[tokio::test]
async fn a_secret_is_seen_where_it_is_allowed_and_nowhere_else() {
    let scene = KeysScene::new().await;
    let (vault, keys, mail) = (&scene.fixture.vault, &scene.keys, server("mail"));
    let (local, ann) = (PrincipalId::local(), PrincipalId::new("ann"));
    keys.know([(mail.clone(), Reach::Within(AddressRules::default()).into())].into());
    vault.set(&local, &mail, None, "key", &Secret::new("everybody's"), &[]).await.unwrap();
    vault
        .set(&local, &mail, Some(&ann), "key", &Secret::new("ann's"), &["https://ann.example".into()])
        .await
        .unwrap();
    keys.refresh().await.unwrap();
    let seen = async |who: Option<&PrincipalId>, url: &str| {
        keys.refresh().await.unwrap();
        keys.secret(&mail, who, "key", SecretViewer::Address(url)).await
    };
    let refused = seen(None, "https://mail.example/mcp").await.unwrap_err();
    assert!(refused.0.contains("`toolgate secrets allow mail key https://mail.example`"), "{refused}");
    assert_eq!(seen(Some(&ann), "https://ann.example:443/mcp").await.unwrap(), "ann's");
    assert!(seen(None, "https://ann.example/mcp").await.is_err(), "hers went there, not everybody's");
    assert_eq!(keys.secret(&mail, None, "key", SecretViewer::Program).await.unwrap(), "everybody's");

    let allowed = ["https://mail.example/any/path?x".to_owned()];
    assert_eq!(vault.allow(&local, &mail, "key", &allowed).await.unwrap(), ["https://mail.example"]);
    assert_eq!(seen(None, "https://mail.example/mcp").await.unwrap(), "everybody's");
    assert_eq!(seen(Some(&ann), "https://mail.example/mcp").await.unwrap(), "ann's");
    for elsewhere in ["http://mail.example/", "https://mail.example:444/", "https://mail.example.evil/", "x"]
    {
        assert!(seen(None, elsewhere).await.is_err(), "{elsewhere}");
    }
    vault.set(&local, &mail, Some(&ann), "key", &Secret::new("another"), &[]).await.unwrap();
    assert!(seen(Some(&ann), "https://ann.example/").await.is_err(), "that was said of another value");
    vault.allow(&local, &mail, "key", &["*".into()]).await.unwrap();
    assert_eq!(seen(None, "http://anywhere.example/").await.unwrap(), "everybody's");
    assert!(vault.allow(&local, &mail, "key", &["ftp://x".into()]).await.is_err());

    keys.know([(mail.clone(), Reach::Anywhere.into())].into());
    vault.allow(&local, &mail, "key", &[]).await.unwrap();
    assert_eq!(seen(None, "http://of.the.file/").await.unwrap(), "everybody's");
}

#[tokio::test]
async fn credentials_go_to_servers_of_the_file_and_to_those_that_an_admin_allowed() {
    let scene = KeysScene::new().await;
    let (vault, keys, mail, local) =
        (&scene.fixture.vault, &scene.keys, server("mail"), PrincipalId::local());
    assert!(keys.may_get(&mail, "cred_1"), "the file says where it is");
    assert!(!keys.may_get(&server("stranger"), "cred_1"));
    keys.know([(mail.clone(), Reach::Within(AddressRules::default()).into())].into());
    assert!(!keys.may_get(&mail, "cred_1"));
    vault.allow(&local, &mail, "cred_1", &["https://mail.example".into()]).await.unwrap();
    keys.refresh().await.unwrap();
    assert!(!keys.may_get(&mail, "cred_1"), "its next instance may be elsewhere");
    vault.allow(&local, &mail, "cred_1", &["*".into()]).await.unwrap();
    keys.refresh().await.unwrap();
    assert!(keys.may_get(&mail, "cred_1") && !keys.may_get(&mail, "cred_2"));
}
