//! The speed of the servers: start-up, a PDF of twenty pages, ten of them at once, and their memory use. The
//! real programs, over standard input and output.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use capability_typeset::{Article, PdfOptions};
use serde_json::{Value, json};

const SERVERS: &[&str] = &[
    "doc-parser-mcp",
    "image-ocr-mcp",
    "text-analysis-mcp",
    "resume-profile-mcp",
    "media-transform-mcp",
    "audit-compliance-mcp",
    "social-intelligence-mcp",
    "job-app-mcp",
    "browser-mcp",
];
const PAGES: usize = 20;
const AT_ONCE: usize = 10;
const ROUNDS: usize = 5;
const START_MAX: Duration = Duration::from_millis(200);
const PARSE_MAX: Duration = Duration::from_millis(300);

/// Measures the programs in a folder.
pub(crate) fn run(programs: &Path) -> anyhow::Result<()> {
    println!("| | asked | measured |\n|---|---|---|");
    for server in SERVERS {
        let best = start_up(&programs.join(server))?;
        println!("| start-up of {server} | < {START_MAX:?} | {best:.0?} |");
    }
    let pdf = twenty_pages()?;
    let mut session = Session::open(&programs.join("doc-parser-mcp"))?;
    let arguments = json!({ "file_data": base64(&pdf), "file_type": "application/pdf" });
    let one = best_of(ROUNDS, || session.calls("extract_text", &arguments, 1))?;
    println!("| PDF of {PAGES} pages ({} KiB) to text | < {PARSE_MAX:?} | {one:.0?} |", pdf.len() >> 10);
    let all = best_of(ROUNDS, || session.calls("extract_text", &arguments, AT_ONCE))?;
    let busy = one.as_secs_f64() * AT_ONCE as f64 / all.as_secs_f64();
    println!("| {AT_ONCE} of them at once | cores busy | {all:.0?}: {busy:.2} at a time |");
    println!("| memory then, server and workers | bounded | {} MiB |", session.memory_mib()?);
    Ok(())
}

fn best_of(rounds: usize, mut measure: impl FnMut() -> anyhow::Result<Duration>) -> anyhow::Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        best = best.min(measure()?);
    }
    Ok(best)
}

fn start_up(program: &Path) -> anyhow::Result<Duration> {
    best_of(ROUNDS, || {
        let began = Instant::now();
        Session::open(program)?;
        Ok(began.elapsed())
    })
}

/// Like real documents: headings, paragraphs, lists and a table on every page.
fn twenty_pages() -> anyhow::Result<Vec<u8>> {
    let mut markdown = String::new();
    for page in 0..PAGES {
        markdown.push_str(&format!("# Chapter {page}\n\n"));
        let words = "The quarterly report shows how revenue, cost and staff have moved in each region since last year. ";
        for _ in 0..4 {
            markdown.push_str(&words.repeat(6));
            markdown.push_str("\n\n");
        }
        markdown.push_str("- first point\n- second point\n\n| region | revenue | cost |\n|---|--:|--:|\n| north | 1,200 | 800 |\n| south | 900 | 650 |\n\n");
    }
    let article = Article::from_markdown(&markdown).context("the text is Markdown")?;
    let made = capability_typeset::pdf(&article, &PdfOptions::default()).context("the text can be set")?;
    Ok(made.bytes)
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}

/// A server, and the line to it.
pub(crate) struct Session {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Session {
    pub(crate) fn open(program: &Path) -> anyhow::Result<Self> {
        let mut process = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("could not start {}", program.display()))?;
        let input = process.stdin.take().context("stdin is piped")?;
        let output = BufReader::new(process.stdout.take().context("stdout is piped")?);
        let mut session = Self { process, input, output, next: 1 };
        let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" } });
        session.send("initialize", client)?;
        session.answer()?;
        session.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }

    /// One call that succeeds.
    pub(crate) fn result(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        self.send("tools/call", json!({ "name": tool, "arguments": arguments }))?;
        let result = self.answer()?;
        if result["isError"] == true {
            bail!("{tool}: {result}");
        }
        Ok(result)
    }

    /// `count` concurrent calls, until all are answered.
    fn calls(&mut self, tool: &str, arguments: &Value, count: usize) -> anyhow::Result<Duration> {
        let began = Instant::now();
        for _ in 0..count {
            self.send("tools/call", json!({ "name": tool, "arguments": arguments }))?;
        }
        for _ in 0..count {
            let answer = self.answer()?;
            if answer["isError"] == true {
                bail!("{tool}: {answer}");
            }
        }
        Ok(began.elapsed())
    }

    fn send(&mut self, method: &str, params: Value) -> anyhow::Result<()> {
        let id = self.next;
        self.next += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    fn write(&mut self, message: &Value) -> anyhow::Result<()> {
        writeln!(self.input, "{message}").context("the server takes messages")?;
        self.input.flush().context("the server takes messages")
    }

    fn answer(&mut self) -> anyhow::Result<Value> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).context("the server answers")? == 0 {
                bail!("the server has ended");
            }
            let mut message: Value = serde_json::from_str(&line).context("the server answers in JSON")?;
            if message.get("id").is_some() {
                return Ok(message["result"].take());
            }
        }
    }

    fn memory_mib(&self) -> anyhow::Result<u64> {
        let own = self.process.id();
        let mut kib = resident_kib(own).context("the server runs")?;
        for (process, parent) in parents()? {
            if parent == own {
                kib += resident_kib(process).unwrap_or_default();
            }
        }
        Ok(kib / 1024)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The process may have exited already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn resident_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn parents() -> anyhow::Result<BTreeMap<u32, u32>> {
    let of = |path: PathBuf| {
        let process = path.file_name()?.to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(path.join("stat")).ok()?;
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        Some((process, parent))
    };
    let entries = std::fs::read_dir("/proc").context("/proc is there")?;
    Ok(entries.flatten().filter_map(|entry| of(entry.path())).collect())
}
