use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use toolgate_core::port::BoxFuture;
use toolgate_testkit::idp::Idp;

use super::metadata::{FAILURE_KEPT_US, KEPT_US, METADATA};
use super::*;

const RETURN: &str = "https://gate.example/console/provider/return";

/// Stands still until a test lets time pass, in microseconds.
#[derive(Default)]
struct PersonClock(AtomicI64);

impl PersonClock {
    fn pass(&self, us: i64) {
        self.0.fetch_add(us, Ordering::Relaxed);
    }
}

impl Clock for PersonClock {
    fn now_ms(&self) -> i64 {
        self.monotonic_us() / 1_000
    }

    fn monotonic_us(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        prefix.to_owned()
    }
}

fn settings() -> PersonSettings {
    PersonSettings {
        issuer: "https://id.example".to_owned(),
        client_id: "gate".to_owned(),
        client_secret: None,
        scopes: vec!["openid".to_owned()],
        principal_claim: "email".to_owned(),
        roles_claim: "groups".to_owned(),
        roles: BTreeMap::from([("ops".to_owned(), Role::Operator), ("root".to_owned(), Role::Admin)]),
        groups_claim: Some("groups".to_owned()),
    }
}

fn judged(changes: Value) -> Result<Principal, PersonRefused> {
    let mut claims = json!({
        "iss": "https://id.example", "aud": "gate", "exp": 1_000, "nonce": "n", "sub": "1", "email": "ann@example.com",
        "groups": ["ops", "finance"],
    });
    let claims = claims.as_object_mut().unwrap();
    claims.extend(changes.as_object().unwrap().clone());
    claims.retain(|_, value| !value.is_null());
    person(&settings(), claims, "n", 500.0)
}

#[test]
fn claims_say_who_it_is_and_what_they_may() {
    let ann = judged(json!({})).unwrap();
    assert_eq!(
        (ann.id.as_str(), ann.role, ann.kind),
        ("ann@example.com", Role::Operator, PrincipalKind::Human)
    );
    assert_eq!(&*ann.groups, ["ops", "finance"]);
    assert_eq!(judged(json!({ "groups": ["ops", "root"] })).unwrap().role, Role::Admin);
    assert_eq!(
        judged(json!({ "groups": "ops", "aud": ["gate", "b"], "azp": "gate" })).unwrap().role,
        Role::Operator
    );
}

#[test]
fn a_token_that_is_not_for_this_login_is_refused() {
    for changes in [
        json!({ "iss": "https://id.example.evil" }),
        json!({ "aud": "other" }),
        json!({ "aud": ["gate", "other"] }),
        json!({ "azp": "other" }),
        json!({ "exp": 400 }),
        json!({ "exp": null }),
        json!({ "nonce": "m" }),
        json!({ "nonce": null }),
        json!({ "email": null }),
        json!({ "email": "gateway" }),
        json!({ "email": "tok_1" }),
        json!({ "email": 7 }),
    ] {
        let refused = judged(changes.clone());
        assert!(
            matches!(refused, Err(PersonRefused::Token(_) | PersonRefused::Stray)),
            "{changes}: {refused:?}"
        );
    }
}

#[test]
fn a_person_without_a_role_stays_outside() {
    for groups in [json!([]), json!(null), json!("finance"), json!({ "ops": true }), json!(["OPS"])] {
        let refused = judged(json!({ "groups": groups }));
        assert!(matches!(refused, Err(PersonRefused::NoRole(_))), "{refused:?}");
    }
}

#[test]
fn an_answer_belongs_to_the_login_of_its_ticket_alone() {
    let ticket = random_text().unwrap();
    assert!(is_of_ticket(Some(&part("state", &ticket)), &ticket));
    for (state, shown) in
        [(Some(part("state", "")), ""), (Some(String::new()), ""), (None, ""), (None, ticket.as_str())]
    {
        assert!(!is_of_ticket(state.as_deref(), shown), "{state:?} for {shown:?}");
    }
    assert!(!is_of_ticket(Some(""), &ticket) && !is_of_ticket(Some(&part("nonce", &ticket)), &ticket));
}

#[test]
fn parts_of_a_ticket_tell_nothing_of_it_and_differ() {
    let ticket = random_text().unwrap();
    let parts = ["state", "nonce", "verifier"].map(|label| part(label, &ticket));
    assert!(parts.iter().all(|part| part.len() == 43 && !part.contains(&ticket)));
    assert!(parts[0] != parts[1] && parts[1] != parts[2]);
    assert_ne!(part("state", &ticket), part("state", &random_text().unwrap()));
}

#[tokio::test]
async fn the_provider_is_asked_once_for_all_logins_of_some_minutes() {
    let idp = Idp::start().await.unwrap();
    let clock = Arc::new(PersonClock::default());
    let settings = PersonSettings { issuer: idp.issuer(), ..settings() };
    let login = PersonLogin::new(settings, &Arc::default(), clock.clone());
    let asked = || idp.seen(METADATA).len();
    let mut beginning = JoinSet::new();
    for _ in 0..8 {
        let login = login.clone();
        beginning.spawn(async move { login.begin(RETURN).await.unwrap().ticket });
    }
    let mut tickets = beginning.join_all().await;
    tickets.sort();
    tickets.dedup();
    assert_eq!((asked(), tickets.len()), (1, 8), "each login is its own");
    for (passed, asked_then) in [(KEPT_US - 1, 1), (1, 2)] {
        clock.pass(passed);
        login.begin(RETURN).await.unwrap();
        assert_eq!(asked(), asked_then);
    }
    login.inner.metadata.forget().await;
    login.begin(RETURN).await.unwrap();
    assert_eq!(asked(), 3);
}

#[tokio::test]
async fn a_provider_that_does_not_answer_is_asked_again_after_a_few_seconds() {
    let idp = Idp::start().await.unwrap();
    idp.behave(|behaviour| behaviour.outage = true);
    let clock = Arc::new(PersonClock::default());
    let settings = PersonSettings { issuer: idp.issuer(), ..settings() };
    let login = PersonLogin::new(settings, &Arc::default(), clock.clone());
    for passed in [0, 0, FAILURE_KEPT_US - 1] {
        clock.pass(passed);
        let refused = login.begin(RETURN).await;
        assert!(matches!(refused, Err(PersonRefused::Away(_))), "{refused:?}");
        login.inner.metadata.forget().await;
        assert_eq!(idp.seen(METADATA).len(), 1, "a failure is not forgotten before its time");
    }
    idp.behave(|behaviour| behaviour.outage = false);
    clock.pass(1);
    login.begin(RETURN).await.unwrap();
    assert_eq!(idp.seen(METADATA).len(), 2);
}
