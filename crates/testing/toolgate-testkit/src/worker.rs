//! A worker: a capability server over HTTP that registers itself with a gateway, keeps its lease, and reports
//! which instance did the work. Its tools are read from a file at each listing, so that a test can change its
//! offer.

mod lease;
mod mcp;

use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[derive(Args, Clone, Debug)]
pub struct WorkerSettings {
    #[arg(long)]
    pub name: String,
    #[arg(long, default_value = "one")]
    pub instance: String,
    #[arg(long, default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// The gateway to register with; without it the worker only serves.
    #[arg(long, requires = "token")]
    pub gateway: Option<String>,
    #[arg(long)]
    pub token: Option<String>,
    #[arg(long, default_value = "1.0.0")]
    pub version: String,
    #[arg(long, default_value_t = 5.0)]
    pub lease_seconds: f64,
    /// A JSON array of tool definitions, read at each listing.
    #[arg(long)]
    pub tools: Option<PathBuf>,
    /// A JSON object: the registered details of tools, by their names.
    #[arg(long)]
    pub extras: Option<PathBuf>,
    /// Every call is appended here, one a line: instance, tool, arguments.
    #[arg(long)]
    pub journal: Option<PathBuf>,
    /// While this file exists, no heartbeat is sent.
    #[arg(long)]
    pub hold_heartbeats: Option<PathBuf>,
    /// While this file exists, every call answers HTTP 500.
    #[arg(long)]
    pub broken: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = WorkerEra::Modern)]
    pub era: WorkerEra,
    /// Descriptions differ at each listing.
    #[arg(long)]
    pub restless: bool,
    /// Requests need this bearer token, or one of several; a call reports which of them it came with.
    #[arg(long)]
    pub bearer: Vec<String>,
    /// Requests need the bearer token that is currently in this file.
    #[arg(long)]
    pub bearer_file: Option<PathBuf>,
    /// Requests need any bearer token; this is the place of its protected resource metadata.
    #[arg(long)]
    pub authorization_server: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum WorkerEra {
    Modern,
    /// With sessions.
    Legacy,
}

/// The default tools.
fn usual_tools() -> Value {
    let schema = json!({ "type": "object", "properties": {
        "n": { "type": "integer" },
        "ms": { "type": "integer", "description": "How long it takes" },
    } });
    json!([
        {
            "name": "work", "description": "Does a piece of work", "inputSchema": schema,
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        },
        { "name": "write", "description": "Writes a piece of work down", "inputSchema": schema },
    ])
}

impl WorkerSettings {
    /// A value that changes when the file of tools is rewritten. Cheap: it is polled all the time.
    fn edition(&self) -> Option<(u64, u64, i64)> {
        let about = std::fs::metadata(self.tools.as_ref()?).ok()?;
        Some((about.ino(), about.len(), about.mtime_nsec()))
    }

    fn definitions(&self) -> Value {
        let read = self.tools.as_ref().and_then(|path| std::fs::read(path).ok());
        let read = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        read.unwrap_or_else(usual_tools)
    }
}

/// Serves, and registers if configured, until SIGTERM; then it deregisters, and finishes its work.
pub async fn serve(settings: WorkerSettings) -> anyhow::Result<()> {
    let listener = TcpListener::bind(settings.listen).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let settings = Arc::new(settings);
    let router = mcp::router(settings.clone(), &url);
    let mut ended = signal(SignalKind::terminate())?;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut until = stopped.clone();
    let serving = tokio::spawn(async move {
        let stopped = async move { drop(until.wait_for(|stopped| *stopped).await) };
        axum::serve(listener, router).with_graceful_shutdown(stopped).await
    });
    let lease = lease::Lease::take(&settings, &url).await?;
    println_line(&json!({ "url": url, "instance": settings.instance }));
    tokio::select! {
        _ = ended.recv() => {}
        () = lease.keep() => {}
    }
    lease.give_back().await;
    stop.send_replace(true);
    drop(tokio::time::timeout(Duration::from_secs(5), serving).await);
    Ok(())
}

fn println_line(value: &Value) {
    use std::io::Write;
    let mut out = std::io::stdout();
    drop(writeln!(out, "{value}"));
    drop(out.flush());
}
