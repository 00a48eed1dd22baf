//! The allowed imports between crates. The rule is checked with `cargo metadata`, so a forbidden dependency
//! fails here by name.

mod circles;
mod harnesses;
mod names;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;

/// For each crate: the crates of ours it may use, and the crates it may not.
const RULES: &[(&str, &[&str], &[&str])] = &[
    ("toolgate-core", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("toolgate-domain", &["toolgate-core"], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("toolgate-wire", &["toolgate-core"], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    (
        "toolgate-catalog",
        &["toolgate-core", "toolgate-wire"],
        &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-pipeline",
        &["toolgate-core", "toolgate-wire"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest", "uuid", "getrandom"],
    ),
    ("toolgate-policy", &["toolgate-core"], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    (
        "toolgate-proof",
        &["toolgate-core"],
        &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest", "getrandom"],
    ),
    ("toolgate-store", &["toolgate-core", "toolgate-proof"], &["axum", "hyper", "rmcp", "reqwest"]),
    (
        "toolgate-archive",
        &["toolgate-core", "toolgate-store"],
        &["axum", "hyper", "object_store", "sqlx", "rmcp", "reqwest"],
    ),
    ("toolgate-outbound", &["toolgate-core"], &["axum", "sqlx", "rmcp", "reqwest"]),
    (
        "toolgate-courier",
        &["toolgate-core", "toolgate-outbound", "toolgate-store"],
        &["axum", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-models",
        &["toolgate-core", "toolgate-outbound", "toolgate-wire"],
        &["axum", "sqlx", "rmcp", "reqwest"],
    ),
    ("toolgate-sandbox", &["toolgate-core"], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    (
        "toolgate-upstream",
        &["toolgate-core", "toolgate-outbound", "toolgate-sandbox", "toolgate-wire"],
        &["axum", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-edge",
        &[
            "toolgate-core",
            "toolgate-wire",
            "toolgate-catalog",
            "toolgate-discovery",
            "toolgate-pipeline",
            "toolgate-search",
        ],
        &["axum", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-engine",
        &["toolgate-core", "toolgate-files", "toolgate-sandbox", "toolgate-wire"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    ("toolgate-search", &["toolgate-core"], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("sentence-encoder", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("connector-file", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("docir", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("engine-protocol", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("language-codes", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("mail-text", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("manifest-tree", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("oci-archive", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("openapi-tools", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("schema-words", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    ("damage", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    (
        "toolgate-discovery",
        &["toolgate-core", "toolgate-wire", "toolgate-catalog", "toolgate-search"],
        &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-sessions",
        &["toolgate-core", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-files",
        &["toolgate-core", "toolgate-outbound", "toolgate-store", "toolgate-wire"],
        &["axum", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-runs",
        &["toolgate-core", "toolgate-domain", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-tasks",
        &["toolgate-core", "toolgate-domain", "toolgate-runs", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-agents",
        &["toolgate-core", "toolgate-runs", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-platform",
        &["toolgate-core", "toolgate-domain", "toolgate-files", "toolgate-runs"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-substrate",
        &["toolgate-core", "toolgate-domain", "toolgate-files", "toolgate-pipeline", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-schema",
        &["toolgate-core", "toolgate-domain", "toolgate-files", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-work",
        &["toolgate-core", "toolgate-runs", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-documents",
        &[
            "toolgate-core",
            "toolgate-domain",
            "toolgate-engine",
            "toolgate-files",
            "toolgate-store",
            "toolgate-substrate",
            "toolgate-work",
        ],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-index",
        &[
            "toolgate-core",
            "toolgate-documents",
            "toolgate-domain",
            "toolgate-engine",
            "toolgate-files",
            "toolgate-store",
            "toolgate-substrate",
            "toolgate-work",
        ],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-knowledge",
        &["toolgate-core", "toolgate-domain", "toolgate-search", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest", "tokio"],
    ),
    (
        "toolgate-claims",
        &[
            "toolgate-core",
            "toolgate-documents",
            "toolgate-domain",
            "toolgate-files",
            "toolgate-runs",
            "toolgate-store",
            "toolgate-substrate",
        ],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-connectors",
        &[
            "toolgate-core",
            "toolgate-domain",
            "toolgate-pipeline",
            "toolgate-runs",
            "toolgate-store",
            "toolgate-substrate",
            "toolgate-work",
        ],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-registry",
        &["toolgate-core", "toolgate-catalog", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-credentials",
        &["toolgate-core", "toolgate-outbound", "toolgate-store"],
        &["axum", "sqlx", "reqwest"],
    ),
    (
        "toolgate-api",
        &[
            "toolgate-core",
            "toolgate-archive",
            "toolgate-catalog",
            "toolgate-discovery",
            "toolgate-files",
            "toolgate-pipeline",
            "toolgate-proof",
            "toolgate-registry",
            "toolgate-runs",
            "toolgate-search",
            "toolgate-sessions",
            "toolgate-store",
            "toolgate-tasks",
        ],
        &["sqlx", "rmcp", "reqwest"],
    ),
    // A page has exactly the rights of its visitor's token over REST, since there is nothing else it could
    // ask.
    ("toolgate-console", &["toolgate-core"], &["hyper", "sqlx", "rmcp", "reqwest"]),
];

/// The allowed dependencies of the capability servers: for each package under `servers/`, the crates of ours
/// it may use. They are independent programs that know the gateway by its protocol alone, so no part of it is
/// here. Shared code is in `libraries/`.
const SERVERS: &[(&str, &[&str])] = &[
    ("capability-kit", &[]),
    ("capability-browser", &["capability-kit"]),
    ("capability-documents", &[]),
    ("capability-ocr", &[]),
    ("capability-speech", &[]),
    ("capability-subtitles", &[]),
    ("capability-typeset", &[]),
    ("capability-testkit", &[]),
    ("capability-language", &[]),
    // No MCP server: the gateway starts it and speaks to it in lines of its own.
    (
        "capability-engine",
        &["capability-kit", "capability-documents", "capability-language", "capability-ocr"],
    ),
    ("doc-parser-mcp", &["capability-kit", "capability-documents", "capability-ocr"]),
    ("image-ocr-mcp", &["capability-kit", "capability-ocr"]),
    ("text-analysis-mcp", &["capability-kit", "capability-language"]),
    (
        "resume-profile-mcp",
        &[
            "capability-kit",
            "capability-documents",
            "capability-language",
            "capability-ocr",
            "capability-typeset",
        ],
    ),
    // The scorer and the lists of skills and places are those of resumes.
    ("job-search-mcp", &["capability-kit", "capability-documents", "resume-profile-mcp"]),
    ("job-app-mcp", &["capability-kit"]),
    ("connectors-mcp", &["capability-kit"]),
    ("media-transform-mcp", &["capability-kit", "capability-documents", "capability-typeset"]),
    ("social-intelligence-mcp", &["capability-kit", "capability-language", "capability-ocr"]),
    (
        "audit-compliance-mcp",
        &["capability-kit", "capability-documents", "capability-language", "capability-ocr"],
    ),
    ("video-subtitle-mcp", &["capability-kit", "capability-speech", "capability-subtitles"]),
    ("browser-mcp", &["capability-browser", "capability-kit"]),
    (
        "capability-fuzz",
        &[
            "capability-documents",
            "capability-language",
            "capability-ocr",
            "capability-speech",
            "capability-subtitles",
            "capability-typeset",
            "audit-compliance-mcp",
            "job-app-mcp",
            "job-search-mcp",
            "resume-profile-mcp",
            "social-intelligence-mcp",
            "damage",
        ],
    ),
    (
        "capability-bench",
        &[
            "capability-documents",
            "capability-language",
            "capability-ocr",
            "capability-speech",
            "capability-subtitles",
            "capability-typeset",
            "audit-compliance-mcp",
            "job-search-mcp",
            "resume-profile-mcp",
            "social-intelligence-mcp",
        ],
    ),
];

/// Foreign crates with one owner, or a few.
const OWNED: &[(&str, &[&str])] = &[
    ("hayro-interpret", &["capability-documents"]),
    ("ort", &["capability-speech"]),
    ("symphonia", &["capability-speech"]),
    ("typst", &["capability-typeset"]),
    ("docx-rs", &["capability-typeset"]),
    // A product with data of its own, indexes outside, and the databases of others, none of which are the gateway's.
    ("sqlx", &["toolgate-store", "job-app-mcp", "capability-engine", "connectors-mcp"]),
    ("tantivy", &["capability-engine"]),
    ("rusqlite", &["toolgate-store"]),
    ("cedar-policy", &["toolgate-policy"]),
    ("jsonschema", &["toolgate-pipeline"]),
    ("axum", &["toolgate-api", "toolgate-console", "capability-kit"]),
    ("croner", &["toolgate-tasks"]),
    ("maud", &["toolgate-console"]),
    ("saphyr-parser", &["openapi-tools"]),
    ("include_dir", &["toolgate-console"]),
    (
        "clap",
        &[
            "toolgate",
            "capability-kit",
            "capability-engine",
            "doc-parser-mcp",
            "image-ocr-mcp",
            "text-analysis-mcp",
            "resume-profile-mcp",
            "media-transform-mcp",
            "social-intelligence-mcp",
            "audit-compliance-mcp",
            "video-subtitle-mcp",
            "job-app-mcp",
            "browser-mcp",
            "connectors-mcp",
        ],
    ),
    ("rmcp", &["toolgate-credentials", "capability-kit"]),
    ("object_store", &["toolgate-files", "connectors-mcp"]),
    ("parquet", &["toolgate-archive"]),
    ("hyper-rustls", &["toolgate-outbound", "capability-kit"]),
];

/// No shipped crate depends on these.
const TEST_ONLY: &[&str] = &[
    "toolgate-stage",
    "toolgate-testkit",
    "toolgate-bench",
    "damage",
    "toolgate-fuzz",
    "capability-testkit",
    "capability-bench",
    "capability-fuzz",
];

/// The part of `cargo metadata` that the rules need.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    src_path: PathBuf,
    /// Whether it is built as a test of itself.
    test: bool,
}

impl Target {
    fn is(&self, kind: &str) -> bool {
        self.kind.iter().any(|one| one == kind)
    }
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`; absent for a normal one.
    kind: Option<String>,
}

fn packages() -> Vec<Package> {
    // The cargo that runs the tests, or the one on PATH.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let said = Command::new(cargo).args(["metadata", "--format-version", "1", "--no-deps"]).output();
    let said = said.expect("cargo can be run");
    assert!(said.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&said.stderr));
    let metadata: Metadata = serde_json::from_slice(&said.stdout).expect("cargo metadata says JSON");
    metadata.packages
}

fn dependencies() -> BTreeMap<String, Vec<String>> {
    let normal = |dependencies: Vec<Dependency>| {
        let normal = dependencies.into_iter().filter(|one| one.kind.is_none());
        normal.map(|one| one.name).collect()
    };
    packages().into_iter().map(|package| (package.name, normal(package.dependencies))).collect()
}

#[test]
fn every_crate_imports_only_what_it_may() {
    let dependencies = dependencies();
    for &(name, ours, forbidden) in RULES {
        for dependency in &dependencies[name] {
            let foreign = dependency.starts_with("toolgate") && !ours.contains(&dependency.as_str());
            assert!(
                !foreign,
                "{name} may not import {dependency}: see \"who may import whom\" in ARCHITECTURE.md"
            );
            let banned = forbidden.contains(&dependency.as_str());
            assert!(
                !banned,
                "{name} may not depend on {dependency}: see \"who may import whom\" in ARCHITECTURE.md"
            );
        }
    }
}

fn is_of_servers(name: &str) -> bool {
    name.starts_with("capability-") || name.ends_with("-mcp")
}

#[test]
fn capability_servers_and_the_gateway_know_each_other_by_protocol_alone() {
    for (name, dependencies) in dependencies() {
        let is_ours = |one: &&String| one.starts_with("toolgate") || is_of_servers(one);
        let ours: Vec<&String> = dependencies.iter().filter(is_ours).collect();
        if !is_of_servers(&name) {
            assert!(!ours.iter().any(|one| is_of_servers(one)), "{name} may not import {ours:?}");
            continue;
        }
        let (_, allowed) =
            SERVERS.iter().find(|(package, _)| *package == name).expect("every package has its line");
        for one in ours {
            assert!(
                allowed.contains(&one.as_str()),
                "{name} may not import {one}: see \"Capability servers\" in ARCHITECTURE.md"
            );
        }
    }
}

#[test]
fn owned_crates_stay_with_their_owners() {
    for (name, dependencies) in dependencies() {
        for &(owned, owners) in OWNED {
            let allowed = owners.contains(&name.as_str()) || TEST_ONLY.contains(&name.as_str());
            assert!(
                allowed || !dependencies.iter().any(|one| one == owned),
                "{owned} belongs to {}, not to {name}",
                owners.join(" and ")
            );
        }
        let ships = !TEST_ONLY.contains(&name.as_str());
        for test_only in TEST_ONLY.iter().filter(|_| ships) {
            assert!(
                !dependencies.iter().any(|one| one == test_only),
                "{name} ships and may not depend on {test_only}"
            );
        }
    }
}

#[test]
fn every_crate_says_what_it_is_for() {
    for package in packages() {
        let readme = package.manifest_path.with_file_name("README.md");
        let text = std::fs::read_to_string(&readme).unwrap_or_default();
        assert!(
            text.contains("Lives here:") && text.contains("Does not live here:"),
            "{} has no README that says what lives there",
            package.name
        );
    }
}
