//! The vault over a real store.

use toolgate_core::event::{EventFilter, EventKind};
use toolgate_core::{PrincipalId, ServerName};
use toolgate_store::LedgerOrder;

use super::*;
use crate::fixture::{Fixture, key, server};

fn ann() -> PrincipalId {
    PrincipalId::new("ann")
}

async fn put(vault: &Vault, server: &ServerName, principal: Option<&PrincipalId>, name: &str, value: &str) {
    vault.set(&PrincipalId::local(), server, principal, name, &Secret::new(value), &[]).await.unwrap();
}

#[tokio::test]
async fn what_is_stored_comes_back_to_its_own_place_and_no_other() {
    let (fixture, files, ann) = (Fixture::new().await, server("files"), ann());
    let vault = &fixture.vault;
    put(vault, &files, None, "token", "everybody's").await;
    put(vault, &files, Some(&ann), "token", "ann's").await;
    put(vault, &files, None, "token", "everybody's new one").await;
    let get = async |principal: Option<&PrincipalId>, name: &str| {
        let got = vault.get(&files, principal, name).await.unwrap();
        got.map(|secret| secret.expose().to_owned())
    };
    assert_eq!(get(None, "token").await.as_deref(), Some("everybody's new one"));
    assert_eq!(get(Some(&ann), "token").await.as_deref(), Some("ann's"));
    assert_eq!(get(Some(&PrincipalId::new("bob")), "token").await, None);
    assert_eq!(get(None, "other").await, None);
    assert!(vault.remove(&PrincipalId::local(), &files, Some(&ann), "token").await.unwrap());
    assert!(!vault.remove(&PrincipalId::local(), &files, Some(&ann), "token").await.unwrap());
    assert_eq!(get(Some(&ann), "token").await, None);
}

#[tokio::test]
async fn a_list_has_names_and_no_values() {
    let (fixture, ann) = (Fixture::new().await, ann());
    put(&fixture.vault, &server("mail"), None, "password", "hunter2").await;
    put(&fixture.vault, &server("files"), Some(&ann), "token", "hunter2").await;
    let all = fixture.vault.list(None).await.unwrap();
    let names: Vec<_> =
        all.iter().map(|one| (one.server.as_str(), one.principal.clone(), one.name.as_str())).collect();
    assert_eq!(names, [("files", Some(ann), "token"), ("mail", None, "password")]);
    assert!(!serde_json::to_string(&all).unwrap().contains("hunter2"));
    assert_eq!(fixture.vault.list(Some(&server("mail"))).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_row_copied_over_another_one_does_not_open() {
    let (fixture, files, mail) = (Fixture::new().await, server("files"), server("mail"));
    put(&fixture.vault, &files, None, "token", "for files").await;
    put(&fixture.vault, &mail, None, "token", "for mail").await;
    let stolen = fixture.store.get_sealed(&files, None, "token").await.unwrap().unwrap();
    fixture.books.put_sealed(&mail, None, "token", &stolen, &[], Vec::new()).await.unwrap();
    let refused = fixture.vault.get(&mail, None, "token").await.unwrap_err();
    assert!(matches!(refused, VaultError::Tampered { .. }), "{refused}");
    assert!(refused.to_string().contains("hint: store it again"), "{refused}");
}

#[tokio::test]
async fn another_key_is_refused_with_the_name_of_where_it_came_from() {
    let fixture = Fixture::new().await;
    fixture.with_key(key("bb")).check_key().await.unwrap();
    put(&fixture.vault, &server("files"), None, "token", "hunter2").await;
    fixture.vault.check_key().await.unwrap();
    let refused = fixture.with_key(key("bb")).check_key().await.unwrap_err().to_string();
    assert!(refused.contains("the environment variable TOOLGATE_VAULT_KEY"), "{refused}");
    assert!(
        refused.contains("secret \"token\" of server \"files\"") && !refused.contains("hunter2"),
        "{refused}"
    );
}

#[tokio::test]
async fn what_cannot_be_a_secret_is_refused() {
    let (fixture, files) = (Fixture::new().await, server("files"));
    let set = async |principal: Option<&str>, name: &str, value: &str| {
        let principal = principal.map(PrincipalId::new);
        let value = Secret::new(value);
        fixture
            .vault
            .set(&PrincipalId::local(), &files, principal.as_ref(), name, &value, &[])
            .await
            .unwrap_err()
    };
    assert!(matches!(set(None, "", "x").await, VaultError::Name));
    assert!(matches!(set(None, "a b", "x").await, VaultError::Name));
    assert!(matches!(set(None, "a\0", "x").await, VaultError::Name));
    assert!(matches!(set(None, SIGN_IN, "x").await, VaultError::Kept(_)));
    assert!(matches!(set(Some(""), "a", "x").await, VaultError::Principal));
    assert!(matches!(set(Some("a\0b"), "a", "x").await, VaultError::Principal));
    assert!(matches!(set(None, "a", "").await, VaultError::Value));
    assert!(matches!(set(None, "a", &"x".repeat(VALUE_BYTES_MAX + 1)).await, VaultError::Value));
    assert_eq!(fixture.vault.list(None).await.unwrap(), []);
}

#[tokio::test]
async fn the_ledger_says_who_stored_and_removed_what_and_never_the_value() {
    let (fixture, files) = (Fixture::new().await, server("files"));
    put(&fixture.vault, &files, Some(&ann()), "token", "hunter2").await;
    fixture.vault.remove(&PrincipalId::local(), &files, Some(&ann()), "token").await.unwrap();
    fixture.vault.remove(&PrincipalId::local(), &files, Some(&ann()), "token").await.unwrap();
    let told =
        fixture.store.ledger_page(&EventFilter::default(), None, 10, LedgerOrder::OldestFirst).await.unwrap();
    let kinds: Vec<_> = told.iter().map(|one| one.event.kind).collect();
    assert_eq!(kinds, [EventKind::CredentialStored, EventKind::CredentialRemoved]);
    for one in told {
        assert_eq!(one.event.principal, PrincipalId::local());
        assert_eq!(one.event.about.server, Some(files.clone()));
        let detail = one.event.detail.unwrap();
        assert_eq!(detail.as_str(), r#"{"server":"files","name":"token","principal":"ann"}"#);
    }
}

#[tokio::test]
async fn every_change_is_counted() {
    let (fixture, files) = (Fixture::new().await, server("files"));
    let before = fixture.vault.revision().await.unwrap();
    put(&fixture.vault, &files, None, "token", "a").await;
    put(&fixture.vault, &files, None, "token", "b").await;
    fixture.vault.remove(&PrincipalId::local(), &files, None, "token").await.unwrap();
    assert_eq!(fixture.vault.revision().await.unwrap(), before + 3);
}
