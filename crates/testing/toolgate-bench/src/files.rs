//! Bytes through the gateway: a large file up and down in flat memory, and a file as Base64 against a plain
//! copy of it.
//!
//! Lives here: the rounds, the stated bounds. Does not live here: the receiver of the bytes (`sink`), the
//! requests (`transfer`).

mod sink;
mod transfer;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::child::Watched;
use crate::client::BenchTarget;
use crate::gateway::{BenchGateway, Home, Launcher, ServerEntry, program};
use crate::proc;
use crate::say::say;
use crate::start::mib;

pub(crate) use sink::serve;

const MIB: u64 = 1 << 20;
/// The maximum growth of the gateway's memory while bytes pass, for any number of them.
const GROWTH_MIB_MAX: f64 = 64.0;
/// The minimum speed of Base64 end to end, relative to a plain copy of the same bytes.
const RATIO_MIN: f64 = 0.5;
const START_MAX: Duration = Duration::from_secs(60);

const SETTINGS: &str =
    "[[tools]]\nname = \"sink:sink\"\nfile_strategy = \"binary_base64\"\neffects = [\"read\"]\n";

#[derive(clap::Args)]
pub(crate) struct FilesOptions {
    #[command(flatten)]
    gateway: crate::GatewayOption,
    /// Size of the file that goes up and down
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    large_mib: u64,
    /// Size of the file that is sent as Base64
    #[arg(long, value_name = "MIB", default_value_t = 50)]
    base64_mib: u64,
    /// Copies and calls that take turns
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Keep bytes in S3: `URL BUCKET ACCESS_KEY SECRET`, as `script/s3 start` prints it
    #[arg(long, value_name = "WORDS")]
    s3: Option<String>,
    /// Fail when a bound is missed
    #[arg(long)]
    strict: bool,
}

pub(crate) async fn run(options: FilesOptions) -> anyhow::Result<ExitCode> {
    let program = program(options.gateway.toolgate.clone())?;
    let storage = options.s3.as_deref().map(s3_settings).transpose()?.unwrap_or_default();
    let mut sink = Watched::spawn(sink::command()?)?;
    let address = sink.wait_for_line(START_MAX, sink::address_in).await.context("start the sink")?;
    let entry = ServerEntry { name: "sink".to_owned(), url: format!("http://{address}/mcp") };
    let home = Home::with(&[entry], &format!("{SETTINGS}{storage}"))?;
    let gateway = BenchGateway::start(&program, &home, &Launcher::default()).await?;
    let target = gateway.target(&home).await?;
    gateway.wait_for_tools(&target, &["sink__sink".to_owned()]).await?;
    let large = large(&gateway, &target, options.large_mib * MIB).await?;
    say(&large.text())?;
    let copied = BenchTarget { address, token: None };
    let base64 = base64(&gateway, &target, &copied, home.path(), &options).await?;
    say(&base64.text())?;
    gateway.end().await?;
    sink.end().await?;
    let met = large.is_within_bound() && base64.is_within_bound();
    Ok(if options.strict && !met { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn s3_settings(words: &str) -> anyhow::Result<String> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let [endpoint, bucket, key, secret] = words[..] else {
        anyhow::bail!("--s3 takes four words: URL BUCKET ACCESS_KEY SECRET");
    };
    Ok(format!(
        "\n[files]\nurl = \"s3://{bucket}/bench\"\nendpoint = {endpoint:?}\naccess_key_id = {key:?}\n\
         secret_access_key = {secret:?}\nallow_http = true\n"
    ))
}

/// One large file up and down.
struct Large {
    bytes: u64,
    up: Duration,
    down: Duration,
    rest_mib: f64,
    up_peak_mib: f64,
    down_peak_mib: f64,
}

async fn large(gateway: &BenchGateway, target: &BenchTarget, bytes: u64) -> anyhow::Result<Large> {
    let rest_mib = mib(proc::memory(gateway.pid())?.resident_bytes);
    let began = Instant::now();
    let (file, sent) = transfer::upload(target, "large.bin", bytes).await?;
    let up = began.elapsed();
    let up_peak_mib = mib(proc::memory(gateway.pid())?.peak_bytes);
    let began = Instant::now();
    let received = transfer::download(target, &file).await?;
    let down = began.elapsed();
    ensure!(received == sent, "what came back is not what was sent");
    let down_peak_mib = mib(proc::memory(gateway.pid())?.peak_bytes);
    Ok(Large { bytes, up, down, rest_mib, up_peak_mib, down_peak_mib })
}

impl Large {
    fn growth_mib(&self) -> f64 {
        self.down_peak_mib.max(self.up_peak_mib) - self.rest_mib
    }

    fn is_within_bound(&self) -> bool {
        self.growth_mib() < GROWTH_MIB_MAX
    }

    fn text(&self) -> String {
        format!(
            "{} MiB up: {:.2} s ({:.0} MiB/s), down: {:.2} s ({:.0} MiB/s)\n\
             gateway at rest {:.1} MiB, at its peak {:.1} MiB (up), {:.1} MiB (up and down)\n\
             bound: grows by < {GROWTH_MIB_MAX} MiB: {:.1} MiB: {}",
            self.bytes / MIB,
            self.up.as_secs_f64(),
            rate(self.bytes, self.up),
            self.down.as_secs_f64(),
            rate(self.bytes, self.down),
            self.rest_mib,
            self.up_peak_mib,
            self.down_peak_mib,
            self.growth_mib(),
            verdict(self.is_within_bound())
        )
    }
}

/// Calls with a file as Base64 against plain copies of the file, taking turns.
struct Base64 {
    bytes: u64,
    copy: Duration,
    call: Duration,
    /// The median of the rounds' own ratios.
    ratio: f64,
}

async fn base64(
    gateway: &BenchGateway,
    target: &BenchTarget,
    sink: &BenchTarget,
    folder: &Path,
    options: &FilesOptions,
) -> anyhow::Result<Base64> {
    let bytes = options.base64_mib * MIB;
    let path = folder.join("copied.bin");
    transfer::write(&path, bytes).await?;
    let (file, _) = transfer::upload(target, "copied.bin", bytes).await?;
    let encoded = bytes.div_ceil(3) * 4;
    let (mut copies, mut calls, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // The first round warms caches and connections.
    for round in 0..=options.rounds {
        let began = Instant::now();
        let copied = transfer::copy(sink, &path).await?;
        let copy = began.elapsed();
        let began = Instant::now();
        let received = transfer::call_sink(target, &file).await.with_context(|| gateway.last_words())?;
        let call = began.elapsed();
        ensure!(copied == bytes, "the copy has {copied} bytes");
        ensure!(received >= encoded, "the server got {received} bytes, fewer than {encoded}");
        if round > 0 {
            copies.push(copy);
            calls.push(call);
            ratios.push(copy.as_secs_f64() / call.as_secs_f64());
        }
    }
    ratios.sort_by(f64::total_cmp);
    copies.sort();
    calls.sort();
    let middle = ratios.len() / 2;
    Ok(Base64 { bytes, copy: copies[middle], call: calls[middle], ratio: ratios[middle] })
}

impl Base64 {
    fn is_within_bound(&self) -> bool {
        self.ratio >= RATIO_MIN
    }

    fn text(&self) -> String {
        format!(
            "{} MiB: plain copy {:.3} s ({:.0} MiB/s), as Base64 through the gateway {:.3} s ({:.0} MiB/s)\n\
             bound: at least {RATIO_MIN} of the speed of the copy: {:.2}: {}",
            self.bytes / MIB,
            self.copy.as_secs_f64(),
            rate(self.bytes, self.copy),
            self.call.as_secs_f64(),
            rate(self.bytes, self.call),
            self.ratio,
            verdict(self.is_within_bound())
        )
    }
}

fn rate(bytes: u64, time: Duration) -> f64 {
    mib(bytes) / time.as_secs_f64()
}

fn verdict(met: bool) -> &'static str {
    if met { "pass" } else { "FAIL" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storage_is_four_words() {
        assert!(s3_settings("http://127.0.0.1:1 b k s").unwrap().contains("url = \"s3://b/bench\""));
        assert!(s3_settings("http://127.0.0.1:1 b k").is_err());
    }

    #[test]
    fn bounds_are_said_with_the_verdict() {
        let second = Duration::from_secs(1);
        let base64 = |ratio| Base64 { bytes: MIB, copy: second, call: second, ratio };
        assert!(base64(0.5).text().ends_with("0.50: pass"));
        assert!(base64(0.49).text().ends_with("FAIL"));
    }
}
