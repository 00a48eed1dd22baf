//! Parsed documents, indexes, profiles and knowledge bases: what is there is found, what changes is in the ledger.

use serde_json::{Value, json};
use toolgate_core::id::{KnowledgeBaseId, RunId};
use toolgate_core::pointer::PointerPath;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, PrincipalId};
use toolgate_store::{
    Actor, Books, INDEX_PROBLEMS_NAMED_MAX, IndexBuildKey, IndexBuildRow, IndexProblem, KnowledgeBaseError,
    KnowledgeBaseWrite, ParsedDocument, ProfileChangeError, ProfilePromotion, Store, StoreError,
};

use crate::desk;
use crate::world::StoreWorld;

crate::on_both!(
    a_document_is_found_by_its_bytes_parser_and_tier,
    a_docir_stays_as_long_as_its_document,
    a_document_whose_bytes_are_gone_is_not_kept,
    a_state_that_comes_back_finds_its_index,
    an_index_that_is_forgotten_is_not_found,
    of_many_promotions_of_a_profile_one_wins,
    a_knowledge_base_is_created_changed_and_deleted,
    of_many_knowledge_bases_of_a_name_one_is_made,
    knowledge_bases_are_listed_newest_first,
    a_change_that_fails_leaves_nothing,
);

const NOW_MS: i64 = 1_790_000_000_000;
const LATER_MS: i64 = NOW_MS + 1;
const WRITERS: u64 = 8;
/// More operations than a step has.
const OPERATIONS_MAX: u64 = 60;

async fn place(world: &StoreWorld) -> (Store, Books) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    (store, books)
}

fn ada() -> Actor {
    Actor::person(&PrincipalId::new("ada"))
}

async fn told(store: &Store) -> Vec<&'static str> {
    desk::ledger(store).await.iter().map(|one| one.event.kind.as_str()).collect()
}

async fn detail(store: &Store) -> Value {
    let event = desk::ledger(store).await.pop().expect("an event").event;
    event.detail.expect("a detail").decode().expect("JSON")
}

async fn touch(store: &Store, content: &str) {
    store.touch_blob(&Digest::of(content), 5, NOW_MS).await.expect("touched");
}

fn parsed(content: &str, docir: &str) -> ParsedDocument {
    ParsedDocument {
        artifact: Digest::of(content),
        parser: "docir-1".to_owned(),
        tier: "standard".to_owned(),
        docir: Digest::of(docir),
        media_type: "application/pdf".to_owned(),
        pages: 3,
        items: 40,
        tables: 2,
        confidence: 0.5,
        warnings: vec!["page 2 is a picture\0".to_owned()],
        at_ms: NOW_MS,
    }
}

async fn find(store: &Store, content: &str, parser: &str, tier: &str) -> Option<ParsedDocument> {
    store.parsed_document(&Digest::of(content), parser, tier).await.expect("read")
}

async fn a_document_is_found_by_its_bytes_parser_and_tier(world: StoreWorld) {
    let store = world.open().await;
    for content in ["pdf", "docir", "other docir"] {
        touch(&store, content).await;
    }
    let first = parsed("pdf", "docir");
    store.keep_parsed_document(&first).await.expect("kept");
    assert_eq!(find(&store, "pdf", "docir-1", "standard").await.as_ref(), Some(&first));
    for (content, parser, tier) in
        [("docir", "docir-1", "standard"), ("pdf", "docir-2", "standard"), ("pdf", "docir-1", "deep")]
    {
        assert_eq!(find(&store, content, parser, tier).await, None);
    }
    // Two who parse at the same time: the one that was first is cited.
    let second = parsed("pdf", "other docir");
    store.keep_parsed_document(&second).await.expect("nothing happens");
    assert_eq!(find(&store, "pdf", "docir-1", "standard").await.as_ref(), Some(&first));
    let of = store.parsed_document_of(&Digest::of("docir")).await.expect("read");
    assert_eq!(of.map(|one| one.artifact), Some(Digest::of("pdf")));
    assert_eq!(store.parsed_document_of(&Digest::of("pdf")).await.expect("read"), None);
}

async fn a_docir_stays_as_long_as_its_document(world: StoreWorld) {
    let store = world.open().await;
    touch(&store, "pdf").await;
    touch(&store, "docir").await;
    store.keep_parsed_document(&parsed("pdf", "docir")).await.expect("kept");
    // Nothing but the row uses either of them.
    assert_eq!(store.condemn_blobs(LATER_MS, 9).await.expect("looked"), [Digest::of("pdf")]);
    assert!(store.bury_blob(&Digest::of("pdf")).await.expect("buried"));
    assert_eq!(find(&store, "pdf", "docir-1", "standard").await, None);
    assert_eq!(store.condemn_blobs(LATER_MS, 9).await.expect("looked"), [Digest::of("docir")]);
}

async fn a_document_whose_bytes_are_gone_is_not_kept(world: StoreWorld) {
    let store = world.open().await;
    touch(&store, "docir").await;
    store.keep_parsed_document(&parsed("gone", "docir")).await.expect("nothing happens");
    assert_eq!(find(&store, "gone", "docir-1", "standard").await, None);
    touch(&store, "pdf").await;
    let refused = store.keep_parsed_document(&parsed("pdf", "lost")).await;
    assert!(matches!(refused, Err(StoreError::BytesGone { .. })), "{refused:?}");
}

fn manifest(content: &str) -> ManifestDigest {
    ManifestDigest::new(Digest::of(content))
}

fn build(source: &str, index: &str, at_ms: i64) -> IndexBuildRow {
    IndexBuildRow {
        key: IndexBuildKey {
            namespace: "legal".to_owned(),
            name: "contracts".to_owned(),
            profile: "docs.default".to_owned(),
            profile_version: 1,
            engine: "inside".to_owned(),
            source_manifest: manifest(source),
        },
        index_manifest: manifest(index),
        documents: 7,
        chunks: 70,
        problems: vec![IndexProblem { path: "a.pdf".to_owned(), why: "damaged".to_owned() }],
        problem_count: 1,
        run: Some(RunId::new("run_1")),
        at_ms,
    }
}

async fn a_state_that_comes_back_finds_its_index(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (old, new) = (build("old", "index of old", NOW_MS), build("new", "index of new", LATER_MS));
    books.keep_index_build(&old, &ada()).await.expect("kept");
    books.keep_index_build(&new, &ada()).await.expect("kept");
    assert_eq!(store.index_build(&old.key).await.expect("read"), Some(old.clone()));
    let other = IndexBuildKey { profile_version: 2, ..old.key.clone() };
    assert_eq!(store.index_build(&other).await.expect("read"), None);
    assert_eq!(store.index_builds_of("legal", "contracts").await.expect("read"), [new, old.clone()]);
    assert_eq!(store.index_builds_of("legal", "other").await.expect("read"), []);
    let again = IndexBuildRow { documents: 8, ..build("old", "another index", LATER_MS + 1) };
    books.keep_index_build(&again, &ada()).await.expect("kept");
    assert_eq!(store.index_build(&old.key).await.expect("read"), Some(again), "the last build counts");
    let pointers = store.indexed_pointers().await.expect("read");
    assert_eq!(pointers, [("legal".to_owned(), "contracts".to_owned(), "docs.default".to_owned())]);
    assert_eq!(told(&store).await, ["index.published"; 3]);
    let last = desk::ledger(&store).await.pop().expect("an event").event;
    assert_eq!(last.about.run, Some(RunId::new("run_1")));
    let detail = detail(&store).await;
    assert_eq!((&detail["documents"], &detail["problems"]), (&json!(8), &json!(1)), "{detail}");
    assert!(!detail.to_string().contains("a.pdf"), "no document is named: {detail}");
}

async fn an_index_that_is_forgotten_is_not_found(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let problem = |number: usize| IndexProblem { path: format!("{number}.pdf"), why: String::new() };
    let many = IndexBuildRow {
        problems: (0..INDEX_PROBLEMS_NAMED_MAX + 5).map(problem).collect(),
        problem_count: 105,
        ..build("corpus", "index", NOW_MS)
    };
    books.keep_index_build(&many, &ada()).await.expect("kept");
    let kept = store.index_build(&many.key).await.expect("read").expect("it is there");
    assert_eq!((kept.problems.len(), kept.problem_count), (INDEX_PROBLEMS_NAMED_MAX, 105));
    let replaced = build("corpus", "another index", NOW_MS);
    assert!(!store.forget_index_build(&replaced).await.expect("asked"), "another one has its place");
    assert!(store.forget_index_build(&kept).await.expect("forgotten"));
    assert_eq!(store.index_build(&many.key).await.expect("read"), None);
}

fn promotion(version: u64, active: Option<u64>) -> ProfilePromotion<'static> {
    let digest = Digest::of(version.to_string());
    ProfilePromotion { name: "docs.default", version, digest, active, at_ms: NOW_MS }
}

async fn of_many_promotions_of_a_profile_one_wins(world: StoreWorld) {
    let (first, second) = (world.open().await, world.open().await);
    let one = desk::books(&first).await;
    let two = second.books(desk::settings("two")).await.expect("the books open");
    assert_eq!(first.active_profile("docs.default").await.expect("read"), None);
    for seen in [None, Some(1)] {
        let begin = seen.map_or(1, |seen| seen + 1);
        // The first round has all promote version 1, the second 2, 3, 4, …
        let writers = (0..WRITERS).map(|number| {
            let books = if number % 2 == 0 { one.clone() } else { two.clone() };
            let version = if seen.is_none() { 1 } else { begin + number };
            tokio::spawn(async move { books.promote_profile(&promotion(version, seen), &ada()).await })
        });
        let (mut won, mut stale) = (Vec::new(), 0);
        for writer in writers.collect::<Vec<_>>() {
            match writer.await.expect("no panic") {
                Ok(active) => won.push(active.version),
                Err(ProfileChangeError::Stale { active: Some(_) }) => stale += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!((won.len(), stale), (1, WRITERS - 1));
        let active = first.active_profile("docs.default").await.expect("read").expect("it is promoted");
        assert_eq!((active.version, &active.by), (won[0], &PrincipalId::new("ada")));
    }
    assert_eq!(told(&first).await, ["index.profile.promoted"; 2]);
    let other = ProfilePromotion { name: "other", ..promotion(2, Some(1)) };
    let refused = one.promote_profile(&other, &ada()).await;
    assert!(matches!(refused, Err(ProfileChangeError::Stale { active: None })), "{refused:?}");
}

fn base(number: u64, name: &str) -> KnowledgeBaseWrite {
    KnowledgeBaseWrite {
        id: KnowledgeBaseId::new(format!("kb_{number}")),
        name: name.to_owned(),
        title: Some("Contracts\0".to_owned()),
        description: None,
        pointers: vec![PointerPath::new("legal", "contracts").expect("a path")],
        profile: "docs.default".to_owned(),
        manner: "strict-evidence".to_owned(),
        seen: None,
        at_ms: NOW_MS + i64::try_from(number).expect("small"),
    }
}

async fn a_knowledge_base_is_created_changed_and_deleted(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let made = books.put_knowledge_base(&base(1, "contracts"), &ada()).await.expect("made");
    assert_eq!((made.version, made.title.as_deref()), (1, Some("Contracts\u{fffd}")));
    for asked in ["kb_1", "contracts"] {
        assert_eq!(store.knowledge_base(asked).await.expect("read").as_ref(), Some(&made));
    }
    let taken = books.put_knowledge_base(&base(2, "contracts"), &ada()).await;
    assert!(matches!(&taken, Err(KnowledgeBaseError::NameTaken(by)) if **by == made), "{taken:?}");
    let manner = "fast-skim".to_owned();
    let change = KnowledgeBaseWrite { manner, seen: Some(1), at_ms: NOW_MS + 9, ..base(1, "contracts") };
    let ben = Actor::person(&PrincipalId::new("ben"));
    let changed = books.put_knowledge_base(&change, &ben).await.expect("changed");
    assert_eq!((changed.version, changed.changed_by.as_str(), changed.changed_at_ms), (2, "ben", NOW_MS + 9));
    assert_eq!((changed.created_by.as_str(), changed.created_at_ms), ("ada", NOW_MS + 1));
    let stale = books.put_knowledge_base(&change, &ben).await;
    assert!(matches!(stale, Err(KnowledgeBaseError::Stale { current: 2 })), "{stale:?}");
    books.put_knowledge_base(&base(3, "letters"), &ada()).await.expect("made");
    let renamed = KnowledgeBaseWrite { seen: Some(1), ..base(3, "contracts") };
    let refused = books.put_knowledge_base(&renamed, &ada()).await;
    assert!(matches!(refused, Err(KnowledgeBaseError::NameTaken(_))), "{refused:?}");
    let gone = books.delete_knowledge_base(&made.id, 2, NOW_MS + 20, &ben).await.expect("deleted");
    assert_eq!((gone.version, gone.deleted_at_ms), (3, Some(NOW_MS + 20)));
    assert_eq!(store.knowledge_base("contracts").await.expect("read"), None);
    assert_eq!(store.knowledge_base("kb_1").await.expect("read"), Some(gone), "its row stays");
    let again = books.delete_knowledge_base(&made.id, 3, NOW_MS, &ben).await;
    assert!(matches!(again, Err(KnowledgeBaseError::Unknown(_))), "{again:?}");
    books.put_knowledge_base(&base(4, "contracts"), &ada()).await.expect("the name is free");
    assert_eq!(told(&store).await, ["knowledge_base.changed"; 5]);
    let detail = detail(&store).await;
    assert_eq!((&detail["change"], &detail["pointers"]), (&json!("created"), &json!(["legal:contracts"])));
    assert_eq!(detail.get("title"), None, "a title may be anything");
}

async fn of_many_knowledge_bases_of_a_name_one_is_made(world: StoreWorld) {
    let (first, second) = (world.open().await, world.open().await);
    let one = desk::books(&first).await;
    let two = second.books(desk::settings("two")).await.expect("the books open");
    let writers = (0..WRITERS).map(|number| {
        let books = if number % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move { books.put_knowledge_base(&base(number, "contracts"), &ada()).await })
    });
    let mut made = 0;
    for writer in writers.collect::<Vec<_>>() {
        match writer.await.expect("no panic") {
            Ok(_) => made += 1,
            Err(KnowledgeBaseError::NameTaken(_)) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((made, told(&first).await.len()), (1, 1));
}

async fn knowledge_bases_are_listed_newest_first(world: StoreWorld) {
    let (store, books) = place(&world).await;
    for number in 0..4 {
        books.put_knowledge_base(&base(number, &format!("base {number}")), &ada()).await.expect("made");
    }
    books.delete_knowledge_base(&KnowledgeBaseId::new("kb_1"), 1, NOW_MS, &ada()).await.expect("deleted");
    let (page, next) = store.knowledge_bases(None, 2).await.expect("read");
    assert_eq!(page.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["kb_3", "kb_2"]);
    let (page, end) = store.knowledge_bases(next.as_ref(), 2).await.expect("read");
    assert_eq!((page.len(), page[0].id.as_str(), end), (1, "kb_0", None), "the deleted one is left out");
}

/// Each operation on the database fails once: a knowledge base is there with its event, or neither is.
async fn a_change_that_fails_leaves_nothing(world: StoreWorld) {
    let (store, books) = place(&world).await;
    for operation in 1..OPERATIONS_MAX {
        store.fail_nth(operation);
        let answer = books.put_knowledge_base(&base(1, "contracts"), &ada()).await;
        store.fail_never();
        let found = store.knowledge_base("contracts").await.expect("read");
        assert_eq!(told(&store).await.len(), usize::from(found.is_some()), "{answer:?}");
        if found.is_some() {
            return;
        }
        assert!(answer.is_err(), "{answer:?}");
    }
    panic!("it is never made");
}
