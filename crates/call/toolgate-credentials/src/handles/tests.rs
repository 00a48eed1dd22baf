//! Credentials over a real store: who may use one, where its values go, and what is left of it.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::credential::{CredentialHandles, CredentialHolder, CredentialUse, CredentialUser};
use toolgate_core::event::EventFilter;
use toolgate_core::id::SessionId;
use toolgate_core::port::{BoxFuture, Keyring, NoKey, SecretViewer};
use toolgate_core::scope::AgentName;
use toolgate_core::tool::SecretSlot;
use toolgate_core::{Principal, PrincipalId, Refusal, Role, ServerName, Tool, codes};
use toolgate_store::{LedgerOrder, StoredCredential};

use super::*;
use crate::fixture::{Fixture, key, server};
use crate::secret::Secret;

const ORIGIN: &str = "https://jobs.example";
const PASSWORD: &str = "correct horse \"battery\"";

/// Secrets of the gateway's own, each allowed for one origin.
struct OwnSecrets;

impl Keyring for OwnSecrets {
    fn secret(
        &self,
        server: &ServerName,
        _principal: Option<&PrincipalId>,
        name: &str,
        viewer: SecretViewer<'_>,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        let is_allowed = server.as_str() == "toolgate" && viewer == SecretViewer::Address(ORIGIN);
        let found = match (is_allowed, name) {
            (true, "CODE_SEED") => Ok("JBSWY3DPEHPK3PXP".to_owned()),
            _ => Err(NoKey("there is none for this origin".to_owned())),
        };
        Box::pin(async move { found })
    }

    fn secrets_refused(&self, _server: &ServerName) -> BoxFuture<'static, bool> {
        Box::pin(async { false })
    }

    fn signs_in(&self, _server: &ServerName) -> bool {
        false
    }

    fn access_token(
        &self,
        _server: &ServerName,
        _principal: Option<&PrincipalId>,
        _url: &str,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        Box::pin(async { Err(NoKey("none".to_owned())) })
    }

    fn token_refused(
        &self,
        _server: &ServerName,
        _principal: Option<&PrincipalId>,
        _url: &str,
        _challenge: Option<&str>,
    ) -> BoxFuture<'static, Result<(), NoKey>> {
        Box::pin(async { Err(NoKey("none".to_owned())) })
    }

    /// Somebody set the address of `newcomer` while the gateway ran.
    fn may_get(&self, server: &ServerName, _credential: &str) -> bool {
        server.as_str() != "newcomer"
    }

    fn generation(&self) -> u64 {
        0
    }
}

fn ann() -> PrincipalId {
    PrincipalId::new("ann")
}

fn users(names: &[&str]) -> Vec<CredentialUser> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn value(name: &str, value: &str) -> FieldDraft {
    FieldDraft { name: name.to_owned(), value: DraftValue::Value(Secret::new(value)) }
}

fn draft() -> CredentialDraft {
    let seed = FieldDraft { name: "code".to_owned(), value: DraftValue::Secret("CODE_SEED".to_owned()) };
    CredentialDraft {
        name: "Example Jobs".to_owned(),
        origin: format!("{ORIGIN}/login"),
        fields: vec![value("username", "ada"), value("password", PASSWORD), seed],
        users: users(&["agent:applicant"]),
        servers: vec![server("browser")],
        expires_at_ms: None,
    }
}

fn holder(agent: &str, session: &str) -> CredentialHolder {
    CredentialHolder {
        principal: Principal::new(PrincipalId::new("bot"), Role::Agent),
        agent: AgentName::new(agent).unwrap(),
        session: SessionId::new(session),
        run: None,
        call: None,
    }
}

/// A tool with two slots.
fn tool(of: &str) -> Tool {
    let slots = ["secret", "fields/*/secret"].map(|argument| SecretSlot { argument: argument.to_owned() });
    let mut tool = Tool::unread(&server(of), "type");
    tool.handling.secrets = slots.to_vec().into();
    tool
}

struct Scene {
    fixture: Fixture,
    desk: CredentialDesk,
    filler: HandleFiller,
}

impl Scene {
    async fn new() -> Self {
        let fixture = Fixture::new().await;
        let desk = CredentialDesk::new(fixture.vault.clone());
        let filler = HandleFiller::new(desk.clone(), Arc::new(OwnSecrets), server("toolgate"));
        Self { fixture, desk, filler }
    }

    async fn created(&self) -> StoredCredential {
        self.desk.create(&ann(), draft()).await.unwrap()
    }

    async fn look_up(&self, agent: &str, of: &str, arguments: &Value) -> Result<Vec<CredentialUse>, Refusal> {
        self.filler.look_up(&holder(agent, "ses_1"), &tool(of), arguments).await
    }

    async fn events(&self) -> Vec<String> {
        let (store, all) = (&self.fixture.store, EventFilter::default());
        let found = store.ledger_page(&all, None, 100, LedgerOrder::OldestFirst).await;
        found.unwrap().into_iter().map(|one| one.event.kind.as_str().to_owned()).collect()
    }
}

fn code<T: std::fmt::Debug>(refused: Result<T, Refusal>) -> &'static str {
    let refused = refused.unwrap_err();
    assert!(!refused.hint.is_empty(), "{refused:?}");
    refused.code.name
}

#[tokio::test]
async fn values_are_written_into_declared_arguments_and_into_no_others() {
    let scene = Scene::new().await;
    let id = scene.created().await.id;
    let arguments = json!({ "secret": format!("{id}.password"), "text": format!("{id}.password"),
        "fields": [{ "secret": format!("{id}.username") }, { "secret": format!("{id}.code") }, { "secret": "plain" }] });
    let uses = scene.look_up("applicant", "browser", &arguments).await.unwrap();
    assert!(
        uses.iter().all(|one| one.is_new && one.origin == ORIGIN && one.name == "Example Jobs"),
        "{uses:?}"
    );
    let filled = scene.filler.fill(&holder("applicant", "ses_1"), &tool("browser"), arguments, &uses).await;
    let filled = filled.unwrap_or_else(|refused| panic!("{refused}"));
    let written = |field: &str, value: &str| json!({ "handle": format!("{id}.{field}"), "origin": ORIGIN, "value": value });
    let expected = json!({ "secret": written("password", PASSWORD), "text": format!("{id}.password"),
        "fields": [{ "secret": written("username", "ada") }, { "secret": written("code", "JBSWY3DPEHPK3PXP") }, { "secret": "plain" }] });
    assert_eq!(filled.arguments, expected);
    let handles: Vec<String> = filled.sent.iter().map(|one| one.handle.clone()).collect();
    assert_eq!(handles, ["password", "username", "code"].map(|field| format!("{id}.{field}")));
    assert_eq!(scene.events().await, ["credential.created", "credential.used"]);
}

#[tokio::test]
async fn a_session_uses_it_for_the_first_time_once() {
    let scene = Scene::new().await;
    let arguments = json!({ "secret": format!("{}.password", scene.created().await.id) });
    let is_new = async |session: &str| {
        scene.filler.look_up(&holder("applicant", session), &tool("browser"), &arguments).await.unwrap()[0]
            .is_new
    };
    let fill = async |session: &str| {
        let (holder, tool) = (holder("applicant", session), tool("browser"));
        let uses = scene.filler.look_up(&holder, &tool, &arguments).await.unwrap();
        drop(
            scene
                .filler
                .fill(&holder, &tool, arguments.clone(), &uses)
                .await
                .unwrap_or_else(|no| panic!("{no}")),
        );
    };
    assert!(is_new("ses_1").await && is_new("ses_1").await, "looking is not using");
    fill("ses_1").await;
    fill("ses_1").await;
    assert!(!is_new("ses_1").await && is_new("ses_2").await);
    assert_eq!(scene.events().await, ["credential.created", "credential.used"]);
}

#[tokio::test]
async fn only_named_users_and_servers_have_it() {
    let scene = Scene::new().await;
    let id = scene.created().await.id;
    let arguments = json!({ "secret": format!("{id}.password") });
    assert_eq!(code(scene.look_up("stranger", "browser", &arguments).await), "unknown_credential");
    let unknown = scene.look_up("applicant", "browser", &json!({ "secret": "cred_0.password" })).await;
    assert_eq!(code(unknown), "unknown_credential");
    assert_eq!(code(scene.look_up("applicant", "notes", &arguments).await), "credential_not_for_server");
    let several = scene.look_up("applicant", "browser", &json!({ "secret": id })).await;
    assert_eq!(code(several), "bad_credential_handle");
    let none = scene.look_up("applicant", "browser", &json!({ "secret": format!("{id}.pin") })).await;
    assert_eq!(code(none), "bad_credential_handle");
    let undeclared = Tool::unread(&server("browser"), "type");
    let uses = scene.filler.look_up(&holder("applicant", "ses_1"), &undeclared, &arguments).await;
    assert_eq!(uses, Ok(Vec::new()), "a handle in an undeclared argument is a text");
}

#[tokio::test]
async fn a_server_whose_address_somebody_set_gets_nothing_though_it_has_the_name() {
    let scene = Scene::new().await;
    let named = CredentialDraft { servers: vec![server("browser"), server("newcomer")], ..draft() };
    let id = scene.desk.create(&ann(), named).await.unwrap().id;
    let arguments = json!({ "secret": format!("{id}.password") });
    let uses = scene.look_up("applicant", "browser", &arguments).await.unwrap();
    let refused = scene.look_up("applicant", "newcomer", &arguments).await.unwrap_err();
    assert_eq!(refused.code, &codes::CREDENTIAL_NOT_FOR_SERVER);
    assert!(refused.hint.contains(&format!("toolgate secrets allow newcomer {id} '*'")), "{refused:?}");
    let late = scene.filler.fill(&holder("applicant", "ses_1"), &tool("newcomer"), arguments, &uses).await;
    assert_eq!(code(late.map(drop)), "credential_not_for_server");
    assert_eq!(scene.events().await, ["credential.created"], "nothing was used");
}

#[tokio::test]
async fn what_was_not_judged_is_not_filled_in() {
    let scene = Scene::new().await;
    let id = scene.created().await.id;
    let (holder, tool) = (holder("applicant", "ses_1"), tool("browser"));
    let judged = json!({ "secret": format!("{id}.username") });
    let uses = scene.filler.look_up(&holder, &tool, &judged).await.unwrap();
    let other = json!({ "secret": format!("{id}.password") });
    let refused = scene.filler.fill(&holder, &tool, other, &uses).await.map(drop);
    assert_eq!(code(refused), "credential_changed");
    assert_eq!(scene.events().await, ["credential.created"], "nothing was used");
}

#[tokio::test]
async fn an_erased_or_expired_credential_says_so_to_its_users() {
    let scene = Scene::new().await;
    let id = scene.created().await.id;
    let arguments = json!({ "secret": format!("{id}.password") });
    let uses = scene.look_up("applicant", "browser", &arguments).await.unwrap();
    scene.desk.erase(&ann(), "Example Jobs").await.unwrap();
    assert_eq!(code(scene.look_up("applicant", "browser", &arguments).await), "credential_erased");
    assert_eq!(code(scene.look_up("stranger", "browser", &arguments).await), "unknown_credential");
    let late = scene.filler.fill(&holder("applicant", "ses_1"), &tool("browser"), arguments, &uses).await;
    assert_eq!(code(late.map(drop)), "credential_erased");
    assert_eq!(code(scene.desk.find(id.as_str()).await), "credential_erased");
    let soon = crate::clock::now_ms() + 30;
    let short = CredentialDraft { expires_at_ms: Some(soon), ..draft() };
    let id = scene.desk.create(&ann(), short).await.unwrap().id;
    let arguments = json!({ "secret": format!("{id}.password") });
    while crate::clock::now_ms() <= soon {
        tokio::task::yield_now().await;
    }
    assert_eq!(code(scene.look_up("applicant", "browser", &arguments).await), "credential_expired");
}

#[tokio::test]
async fn a_rotated_field_has_its_new_value_and_another_key_opens_nothing() {
    let scene = Scene::new().await;
    let id = scene.created().await.id;
    let (holder, tool) = (holder("applicant", "ses_1"), tool("browser"));
    let arguments = json!({ "secret": format!("{id}.password") });
    let uses = scene.filler.look_up(&holder, &tool, &arguments).await.unwrap();
    let new = DraftValue::Value(Secret::new("another one"));
    scene.desk.rotate(&ann(), id.as_str(), "password", new).await.unwrap();
    let filled = scene.filler.fill(&holder, &tool, arguments.clone(), &uses).await;
    assert_eq!(filled.unwrap_or_else(|no| panic!("{no}")).arguments["secret"]["value"], "another one");
    let missing = DraftValue::Value(Secret::new("x"));
    assert_eq!(code(scene.desk.rotate(&ann(), id.as_str(), "pin", missing).await), "credential_invalid");
    scene.fixture.vault.check_key().await.unwrap();
    let told = scene.fixture.with_key(key("bb")).check_key().await.unwrap_err().to_string();
    assert!(told.contains("another key") && told.contains("hint: "), "{told}");
    let strange = CredentialDesk::new(scene.fixture.with_key(key("bb")));
    let strange = HandleFiller::new(strange, Arc::new(OwnSecrets), server("toolgate"));
    let refused = strange.fill(&holder, &tool, arguments, &uses).await.map(drop);
    assert_eq!(code(refused), "credential_unreadable");
}

#[tokio::test]
async fn a_secret_that_is_not_allowed_for_the_origin_is_not_read() {
    let scene = Scene::new().await;
    let elsewhere = CredentialDraft { origin: "https://other.example".to_owned(), ..draft() };
    let id = scene.desk.create(&ann(), elsewhere).await.unwrap().id;
    let arguments = json!({ "secret": format!("{id}.code") });
    let uses = scene.look_up("applicant", "browser", &arguments).await.unwrap();
    let refused = scene.filler.fill(&holder("applicant", "ses_1"), &tool("browser"), arguments, &uses).await;
    assert_eq!(code(refused.map(drop)), "credential_unreadable");
}

#[tokio::test]
async fn what_cannot_be_a_credential_is_refused() {
    let scene = Scene::new().await;
    scene.created().await;
    assert_eq!(code(scene.desk.create(&ann(), draft()).await), "credential_taken");
    let named = || CredentialDraft { name: "Other".to_owned(), ..draft() };
    let bad = [
        CredentialDraft { name: " ".to_owned(), ..draft() },
        CredentialDraft { name: "cred_1".to_owned(), ..draft() },
        CredentialDraft { origin: "http://jobs.example".to_owned(), ..named() },
        CredentialDraft { fields: Vec::new(), ..named() },
        CredentialDraft { fields: vec![value("Pass Word", "x")], ..named() },
        CredentialDraft { fields: vec![value("a", "x"), value("a", "y")], ..named() },
        CredentialDraft { fields: vec![value("a", "")], ..named() },
        CredentialDraft { fields: vec![value("a", &"x".repeat(5_000))], ..named() },
        CredentialDraft { users: Vec::new(), ..named() },
        CredentialDraft { servers: Vec::new(), ..named() },
        CredentialDraft { expires_at_ms: Some(1), ..named() },
    ];
    for draft in bad {
        let refused = scene.desk.create(&ann(), draft).await.unwrap_err();
        assert_eq!(refused.code, &codes::CREDENTIAL_INVALID, "{refused}");
        assert!(refused.field.is_some() && !refused.hint.is_empty(), "{refused:?}");
    }
    assert_eq!(code(scene.desk.find("nothing").await), "unknown_credential");
    assert_eq!(scene.desk.list().await.unwrap().len(), 1);
}
