//! A gateway that is killed leaves no children behind.
//!
//! The killed gateway and its reaper are this very test program, started again to run one function each.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use toolgate_core::MessageLimits;
use toolgate_upstream::{ManagerSetup, NoFacts, ServerManager};

use crate::kit::{Recorder, eventually, runs};
use crate::neighbour::child;

const GATEWAY: &str = "reaping::as_gateway";
const REAPER: &str = "reaping::as_reaper";

/// Set for a program that is started to be killed; a test runner may name the function just as we do.
const ROLE: &str = "TOOLGATE_TEST_TO_BE_KILLED";

/// True if this program was started to run that one function.
fn is_started_for(function: &str) -> bool {
    std::env::args().any(|argument| argument == function)
}

fn arguments(function: &str) -> Vec<String> {
    [function, "--exact", "--nocapture"].map(str::to_owned).to_vec()
}

#[test]
fn as_reaper() {
    if is_started_for(REAPER) {
        toolgate_upstream::reaper_main();
    }
}

#[test]
fn as_gateway() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let recorder = Recorder::new();
        let _manager = ServerManager::start(ManagerSetup {
            specs: vec![child("stubborn")],
            watcher: recorder.clone(),
            facts: std::sync::Arc::new(NoFacts),
            keyring: std::sync::Arc::new(crate::kit::NoKeys),
            clock: std::sync::Arc::new(crate::kit::FixedClock),
            limits: MessageLimits::default(),
            env: std::env::vars().collect(),
            reaper_command: Some((std::env::current_exe().unwrap(), arguments(REAPER))),
            confiner: None,
        });
        let pid = recorder.healthy().await.pid.unwrap();
        let mut out = std::io::stdout();
        writeln!(out, "child {pid}").unwrap();
        out.flush().unwrap();
        std::future::pending::<()>().await;
    });
}

#[tokio::test]
async fn children_of_a_killed_gateway_are_killed() {
    let mut gateway = Command::new(std::env::current_exe().unwrap())
        .args(arguments(GATEWAY))
        .env(ROLE, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(gateway.stdout.take().unwrap()).lines();
    let line = lines.find_map(|line| line.unwrap().split("child ").nth(1).map(str::to_owned)).unwrap();
    let pid: u32 = line.trim().parse().unwrap();
    let group = members(pid);
    assert!(group.len() >= 2 && runs(pid), "{group:?}");
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    eventually("the end of the group", || group.iter().all(|pid| !runs(*pid))).await;
}

/// Every process of a group.
fn members(group: u32) -> Vec<u32> {
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid| group_of(*pid) == Some(group)).collect()
}

fn group_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(2)?.parse().ok()
}
