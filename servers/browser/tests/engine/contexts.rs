//! Callers side by side.

use std::sync::Arc;
use std::time::Duration;

use capability_browser::{Browser, BrowserLimits, BrowserSettings, ContextKey};
use capability_kit::{Caller, TroubleCode};
use serde_json::json;
use tokio::task::JoinSet;

use crate::stage::{key, on_stage, settings, until};

#[test]
fn no_caller_sees_the_cookies_of_another() {
    on_stage(async |stage| {
        let mut callers = JoinSet::new();
        for number in 0..6 {
            let (browser, site) = (Arc::clone(&stage.browser), Arc::clone(&stage.site));
            callers.spawn(async move {
                let context = browser.context(&key(&format!("cookies-{number}"))).await.unwrap();
                let tab = context.tab().await.unwrap();
                let set = site.url(&format!("/set-cookie?{number}"));
                tab.navigate(&set.parse().unwrap()).await.unwrap();
                tab.navigate(&site.url("/cookies").parse().unwrap()).await.unwrap();
                let seen = tab.evaluate("document.getElementById('cookies').textContent").await.unwrap();
                assert_eq!(seen, json!(format!("mine={number}")));
                browser.end(&key(&format!("cookies-{number}"))).await;
            });
        }
        while let Some(ended) = callers.join_next().await {
            ended.unwrap();
        }
    });
}

#[test]
fn a_caller_that_ended_and_comes_back_finds_nothing_of_before() {
    on_stage(async |stage| {
        let caller = Caller { session: None, run: Some("r1".to_owned()) };
        let context = stage.browser.context(&ContextKey::of(&caller)).await.unwrap();
        let tab = context.tab().await.unwrap();
        tab.navigate(&stage.site.url("/set-cookie?old").parse().unwrap()).await.unwrap();
        stage.browser.end_of(&caller).await;
        let gone = tab.evaluate("1").await.unwrap_err();
        assert_eq!(gone.code, TroubleCode::Crashed, "{gone}");
        let again = stage.browser.context(&ContextKey::of(&caller)).await.unwrap();
        assert!(again.news().is_empty());
        let tab = again.tab().await.unwrap();
        tab.navigate(&stage.site.url("/cookies").parse().unwrap()).await.unwrap();
        let seen = tab.evaluate("document.getElementById('cookies').textContent").await.unwrap();
        assert_eq!(seen, json!("none"));
        stage.browser.end_of(&caller).await;
    });
}

#[test]
fn actions_of_one_caller_take_turns() {
    on_stage(async |stage| {
        let context = stage.context("turns").await;
        let first = context.act().await;
        let second = tokio::time::timeout(Duration::from_millis(50), context.act()).await;
        assert!(second.is_err());
        drop(first);
        context.act().await;
    });
}

#[test]
fn callers_past_the_limit_are_refused_and_idle_ones_make_way() {
    on_stage(async |_| {
        let limits = BrowserLimits { contexts: 1, idle: Duration::from_millis(400), ..settings().limits };
        let browser = Browser::new(BrowserSettings { limits, ..settings() });
        browser.context(&key("one")).await.unwrap();
        let refused = browser.context(&key("two")).await.err().unwrap();
        assert_eq!(refused.code, TroubleCode::Busy);
        assert!(refused.message.contains("1 callers"), "{refused}");
        until("the idle one is closed", || async { browser.context(&key("two")).await.is_ok() }).await;
        browser.close().await;
        let refused = browser.context(&key("three")).await.err().unwrap();
        assert_eq!(refused.code, TroubleCode::Unavailable);
    });
}

#[test]
fn without_chromium_the_answer_says_what_to_install() {
    on_stage(async |_| {
        let program = Some("/nowhere/chromium".into());
        let browser = Browser::new(BrowserSettings { program, ..settings() });
        assert!(browser.missing().is_some());
        let refused = browser.context(&key("one")).await.err().unwrap();
        assert_eq!(refused.code, TroubleCode::Unavailable);
        assert!(refused.to_string().contains("apt-get install"), "{refused}");
    });
}
