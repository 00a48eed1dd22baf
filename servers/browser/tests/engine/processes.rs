//! The browser's processes: they are confined, they end with us, and a browser that died is started again.

use std::fs;
use std::path::Path;
use std::time::Duration;

use capability_browser::{Browser, BrowserLimits, BrowserSettings, ChromiumSandbox, News};
use capability_kit::TroubleCode;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::stage::{files_in, key, on_stage, settings, until};

/// The group of the processes of a browser whose files lie in this folder: its leader is the shell that holds the leash.
fn group_of(data: &Path) -> Option<i32> {
    let folder = data.display().to_string();
    let is_leash = |line: &String| line.starts_with("/bin/sh") && line.contains(&folder);
    numbers().into_iter().find(|id| read(*id, "cmdline").as_ref().is_some_and(is_leash))
}

/// The processes of a group, with their kinds.
fn members(group: i32) -> Vec<(i32, String)> {
    let of_group = numbers().into_iter().filter(|id| group_in(*id) == Some(group));
    of_group
        .filter_map(|id| {
            let line = read(id, "cmdline")?;
            // A process that was made by copying writes its words with spaces.
            let kind =
                line.split(['\0', ' ']).find_map(|word| word.strip_prefix("--type=")).unwrap_or("browser");
            let is_browser = line.contains("--remote-debugging-pipe") && !line.starts_with("/bin/sh");
            (kind != "browser" || is_browser).then(|| (id, kind.to_owned()))
        })
        .collect()
}

fn numbers() -> Vec<i32> {
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn read(id: i32, file: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/{id}/{file}")).ok()
}

/// The fifth field; the second is a name in brackets, which may have spaces. A zombie is no living process.
fn group_in(id: i32) -> Option<i32> {
    let stat = read(id, "stat")?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    fields.nth(1)?.parse().ok().filter(|_| state != "Z")
}

fn status(id: i32, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim_start_matches(':').trim().to_owned()
}

#[test]
fn a_browser_that_was_killed_is_started_again_and_its_callers_hear_of_it() {
    on_stage(async |stage| {
        let settings = settings();
        let data = settings.data.clone();
        let browser = Browser::new(settings);
        let context = browser.context(&key("one")).await.unwrap();
        let tab = context.tab().await.unwrap();
        tab.navigate(&stage.site.url("/form").parse().unwrap()).await.unwrap();
        let main = members(group_of(&data).expect("a leash")).into_iter().find(|(_, kind)| kind == "browser");
        kill(Pid::from_raw(main.expect("a browser").0), Signal::SIGKILL).unwrap();
        until("the call fails", || async {
            tab.evaluate("1").await.err().is_some_and(|trouble| trouble.code == TroubleCode::Crashed)
        })
        .await;
        let context = browser.context(&key("one")).await.unwrap();
        assert_eq!(context.news(), [News::Crashed { tab: None }]);
        let tab = context.tab().await.unwrap();
        let arrived = tab.navigate(&stage.site.url("/form").parse().unwrap()).await.unwrap();
        assert!(arrived.loaded);
        browser.close().await;
        until("nothing is left", || async { group_of(&data).is_none() && !data.exists() }).await;
    });
}

#[test]
fn a_page_runs_in_namespaces_and_under_a_filter_of_its_own() {
    on_stage(async |stage| {
        let settings = BrowserSettings { own_sandbox: ChromiumSandbox::Required, ..settings() };
        let data = settings.data.clone();
        let browser = Browser::new(settings);
        let context = browser.context(&key("one")).await.unwrap();
        let tab = context.tab().await.unwrap();
        tab.navigate(&stage.site.url("/form").parse().unwrap()).await.unwrap();
        let facts = browser.facts().unwrap();
        assert!(facts.sandbox.contains("is in force"), "{facts:?}");
        let processes = members(group_of(&data).expect("a leash"));
        let of =
            |kind: &str| processes.iter().find(|(_, one)| one == kind).map(|(id, _)| *id).expect("it runs");
        let (page, main) = (of("renderer"), of("browser"));
        assert_eq!(status(page, "Seccomp"), "2", "a filter of system calls");
        assert_eq!(status(page, "CapEff"), "0000000000000000");
        assert!(
            status(page, "NSpid").split_whitespace().count()
                > status(main, "NSpid").split_whitespace().count()
        );
        for namespace in ["user", "net", "pid"] {
            let of = |id: i32| fs::read_link(format!("/proc/{id}/ns/{namespace}")).unwrap();
            assert_ne!(of(page), of(main), "{namespace}");
        }
        assert!(browser.memory().await > 50 << 20);
        browser.close().await;
    });
}

#[test]
fn a_browser_that_is_dropped_leaves_no_process() {
    on_stage(async |_| {
        let settings = settings();
        let data = settings.data.clone();
        let browser = Browser::new(settings);
        browser.context(&key("one")).await.unwrap();
        let group = group_of(&data).expect("a leash");
        assert!(members(group).len() > 2);
        drop(browser);
        until("every process has ended", || async { members(group).is_empty() }).await;
        drop(fs::remove_dir_all(&data));
        assert!(files_in(&data).is_empty());
    });
}

#[test]
fn a_browser_that_nobody_uses_ends_and_the_next_call_starts_another() {
    on_stage(async |stage| {
        let usual = settings();
        let limits = BrowserLimits { idle: Duration::from_millis(400), ..usual.limits.clone() };
        let settings = BrowserSettings { limits, ..usual };
        let data = settings.data.clone();
        let browser = Browser::new(settings);
        browser.context(&key("one")).await.unwrap();
        let group = group_of(&data).expect("a leash");
        browser.end(&key("one")).await;
        until("a browser without contexts has ended", || async { members(group).is_empty() }).await;
        assert_eq!(browser.memory().await, 0);
        let context = browser.context(&key("two")).await.unwrap();
        assert!(context.news().is_empty(), "that is no crash");
        let tab = context.tab().await.unwrap();
        assert!(tab.navigate(&stage.site.url("/form").parse().unwrap()).await.unwrap().loaded);
        browser.close().await;
    });
}
