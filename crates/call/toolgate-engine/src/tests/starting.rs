//! The beginning and the end of the engine.

use std::fs;
use std::path::Path;

use super::kit::{classify, content, scene, scene_with, stand_in, until};
use crate::EngineState;

const CLASSIFIES: &str = "answer() { result '{\"scores\":[],\"method\":\"words\"}'; }\n";

fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid).join("exe").exists()
}

#[tokio::test]
async fn it_starts_at_the_first_need_once_and_ends_with_the_link() {
    let scene = scene(CLASSIFIES).await;
    assert_eq!((scene.link.state(), scene.starts()), (EngineState::NotStarted, 0));
    let (one, other) = tokio::join!(scene.link.greeting(), scene.link.classify(classify(content("x"))));
    assert_eq!((one.expect("a greeting").version.as_str(), other.is_ok()), ("9.9", true));
    assert!(matches!(scene.link.state(), EngineState::Running { version, .. } if version == "9.9"));
    let pids = scene.lines("pids");
    assert!(pids.len() == 1 && is_alive(&pids[0]), "{pids:?}");
    scene.link.stop().await;
    assert!(!is_alive(&pids[0]));
    assert_eq!(scene.link.state(), EngineState::Stopped);
    let refusal = scene.link.greeting().await.expect_err("it does not come back");
    assert_eq!((refusal.code.name, scene.starts()), ("engine_failed", 1));
}

#[tokio::test]
async fn a_link_that_is_dropped_leaves_no_process() {
    let scene = scene(CLASSIFIES).await;
    scene.link.greeting().await.expect("it is up");
    let pids = scene.lines("pids");
    drop(scene);
    until("the process is gone", || !is_alive(&pids[0])).await;
}

#[tokio::test]
async fn processes_that_the_engine_started_end_with_it() {
    let scene = scene("sleep 1000 &\necho $! >worker\nanswer() { exit 1; }\n").await;
    scene.link.greeting().await.expect("it is up");
    let worker = scene.lines("worker")[0].clone();
    assert!(is_alive(&worker));
    assert!(scene.link.classify(classify(content("x"))).await.is_err());
    until("its worker is gone", || !is_alive(&worker)).await;
}

#[tokio::test]
async fn an_engine_that_was_killed_is_broken_until_it_is_needed_again() {
    let scene = scene(CLASSIFIES).await;
    scene.link.greeting().await.expect("it is up");
    let pid: i32 = scene.lines("pids")[0].parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).unwrap();
    let is_broken = || matches!(scene.link.state(), EngineState::Broken { why } if why.contains("SIGKILL"));
    until("its end is known", is_broken).await;
    assert!(scene.link.classify(classify(content("x"))).await.is_ok());
    assert_eq!(scene.starts(), 2);
}

#[tokio::test]
async fn an_engine_that_is_not_installed_is_told_with_what_to_do_and_is_used_once_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("toolgate-engine");
    let scene = scene_with(CLASSIFIES, |settings| settings.command = Some(program.clone())).await;
    let refusal = scene.link.greeting().await.expect_err("there is none");
    assert_eq!(refusal.code.name, "engine_missing");
    assert!(
        refusal.hint.contains("script/up") && refusal.hint.contains("[engine] command"),
        "{}",
        refusal.hint
    );
    assert!(matches!(scene.link.state(), EngineState::Missing { .. }));
    std::os::unix::fs::symlink(stand_in(), &program).unwrap();
    assert!(scene.link.greeting().await.is_ok());
}

#[tokio::test]
async fn an_engine_of_another_version_is_refused_with_both() {
    let scene = scene("protocol=2\n").await;
    let refusal = scene.link.greeting().await.expect_err("it speaks otherwise");
    assert_eq!(refusal.code.name, "engine_failed");
    assert!(
        refusal.message.contains("version 2") && refusal.message.contains("version 1"),
        "{}",
        refusal.message
    );
    assert!(refusal.hint.contains("came with this gateway"), "{}", refusal.hint);
    let pid = scene.lines("pids")[0].clone();
    until("it is ended", || !is_alive(&pid)).await;
    assert!(matches!(scene.link.state(), EngineState::Broken { .. }));
}

#[tokio::test]
async fn an_engine_that_ends_at_its_start_says_why() {
    let scene = scene("echo 'no such model' >&2\nexit 2\n").await;
    let refusal = scene.link.greeting().await.expect_err("it does not come up");
    for part in ["exited with status 2", "no such model"] {
        assert!(refusal.message.contains(part), "{}", refusal.message);
    }
}

#[tokio::test]
async fn unfinished_contents_of_an_earlier_gateway_are_removed() {
    let scene = scene(CLASSIFIES).await;
    fs::create_dir_all(scene.at("contents")).unwrap();
    fs::write(scene.at("contents/.incoming-0-7"), "half").unwrap();
    fs::write(scene.at("contents").join(content("whole").as_str()), "whole").unwrap();
    scene.link.greeting().await.expect("it is up");
    assert_eq!(fs::read_dir(scene.at("contents")).unwrap().count(), 1);
}
