//! Sealed secrets.

use toolgate_core::PrincipalId;
use toolgate_core::event::EventKind;
use toolgate_store::{Books, Revisions, SecretOwner};

use super::{event, name, replicas, revisions};
use crate::desk::kinds;
use crate::world::StoreWorld;

crate::on_both!(
    a_secret_is_kept_for_a_server_and_somebody,
    a_secret_is_replaced_and_removed,
    where_a_secret_may_go_is_kept_with_it,
);

async fn put(books: &Books, server: &str, principal: Option<&PrincipalId>, named: &str, sealed: &[u8]) {
    let events = vec![event(EventKind::CredentialStored)];
    books.put_sealed(&name(server), principal, named, sealed, &[], events).await.expect("stored");
}

async fn a_secret_is_kept_for_a_server_and_somebody(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let alice = PrincipalId::new("alice");
    put(&one, "git", None, "KEY", &[0, 1, 255]).await;
    put(&one, "git", Some(&alice), "KEY", b"hers").await;
    put(&one, "git", Some(&alice), "OTHER", b"").await;
    put(&one, "files", Some(&alice), "KEY", b"elsewhere").await;
    let get = async |server: &str, principal: Option<&PrincipalId>, named: &str| {
        store.get_sealed(&name(server), principal, named).await.expect("read")
    };
    assert_eq!(get("git", None, "KEY").await.as_deref(), Some(&[0, 1, 255][..]));
    assert_eq!(get("git", Some(&alice), "KEY").await.as_deref(), Some(&b"hers"[..]));
    assert_eq!(get("git", Some(&alice), "OTHER").await.as_deref(), Some(&b""[..]));
    assert_eq!(get("files", None, "KEY").await, None, "hers is not everybody's");
    assert_eq!(get("git", Some(&PrincipalId::new("bob")), "KEY").await, None, "everybody's is not his");

    let listed = async |server: Option<&str>| -> Vec<String> {
        let all = store.list_sealed(server.map(name).as_ref()).await.expect("listed");
        let told = all.iter().map(|one| {
            let principal = one.principal.as_ref().map_or("-", PrincipalId::as_str);
            format!("{} {principal} {}", one.server, one.name)
        });
        told.collect()
    };
    assert_eq!(listed(None).await, ["files alice KEY", "git - KEY", "git alice KEY", "git alice OTHER"]);
    assert_eq!(listed(Some("git")).await, ["git - KEY", "git alice KEY", "git alice OTHER"]);
    assert!(listed(Some("other")).await.is_empty());
}

async fn a_secret_is_replaced_and_removed(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    put(&one, "git", None, "KEY", b"1").await;
    let before = store.list_sealed(None).await.expect("listed").remove(0);
    put(&two, "git", None, "KEY", b"2").await;
    let after = store.list_sealed(None).await.expect("listed").remove(0);
    assert_eq!(after.created_at_ms, before.created_at_ms);
    assert!(after.updated_at_ms >= before.updated_at_ms);
    assert_eq!(store.get_sealed(&name("git"), None, "KEY").await.expect("read").as_deref(), Some(&b"2"[..]));

    let remove = async |books: &Books, principal: Option<&PrincipalId>| {
        let events = vec![event(EventKind::CredentialRemoved)];
        books.remove_sealed(&name("git"), principal, "KEY", events).await.expect("asked")
    };
    assert!(!remove(&one, Some(&PrincipalId::new("alice"))).await);
    assert!(remove(&one, None).await);
    assert!(!remove(&two, None).await);
    assert_eq!(store.get_sealed(&name("git"), None, "KEY").await.expect("read"), None);
    assert_eq!(kinds(&store).await, ["credential.stored", "credential.stored", "credential.removed"]);
    assert_eq!(revisions(&store).await, Revisions { vault: 3, ..Revisions::default() });
}

async fn where_a_secret_may_go_is_kept_with_it(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let star = PrincipalId::new("*");
    let sealed = async |principal: Option<&PrincipalId>, origins: &[&str]| {
        let origins: Vec<String> = origins.iter().map(ToString::to_string).collect();
        one.put_sealed(&name("git"), principal, "KEY", b"1", &origins, Vec::new()).await.expect("stored");
    };
    let may = async |principal: Option<&PrincipalId>, origin: &str| {
        let origins = store.list_secret_origins().await.expect("listed");
        origins.iter().any(|one| one.allows(&name("git"), principal, "KEY", origin))
    };
    sealed(Some(&star), &["https://a"]).await;
    assert!(may(Some(&star), "https://a").await && !may(Some(&star), "https://b").await);
    assert!(!may(None, "https://a").await, "nobody's name is all names");
    sealed(None, &["https://b", "https://b"]).await;
    assert!(may(None, "https://b").await && !may(Some(&star), "https://b").await);
    let origins = ["https://c".to_owned(), "https://d".to_owned()];
    let events = vec![event(EventKind::CredentialAllowed)];
    two.set_secret_origins(&name("git"), "KEY", &origins, events).await.expect("allowed");
    assert!(may(None, "https://c").await && may(Some(&star), "https://d").await);
    sealed(None, &[]).await;
    assert!(!may(None, "https://b").await && may(None, "https://c").await, "an admin's word holds");
    assert!(one.remove_sealed(&name("git"), Some(&star), "KEY", Vec::new()).await.expect("removed"));
    let left = store.list_secret_origins().await.expect("listed");
    assert_eq!(left.len(), 2);
    assert!(left.iter().all(|one| one.whose == SecretOwner::All), "{left:?}");
    two.set_secret_origins(&name("git"), "KEY", &["*".to_owned()], Vec::new()).await.expect("allowed");
    assert!(may(None, "https://anywhere").await);
    assert_eq!(revisions(&store).await, Revisions { vault: 6, ..Revisions::default() });
}
