//! The browser's server behind the gateway: its pages in Chromium's own sandbox, and files of others.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::json;

use crate::files::archive::Archive;
use crate::governed::database::Backing;
use crate::kit::call;
use crate::live::site::{OPEN, Site};
use crate::toolgate;

const PAGE: &str = "<!doctype html><title>Apply</title><h1>Apply</h1><form><input type=file name=cv></form>";

/// A site of one page, and its address.
fn site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n", PAGE.len());
            // A browser that hangs up is no failure.
            drop(stream.read(&mut request));
            drop(stream.write_all(format!("{head}connection: close\r\n\r\n{PAGE}").as_bytes()));
        }
    });
    address
}

/// A gateway with the browser's server, which refuses to work without Chromium's own sandbox.
async fn browsing() -> Archive {
    let program = toolgate().parent().expect("binaries lie in a folder").join("browser-mcp");
    assert!(program.exists(), "{} is missing; build it with `cargo build -p browser-mcp`", program.display());
    let entry = format!(
        "[[servers]]\nname = \"browser\"\ncommand = {program:?}\nargs = [\"--allow-private\", \"--sandbox\", \"required\"]\n"
    );
    let archive = Archive { site: Site::open_as(Backing::Sqlite, &format!("{OPEN}{entry}")) };
    archive.site.server_is("browser", |about| about["tools"].as_u64().is_some_and(|tools| tools > 0)).await;
    archive
}

/// All processes below one, with the words that each was started with.
fn below(top: u32) -> BTreeMap<u32, String> {
    let entries = std::fs::read_dir("/proc").expect("processes").flatten();
    let pids: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let parents: BTreeMap<u32, u32> =
        pids.iter().filter_map(|pid| Some((*pid, field(*pid, "PPid")?.parse().ok()?))).collect();
    let is_below = |pid: &u32| {
        std::iter::successors(Some(*pid), |at| parents.get(at).copied()).skip(1).any(|at| at == top)
    };
    let words = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).ok();
    let found = parents.keys().filter(|pid| is_below(pid));
    found.filter_map(|pid| Some((*pid, String::from_utf8_lossy(&words(*pid)?).replace('\0', " ")))).collect()
}

fn field(pid: u32, name: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.map(|line| line.trim().to_owned())
}

#[tokio::test]
async fn chromiums_own_sandbox_is_in_force_behind_a_gateway() {
    let archive = browsing().await;
    let client = archive.site.agent();
    let opened = call(&client, "browser__navigate", json!({ "url": site() })).await;
    assert_ne!(opened["isError"], true, "{opened}");
    let processes = below(archive.site.gateway.pid());
    let of = |kind: &str| {
        let fits = |words: &str| words.contains("--remote-debugging-pipe") || words.contains("--type=");
        let found = processes.iter().filter(|(_, words)| fits(words));
        let wanted = |words: &str| match kind {
            "browser" => {
                !words.contains("--type=") && !words.starts_with("/bin/sh") && !words.starts_with("unshare")
            }
            kind => words.contains(&format!("--type={kind}")),
        };
        let found = found.filter(|(_, words)| wanted(words)).map(|(pid, _)| *pid).next_back();
        found.unwrap_or_else(|| panic!("no {kind} among {processes:#?}"))
    };
    let (page, main) = (of("renderer"), of("browser"));
    assert!(!processes.values().any(|words| words.contains("--no-sandbox")), "{processes:#?}");
    assert_eq!(field(page, "Seccomp").as_deref(), Some("2"), "a filter of system calls");
    assert_eq!(field(page, "CapEff").as_deref(), Some("0000000000000000"));
    for namespace in ["user", "net", "pid"] {
        let of = |pid: u32| std::fs::read_link(format!("/proc/{pid}/ns/{namespace}")).expect("a namespace");
        assert_ne!(of(page), of(main), "{namespace}");
    }
    // The browser itself stays inside the gateway's sandbox.
    let of = |pid: u32| std::fs::read_link(format!("/proc/{pid}/ns/mnt")).expect("a namespace");
    assert_ne!(of(main), of(archive.site.gateway.pid()), "it sees other files than the gateway");
}

#[tokio::test]
async fn a_file_of_somebody_else_never_reaches_a_page() {
    let archive = browsing().await;
    let token = |of_whom: &str| archive.site.token(of_whom);
    let (ann, ben) = (token("--role agent --principal ann"), token("--role agent --principal ben"));
    let file = archive.upload(&ann, "cv.txt", b"Ann's resume").await["id"].clone();
    let (address, target) = (site(), "input[type=file]");
    for (token, is_own) in [(&ben, false), (&ann, true)] {
        let client = archive.site.agent_with(token);
        let opened = call(&client, "browser__navigate", json!({ "url": address })).await;
        assert_ne!(opened["isError"], true, "{opened}");
        let put = call(&client, "browser__upload", json!({ "target": target, "file_id": file })).await;
        match is_own {
            true => assert!(
                put["content"][0]["text"].as_str().is_some_and(|it| it.contains("(12 bytes)")),
                "{put}"
            ),
            false => {
                assert_eq!(put["isError"], true, "{put}");
                assert!(put.to_string().contains("unknown_file"), "{put}");
                assert!(!put.to_string().contains("resume"), "{put}");
            }
        }
    }
    let seen = call(&archive.site.agent_with(&ben), "browser__snapshot", json!({})).await;
    assert!(!seen.to_string().contains("cv.txt"), "the page got nothing: {seen}");
}
