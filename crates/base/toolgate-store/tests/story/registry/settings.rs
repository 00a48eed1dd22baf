//! Settings.

use toolgate_core::event::EventKind;
use toolgate_core::{PrincipalId, RawJson};
use toolgate_store::{Books, Revisions, WriteSettingError};

use super::{count_of, event, replicas, revisions};
use crate::world::StoreWorld;

crate::on_both!(
    a_setting_comes_back_byte_for_byte,
    a_stale_setting_is_not_written,
    of_two_who_write_a_setting_one_is_stale,
);

fn value(text: &str) -> RawJson {
    RawJson::from_composed(text.into())
}

async fn write(books: &Books, text: &str, expected: Option<u64>) -> Result<u64, WriteSettingError> {
    let told = |version: u64| {
        let mut event = event(EventKind::SettingChanged);
        event.detail = Some(serde_json::json!({ "version": version }).into());
        vec![event]
    };
    books.write_setting("aliases", &value(text), expected, &PrincipalId::new("alice"), &[], told).await
}

fn stale(written: Result<u64, WriteSettingError>) -> u64 {
    match written {
        Err(WriteSettingError::Stale { current }) => current,
        other => panic!("not stale: {other:?}"),
    }
}

async fn a_setting_comes_back_byte_for_byte(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    assert_eq!(store.read_setting("aliases").await.expect("read"), None);
    assert_eq!(write(&one, r#"[ {"b":1.0, "a":"\u0000"} ]"#, None).await.expect("written"), 1);
    assert_eq!(write(&two, "[]", None).await.expect("written"), 2);
    let last = r#"[ {"b":1.0, "a":2} ]"#;
    assert_eq!(write(&one, last, Some(2)).await.expect("written"), 3);
    let by = PrincipalId::new("bob");
    let other = one.write_setting("a", &value("{}"), Some(0), &by, &[], |_| Vec::new()).await;
    assert_eq!(other.expect("written"), 1);

    let all = world.open().await.read_settings().await.expect("read");
    let told: Vec<_> = all.iter().map(|one| (&*one.key, one.value.as_str(), one.version)).collect();
    assert_eq!(told, [("a", "{}", 1), ("aliases", last, 3)]);
    assert_eq!(store.read_setting("aliases").await.expect("read").as_ref(), Some(&all[1]));
    assert_eq!((&all[0].updated_by, &all[1].updated_by), (&by, &PrincipalId::new("alice")));
    assert!(all[1].updated_at_ms > 0);
    let details = crate::desk::ledger(&store).await.into_iter().filter_map(|one| one.event.detail);
    let details: Vec<_> = details.map(|detail| detail.as_str().to_owned()).collect();
    assert_eq!(details, [r#"{"version":1}"#, r#"{"version":2}"#, r#"{"version":3}"#]);
    assert_eq!(revisions(&store).await, Revisions { settings: 4, ..Revisions::default() });
}

async fn a_stale_setting_is_not_written(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    assert_eq!(stale(write(&one, "[1]", Some(1)).await), 0);
    assert_eq!(write(&one, "[1]", Some(0)).await.expect("written"), 1);
    assert_eq!(stale(write(&one, "[2]", Some(0)).await), 1);
    assert_eq!(stale(write(&one, "[2]", Some(2)).await), 1);
    let setting = store.read_setting("aliases").await.expect("read").expect("is there");
    assert_eq!((setting.value.as_str(), setting.version), ("[1]", 1));
    assert_eq!(count_of(&store, EventKind::SettingChanged).await, 1);
    assert_eq!(revisions(&store).await.settings, 1);
}

async fn of_two_who_write_a_setting_one_is_stale(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    for version in 0..8 {
        let (left, right) =
            tokio::join!(write(&one, "[1]", Some(version)), write(&two, "[2]", Some(version)));
        let (winner, loser, expected) =
            if left.is_ok() { (left, right, "[1]") } else { (right, left, "[2]") };
        assert_eq!((winner.expect("written"), stale(loser)), (version + 1, version + 1));
        let setting = store.read_setting("aliases").await.expect("read").expect("is there");
        assert_eq!(setting.value.as_str(), expected);
    }
    assert_eq!(count_of(&store, EventKind::SettingChanged).await, 8);
}
