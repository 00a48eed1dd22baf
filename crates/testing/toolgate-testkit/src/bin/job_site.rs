//! `job-site`: a site with vacancies, as a process. `GET /judge` says what it received.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;
use toolgate_testkit::jobsite::JobSite;

/// A site of vacancies with forms of three kinds, and faults by address: `/jobs/form/1001?fault=slow`.
#[derive(Parser)]
struct SiteArguments {
    /// Port 0 picks a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The received applications, a line each.
    #[arg(long, value_name = "FILE")]
    books: PathBuf,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = SiteArguments::parse();
    let site = JobSite::start_at(arguments.listen, &arguments.books)?;
    writeln!(std::io::stdout(), "listening on {}", site.origin())?;
    tokio::signal::ctrl_c().await?;
    Ok(())
}
