//! Versions: what a build leaves, what it does not, and what goes on beside it.

use super::world::{TestDocument, World, connect, corpus, hybrid, on_both_servers};
use crate::port::Engine;

on_both_servers!(
    old_versions_stay_searchable,
    a_reverted_corpus_goes_on_from_its_former_index,
    two_builds_of_one_base_both_finish,
    many_small_builds_score_as_one_large_one,
    a_document_that_is_put_twice_is_there_once,
    versions_past_the_newest_are_forgotten,
    an_empty_index_is_searched,
);

fn old_versions_stay_searchable(world: &World) {
    let first = world.build("acme/one", None, &corpus(6), &[]);
    let changed = [TestDocument::new("docs/wing/0.txt", &["A rudder instead"])];
    let second = world.build("acme/one", Some(&first), &changed, &["docs/hull/1.txt", "unknown"]);
    assert_eq!((second.documents, second.chunks), (5, 5));
    assert_ne!(first.files, second.files);
    assert_eq!(world.paths(&[("one", &first)], "number0 number1").len(), 2);
    assert_eq!(world.paths(&[("one", &second)], "number0 number1"), [""; 0]);
    assert_eq!(world.paths(&[("one", &second)], "rudder"), ["docs/wing/0.txt"]);
    assert_eq!(world.paths(&[("one", &first)], "rudder"), [""; 0]);
    // Another engine on the same database and contents finds the same.
    let other = connect(&world.database, &world.contents).unwrap();
    for listing in [&first, &second] {
        other.check(listing).unwrap();
    }
}

fn a_reverted_corpus_goes_on_from_its_former_index(world: &World) {
    let begun = |base| world.try_begin("acme/one", base, &hybrid()).unwrap();
    let mut build = begun(None);
    corpus(6).iter().for_each(|document| document.put(&mut *build));
    let first = build.finish().unwrap();
    let mut build = begun(Some(&first));
    TestDocument::new("lost", &["A rudder"]).put(&mut *build);
    let second = build.finish().unwrap();
    let mut build = begun(Some(&first));
    TestDocument::new("found", &["A keel"]).put(&mut *build);
    let third = build.finish().unwrap();
    assert_eq!((third.documents, third.chunks, &third.model), (7, 7, &first.model));
    assert_eq!(world.paths(&[("one", &third)], "rudder keel number4"), ["found", "docs/hull/4.txt"]);
    assert_eq!(world.paths(&[("one", &second)], "rudder keel"), ["lost"]);
    world.engine.check(&third).unwrap();
    let whole = world.build(
        "acme/two",
        None,
        &[corpus(6), vec![TestDocument::new("found", &["A keel"])]].concat(),
        &[],
    );
    let scores = |listing| world.scores(&[("one", listing)], "wing of number3");
    assert_eq!(scores(&third), scores(&whole), "a copy scores as the original");
}

fn two_builds_of_one_base_both_finish(world: &World) {
    let base = world.build("acme/one", None, &corpus(3), &[]);
    let mut one = world.begin("acme/one", Some(&base));
    let mut other = world.begin("acme/one", Some(&base));
    TestDocument::new("one", &["rudder"]).put(&mut *one);
    TestDocument::new("other", &["rudder"]).put(&mut *other);
    let (other, one) = (other.finish().unwrap(), one.finish().unwrap());
    assert_eq!(world.paths(&[("one", &one)], "rudder"), ["one"]);
    assert_eq!(world.paths(&[("one", &other)], "rudder"), ["other"]);
    assert_eq!(world.paths(&[("one", &base)], "rudder"), [""; 0]);
}

fn many_small_builds_score_as_one_large_one(world: &World) {
    let all = corpus(10);
    let whole = world.build("acme/whole", None, &all, &[]);
    let mut small = world.build("acme/small", None, &[], &[]);
    for document in &all {
        // Each document is there in an older form before.
        let older = TestDocument { texts: vec!["wing wing number3".to_owned()], ..document.clone() };
        let mut build = world.begin("acme/small", Some(&small));
        older.put(&mut *build);
        document.put(&mut *build);
        small = build.finish().unwrap();
    }
    let scores = |listing| world.scores(&[("x", listing)], "wing vessel number3 held");
    assert_eq!(scores(&small), scores(&whole));
    let rows = "DO $$ BEGIN ASSERT (SELECT max(segments) FROM (SELECT count(*) AS segments \
        FROM toolgate_engine.segments GROUP BY line) AS s) < 8; END $$";
    world.database.run(rows);
    world.engine.check(&small).unwrap();
}

fn a_document_that_is_put_twice_is_there_once(world: &World) {
    let mut build = world.begin("acme/one", None);
    TestDocument::new("a", &["rudder"]).put(&mut *build);
    TestDocument::new("b", &["rudder"]).put(&mut *build);
    TestDocument::new("a", &["keel", "keel again"]).put(&mut *build);
    build.drop_document("b").unwrap();
    build.drop_document("b").unwrap();
    let listing = build.finish().unwrap();
    assert_eq!((listing.documents, listing.chunks), (1, 2));
    assert_eq!(world.paths(&[("one", &listing)], "rudder keel"), ["a", "a"]);
}

fn versions_past_the_newest_are_forgotten(world: &World) {
    let first = world.build("acme/one", None, &corpus(2), &[]);
    let second = world.build("acme/one", Some(&first), &[], &["docs/wing/0.txt"]);
    world.database.run("UPDATE toolgate_engine.versions SET finished_at = now() - interval '2 hours'");
    let third = world.build("acme/one", Some(&second), &[TestDocument::new("c", &["keel"])], &[]);
    world.engine.check(&first).unwrap();
    // As if there had been many builds since.
    world.database.run(
        "INSERT INTO toolgate_engine.versions SELECT line, version + n, documents, chunks, end_document, end_chunk, words, \
         finished_at - interval '90 minutes' FROM toolgate_engine.versions, generate_series(1, 70) AS n WHERE version = 3",
    );
    world.database.run("UPDATE toolgate_engine.versions SET version = version + 1000 WHERE version = 3");
    let other = world.build("acme/other", None, &corpus(2), &[]);
    let newest = world.build("acme/one", Some(&renumbered(world, &third, 1003)), &[], &[]);
    assert!(world.engine.check(&first).is_err(), "it is forgotten");
    let rows = "DO $$ BEGIN ASSERT (SELECT count(*) FROM toolgate_engine.passages AS p JOIN toolgate_engine.lines AS l \
        ON l.id = p.line WHERE l.name = 'acme/one') = 2; END $$";
    world.database.run(rows);
    for listing in [&newest, &other] {
        world.engine.check(listing).unwrap();
    }
    assert_eq!(world.paths(&[("one", &newest)], "number0 number1 keel").len(), 2);
}

/// The same listing with another number of its version.
fn renumbered(
    world: &World,
    listing: &engine_protocol::IndexListing,
    version: i64,
) -> engine_protocol::IndexListing {
    let bytes = world.contents.read(&listing.files[0].content).unwrap();
    let mut name: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    name["version"] = version.into();
    let mut listing = listing.clone();
    listing.files[0].content = world.contents.put_bytes(name.to_string().as_bytes()).unwrap();
    listing
}

fn an_empty_index_is_searched(world: &World) {
    let listing = world.build("acme/one", None, &[TestDocument::new("empty", &[])], &[]);
    assert_eq!((listing.documents, listing.chunks), (1, 0));
    assert_eq!(world.paths(&[("one", &listing)], "wing"), [""; 0]);
    let more = world.build("acme/one", Some(&listing), &corpus(1), &["empty"]);
    assert_eq!((more.documents, more.chunks), (1, 1));
}
