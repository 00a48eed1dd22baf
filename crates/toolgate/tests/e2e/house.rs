//! Who may import whom. The rule is read off `cargo metadata`, so a forbidden dependency fails here by name.

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, MetadataCommand};

/// For each crate: the crates of ours it may use, and the crates it may not.
const RULES: [(&str, &[&str], &[&str]); 19] = [
    ("toolgate-core", &[], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
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
    ("toolgate-store", &["toolgate-core"], &["axum", "hyper", "rmcp", "reqwest"]),
    ("toolgate-courier", &["toolgate-core", "toolgate-store"], &["axum", "sqlx", "rmcp", "reqwest"]),
    ("toolgate-upstream", &["toolgate-core", "toolgate-wire"], &["axum", "sqlx", "rmcp", "reqwest"]),
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
    ("toolgate-search", &["toolgate-core"], &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    (
        "toolgate-encoder",
        &["toolgate-core", "toolgate-search"],
        &["tokio", "axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
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
        &["toolgate-core", "toolgate-store", "toolgate-wire"],
        &["axum", "sqlx", "rmcp", "reqwest"],
    ),
    ("toolgate-runs", &["toolgate-core", "toolgate-store"], &["axum", "hyper", "sqlx", "rmcp", "reqwest"]),
    (
        "toolgate-platform",
        &["toolgate-core", "toolgate-files", "toolgate-runs"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    (
        "toolgate-registry",
        &["toolgate-core", "toolgate-catalog", "toolgate-store"],
        &["axum", "hyper", "sqlx", "rmcp", "reqwest"],
    ),
    ("toolgate-credentials", &["toolgate-core", "toolgate-store"], &["axum", "sqlx", "reqwest"]),
    (
        "toolgate-api",
        &[
            "toolgate-core",
            "toolgate-wire",
            "toolgate-catalog",
            "toolgate-discovery",
            "toolgate-files",
            "toolgate-pipeline",
            "toolgate-registry",
            "toolgate-runs",
            "toolgate-search",
            "toolgate-sessions",
            "toolgate-store",
        ],
        &["sqlx", "rmcp", "reqwest"],
    ),
];

/// Crates that belong to one room, or to a few.
const OWNED: [(&str, &[&str]); 10] = [
    ("sqlx", &["toolgate-store"]),
    ("cedar-policy", &["toolgate-policy"]),
    ("jsonschema", &["toolgate-pipeline"]),
    ("axum", &["toolgate-api"]),
    ("clap", &["toolgate"]),
    ("rmcp", &["toolgate-credentials"]),
    ("candle-core", &["toolgate-encoder"]),
    ("governor", &["toolgate-upstream"]),
    ("object_store", &["toolgate-files"]),
    ("hyper-rustls", &["toolgate-upstream", "toolgate-courier", "toolgate-credentials", "toolgate-files"]),
];

/// Nothing that ships depends on these.
const TEST_ONLY: [&str; 2] = ["toolgate-testkit", "toolgate-bench"];

fn dependencies() -> BTreeMap<String, Vec<String>> {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    let normal = |package: &cargo_metadata::Package| {
        let dependencies = package.dependencies.iter().filter(|one| one.kind == DependencyKind::Normal);
        dependencies.map(|one| one.name.to_string()).collect()
    };
    metadata.packages.iter().map(|package| (package.name.to_string(), normal(package))).collect()
}

#[test]
fn every_crate_imports_only_what_it_may() {
    let dependencies = dependencies();
    for (name, ours, forbidden) in RULES {
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

#[test]
fn owned_crates_stay_with_their_owners() {
    for (name, dependencies) in dependencies() {
        for (owned, owners) in OWNED {
            let allowed = owners.contains(&name.as_str()) || TEST_ONLY.contains(&name.as_str());
            assert!(
                allowed || !dependencies.iter().any(|one| one == owned),
                "{owned} belongs to {}, not to {name}",
                owners.join(" and ")
            );
        }
        for test_only in TEST_ONLY {
            assert!(
                !dependencies.iter().any(|one| one == test_only),
                "{name} ships and may not depend on {test_only}"
            );
        }
    }
}

#[test]
fn every_crate_says_what_it_is_for() {
    for name in dependencies().keys() {
        let readme = format!("{}/../{name}/README.md", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&readme).unwrap_or_default();
        assert!(
            text.contains("Lives here:") && text.contains("Does not live here:"),
            "{name} has no README that says what lives there"
        );
    }
}
