//! Databases on the Postgres of the tests, by `psql` and `script/postgres`.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A database that is dropped when its test is over.
pub struct Database {
    name: String,
    server: String,
    template: String,
    pub url: String,
}

impl Database {
    /// An empty one.
    ///
    /// # Panics
    /// If the server does not answer.
    pub fn create(server: &str) -> Self {
        Self::copy(server, "template1")
    }

    /// One on the server that all tests share, with the tables of the store where `script/test` has prepared them: making them
    /// takes ten times as long as copying them.
    ///
    /// # Panics
    /// If the server does not answer.
    pub fn with_tables() -> Self {
        Self::copy(shared_server(), prepared().unwrap_or("template1"))
    }

    /// Another one of the same kind, unused.
    #[must_use]
    pub fn another(&self) -> Self {
        Self::copy(&self.server, &self.template)
    }

    fn copy(server: &str, template: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // A process of this number may have been killed before it could clean up.
        run(server, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        run(server, &format!("CREATE DATABASE {name} TEMPLATE {template}"));
        let (address, options) = server.split_once('?').unwrap_or((server, ""));
        let (address, _) = address.rsplit_once('/').expect("a URL with a database");
        let question = if options.is_empty() { "" } else { "?" };
        Self {
            url: format!("{address}/{name}{question}{options}"),
            server: server.to_owned(),
            template: template.to_owned(),
            name,
        }
    }

    /// The first column of the rows that a query has, a line each.
    ///
    /// # Panics
    /// If the query fails.
    pub fn ask(&self, query: &str) -> String {
        let output =
            Command::new("psql").args(["-qAtX", "-v", "ON_ERROR_STOP=1", "-c", query, &self.url]).output();
        let output = output.expect("psql is part of Postgres");
        assert!(output.status.success(), "{query}: {output:?}");
        String::from_utf8(output.stdout).expect("text").trim().to_owned()
    }

    /// A statement behind the back of whoever uses the database.
    pub fn run(&self, statement: &str) {
        run(&self.url, statement);
    }

    /// The rows of a query, a line each, their columns between `|`.
    ///
    /// # Panics
    /// If the server does not answer.
    pub fn read(&self, query: &str) -> String {
        let output =
            Command::new("psql").args(["-qAt", "-v", "ON_ERROR_STOP=1", "-c", query, &self.url]).output();
        let output = output.expect("psql is part of Postgres");
        assert!(output.status.success(), "{query}: {output:?}");
        String::from_utf8(output.stdout).expect("rows are text")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A stopped server takes its databases with it.
        drop(psql(&self.server, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)));
    }
}

fn psql(url: &str, statement: &str) -> Output {
    let output = Command::new("psql").args(["-q", "-v", "ON_ERROR_STOP=1", "-c", statement, url]).output();
    output.expect("psql is part of Postgres")
}

fn run(url: &str, statement: &str) {
    let output = psql(url, statement);
    assert!(output.status.success(), "{statement}: {output:?}");
}

/// The database with the tables of the store, if there is one.
#[expect(clippy::disallowed_methods, reason = "`script/test` says in the environment how it is called")]
fn prepared() -> Option<&'static str> {
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    NAME.get_or_init(|| std::env::var("TOOLGATE_TEST_TABLES").ok()).as_deref()
}

/// The URL of the server that `script/test` has started, or of one that is started now and stays.
pub fn shared_server() -> &'static str {
    static SERVER: OnceLock<String> = OnceLock::new();
    SERVER.get_or_init(|| server("TOOLGATE_TEST_POSTGRES", &["start"]))
}

/// The same of the server that has the extensions of the engine.
pub fn engine_server() -> &'static str {
    static SERVER: OnceLock<String> = OnceLock::new();
    SERVER.get_or_init(|| server("TOOLGATE_TEST_ENGINE_POSTGRES", &["start", "--engine"]))
}

#[expect(clippy::disallowed_methods, reason = "`script/test` says in the environment where it is")]
fn server(variable: &str, arguments: &[&str]) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        let start = arguments.join(" ");
        eprintln!("{variable} is not set: using a server that `script/postgres {start}` starts and");
        eprintln!("`stop` in place of `start` ends");
        run_script(arguments, None)
    })
}

/// Runs `script/postgres` for the shared server or for one in a folder; returns its output.
///
/// # Panics
/// If there is no Postgres on this machine.
pub fn script(verb: &str, folder: Option<&Path>) -> String {
    run_script(&[verb], folder)
}

fn run_script(arguments: &[&str], folder: Option<&Path>) -> String {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../script/postgres"));
    command.args(arguments);
    if let Some(folder) = folder {
        command.env("TOOLGATE_POSTGRES", folder);
    }
    let output = command.output().expect("the script runs");
    assert!(output.status.success(), "there is no Postgres for the tests: {output:?}");
    String::from_utf8(output.stdout).expect("a URL is text").trim().to_owned()
}
