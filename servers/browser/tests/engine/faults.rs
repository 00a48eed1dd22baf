//! Pages that misbehave. Each is bounded, says so, and leaves a browser that works.

use std::time::{Duration, Instant};

use capability_browser::{Browser, BrowserLimits, BrowserSettings, News, Tab};
use capability_kit::TroubleCode;

use crate::stage::{Stage, key, news_with, on_stage, settings, until};

/// On a busy machine, a tab with short limits may need several attempts.
async fn still_works(stage: &Stage, tab: &Tab) {
    let url = stage.site.url("/form").parse().expect("a URL");
    until("the tab works", || async {
        tab.navigate(&url).await.is_ok_and(|arrived| arrived.loaded) && tab.title().await == "A form"
    })
    .await;
}

#[test]
fn a_page_that_never_answers_is_given_up_and_one_that_never_ends_is_used_as_it_is() {
    on_stage(async |stage| {
        let limits = BrowserLimits { page_time: Duration::from_millis(1500), ..settings().limits };
        let browser = Browser::new(BrowserSettings { limits, ..settings() });
        let tab = browser.context(&key("never")).await.unwrap().tab().await.unwrap();
        let refused = tab.navigate(&stage.site.url("/never").parse().unwrap()).await.unwrap_err();
        assert_eq!(refused.code, TroubleCode::TimedOut);
        assert!(refused.message.contains("did not answer within 1.5 s"), "{refused}");
        let half = tab.navigate(&stage.site.url("/half").parse().unwrap()).await.unwrap();
        assert!(!half.loaded);
        still_works(stage, &tab).await;
        browser.close().await;
    });
}

#[test]
fn a_picture_that_never_comes_is_not_waited_for() {
    on_stage(async |stage| {
        let begun = Instant::now();
        let (_, tab) = stage.tab_at("picture never", "/image-never").await;
        assert!(begun.elapsed() < settings().limits.page_time);
        until("the title is there", || async { tab.title().await == "image" }).await;
    });
}

#[test]
fn alerts_without_end_stop_the_page() {
    on_stage(async |stage| {
        for path in ["/alerts", "/alert-timer"] {
            let context = stage.context("alerts").await;
            let turn = context.act().await;
            let tab = context.tab().await.unwrap();
            // It may be stopped before or after its content is there.
            drop(tab.navigate(&stage.site.url(path).parse().unwrap()).await);
            let news =
                news_with(&context, "the page is stopped", |news| matches!(news, News::Stopped { .. })).await;
            let dialogs = news.iter().filter(|news| matches!(news, News::Dialog { .. })).count();
            assert!((3..=20).contains(&dialogs), "{news:?}");
            drop(turn);
            let tab = context.tab().await.unwrap();
            let _turn = context.act().await;
            still_works(stage, &tab).await;
        }
    });
}

#[test]
fn a_storm_of_windows_gives_a_few_tabs_and_stops_the_page() {
    on_stage(async |stage| {
        let (context, _) = stage.tab_at("storm", "/storm").await;
        let news =
            news_with(&context, "the page is stopped", |news| matches!(news, News::Stopped { .. })).await;
        assert!(news.iter().any(|news| matches!(news, News::PopupRefused { .. })), "{news:?}");
        assert_eq!(context.tabs().await.len(), 4);
        let refused = context.open().await.err().unwrap();
        assert_eq!(refused.code, TroubleCode::Busy);
        stage.browser.end(&key("storm")).await;
    });
}

#[test]
fn a_script_in_a_loop_times_out_and_the_tab_is_free_again() {
    on_stage(async |stage| {
        let limits = BrowserLimits { action_time: Duration::from_secs(1), ..settings().limits };
        let browser = Browser::new(BrowserSettings { limits, ..settings() });
        let tab = browser.context(&key("loop")).await.unwrap().tab().await.unwrap();
        tab.navigate(&stage.site.url("/loop").parse().unwrap()).await.unwrap();
        until("a question times out", || async {
            tab.evaluate("1").await.is_err_and(|refused| refused.code == TroubleCode::TimedOut)
        })
        .await;
        still_works(stage, &tab).await;
        browser.close().await;
    });
}

#[test]
fn a_page_that_eats_memory_loses_its_process_and_the_next_call_has_an_empty_tab() {
    on_stage(async |stage| {
        let (context, tab) = stage.tab_at("eat", "/eat").await;
        let is_closed = |news: &News| matches!(news, News::TabClosed { why, .. } if why.contains("memory"));
        let news = news_with(&context, "the tab is closed", is_closed).await;
        assert!(news.contains(&News::Crashed { tab: Some("t1".into()) }), "{news:?}");
        let gone = tab.evaluate("1").await.unwrap_err();
        assert_eq!(gone.code, TroubleCode::Crashed, "{gone}");
        let tab = context.tab().await.unwrap();
        assert_eq!(tab.id(), "t2");
        still_works(stage, &tab).await;
    });
}

#[test]
fn a_value_that_is_too_long_is_refused_and_harms_nobody() {
    on_stage(async |stage| {
        let (_, tab) = stage.tab_at("long", "/form").await;
        let refused = tab.evaluate("'x'.repeat(3 << 20)").await.unwrap_err();
        assert_eq!(refused.code, TroubleCode::TooLarge);
        still_works(stage, &tab).await;
    });
}
