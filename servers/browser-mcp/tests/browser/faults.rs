//! Pages that misbehave: each is bounded, said, and the next call works.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::drive::{Stage, ref_of};

/// The next page works.
async fn goes_on(stage: &Stage) {
    let page = stage.go("/plain").await;
    assert!(page.contains("A plain page"), "{page}");
}

#[tokio::test]
async fn a_page_that_never_loads_is_given_up() {
    let stage = Stage::with(&["--allow-private", "--page-seconds", "3"]).await;
    let began = Instant::now();
    let (code, text) = stage.client.trouble("navigate", json!({ "url": stage.site.url("/never") })).await;
    assert!(code == "timed_out" && began.elapsed() < Duration::from_secs(30), "{code} {text}");
    goes_on(&stage).await;
}

#[tokio::test]
async fn an_endless_row_of_alerts_is_stopped() {
    let stage = Stage::open().await;
    let page = stage.go("/dialogs").await;
    let loop_button = json!({ "target": ref_of(&page, "button \"Loop\"") });
    let began = Instant::now();
    let result = stage.client.call("click", loop_button).await;
    let told = format!("{result:?}");
    assert!(told.contains("again"), "{told}");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    goes_on(&stage).await;
}

#[tokio::test]
async fn a_storm_of_popups_ends_at_the_limit_of_tabs() {
    let stage = Stage::with(&["--allow-private", "--tabs", "3"]).await;
    let page = stage.go("/dialogs").await;
    // The page is stopped in the middle of its script, so the click itself may get no answer.
    let result = stage.client.call("click", json!({ "target": ref_of(&page, "button \"Storm\"") })).await;
    let told = format!("{result:?}");
    assert!(told.contains("it was refused"), "{told}");
    let tabs = stage.call("tabs", json!({})).await;
    assert!((1..=3).contains(&tabs.lines().filter(|line| line.starts_with('t')).count()), "{tabs}");
    goes_on(&stage).await;
}

#[tokio::test]
async fn a_page_that_hangs_costs_one_call() {
    let stage = Stage::with(&["--allow-private", "--action-seconds", "5"]).await;
    stage.go("/spin").await;
    let began = Instant::now();
    let result = stage.client.call("click", json!({ "target": "button" })).await;
    assert!(began.elapsed() < Duration::from_secs(60), "{:?} {result:?}", began.elapsed());
    goes_on(&stage).await;
}

#[tokio::test]
async fn a_page_that_closes_its_own_tab_is_told() {
    let stage = Stage::open().await;
    stage.go("/dialogs").await;
    stage.call("click", json!({ "target": "a" })).await;
    let popup = stage.tab_with("/plain").await;
    stage.call("tabs", json!({ "action": "select", "tab": popup })).await;
    stage.go("/close").await;
    // The page may be gone before it has answered, or after.
    let result = stage.client.call("click", json!({ "target": "button" })).await;
    let told = format!("{result:?}");
    assert!(told.contains("closed") || told.contains("gone"), "{told}");
    goes_on(&stage).await;
}

/// Processes below one, by their command lines.
fn below(parent: u32, words: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let above = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)?.parse::<u32>().ok());
        if above == Some(parent) {
            found.extend(below(pid, words));
            let line = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            if line.contains(words) {
                found.push(pid);
            }
        }
    }
    found
}

/// A stage whose server can be told from those of other tests.
async fn stage_named(name: &str) -> (Stage, u32) {
    let stage = Stage::with(&["--allow-private", "--instance", name]).await;
    let server = below(std::process::id(), name);
    assert_eq!(server.len(), 1, "{server:?}");
    (stage, server[0])
}

fn kill(pid: u32) {
    let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(killed.unwrap().success());
}

#[tokio::test]
async fn a_crash_of_a_page_or_of_the_browser_is_told_and_survived() {
    let (stage, server) = stage_named("crash-story").await;
    stage.go("/plain").await;
    let renderers = below(server, "--type=renderer");
    assert!(!renderers.is_empty());
    renderers.into_iter().for_each(kill);
    let result = stage.client.call("snapshot", json!({})).await;
    assert!(format!("{result:?}").contains("crashed"), "{result:?}");
    goes_on(&stage).await;

    let browsers = below(server, "--remote-debugging-pipe");
    assert!(!browsers.is_empty());
    browsers.into_iter().for_each(kill);
    let began = Instant::now();
    // The call that finds it dead may fail, and says so; the next one has a new browser.
    loop {
        let result = stage.client.call("navigate", json!({ "url": stage.site.url("/plain") })).await;
        if result.is_error != Some(true) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{result:?}");
    }
    goes_on(&stage).await;
}

/// Chromium ends with the server, however that ends.
#[tokio::test]
async fn nothing_is_left_when_the_server_is_killed() {
    let (stage, server) = stage_named("end-story").await;
    stage.go("/plain").await;
    let browsers = below(server, "--remote-debugging-pipe");
    assert!(!browsers.is_empty());
    kill(server);
    let began = Instant::now();
    let lives = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while browsers.iter().any(lives) {
        assert!(began.elapsed() < Duration::from_secs(20), "Chromium is still there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
