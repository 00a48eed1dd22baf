//! The key of the vault, and the issuers of access tokens.

use std::path::PathBuf;

use insta::assert_snapshot;
use toolgate_core::Role;
use toolgate_credentials::BearerAlgorithm;

use super::super::VaultSettings;
use super::{accepted, refused};

const ISSUER: &str =
    "[oauth]\nissuer = \"https://id.example.com\"\naudience = \"https://gate.example.com/mcp\"\n";

#[test]
fn the_key_of_the_vault_is_made_or_comes_from_a_file_or_a_variable() {
    assert_eq!(accepted("").vault, VaultSettings::Generated);
    assert_eq!(accepted("[vault]").vault, VaultSettings::Generated);
    let file = accepted("[vault]\nkey_file = \"keys/vault.key\"").vault;
    assert_eq!(file, VaultSettings::File(PathBuf::from("/srv/gate/keys/vault.key")));
    let variable = accepted("[vault]\nkey_env = \"VAULT_KEY\"").vault;
    assert_eq!(variable, VaultSettings::Environment("VAULT_KEY".into()));
}

#[test]
fn an_issuer_has_every_key_read_and_stays_as_its_tokens_say_it() {
    let config = accepted(&format!(
        "{ISSUER}jwks_url = \"http://127.0.0.1:9/keys\"\nalgorithms = [\"ES256\", \"EdDSA\"]\n\
         scopes = {{ \"toolgate:call\" = \"agent\", \"toolgate:run\" = \"operator\" }}\ngroups_claim = \"groups\"\n\
         principal_claim = \"email\""
    ));
    let oauth = config.oauth.expect("a table");
    assert_eq!(oauth.issuer, "https://id.example.com", "without the slash that an address would get");
    assert_eq!(oauth.jwks_url.as_deref(), Some("http://127.0.0.1:9/keys"));
    assert_eq!(oauth.algorithms, [BearerAlgorithm::Es256, BearerAlgorithm::EdDsa]);
    let scopes: Vec<_> = oauth.scopes.iter().map(|(scope, role)| (scope.as_str(), *role)).collect();
    assert_eq!(scopes, [("toolgate:call", Role::Agent), ("toolgate:run", Role::Operator)]);
    assert_eq!(
        (oauth.groups_claim.as_deref(), oauth.principal_claim.as_deref()),
        (Some("groups"), Some("email"))
    );
}

#[test]
fn two_places_for_one_key() {
    assert_snapshot!(refused("[vault]\nkey_file = \"a\"\nkey_env = \"B\""), @r#"
    toolgate.toml:3:1: `[vault]` has both `key_file` and `key_env`
    3 | key_env = "B"
      | ^^^^^^^
    expected: one of the two
    hint: there is one key; remove the line that is not meant
    "#);
}

#[test]
fn a_key_where_its_name_belongs() {
    assert_snapshot!(refused("[vault]\nkey_env = \"q3/J+8aXz==\""), @r#"
    toolgate.toml:2:11: `key_env` in `[vault]` is not the name of a variable
    2 | key_env = "q3/J+8aXz=="
      |           ^^^^^^^^^^^^^
    expected: letters, digits and `_` only
    hint: write `key_env = "TOOLGATE_VAULT_KEY"` and keep the key in that variable
    "#);
}

#[test]
fn an_issuer_without_the_rest() {
    assert_snapshot!(refused("[oauth]\nissuer = \"https://id.example.com\""), @r#"
    toolgate.toml:1:1: `[oauth]` has no `audience`
    1 | [oauth]
      | ^^^^^^^
    expected: `audience` in every such table
    hint: add a line such as `audience = "https://gate.example.com/mcp"`

    toolgate.toml:1:1: `[oauth]` has no `scopes`
    1 | [oauth]
      | ^^^^^^^
    expected: `scopes` in every such table
    hint: add a line such as `scopes = { "toolgate:call" = "agent" }`

    2 problems in toolgate.toml
    "#);
}

#[test]
fn an_issuer_whose_keys_could_be_exchanged_on_the_way() {
    assert_snapshot!(refused(
        "[oauth]\nissuer = \"http://id.example.com\"\naudience = \"x\"\nscopes = { a = \"agent\" }"
    ), @r#"
    toolgate.toml:2:10: `issuer` in `[oauth]` is not safe from others on the way
    2 | issuer = "http://id.example.com"
      |          ^^^^^^^^^^^^^^^^^^^^^^^
    expected: an address such as `https://id.example.com`
    hint: use `https`; `http` only on this machine
    "#);
}

#[test]
fn a_scope_for_a_role_that_does_not_exist() {
    assert_snapshot!(refused(&format!("{ISSUER}scopes = {{ \"toolgate:call\" = \"agnet\" }}")), @r#"
    toolgate.toml:4:30: `scopes."toolgate:call"` in `[oauth]` cannot be "agnet"
    4 | scopes = { "toolgate:call" = "agnet" }
      |                              ^^^^^^^
    expected: `admin`, `operator`, `approver`, `auditor`, `agent` or `server`
    hint: did you mean `agent`?
    "#);
}

#[test]
fn no_scope_at_all() {
    assert_snapshot!(refused(&format!("{ISSUER}scopes = {{}}")), @r#"
    toolgate.toml:4:1: `scopes` in `[oauth]` is empty
    4 | scopes = {}
      | ^^^^^^
    expected: a role for at least one word: without one, nobody is let in
    hint: for example `scopes = { "toolgate:call" = "agent" }`
    "#);
}

#[test]
fn a_signature_that_whoever_checks_can_make() {
    assert_snapshot!(refused(&format!("{ISSUER}scopes = {{ a = \"agent\" }}\nalgorithms = [\"HS256\"]")), @r#"
    toolgate.toml:5:15: `algorithms` in `[oauth]` cannot be "HS256"
    5 | algorithms = ["HS256"]
      |               ^^^^^^^
    expected: `RS256`, `PS256`, `ES256`, `ES384` or `EdDSA`
    hint: use an asymmetric algorithm: with a shared secret, every verifier could sign tokens
    "#);
}

const PROVIDER: &str = "[console.oidc]\nissuer = \"https://id.example\"\nclient_id = \"gate\"\n";

#[test]
fn people_log_in_by_a_provider() {
    let config = accepted(&format!(
        "{PROVIDER}roles = {{ \"platform team\" = \"operator\" }}\nprincipal_claim = \"email\""
    ));
    let people = config.console.people.expect("a provider");
    assert_eq!((people.issuer.as_str(), people.client_id.as_str()), ("https://id.example", "gate"));
    assert_eq!(people.roles["platform team"], Role::Operator);
    assert_eq!((people.principal_claim.as_str(), people.roles_claim.as_str()), ("email", "groups"));
    assert_eq!(people.scopes, ["openid", "profile", "email"]);
}

#[test]
fn a_role_that_opens_no_page_logs_nobody_in() {
    assert_snapshot!(refused(&format!("{PROVIDER}roles = {{ \"bots\" = \"agent\" }}")), @r#"
    toolgate.toml:4:1: `roles` in `[console.oidc]` gives the role agent
    4 | roles = { "bots" = "agent" }
      | ^^^^^
    expected: `admin`, `operator`, `approver` or `auditor`
    hint: agents and servers have tokens; people log in
    "#);
}

#[test]
fn a_provider_without_its_token() {
    assert_snapshot!(refused(&format!("{PROVIDER}roles = {{ \"ops\" = \"admin\" }}\nscopes = [\"email\"]")), @r#"
    toolgate.toml:5:1: `scopes` in `[console.oidc]` has no `openid`
    5 | scopes = ["email"]
      | ^^^^^^
    expected: `openid`, and what your provider wants for the claims
    hint: add `"openid"`
    "#);
}
