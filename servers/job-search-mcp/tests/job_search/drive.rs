//! Starting the server.

use capability_testkit::{Client, server};

pub(crate) async fn start() -> Client {
    Client::start(server(env!("CARGO_BIN_EXE_job-search-mcp"), &[])).await
}

/// An advertisement in English.
pub(crate) const ADVERT: &str = "Senior Platform Engineer (m/f/d)
Northwind Payments Ltd · Berlin, Germany · Full-time

We pay €75,000 – €90,000 per year. Hybrid, two days a week in the office, 40 hours per week.

What you will do
- Run our services on Kubernetes
- Coach two younger colleagues

What you bring
- At least 5 years of experience with Linux
- Rust and PostgreSQL in production
- Fluent English

Nice to have
- Terraform

What we offer
- A training budget of €2,000

Send your CV to jobs@northwind.example by 31 March 2027.
";
