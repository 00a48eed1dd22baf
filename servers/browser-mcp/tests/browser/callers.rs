//! Callers of a gateway: each has its own cookies and pages, until it ends.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::drive::Stage;

#[tokio::test]
async fn sessions_share_neither_cookies_nor_tabs() {
    let stage = Stage::open().await;
    for session in ["sess_a", "sess_b"] {
        let url = json!({ "url": stage.site.url(&format!("/cookie?{session}")) });
        let first = stage.call_for(session, "navigate", url.clone()).await;
        assert!(first.contains("You sent ()"), "{session}: {first}");
        let second = stage.call_for(session, "navigate", url).await;
        assert!(second.contains(&format!("You sent (visit={session})")), "{session}: {second}");
        let tabs = stage.call_for(session, "tabs", json!({})).await;
        assert_eq!(tabs.lines().count(), 1, "{tabs}");
    }
    let alone = stage.go("/cookie?alone").await;
    assert!(alone.contains("You sent ()"), "a call without a caller has its own: {alone}");
}

#[tokio::test]
async fn a_run_has_its_own_pages_and_they_go_with_it() {
    let stage = Stage::open().await;
    let url = json!({ "url": stage.site.url("/cookie?run") });
    let meta = json!({ "dev.toolgate/caller": { "session": "sess_a", "run": "run_1" } });
    for _ in 0..2 {
        stage.client.call_with_meta("navigate", url.clone(), meta.clone()).await;
    }
    let session = stage.call_for("sess_a", "navigate", url.clone()).await;
    assert!(session.contains("You sent ()"), "{session}");
    let looked = stage.client.call_with_meta("snapshot", json!({}), meta.clone()).await;
    assert!(format!("{looked:?}").contains("visit=run"), "{looked:?}");

    stage.client.notify("notifications/dev.toolgate/caller_ended", json!({ "run": "run_1" })).await;
    let began = Instant::now();
    loop {
        let tabs = stage.client.call_with_meta("tabs", json!({}), meta.clone()).await;
        if format!("{tabs:?}").contains("no tabs") {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{tabs:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let again = stage.client.call_with_meta("navigate", url, meta).await;
    assert!(format!("{again:?}").contains("You sent ()"), "its cookies are gone: {again:?}");
    let other = stage.call_for("sess_a", "snapshot", json!({})).await;
    assert!(other.contains("You sent"), "the session's page stays: {other}");
}

#[tokio::test]
async fn closing_forgets_everything() {
    let stage = Stage::open().await;
    for _ in 0..2 {
        stage.go("/cookie?x").await;
    }
    let closed = stage.call("close", json!({})).await;
    assert!(closed.starts_with("Closed."), "{closed}");
    let again = stage.go("/cookie?x").await;
    assert!(again.contains("You sent ()"), "{again}");
}
