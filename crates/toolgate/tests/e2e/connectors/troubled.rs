//! Providers that misbehave during a sync: it stops by itself, says why, and keeps what it had.

use serde_json::json;
use toolgate_testkit::providers::{ProviderFault, Slack};

use super::office::{Care, HURRIED_SLACK, Office, SLACK};
use crate::files::archive::text;

/// A workspace in pages of one.
fn paged() -> Slack {
    let mut slack = Slack::with_channels(3);
    slack.page_max = 1;
    slack
}

/// The sync of `channels` with a fault ends partial, and its problems have these words.
async fn ends_partial(fault: ProviderFault, words: &str) -> Office<Slack> {
    let office = Office::open(SLACK, paged(), Care::Exploratory).await;
    office.provider.misbehave(fault);
    let synced = office.sync(&["channels"]).await;
    assert_eq!(synced["state"], "partial", "{synced:#}");
    assert!(synced["problems"].to_string().contains(words), "{synced:#}");
    assert!(!office.paths().await.is_empty(), "what came is kept");
    office
}

#[tokio::test]
async fn pages_without_end_end() {
    ends_partial(ProviderFault::EndlessPages, "page").await;
}

#[tokio::test]
async fn the_same_page_twice_is_noticed() {
    let office = ends_partial(ProviderFault::RepeatedCursor, "stopped").await;
    office.provider.calm();
    let synced = office.sync(&["channels"]).await;
    assert_eq!(synced["state"], "done", "{synced:#}");
    assert_eq!(office.paths().await.len(), 3, "the second goes on where the first stopped");
}

#[tokio::test]
async fn records_that_change_their_form_in_the_middle_are_a_problem_of_the_run() {
    ends_partial(ProviderFault::ChangedSchema, "page").await;
}

#[tokio::test]
async fn a_rate_limit_in_the_middle_is_waited_for() {
    let office = Office::open(SLACK, paged(), Care::Exploratory).await;
    office.provider.misbehave_at("conversations.list", ProviderFault::RateLimited { after_s: Some(0) }, 2);
    let synced = office.sync(&["channels"]).await;
    assert_eq!((&synced["state"], &synced["records"]), (&json!("done"), &json!(3)), "{synced:#}");
}

/// The pages of channels that were asked for, by their cursors.
fn pages_asked(office: &Office<Slack>) -> Vec<Option<String>> {
    let requests = office.provider.requests();
    let lists = requests.iter().filter(|request| request.path.ends_with("conversations.list"));
    lists.map(|request| request.query.get("cursor").cloned()).collect()
}

#[tokio::test]
async fn a_rate_limit_of_an_hour_ends_a_sync_partial_with_the_time_and_the_next_one_goes_on() {
    let office = Office::open(SLACK, paged(), Care::Exploratory).await;
    let limit = ProviderFault::RateLimited { after_s: Some(3600) };
    office.provider.misbehave_after("conversations.list", limit, 1);
    let first = office.sync(&["channels", "users"]).await;
    assert_eq!((&first["state"], &first["records"]), (&json!("partial"), &json!(1)), "{first:#}");
    assert!(first["problems"].to_string().contains("another 3600 s"), "{first:#}");
    assert_eq!(pages_asked(&office).len(), 2, "nobody asks a second time");
    assert_eq!(office.provider.requests().len(), 2, "and no other stream is asked for");
    office.provider.forget_requests();
    let second = office.sync(&["channels", "users"]).await;
    assert_eq!((&second["state"], &second["records"]), (&json!("partial"), &json!(0)), "{second:#}");
    let asked = pages_asked(&office);
    assert!(asked.len() == 1 && asked[0].is_some(), "it does not begin anew: {asked:?}");
    office.provider.calm();
    let third = office.sync(&["channels"]).await;
    assert_eq!((&third["state"], &third["records"]), (&json!("done"), &json!(2)), "{third:#}");
    assert_eq!(office.paths().await.len(), 3);
}

#[tokio::test]
async fn a_rate_limit_before_the_first_page_ends_partial_with_or_without_a_time() {
    for (after_s, time) in [(Some(600), "600 s"), (None, "60 s")] {
        let office = Office::open(HURRIED_SLACK, paged(), Care::Exploratory).await;
        office.provider.misbehave_after("conversations.list", ProviderFault::RateLimited { after_s }, 0);
        let synced = office.sync(&["channels", "users"]).await;
        assert_eq!(synced["state"], "partial", "{synced:#}");
        assert!(synced["problems"].to_string().contains(time), "{synced:#}");
        let (code, message) = office.refused("test", json!({ "stream": "channels" })).await;
        assert_eq!(code, "rate_limited", "{message}");
    }
}

#[tokio::test]
async fn a_wait_that_the_request_has_no_time_for_is_the_syncs() {
    let office = Office::open(HURRIED_SLACK, paged(), Care::Exploratory).await;
    office.provider.misbehave_at("conversations.list", ProviderFault::RateLimited { after_s: Some(4) }, 1);
    let synced = office.sync(&["channels"]).await;
    assert_eq!((&synced["state"], &synced["records"]), (&json!("done"), &json!(3)), "{synced:#}");
    assert_eq!(pages_asked(&office).len(), 4, "the first page was asked for twice, and not three times");
}

#[tokio::test]
async fn a_sign_in_that_has_expired_says_what_to_do() {
    for fault in [ProviderFault::ExpiredCredentials, ProviderFault::RevokedCredentials] {
        let office = Office::open(SLACK, paged(), Care::Exploratory).await;
        office.provider.misbehave(fault);
        let (code, message) = office.refused("sync", json!({ "streams": ["users"] })).await;
        assert_eq!(code, "connector_sign_in", "{message}");
        let state = office.state().await;
        assert_eq!(state["last_sync"]["state"], "failed", "{state:#}");
        assert!(text(&state["next_step"]).contains("toolgate secrets set"), "{state:#}");
        office.provider.calm();
        office.sync(&["users"]).await;
        assert!(office.state().await["next_step"].is_null());
    }
}

#[tokio::test]
async fn a_page_of_a_proxy_is_no_page_of_records() {
    let office = Office::open(SLACK, paged(), Care::Exploratory).await;
    office.provider.misbehave(ProviderFault::Html);
    let said = office.said("sync", json!({ "streams": ["users"] })).await;
    assert_ne!(said.status, 200, "{said:?}");
    assert!(office.state().await["pointer"]["manifest"].is_null());
}

#[tokio::test]
async fn a_connector_or_a_stream_that_is_not_there_is_refused_by_name() {
    let office = Office::open(SLACK, paged(), Care::Exploratory).await;
    let (code, message) = office.refused("sync", json!({ "provider": "salesforce" })).await;
    assert_eq!(code, "unknown_connector", "{message}");
    let (code, message) = office.refused("sync", json!({ "streams": ["chanels"] })).await;
    assert_eq!(code, "unknown_stream", "{message}");
    assert!(message.contains("chanels"), "{message}");
}
