//! Credentials for sites outside: kept, used, rotated, erased.

use std::sync::Arc;

use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::id::{CredentialId, SessionId};
use toolgate_core::{PrincipalId, ServerName};
use toolgate_store::{Books, FieldValue, NewCredential, NewCredentialError, Store, StoredCredential};

use crate::desk::{self, kinds};
use crate::world::StoreWorld;

crate::on_both!(
    a_credential_is_kept_with_its_fields_and_listed_by_name,
    a_name_is_given_once_until_it_is_free_again,
    a_field_is_rotated_and_an_erased_credential_keeps_only_its_name,
    the_first_use_of_a_session_is_told_once,
);

fn event(kind: EventKind) -> Event {
    Event::new(kind, 1_780_000_000_000, PrincipalId::new("ann"), Arc::new(EventSubject::default()))
}

fn new(id: &str, name: &str) -> NewCredential {
    NewCredential {
        id: CredentialId::new(id),
        name: name.to_owned(),
        origin: "https://jobs.example".to_owned(),
        users: ["agent:applicant", "principal:ann"].map(|user| user.parse().expect("a user")).to_vec(),
        servers: vec![ServerName::new("browser").expect("a name")],
        fields: vec![
            ("password".to_owned(), FieldValue::Sealed(vec![0, 1, 255])),
            ("code".to_owned(), FieldValue::Secret("CODE_SEED".to_owned())),
        ],
        created_by: PrincipalId::new("ann"),
        expires_at_ms: Some(42),
    }
}

async fn create(books: &Books, id: &str, name: &str) -> Result<(), NewCredentialError> {
    books.create_credential(&new(id, name), vec![event(EventKind::CredentialCreated)]).await
}

async fn get(store: &Store, id: &str) -> Option<StoredCredential> {
    store.get_credential(&CredentialId::new(id)).await.expect("read")
}

async fn value(store: &Store, id: &str, field: &str) -> Option<FieldValue> {
    store.credential_value(&CredentialId::new(id), field).await.expect("read")
}

async fn a_credential_is_kept_with_its_fields_and_listed_by_name(world: StoreWorld) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    for (id, name) in [("cred_b", "Zebra Jobs"), ("cred_a", "Example Jobs"), ("cred_c", "Apple Jobs")] {
        create(&books, id, name).await.expect("created");
    }
    let kept = get(&store, "cred_a").await.expect("there");
    let NewCredential { users, servers, origin, .. } = new("cred_a", "Example Jobs");
    assert_eq!((&kept.users, &kept.servers, &kept.origin), (&users, &servers, &origin));
    assert_eq!((kept.expires_at_ms, kept.last_used_at_ms, kept.erased_at_ms), (Some(42), None, None));
    let fields: Vec<(&str, Option<&str>)> =
        kept.fields.iter().map(|field| (field.name.as_str(), field.secret.as_deref())).collect();
    assert_eq!(fields, [("code", Some("CODE_SEED")), ("password", None)]);
    assert_eq!(value(&store, "cred_a", "password").await, Some(FieldValue::Sealed(vec![0, 1, 255])));
    assert_eq!(value(&store, "cred_a", "code").await, Some(FieldValue::Secret("CODE_SEED".to_owned())));
    assert_eq!(value(&store, "cred_a", "pin").await, None);
    assert_eq!(get(&store, "cred_x").await, None);
    let listed = store.list_credentials().await.expect("listed");
    let names: Vec<&str> = listed.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Apple Jobs", "Example Jobs", "Zebra Jobs"]);
    assert!(listed.iter().all(|one| one.fields.len() == 2), "{listed:?}");
    assert_eq!(listed[1], kept);
}

async fn a_name_is_given_once_until_it_is_free_again(world: StoreWorld) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    create(&books, "cred_a", "Example Jobs").await.expect("created");
    let taken = create(&books, "cred_b", "Example Jobs").await.expect_err("taken");
    assert!(matches!(&taken, NewCredentialError::Taken { id, .. } if id.as_str() == "cred_a"), "{taken}");
    assert_eq!(get(&store, "cred_b").await, None);
    let erased = vec![event(EventKind::CredentialErased)];
    assert!(books.erase_credential(&CredentialId::new("cred_a"), erased).await.expect("erased"));
    create(&books, "cred_b", "Example Jobs").await.expect("created");
    assert_eq!(kinds(&store).await, ["credential.created", "credential.erased", "credential.created"]);
}

async fn a_field_is_rotated_and_an_erased_credential_keeps_only_its_name(world: StoreWorld) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    create(&books, "cred_a", "Example Jobs").await.expect("created");
    let id = CredentialId::new("cred_a");
    let rotate = async |field: &str| {
        let (value, told) = (FieldValue::Sealed(vec![7]), vec![event(EventKind::CredentialRotated)]);
        books.rotate_credential(&id, field, &value, told).await.expect("asked")
    };
    assert!(rotate("code").await && !rotate("pin").await);
    assert_eq!(value(&store, "cred_a", "code").await, Some(FieldValue::Sealed(vec![7])));
    let erase =
        async || books.erase_credential(&id, vec![event(EventKind::CredentialErased)]).await.expect("asked");
    assert!(erase().await && !erase().await);
    let left = get(&store, "cred_a").await.expect("remembered");
    assert!(left.erased_at_ms.is_some() && left.fields.is_empty(), "{left:?}");
    assert_eq!(value(&store, "cred_a", "password").await, None);
    assert!(store.list_credentials().await.expect("listed").is_empty());
    assert!(!rotate("code").await, "there is nothing to rotate");
    assert_eq!(kinds(&store).await, ["credential.created", "credential.rotated", "credential.erased"]);
}

async fn the_first_use_of_a_session_is_told_once(world: StoreWorld) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    create(&books, "cred_a", "Example Jobs").await.expect("created");
    let id = CredentialId::new("cred_a");
    let has_used =
        async |session: &str| store.has_used_credential(&id, &SessionId::new(session)).await.expect("asked");
    let note = async |session: &str| {
        let told = vec![event(EventKind::CredentialUsed)];
        books.use_credential(&id, &SessionId::new(session), told).await.expect("noted");
    };
    assert!(!has_used("ses_1").await);
    note("ses_1").await;
    note("ses_1").await;
    assert!(has_used("ses_1").await && !has_used("ses_2").await);
    note("ses_2").await;
    assert_eq!(kinds(&store).await, ["credential.created", "credential.used", "credential.used"]);
    store.touch_credential(&id).await.expect("touched");
    let used = get(&store, "cred_a").await.expect("there").last_used_at_ms;
    assert!(used.is_some());
    store.touch_credential(&id).await.expect("touched");
    assert_eq!(get(&store, "cred_a").await.expect("there").last_used_at_ms, used, "not for every call");
}
