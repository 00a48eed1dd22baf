//! Logging in by an identity provider, and logging out everywhere.

use serde_json::{Value, json};
use toolgate_testkit::gateway::Gateway;
use toolgate_testkit::idp::Idp;

use super::person::Person;
use super::plain::client;
use crate::boot;

const CLIENT: &str = "toolgate-console";
const SECRET: &str = "secret-of-the-console";
/// The state that would follow from no ticket at all: the digest of `state`, a zero byte, and nothing more.
const STATE_OF_NOTHING: &str = "0jH55s96U9eZqasaZ_Kr6YRya0H5KDH94MxSuAZsGzc";
const FORBIDDEN: &str = "status of 403";

async fn provider(claims: Value) -> (Idp, Gateway) {
    let idp = Idp::start().await.expect("a provider");
    idp.register(CLIENT, Some(SECRET));
    idp.behave(|behaviour| behaviour.id_claims = claims.as_object().expect("claims").clone());
    let gateway = boot(&format!(
        "[console.oidc]\nissuer = \"{}\"\nclient_id = \"{CLIENT}\"\nclient_secret = \"{SECRET}\"\n\
         roles = {{ \"platform-team\" = \"operator\", \"finance\" = \"approver\" }}\ngroups_claim = \"groups\"\nprincipal_claim = \"email\"\n",
        idp.issuer()
    ));
    (idp, gateway)
}

/// Where another browser would go.
async fn begins_elsewhere(gateway: &Gateway) -> String {
    let answer = client().get(gateway.url("/console/provider")).send().await.expect("an answer");
    answer.headers()["location"].to_str().expect("an address").to_owned()
}

#[tokio::test]
async fn somebody_logs_in_by_the_provider_and_gets_to_the_page_they_wanted() {
    let (idp, gateway) =
        provider(json!({ "email": "ann@example.com", "groups": ["platform-team", "staff"] })).await;
    let person = Person::at(&gateway).await;
    person.open("/console/calls?outcome=failed").await;
    person.gets_to("/console/login").await;
    person.click("Log in with 127.0.0.1").await;
    person.gets_to("/console/calls?outcome=failed").await;
    person.open("/console/settings/me").await;
    for seen in ["ann@example.com", "operator", "staff"] {
        person.sees(seen).await;
    }
    let asked = idp.seen("/authorize").pop().expect("a request").parameters;
    assert_eq!(asked["redirect_uri"], gateway.url("/console/provider/return"));
    assert_eq!((asked["response_type"].as_str(), asked["code_challenge_method"].as_str()), ("code", "S256"));
    person.leaves().await;
}

#[tokio::test]
async fn whoever_has_no_role_there_stays_outside_and_is_told() {
    let (_idp, gateway) = provider(json!({ "email": "eve@example.com", "groups": ["staff"] })).await;
    let person = Person::at(&gateway).await;
    person.open("/console/provider").await;
    person.sees("eve@example.com may not log in here").await;
    person.open("/").await;
    person.gets_to("/console/login").await;
    person.leaves_forgiving(&[FORBIDDEN]).await;
}

#[tokio::test]
async fn an_answer_that_belongs_to_no_login_here_logs_nobody_in() {
    let (idp, gateway) = provider(json!({ "email": "ann@example.com", "groups": "finance" })).await;
    let person = Person::at(&gateway).await;
    let without_ticket = format!("?code=made-up&state={STATE_OF_NOTHING}");
    for stray in [
        "",
        "?code=made-up&state=made-up",
        without_ticket.as_str(),
        "?error=access_denied",
        "?state=%00&code=%3Cimg%20src%3Dx%3E",
    ] {
        person.open(&format!("/console/provider/return{stray}")).await;
        person.sees("not begun in this browser").await;
    }
    // Somebody who agrees, on this very provider, but for a login of their own.
    let other = begins_elsewhere(&gateway).await;
    let theirs = idp.consent(&other).await.expect("an address");
    person.open_address(&theirs).await;
    person.sees("not begun in this browser").await;
    idp.behave(|behaviour| behaviour.denies = Some("access_denied".into()));
    person.open("/console/provider").await;
    person.sees("access_denied").await;
    idp.behave(|behaviour| behaviour.denies = None);
    for (claim, value) in
        [("nonce", json!("another")), ("aud", json!("another-client")), ("iss", json!("https://id.example"))]
    {
        idp.behave(|behaviour| {
            behaviour.id_claims.insert(claim.to_owned(), value);
        });
        person.open("/console/provider").await;
        person.sees("log in with 127.0.0.1").await;
        idp.behave(|behaviour| {
            behaviour.id_claims.remove(claim);
        });
    }
    idp.behave(|behaviour| behaviour.outage = true);
    person.open("/console/provider").await;
    person.sees("does not answer").await;
    person.leaves_forgiving(&[FORBIDDEN]).await;
}

#[tokio::test]
async fn logging_out_everywhere_ends_the_logins_of_other_devices() {
    let (_idp, gateway) = provider(json!({ "email": "ann@example.com", "groups": ["finance"] })).await;
    let (desk, phone) = (Person::at(&gateway).await, Person::at(&gateway).await);
    for person in [&desk, &phone] {
        person.open("/console/provider").await;
        person.gets_to("/").await;
        person.sees("Overview").await;
    }
    desk.open("/console/settings/me").await;
    desk.click("Log out everywhere").await;
    desk.gets_to("/console/login").await;
    phone.open("/console/inbox").await;
    phone.gets_to("/console/login").await;
    desk.leaves().await;
    phone.leaves().await;
}
