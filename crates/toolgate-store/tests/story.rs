//! What the store promises, told on real folders.

use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tempfile::TempDir;
use toolgate_core::server::{Era, Listing, ServerHealth, ServerState};
use toolgate_core::{PrincipalId, RawJson, Role, ServerName};
use toolgate_store::{Counts, Others, Store, StoreError};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

async fn open(folder: &TempDir) -> Store {
    Store::open(folder.path()).await.expect("the store opens")
}

fn name(name: &str) -> ServerName {
    ServerName::new(name).expect("a legal name")
}

fn raw(text: &'static str) -> RawJson {
    RawJson::parse(Bytes::from_static(text.as_bytes())).expect("JSON")
}

/// Asks until `fits`, for as long as a change elsewhere may take.
async fn within_a_second(what: &str, mut fits: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !fits().await {
        assert!(start.elapsed() <= Duration::from_millis(1_050), "{what} took more than a second");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

mod tokens {
    use super::*;

    #[tokio::test]
    async fn a_token_opens_the_door_until_it_is_revoked() {
        let folder = folder();
        let store = open(&folder).await;
        let token = store.create_token(Role::Agent, Some("laptop")).await.expect("created");
        assert!(token.id.starts_with("tok_") && token.secret.starts_with("tg_agent_"), "{token:?}");
        assert_eq!(token.secret.len(), "tg_agent_".len() + 43);

        let principal = store.verify(&token.secret).await.expect("asked").expect("known");
        assert_eq!(principal.id, PrincipalId::new(&token.id));
        assert_eq!(principal.role, Role::Agent);

        let revoked = store.revoke_token(&token.id).await.expect("revoked");
        assert!(revoked.revoked_at_ms.is_some());
        assert_eq!(store.verify(&token.secret).await.expect("asked"), None);
        assert_eq!(store.list_tokens().await.expect("listed"), std::slice::from_ref(&revoked));
        assert_eq!(store.revoke_token(&token.id).await.expect("again"), revoked);
    }

    #[tokio::test]
    async fn the_cache_answers_without_waiting() {
        let folder = folder();
        let store = open(&folder).await;
        let token = store.create_token(Role::Admin, None).await.expect("created");
        assert_eq!(store.check_cached(&token.secret), None);
        let principal = store.verify(&token.secret).await.expect("asked");
        assert_eq!(store.check_cached(&token.secret), Some(principal));

        let wrong = format!("tg_admin_{}", "x".repeat(43));
        assert_eq!(store.check_cached(&wrong), None);
        assert_eq!(store.verify(&wrong).await.expect("asked"), None);
        assert_eq!(store.check_cached(&wrong), Some(None));
    }

    #[tokio::test]
    async fn what_has_not_the_form_of_a_token_is_refused_at_once() {
        let folder = folder();
        let store = open(&folder).await;
        for garbage in ["", "tg_", "tg_agent_", "tg_root_xxx", "Bearer x", "tg_agent_short", "\u{1F600}"] {
            assert_eq!(store.check_cached(garbage), Some(None), "{garbage:?}");
            assert_eq!(store.verify(garbage).await.expect("asked"), None, "{garbage:?}");
        }
    }

    #[tokio::test]
    async fn what_another_process_does_takes_effect_within_a_second() {
        let folder = folder();
        let (gateway, cli) = (open(&folder).await, open(&folder).await);
        let token = cli.create_token(Role::Agent, None).await.expect("created");
        let accepted = async || gateway.verify(&token.secret).await.expect("asked").is_some();
        within_a_second("a new token", accepted).await;
        assert!(gateway.check_cached(&token.secret).is_some());
        cli.revoke_token(&token.id).await.expect("revoked");
        within_a_second("a revoked token", async || !accepted().await).await;
    }

    #[tokio::test]
    async fn a_token_is_found_by_label_or_by_the_beginning_of_its_id() {
        let folder = folder();
        let store = open(&folder).await;
        let first = store.create_token(Role::Agent, Some("laptop")).await.expect("created");
        let second = store.create_token(Role::Agent, Some("laptop")).await.expect("created");
        let third = store.create_token(Role::Agent, Some("server")).await.expect("created");

        let ambiguous = store.revoke_token("laptop").await.expect_err("two have this label");
        assert_eq!(
            ambiguous.to_string(),
            format!("\"laptop\" fits several tokens: {}, {}", first.id, second.id)
        );
        let ambiguous = store.revoke_token("tok_0").await.expect_err("all ids begin so");
        assert!(matches!(ambiguous, StoreError::TokenAmbiguous { ids, .. } if ids.len() == 3));
        for unknown in ["desktop", "tok_", "", "tok_zzz", &third.secret] {
            let error = store.revoke_token(unknown).await.expect_err("no such token");
            assert!(matches!(error, StoreError::TokenUnknown { .. }), "{unknown:?}: {error}");
        }

        store.revoke_token(&first.id[..first.id.len() - 1]).await.expect("unique but for its last digit");
        assert_eq!(store.revoke_token("laptop").await.expect("one is left").id, second.id);
        assert_eq!(store.revoke_token("server").await.expect("by label").id, third.id);
    }

    #[tokio::test]
    async fn the_first_start_makes_one_token_of_each_role_and_only_the_first() {
        let folder = folder();
        let stores = [open(&folder).await, open(&folder).await, open(&folder).await];
        let mut made = Vec::new();
        for start in stores.clone().map(|store| tokio::spawn(async move { store.first_start_tokens().await }))
        {
            made.extend(start.await.expect("no panic").expect("no error"));
        }
        let mut roles: Vec<_> = made.iter().map(|token| token.role.as_str()).collect();
        roles.sort_unstable();
        assert_eq!(roles, ["admin", "agent"]);
        for token in &made {
            assert!(stores[2].verify(&token.secret).await.expect("asked").is_some());
            stores[0].revoke_token(&token.id).await.expect("revoked");
        }
        assert_eq!(stores[1].first_start_tokens().await.expect("asked"), []);
    }

    #[tokio::test]
    async fn the_first_start_makes_what_was_not_made_before_it() {
        let folder = folder();
        let store = open(&folder).await;
        let early = store.create_token(Role::Agent, None).await.expect("created");
        store.revoke_token(&early.id).await.expect("revoked");
        let made = store.first_start_tokens().await.expect("asked");
        assert_eq!(made.iter().map(|token| token.role).collect::<Vec<_>>(), [Role::Admin]);
    }

    #[tokio::test]
    async fn no_secret_is_stored_in_clear() {
        let folder = folder();
        let store = open(&folder).await;
        let [one, other] = &store.first_start_tokens().await.expect("asked")[..] else {
            panic!("a new folder")
        };
        let label = store.create_token(Role::Agent, Some("findable label")).await.expect("created");
        let mut files = 0;
        let mut found_label = false;
        for entry in std::fs::read_dir(folder.path()).expect("listed") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("read");
            files += 1;
            found_label |= contains(&bytes, b"findable label");
            for token in [one, other, &label] {
                let random =
                    token.secret.rsplit_once("nt_").or(token.secret.rsplit_once("in_")).expect("a secret").1;
                assert!(!contains(&bytes, random.as_bytes()));
            }
            assert!(!contains(&bytes, b"tg_agent_") && !contains(&bytes, b"tg_admin_"));
        }
        assert!(files >= 2 && found_label, "the search itself works");
        assert!(!format!("{one:?}").contains(&one.secret));
    }

    fn contains(bytes: &[u8], needle: &[u8]) -> bool {
        bytes.windows(needle.len()).any(|window| window == needle)
    }
}

mod servers {
    use super::*;

    fn healthy() -> ServerState {
        ServerState {
            health: ServerHealth::Healthy,
            reason: None,
            era: Some(Era::Modern),
            protocol_version: Some("2026-07-28".into()),
            transport: Some("streamable-http"),
            pid: Some(4_000_000_000),
            restarts: 3,
        }
    }

    #[tokio::test]
    async fn the_era_is_remembered_for_one_configuration() {
        let folder = folder();
        let store = open(&folder).await;
        let git = name("git");
        assert_eq!(store.remembered_era(&git, "a").await.expect("asked"), None);
        store.remember_era(&git, "a", Era::Legacy, "2025-06-18").await.expect("kept");
        assert_eq!(
            store.remembered_era(&git, "a").await.expect("asked"),
            Some((Era::Legacy, "2025-06-18".into()))
        );
        assert_eq!(store.remembered_era(&git, "b").await.expect("asked"), None);
        store.remember_era(&git, "b", Era::Modern, "2026-07-28").await.expect("kept");
        assert_eq!(store.remembered_era(&git, "a").await.expect("asked"), None);
        assert_eq!(
            store.remembered_era(&git, "b").await.expect("asked"),
            Some((Era::Modern, "2026-07-28".into()))
        );
    }

    #[tokio::test]
    async fn the_command_line_reads_what_the_gateway_writes() {
        let folder = folder();
        let (gateway, cli) = (open(&folder).await, open(&folder).await);
        let counts = Counts { tools: 5, prompts: 1, resources: 2 };
        gateway.write_status(&name("b"), &healthy(), counts, 17).await.expect("written");
        let degraded = ServerState {
            health: ServerHealth::Degraded,
            reason: Some("exited with 1".into()),
            ..ServerState::starting()
        };
        gateway
            .write_status(&name("größe"), &ServerState::starting(), Counts::default(), 18)
            .await
            .expect("written");
        gateway.write_status(&name("größe"), &degraded, Counts::default(), 19).await.expect("written");

        let statuses = cli.read_statuses().await.expect("read");
        assert_eq!(statuses.len(), 2);
        assert_eq!((&statuses[0].name, &statuses[0].state), (&name("b"), &healthy()));
        assert_eq!((statuses[0].counts, statuses[0].updated_at_ms), (counts, 17));
        assert_eq!((&statuses[1].name, &statuses[1].state), (&name("größe"), &degraded));
        assert_eq!(statuses[1].updated_at_ms, 19);
    }

    #[tokio::test]
    async fn a_listing_comes_back_byte_for_byte() {
        let folder = folder();
        let store = open(&folder).await;
        let listing = Listing {
            capabilities: Some(raw(r#"{"tools" : {}}"#)),
            server_info: Some(raw(r#"{"name":"x","version":"1","unknown":1.0}"#)),
            instructions: Some("line\n\"two\"".into()),
            tools: vec![raw(r#"{ "name":"b", "n": 1.50e3, "name2":"\u00e9" }"#), raw(r#"{"name":"a"}"#)],
            prompts: vec![raw(r#"{"name":"p"}"#)],
            resources: vec![raw(r#"{"uri":"file:///x"}"#)],
            templates: vec![raw(r#"{"uriTemplate":"file:///{x}"}"#)],
        };
        store.write_listing(&name("git"), "a", &listing).await.expect("written");
        drop(store);
        let store = open(&folder).await;
        assert_eq!(store.read_listing(&name("git"), "a").await.expect("read"), Some(listing.clone()));
        assert_eq!(store.read_listing(&name("git"), "other").await.expect("read"), None);
        assert_eq!(store.read_listing(&name("hg"), "a").await.expect("read"), None);
        let all = store.read_listings().await.expect("read");
        assert_eq!((all.len(), &all[0].listing, &*all[0].fingerprint), (1, &listing, "a"));
        assert_eq!(Counts::of(&listing), Counts { tools: 2, prompts: 1, resources: 2 });

        let empty = Listing::default();
        store.write_listing(&name("git"), "b", &empty).await.expect("written");
        assert_eq!(store.read_listing(&name("git"), "b").await.expect("read"), Some(empty));
    }

    #[tokio::test]
    async fn standard_error_is_kept() {
        let folder = folder();
        let store = open(&folder).await;
        assert!(store.read_stderr(&name("git")).await.expect("read").is_empty());
        let lines = ["one".to_owned(), String::new(), "three".to_owned()];
        store.write_stderr(&name("git"), &lines).await.expect("written");
        assert_eq!(store.read_stderr(&name("git")).await.expect("read"), lines);
    }

    #[tokio::test]
    async fn servers_that_are_no_longer_configured_are_forgotten() {
        let folder = folder();
        let store = open(&folder).await;
        for server in ["kept", "gone"].map(name) {
            store.remember_era(&server, "f", Era::Legacy, "v").await.expect("kept");
            store.write_status(&server, &healthy(), Counts::default(), 1).await.expect("written");
            store.write_listing(&server, "f", &Listing::default()).await.expect("written");
            store.write_stderr(&server, &["x".into()]).await.expect("written");
        }
        store.keep_only_servers(&[name("kept"), name("new")]).await.expect("forgotten");
        let statuses = store.read_statuses().await.expect("read");
        assert_eq!(statuses.iter().map(|status| &status.name).collect::<Vec<_>>(), [&name("kept")]);
        assert!(store.remembered_era(&name("kept"), "f").await.expect("read").is_some());
        assert!(store.read_listing(&name("kept"), "f").await.expect("read").is_some());
        assert!(store.remembered_era(&name("gone"), "f").await.expect("read").is_none());
        assert!(store.read_listing(&name("gone"), "f").await.expect("read").is_none());
        assert!(store.read_stderr(&name("gone")).await.expect("read").is_empty());
        store.keep_only_servers(&[]).await.expect("forgotten");
        assert!(store.read_statuses().await.expect("read").is_empty());
    }
}

mod folders {
    use super::*;

    #[tokio::test]
    async fn the_sealing_key_is_made_once() {
        let folder = folder();
        let (first, second) = (open(&folder).await, open(&folder).await);
        let key = first.sealing_key().await.expect("made");
        assert_ne!(key, [0; 32]);
        assert_eq!(second.sealing_key().await.expect("read"), key);
        let other = super::folder();
        assert_ne!(open(&other).await.sealing_key().await.expect("made"), key);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_folder_and_its_files_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let parent = folder();
        let data = parent.path().join("deep/data");
        let store = Store::open(&data).await.expect("opened");
        store.create_token(Role::Agent, None).await.expect("created");
        let mode = |path: &Path| std::fs::metadata(path).expect("is there").permissions().mode() & 0o777;
        assert_eq!(mode(&data), 0o700);
        assert_eq!(Others::of(&data), Others::Nothing);
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

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn many_opening_a_new_folder_at_once_all_succeed() {
        let folder = folder();
        let path = folder.path().to_owned();
        let opening: Vec<_> = (0..8)
            .map(|_| {
                let path = path.clone();
                tokio::spawn(async move {
                    Store::open(&path).await.expect("opened").sealing_key().await.expect("read")
                })
            })
            .collect();
        let mut keys = Vec::new();
        for task in opening {
            keys.push(task.await.expect("no panic"));
        }
        keys.dedup();
        assert_eq!(keys.len(), 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn writers_wait_for_each_other() {
        let folder = folder();
        let mut writers = Vec::new();
        for writer in 0..4 {
            let store = open(&folder).await;
            writers.push(tokio::spawn(async move {
                for step in 0..25 {
                    let server = name(&format!("s{writer}-{step}"));
                    store
                        .write_status(&server, &ServerState::starting(), Counts::default(), step)
                        .await
                        .expect("status");
                    store.create_token(Role::Agent, None).await.expect("token");
                    store.first_start_tokens().await.expect("transaction");
                }
            }));
        }
        for writer in writers {
            writer.await.expect("no writer fails");
        }
        let store = open(&folder).await;
        assert_eq!(store.list_tokens().await.expect("listed").len(), 101, "and the first admin");
        assert_eq!(store.read_statuses().await.expect("read").len(), 100);
    }

    #[test]
    fn it_is_known_what_others_may_do() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder();
        for (mode, others) in [(0o700, Others::Nothing), (0o755, Others::Look), (0o770, Others::Change)] {
            std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).expect("ours");
            assert_eq!(Others::of(folder.path()), others, "{mode:o}");
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
}
