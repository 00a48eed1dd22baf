//! Settings.

use toolgate_core::event::EventKind;
use toolgate_core::{PrincipalId, RawJson};
use toolgate_store::{Books, Revisions, SETTING_VERSIONS_MAX, SettingWrite, WriteSettingError};

use super::{count_of, event, replicas, revisions};
use crate::world::StoreWorld;

crate::on_both!(
    a_setting_comes_back_byte_for_byte,
    a_stale_setting_is_not_written,
    of_two_who_write_a_setting_one_is_stale,
    earlier_values_are_kept_with_their_reasons_up_to_a_limit,
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
    let (value, by) = (value(text), PrincipalId::new("alice"));
    books.write_setting(SettingWrite { expected, ..SettingWrite::plain("aliases", &value, &by) }, told).await
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
    let empty = value("{}");
    let other = SettingWrite { expected: Some(0), ..SettingWrite::plain("a", &empty, &by) };
    let other = one.write_setting(other, |_| Vec::new()).await;
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

async fn earlier_values_are_kept_with_their_reasons_up_to_a_limit(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    assert_eq!(store.read_setting_versions("policy").await.expect("read"), []);
    let by = PrincipalId::new("alice");
    for number in 1..=SETTING_VERSIONS_MAX + 2 {
        let (value, reason) = (value(&format!("[{number}]")), format!("reason {number}"));
        let reason = (number % 2 == 0).then_some(reason.as_str());
        let write = SettingWrite { reason, ..SettingWrite::plain("policy", &value, &by) };
        assert_eq!(one.write_setting(write, |_| Vec::new()).await.expect("written"), number);
    }
    assert_eq!(write(&one, "[]", None).await.expect("written"), 1);
    let kept = store.read_setting_versions("policy").await.expect("read");
    let last = SETTING_VERSIONS_MAX + 2;
    assert_eq!(kept.len() as u64, SETTING_VERSIONS_MAX);
    assert_eq!((kept[0].version, kept[0].value.as_str()), (last, &*format!("[{last}]")));
    assert_eq!((kept[0].reason.as_deref(), &kept[1].reason), (Some(&*format!("reason {last}")), &None));
    assert_eq!((&kept[0].set_by, kept.last().map(|one| one.version)), (&by, Some(3)));
    assert_eq!(store.read_setting_versions("aliases").await.expect("read").len(), 1);
}
