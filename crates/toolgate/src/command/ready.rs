//! `toolgate ready`: what `/readyz` says, for health checks of places that have no other program to ask with.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::context::Context;
use crate::lock;
use crate::output::{printable, say};

const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);
/// The gateway says in a few words what is wrong.
const ANSWER_BYTES_MAX: u64 = 16 << 10;

pub(super) async fn run(context: &Context) -> anyhow::Result<ExitCode> {
    let config = context.config_to_read()?;
    let Some(running) = lock::running(&config.data) else {
        bail!("no gateway runs on {}\nhint: `toolgate serve` starts one", config.data.display());
    };
    let Some(endpoint) = running.endpoint else {
        bail!("the gateway (pid {}) is starting and does not listen yet", running.pid);
    };
    let place = authority(&endpoint);
    let asked = tokio::time::timeout(ANSWER_TIME_MAX, ask(place)).await;
    let (status, words) = asked
        .with_context(|| format!("{place} did not answer within {} seconds", ANSWER_TIME_MAX.as_secs()))?
        .with_context(|| format!("{place} did not answer"))?;
    let is_ready = status == 200;
    if context.global.json {
        say!("{}", json!({ "ready": is_ready, "endpoint": endpoint, "says": words }));
    } else if is_ready {
        say!("ready at {endpoint}");
    } else {
        bail!("the gateway at {endpoint} is not ready: {}", printable(&words));
    }
    Ok(if is_ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Host and port of the address of an MCP endpoint.
fn authority(endpoint: &str) -> &str {
    let rest = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

/// The status and the body of `/readyz`.
async fn ask(place: &str) -> anyhow::Result<(u16, String)> {
    let mut stream = TcpStream::connect(place).await?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.context("the answer is not one of HTTP")?;
    Ok((status, body.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_to_ask_is_that_of_the_endpoint() {
        assert_eq!(authority("http://127.0.0.1:8700/mcp"), "127.0.0.1:8700");
        assert_eq!(authority("http://[::1]:8700/mcp"), "[::1]:8700");
    }
}
