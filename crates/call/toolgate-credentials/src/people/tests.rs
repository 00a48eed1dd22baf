use serde_json::json;

use super::*;

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
