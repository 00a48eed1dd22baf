//! Faults: of rows, of listings, of connections, and of a database that lacks something.

use engine_protocol::EngineErrorCode;
use toolgate_stage::postgres::shared_server;

use super::world::{
    MODEL, TestDocument, World, connect, corpus, hybrid, on_both_servers, parts, profile, search,
};
use crate::port::Engine;
use crate::postgres::PostgresEngine;

on_both_servers!(
    a_lost_connection_ends_a_build_and_nothing_else,
    missing_rows_are_named,
    a_listing_that_does_not_fit_is_refused,
    tables_of_a_newer_engine_are_left_alone,
    the_database_says_what_it_lacks,
    a_user_without_rights_is_told_which,
);

fn a_lost_connection_ends_a_build_and_nothing_else(world: &World) {
    let base = world.build("acme/one", None, &corpus(3), &[]);
    let mut build = world.begin("acme/one", Some(&base));
    TestDocument::new("lost", &["rudder"]).put(&mut *build);
    world.database.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'toolgate-engine' \
         AND datname = current_database() AND pid <> pg_backend_pid()",
    );
    assert_eq!(build.finish().unwrap_err().code, EngineErrorCode::Internal);
    let next = world.build("acme/one", Some(&base), &[TestDocument::new("kept", &["rudder"])], &[]);
    assert_eq!(world.paths(&[("one", &next)], "rudder"), ["kept"]);
    world.database.run("DO $$ BEGIN ASSERT (SELECT count(*) FROM toolgate_engine.documents) = 4; END $$");
}

fn missing_rows_are_named(world: &World) {
    let listing = world.build("acme/one", None, &corpus(3), &[]);
    world.engine.check(&listing).unwrap();
    let damages = [
        ("DELETE FROM toolgate_engine.postings WHERE term = 'vessel'", "segment 1"),
        ("DELETE FROM toolgate_engine.passages WHERE chunk = 1", "2 of 3 passages"),
        ("DELETE FROM toolgate_engine.versions", "no more"),
    ];
    for (damage, named) in damages {
        world.database.run(damage);
        let fault = world.engine.check(&listing).unwrap_err();
        assert_eq!(fault.code, EngineErrorCode::Damaged);
        assert!(fault.message.contains(named) && fault.message.contains("postgres.json"), "{fault:?}");
    }
    let fault = world.engine.search(&search(&[("one", &listing)], "wing"), &parts("wing")).unwrap_err();
    assert_eq!(fault.code, EngineErrorCode::Damaged);
    // Built again, it is whole.
    let again = world.build("acme/one", None, &corpus(3), &[]);
    assert_eq!(world.paths(&[("one", &again)], "vessel").len(), 3);
}

fn a_listing_that_does_not_fit_is_refused(world: &World) {
    let listing = world.build("acme/one", None, &corpus(3), &[]);
    let begin =
        |base, profile| world.try_begin("acme/one", Some(base), profile).err().map(|fault| fault.code);
    let other = engine_protocol::Profile { version: 2, ..profile() };
    assert_eq!(begin(&listing, &other), Some(EngineErrorCode::Outdated), "another profile");
    let mut by_meaning = listing.clone();
    by_meaning.model = Some("another model".to_owned());
    assert_eq!(begin(&by_meaning, &hybrid()), Some(EngineErrorCode::Outdated), "another model");
    let mut newer = listing.clone();
    newer.format += 1;
    assert_eq!(world.engine.check(&newer).unwrap_err().code, EngineErrorCode::Outdated, "another form");
    let mut empty = listing.clone();
    empty.files.clear();
    assert_eq!(world.engine.check(&empty).unwrap_err().code, EngineErrorCode::Damaged, "no file");
    let mut missing = listing.clone();
    missing.files[0].content = engine_protocol::ContentId::try_from("0".repeat(64)).unwrap();
    let fault = world.engine.search(&search(&[("one", &missing)], "wing"), &parts("wing")).unwrap_err();
    assert_eq!(
        (fault.code, fault.missing),
        (EngineErrorCode::MissingContents, vec![missing.files[0].content.clone()])
    );
    world.database.run("UPDATE toolgate_engine.facts SET database = 'another'");
    let elsewhere = connect(&world.database, &world.contents).unwrap();
    let fault = elsewhere.check(&listing).unwrap_err();
    assert!(fault.message.contains("another database"), "{fault:?}");
}

fn tables_of_a_newer_engine_are_left_alone(world: &World) {
    world.database.run("UPDATE toolgate_engine.facts SET version = 99");
    let fault = connect(&world.database, &world.contents).err().unwrap();
    assert_eq!(fault.code, EngineErrorCode::Unsupported);
    assert!(fault.message.contains("99"), "{fault:?}");
}

fn the_database_says_what_it_lacks(world: &World) {
    let facts = world.engine.facts();
    assert!(!facts.version.is_empty());
    assert_eq!(facts.vector.is_some(), world.is_extended);
    let lacking = facts.lacking.join("\n");
    assert_eq!(lacking.contains("pgvector is not installed"), !world.is_extended, "{lacking}");
    assert!(lacking.contains("pg_textsearch"), "no extension for BM25 is in a new database: {lacking}");
    if world.is_extended {
        world.database.run("CREATE EXTENSION pg_textsearch");
        let facts = connect(&world.database, &world.contents).unwrap().facts();
        assert_eq!((facts.bm25.as_deref(), facts.lacking.as_slice()), (Some("pg_textsearch"), &[][..]));
    }
}

fn a_user_without_rights_is_told_which(world: &World) {
    let role = format!("reader_{}_{}", std::process::id(), world.is_extended);
    world
        .database
        .run(&format!("DROP SCHEMA toolgate_engine CASCADE; CREATE ROLE {role} LOGIN PASSWORD 'x'"));
    let (_, server) = world.database.url.split_once('@').unwrap();
    let url = format!("postgres://{role}:x@{server}");
    let fault = PostgresEngine::connect(&url, world.contents.clone(), None).err();
    world.database.run(&format!("DROP ROLE {role}"));
    let fault = fault.unwrap();
    assert_eq!(fault.code, EngineErrorCode::Unsupported);
    assert!(fault.hint.unwrap().contains("GRANT CREATE"), "{}", fault.message);
}

#[test]
fn an_address_is_never_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let contents = std::sync::Arc::new(crate::contents::Contents::new(folder.path(), 1 << 20).unwrap());
    let (_, server) = shared_server().split_once('@').unwrap();
    let wrong = format!("postgres://toolgate:secret@{server}");
    for url in ["mysql://u:secret@h/d", "postgres://u:secret@h:port/d", &wrong] {
        let fault = PostgresEngine::connect(url, contents.clone(), Some(MODEL.to_owned())).err().unwrap();
        assert!(!format!("{fault:?}").contains("secret") && fault.hint.is_some(), "{fault:?}");
    }
}
