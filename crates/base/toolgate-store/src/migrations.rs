//! The migrations of a database, step by step. Released steps never change: a database remembers their
//! digests.

use std::borrow::Cow;

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// The steps of one kind of database, from a folder with a file for each.
macro_rules! steps {
    ($folder:literal: $([$zeros:literal $($version:literal $name:literal)+])+) => {
        [$($(MigrationStep {
            version: $version,
            name: $name,
            sql: include_str!(concat!("../migrations/", $folder, "/", $zeros, $version, "_", $name, ".sql")),
        },)+)+]
    };
}

struct MigrationStep {
    version: i64,
    name: &'static str,
    sql: &'static str,
}

/// Every step, in order. Both kinds of database have the same ones.
macro_rules! every_step {
    ($folder:literal) => {
        steps! { $folder:
            ["000" 1 "start" 2 "approvals" 3 "ledger" 4 "registry" 5 "sessions" 6 "files" 7 "runs" 8 "logins"
             9 "call_counts"]
            ["00" 10 "told" 11 "secret_origins" 12 "openers" 13 "lasting" 14 "tokens_and_words" 15 "versions"
             16 "gateways" 17 "ledger_lines" 18 "ledger_salts" 19 "manifests" 20 "pointers" 21 "collection"
             22 "schemas" 23 "run_tools" 24 "agent_loop" 25 "automations" 26 "credentials" 27 "body_places"
             28 "documents" 29 "claims" 30 "figures" 31 "saved_views" 32 "run_keys" 33 "setting_versions"
             34 "outdated_servers" 35 "block_forms"]
        }
    };
}

static SQLITE: &[MigrationStep] = &every_step!("sqlite");
static POSTGRES: &[MigrationStep] = &every_step!("postgres");

pub(crate) fn sqlite() -> Migrator {
    migrator(SQLITE)
}

pub(crate) fn postgres() -> Migrator {
    migrator(POSTGRES)
}

fn migrator(steps: &'static [MigrationStep]) -> Migrator {
    let steps = steps.iter().map(|step| {
        let (name, sql) = (Cow::Borrowed(step.name), step.sql.into_sql_str());
        Migration::new(step.version, name, MigrationType::Simple, sql, false)
    });
    Migrator::with_migrations(steps.collect())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// What Citus and partitions need, in the text that makes the tables. A story looks at the tables themselves.
    #[test]
    fn keys_of_the_ledger_have_the_stream_and_the_day() {
        let text = POSTGRES.iter().find(|step| step.name == "ledger_lines").unwrap().sql;
        let mut keys = 0;
        for table in text.split("CREATE TABLE ").skip(1) {
            let (name, rest) = table.split_once(' ').unwrap();
            let (_, key) = rest.split_once("PRIMARY KEY (").unwrap();
            let (key, end) = key.split_once(')').unwrap();
            let columns: Vec<&str> = key.split(", ").collect();
            let is_by_day = end.starts_with("\n) PARTITION BY RANGE (day);");
            assert!(columns.contains(&"stream"), "{name}: {key}");
            assert_eq!(columns.contains(&"day"), is_by_day, "{name}: {key}");
            assert!(!rest.contains("UNIQUE"), "{name}");
            keys += 1;
        }
        assert_eq!(keys, 5);
    }

    #[test]
    fn every_file_in_a_folder_is_a_step() {
        for (folder, steps) in [("sqlite", SQLITE), ("postgres", POSTGRES)] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(folder);
            let entries = fs::read_dir(&folder).unwrap();
            let mut files: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            files.sort();
            let known: Vec<String> =
                steps.iter().map(|step| format!("{:04}_{}.sql", step.version, step.name)).collect();
            assert_eq!(files, known, "{}", folder.display());
        }
    }
}
