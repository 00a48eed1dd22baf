//! Tokens against a real issuer on a loopback port.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolgate_core::{PrincipalId, PrincipalKind, Role};
use toolgate_testkit::idp::{Idp, KeyKind, Mint};

use super::*;

const AUDIENCE: &str = "https://gate.example/mcp";
const HOUR: Duration = Duration::from_secs(60 * 60);
const HALF_A_MINUTE: Duration = Duration::from_secs(30);

fn settings(idp: &Idp) -> BearerSettings {
    let scopes =
        [("toolgate:call", Role::Agent), ("toolgate:run", Role::Operator), ("toolgate:read", Role::Auditor)];
    BearerSettings {
        issuer: idp.issuer(),
        audience: AUDIENCE.into(),
        jwks_url: None,
        algorithms: Vec::new(),
        scopes: scopes.map(|(scope, role)| (scope.to_owned(), role)).into(),
        groups_claim: Some("groups".into()),
        principal_claim: None,
    }
}

async fn start() -> (Idp, Bearer) {
    let idp = Idp::start().await.unwrap();
    let bearer = Bearer::new(settings(&idp), &Arc::default()).unwrap();
    (idp, bearer)
}

fn good() -> Mint {
    Mint::new(AUDIENCE, "openid toolgate:call")
}

async fn refused(bearer: &Bearer, token: &str) -> BearerRefused {
    bearer.check(token).await.unwrap_err()
}

#[tokio::test]
async fn a_good_token_becomes_a_principal() {
    let (idp, bearer) = start().await;
    let token = idp.mint(&good().with("groups", json!(["ops", "dev"])));
    assert!(Bearer::looks_like_jwt(&token));
    let principal = bearer.check(&token).await.unwrap();
    let groups: Arc<[String]> = vec!["ops".to_owned(), "dev".to_owned()].into();
    let ann =
        Principal { id: PrincipalId::new("ann"), kind: PrincipalKind::Agent, role: Role::Agent, groups };
    assert_eq!(principal, ann);
}

#[tokio::test]
async fn every_form_that_a_good_token_may_have_is_taken() {
    let (idp, bearer) = start().await;
    let mut several = good();
    several.audience = json!(["https://other.example", AUDIENCE]);
    let listed = good().with("scope", Value::Null).with("scp", json!(["toolgate:call"]));
    let late = Mint { expires_in: -50, ..good() };
    let soon = good().with("nbf", json!(crate::clock::now_seconds() + 50));
    let plain = Mint { typ: Some("JWT".into()), ..good() };
    let untyped = Mint { typ: None, ..good() };
    for mint in [several, listed, late, soon, plain, untyped] {
        bearer.check(&idp.mint(&mint)).await.unwrap_or_else(|refused| panic!("{mint:?}: {refused}"));
    }
}

#[tokio::test]
async fn every_bad_token_is_refused_with_its_reason() {
    let (idp, bearer) = start().await;
    let claim = |name: &str, value: Value| good().with(name, value);
    let in_an_hour = json!(crate::clock::now_seconds() + 3_600);
    let cases = [
        (Mint { expires_in: -61, ..good() }, "has expired"),
        (claim("exp", Value::Null), "does not say when it expires"),
        (claim("exp", json!("tomorrow")), "exp of the token is not a time"),
        (claim("nbf", in_an_hour), "not valid yet"),
        (Mint::new("https://other.example", "toolgate:call"), "another audience"),
        (claim("aud", Value::Null), "another audience"),
        (claim("aud", json!([])), "another audience"),
        (claim("aud", json!(format!("{AUDIENCE}/"))), "another audience"),
        (Mint { issuer: Some("https://evil.example".into()), ..good() }, "another issuer"),
        (claim("iss", Value::Null), "another issuer"),
        (claim("sub", Value::Null), "no claim sub"),
        (claim("sub", json!("")), "sub of the token is not a name"),
        (claim("sub", json!("a\nb")), "sub of the token is not a name"),
        (claim("sub", json!("local")), "is a reserved name"),
        (claim("sub", json!("gateway")), "is a reserved name"),
        (claim("sub", json!("stdio")), "is a reserved name"),
        (claim("sub", json!("tok_123")), "is a reserved name"),
        (claim("cnf", json!({ "jkt": "x" })), "bound to a key"),
        (claim("groups", json!(vec!["g"; 65])), "more than 64 groups"),
        (Mint { typ: Some("logout+jwt".into()), ..good() }, "not an access token"),
    ];
    for (mint, reason) in cases {
        let refused = refused(&bearer, &idp.mint(&mint)).await;
        assert_eq!(refused.code, RefusalCode::InvalidToken, "{mint:?}");
        assert!(refused.description.contains(reason), "{mint:?}: {refused}");
    }
}

#[tokio::test]
async fn a_token_without_a_known_scope_is_told_so() {
    let (idp, bearer) = start().await;
    for scope in ["", "openid", "toolgate:callx", "toolgate"] {
        let refused = refused(&bearer, &idp.mint(&Mint::new(AUDIENCE, scope))).await;
        assert_eq!(refused.code, RefusalCode::InsufficientScope, "{scope:?}");
    }
}

#[tokio::test]
async fn a_signature_is_good_only_for_what_was_signed_by_the_issuer_as_it_says() {
    let (idp, bearer) = start().await;
    let token = idp.mint(&good());
    let (head, signature) = token.rsplit_once('.').unwrap();
    let other = Idp::start().await.unwrap();
    let forged = other.mint(&Mint { issuer: Some(idp.issuer()), ..good() });
    let richer = idp.mint(&Mint::new(AUDIENCE, "toolgate:run"));
    let swapped = format!("{}.{signature}", richer.rsplit_once('.').unwrap().0);
    let mut cases = vec![forged, swapped, format!("{head}."), format!("{head}.AAAA"), head.to_owned()];
    cases.extend(
        ["none", "HS256", "RS256", "EdDSA", "ES384", "nonsense"].map(|name| idp.mint_as(&good(), name)),
    );
    cases.extend(["", "ey", "a.b.c", "ey.ey.ey"].map(str::to_owned));
    cases.push(format!("{token}{}", "A".repeat(TOKEN_BYTES_MAX)));
    for case in cases {
        assert_eq!(refused(&bearer, &case).await.code, RefusalCode::InvalidToken, "{case}");
    }
    bearer.check(&token).await.unwrap();
}

#[tokio::test]
async fn only_the_algorithms_that_the_operator_names_are_taken() {
    let idp = Idp::start().await.unwrap();
    let only = BearerSettings { algorithms: vec![BearerAlgorithm::Rs256], ..settings(&idp) };
    let refused = refused(&Bearer::new(only, &Arc::default()).unwrap(), &idp.mint(&good())).await;
    assert!(refused.description.contains("algorithm"), "{refused}");
}

#[tokio::test]
async fn tokens_signed_with_ed25519_are_taken() {
    let idp = Idp::start_at("127.0.0.1:0".parse().unwrap(), KeyKind::Ed25519).await.unwrap();
    Bearer::new(settings(&idp), &Arc::default()).unwrap().check(&idp.mint(&good())).await.unwrap();
}

/// The example of RFC 7515, appendix A.2.
#[test]
fn a_signature_with_rs256_is_checked() {
    const MODULUS: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    const TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
    provider::install();
    let key = DecodingKey::from_rsa_components(MODULUS, "AQAB").unwrap();
    assert_eq!(verified_claims(TOKEN, &key, Algorithm::RS256).unwrap()["iss"], "joe");
    let tampered = TOKEN.replacen(".cC4h", ".cC4i", 1);
    assert!(tampered != TOKEN && verified_claims(&tampered, &key, Algorithm::RS256).is_none());
}

#[tokio::test]
async fn the_most_powerful_role_wins() {
    let (idp, bearer) = start().await;
    let token = idp.mint(&Mint::new(AUDIENCE, "toolgate:read toolgate:run toolgate:call"));
    assert_eq!(bearer.check(&token).await.unwrap().role, Role::Operator);
}

#[tokio::test]
async fn what_signed_in_as_itself_is_no_person() {
    let (idp, bearer) = start().await;
    let run = || Mint::new(AUDIENCE, "toolgate:run");
    let kind = async |mint: Mint| bearer.check(&idp.mint(&mint)).await.unwrap().kind;
    assert_eq!(kind(run().with("client_id", json!("console"))).await, PrincipalKind::Human);
    assert_eq!(kind(run().with("client_id", json!("ann"))).await, PrincipalKind::Service);
}

#[tokio::test]
async fn another_claim_may_say_who_it_is() {
    let idp = Idp::start().await.unwrap();
    let mailed = BearerSettings { principal_claim: Some("email".into()), ..settings(&idp) };
    let bearer = Bearer::new(mailed, &Arc::default()).unwrap();
    let token = idp.mint(&good().with("email", json!("ann@example.org")));
    assert_eq!(bearer.check(&token).await.unwrap().id, PrincipalId::new("ann@example.org"));
    assert!(refused(&bearer, &idp.mint(&good())).await.description.contains("email"));
}

#[tokio::test]
async fn a_known_token_is_answered_without_waiting() {
    let (idp, bearer) = start().await;
    let token = idp.mint(&good());
    assert_eq!(bearer.check_known(&token), None);
    let principal = bearer.check(&token).await.unwrap();
    assert_eq!(bearer.check_known(&token), Some(Ok(principal)));
    assert_eq!(bearer.check_known(&idp.mint(&good())), None);
}

#[tokio::test]
async fn a_new_key_is_found_and_a_withdrawn_one_takes_its_tokens_along() {
    let (idp, bearer) = start().await;
    let old = idp.mint(&good());
    bearer.check(&old).await.unwrap();
    idp.rotate_keys(KeyKind::Ed25519);
    let new = idp.mint(&good());
    // The issuer was asked a moment ago.
    assert!(refused(&bearer, &new).await.description.contains("key that its issuer does not have"));
    bearer.inner.keys.age(HALF_A_MINUTE);
    bearer.check(&new).await.unwrap();
    assert_eq!(bearer.check_known(&old), None);
    assert_eq!(refused(&bearer, &old).await.code, RefusalCode::InvalidToken);
}

#[tokio::test]
async fn made_up_key_ids_do_not_make_the_gateway_ask() {
    let (idp, bearer) = start().await;
    bearer.check(&idp.mint(&good())).await.unwrap();
    let other = Idp::start().await.unwrap();
    for _ in 0..20 {
        refused(&bearer, &other.mint(&good())).await;
    }
    assert_eq!(idp.seen("/jwks").len(), 1);
}

#[tokio::test]
async fn while_the_issuer_is_away_its_last_known_keys_go_on() {
    let (idp, bearer) = start().await;
    let (known, fresh) = (idp.mint(&good()), idp.mint(&good()));
    bearer.check(&known).await.unwrap();
    idp.behave(|behaviour| behaviour.outage = true);
    bearer.inner.keys.age(2 * HOUR);
    bearer.check(&known).await.unwrap();
    bearer.check(&fresh).await.unwrap();
}

#[tokio::test]
async fn keys_are_fetched_again_after_an_hour_while_nobody_waits() {
    let (idp, bearer) = start().await;
    let token = idp.mint(&good());
    bearer.check(&token).await.unwrap();
    bearer.inner.keys.age(HOUR);
    assert_eq!(bearer.check_known(&token), None, "somebody has to look");
    bearer.check(&token).await.unwrap();
    let looked = async {
        while idp.seen("/jwks").len() < 2 || bearer.check_known(&token).is_none() {
            tokio::task::yield_now().await
        }
    };
    tokio::time::timeout(Duration::from_secs(10), looked).await.unwrap();
}

#[tokio::test]
async fn nobody_is_told_that_a_token_is_bad_when_nobody_knows() {
    let (idp, bearer) = start().await;
    idp.behave(|behaviour| behaviour.outage = true);
    let token = idp.mint(&good());
    assert_eq!(refused(&bearer, &token).await.code, RefusalCode::Unavailable);
    idp.behave(|behaviour| behaviour.outage = false);
    bearer.inner.keys.age(Duration::from_secs(1));
    bearer.check(&token).await.unwrap();
}

#[tokio::test]
async fn metadata_of_another_issuer_is_not_believed() {
    let (idp, bearer) = start().await;
    let token = idp.mint(&good());
    idp.behave(|behaviour| behaviour.issuer = Some("https://evil.example".into()));
    assert_eq!(refused(&bearer, &token).await.code, RefusalCode::Unavailable);
    let direct = BearerSettings { jwks_url: Some(idp.jwks_url()), ..settings(&idp) };
    Bearer::new(direct, &Arc::default()).unwrap().check(&token).await.unwrap();
}

#[tokio::test]
async fn those_who_are_refused_are_told_where_to_go() {
    let (idp, bearer) = start().await;
    let metadata = bearer.protected_resource_metadata(AUDIENCE);
    assert_eq!(metadata["resource"], AUDIENCE);
    assert_eq!(metadata["authorization_servers"], json!([idp.issuer()]));
    assert_eq!(metadata["scopes_supported"], json!(["toolgate:call", "toolgate:read", "toolgate:run"]));
    assert_eq!(bearer.wanted_scopes(), "toolgate:call", "nothing more powerful");
}

#[test]
fn settings_that_would_let_in_everybody_or_nobody_are_refused() {
    let good = BearerSettings {
        issuer: "https://id.example".into(),
        audience: AUDIENCE.into(),
        jwks_url: None,
        algorithms: Vec::new(),
        scopes: [("a".to_owned(), Role::Agent)].into(),
        groups_claim: None,
        principal_claim: None,
    };
    assert!(Bearer::new(good.clone(), &Arc::default()).is_ok());
    let problem = |settings: BearerSettings| Bearer::new(settings, &Arc::default()).err().unwrap();
    assert_eq!(problem(BearerSettings { audience: " ".into(), ..good.clone() }), SettingsProblem::Audience);
    assert_eq!(problem(BearerSettings { scopes: [].into(), ..good.clone() }), SettingsProblem::Scopes);
    let issuer = problem(BearerSettings { issuer: "id.example".into(), ..good.clone() });
    assert!(matches!(issuer, SettingsProblem::Address { field: "issuer", .. }));
    let jwks = problem(BearerSettings { jwks_url: Some("file:///keys".into()), ..good });
    assert!(matches!(jwks, SettingsProblem::Address { field: "jwks_url", .. }));
}

#[test]
fn the_gateways_own_tokens_do_not_look_like_a_jwt() {
    for other in ["tg_agent_abc", "", "eyJ", "eyJ.eyJ", "eyJ.eyJ.", "eyJ.a b.c", "eyJ.a.b.c.d", "abc.def.ghi"]
    {
        assert!(!Bearer::looks_like_jwt(other), "{other}");
    }
}
