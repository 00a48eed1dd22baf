//! The data folder and the database: opening, upgrading, sharing.

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use toolgate_core::server::ServerState;
use toolgate_core::{Role, ServerName};
use toolgate_store::{ListCounts, NewTokenSpec, OtherUsersAccess, Store, StoreError};

use crate::desk::STREAM;
use crate::world::StoreWorld;

crate::on_both!(
    the_sealing_key_is_made_once,
    many_opening_a_new_folder_at_once_all_succeed,
    writers_wait_for_each_other,
);

/// The checksum of the file in the first version; a change would make every existing folder unusable.
const FIRST_CHECKSUM: &str =
    "3b5f19a8ae6be19daddaa5a5aae665a0ca54c827a74e47cfe14de4e36680d07c2ccfbf1a6a19dba3889e920f4dd2a433";

fn name(name: &str) -> ServerName {
    ServerName::new(name).expect("a legal name")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

async fn open(folder: &TempDir) -> Store {
    Store::open(folder.path()).await.expect("the store opens")
}

async fn the_sealing_key_is_made_once(world: StoreWorld) {
    let (first, second) = (world.open().await, world.open().await);
    let key = first.sealing_key().await.expect("made");
    assert_ne!(key, [0; 32]);
    assert_eq!(second.sealing_key().await.expect("read"), key);
    let other = world.elsewhere();
    assert_ne!(other.open().await.sealing_key().await.expect("made"), key);
}

#[cfg(unix)]
#[tokio::test]
async fn the_folder_and_its_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let parent = folder();
    let data = parent.path().join("deep/data");
    let store = Store::open(&data).await.expect("opened");
    store.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await.expect("created");
    let mode = |path: &Path| std::fs::metadata(path).expect("is there").permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    assert_eq!(OtherUsersAccess::of(&data), OtherUsersAccess::Nothing);
    let mut files = 0;
    for entry in std::fs::read_dir(&data).expect("listed") {
        let path = entry.expect("an entry").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        files += 1;
    }
    assert!(files >= 2);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let parent = folder();
    let file = parent.path().join("file");
    std::fs::write(&file, "").expect("written");
    let error = Store::open(&file.join("data")).await.err().expect("below a file");
    assert!(error.to_string().starts_with("cannot create the data folder "), "{error}");
    assert!(error.to_string().contains(&*file.to_string_lossy()), "{error}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named() {
    let folder = folder();
    std::fs::write(folder.path().join("toolgate.db"), "this is not a database, it is a text file")
        .expect("written");
    let error = Store::open(folder.path()).await.err().expect("no database");
    assert!(
        error.to_string().contains("toolgate.db") && error.to_string().contains("not a database"),
        "{error}"
    );
}

async fn many_opening_a_new_folder_at_once_all_succeed(world: StoreWorld) {
    let world = Arc::new(world);
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let world = Arc::clone(&world);
            tokio::spawn(async move { world.open().await.sealing_key().await.expect("read") })
        })
        .collect();
    let mut keys = Vec::new();
    for task in opening {
        keys.push(task.await.expect("no panic"));
    }
    keys.dedup();
    assert_eq!(keys.len(), 1);
}

async fn writers_wait_for_each_other(world: StoreWorld) {
    let mut writers = Vec::new();
    for writer in 0..4 {
        let store = world.open().await;
        writers.push(tokio::spawn(async move {
            for step in 0..25 {
                let server = name(&format!("s{writer}-{step}"));
                store
                    .write_status(&server, &ServerState::starting(), ListCounts::default(), step)
                    .await
                    .expect("status");
                store.create_token(STREAM, NewTokenSpec::of(Role::Agent)).await.expect("token");
                store.first_start_tokens(STREAM).await.expect("transaction");
            }
        }));
    }
    for writer in writers {
        writer.await.expect("no writer fails");
    }
    let store = world.open().await;
    assert_eq!(store.list_tokens().await.expect("listed").len(), 101, "and the first admin");
    assert_eq!(store.read_statuses().await.expect("read").len(), 100);
}

#[test]
fn it_is_known_what_others_may_do() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    for (mode, others) in [
        (0o700, OtherUsersAccess::Nothing),
        (0o755, OtherUsersAccess::Look),
        (0o770, OtherUsersAccess::Change),
    ] {
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).expect("ours");
        assert_eq!(OtherUsersAccess::of(folder.path()), others, "{mode:o}");
    }
}

#[tokio::test]
async fn a_database_from_a_newer_version_is_refused() {
    let folder = folder();
    open(&folder).await.close().await;
    let path = folder.path().join("toolgate.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let mut connection = sqlx::ConnectOptions::connect(&options).await.expect("opened");
    let insert = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'later', 1, x'00', 1)";
    sqlx::query(insert).execute(&mut connection).await.expect("inserted");
    sqlx::Connection::close(connection).await.expect("closed");
    let error = Store::open(folder.path()).await.err().expect("from the future");
    assert!(matches!(error, StoreError::FromTheFuture { version: 9999, .. }), "{error}");
}

#[tokio::test]
async fn a_folder_of_the_first_version_is_brought_up_to_date() {
    let folder = folder();
    let path = folder.path().join("toolgate.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let mut connection: sqlx::SqliteConnection =
        sqlx::ConnectOptions::connect(&options).await.expect("opened");
    let steps = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/sqlite");
    let first = sqlx::migrate::Migrator::new(steps).await.expect("the steps are read");
    let first = sqlx::migrate::Migrator {
        migrations: first.iter().filter(|one| one.version == 1).cloned().collect::<Vec<_>>().into(),
        ..first
    };
    assert_eq!(hex(&first.iter().next().expect("the first").checksum), FIRST_CHECKSUM);
    first.run(&mut connection).await.expect("migrated");
    let tokens = "INSERT INTO tokens (id, hash, role, created_at_ms) VALUES
        ('tok_1', x'01', 'agent', 1), ('tok_2', x'02', 'admin', 2)";
    sqlx::query(tokens).execute(&mut connection).await.expect("inserted");
    sqlx::Connection::close(connection).await.expect("closed");

    let listed = open(&folder).await.list_tokens().await.expect("listed");
    let kinds: Vec<_> = listed.iter().map(|token| (token.id.as_str(), token.kind)).collect();
    assert_eq!(
        kinds,
        [("tok_1", toolgate_core::PrincipalKind::Agent), ("tok_2", toolgate_core::PrincipalKind::Human)]
    );
    assert!(listed.iter().all(|token| token.principal.is_none() && token.groups.is_empty()));
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_postgres_that_cannot_be_reached_is_named_without_its_password() {
    let folder = folder();
    for url in ["mysql://host/x", "sqlite:x", "postgres://host:port/x", "", "postgres"] {
        let error = Store::open_url(folder.path(), url).await.err().expect("no such database");
        assert!(matches!(error, StoreError::DatabaseUrl { .. }), "{url}: {error}");
    }
    // Nothing listens on a port that was just released.
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound").port();
    let url = format!("postgres://somebody:secret-word@127.0.0.1:{port}/books");
    let error = Store::open_url(folder.path(), &url).await.err().expect("nobody there");
    let told = format!("{error} {error:?}");
    assert!(
        error.to_string().starts_with(&format!("cannot open the database books at 127.0.0.1:{port}")),
        "{error}"
    );
    assert!(!told.contains("secret-word"), "{told}");
}

#[tokio::test]
async fn a_postgres_from_a_newer_version_is_refused() {
    let world = StoreWorld::postgres();
    world.open().await.close().await;
    let insert = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'later', true, '', 1)";
    world.run_on_postgres(insert);
    let error = world.try_open().await.err().expect("from the future");
    assert!(matches!(error, StoreError::FromTheFuture { version: 9999, .. }), "{error}");
}
