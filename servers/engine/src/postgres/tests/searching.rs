//! Hits and scores of searches.

use engine_protocol::{Explain, FilterRule, Fusion, Search, SearchFilter, WordFeedback};
use serde_json::json;

use super::world::{TestDocument, World, corpus, hybrid, on_both_servers, parts, profile, search};
use crate::port::Engine;

on_both_servers!(
    a_hit_says_where_it_stands,
    documents_that_a_search_does_not_see_change_no_score,
    two_indexes_score_as_one,
    filters_leave_out_hits_and_change_no_score,
    any_text_is_a_query,
    the_parts_of_an_explanation_sum_to_the_score,
    a_search_by_meaning_finds_what_has_other_words,
    words_of_the_first_passages_join_the_query,
    one_document_has_so_many_hits_at_most,
);

fn a_hit_says_where_it_stands(world: &World) {
    let text = format!(
        "{} The swept wing failed at high speed. {}",
        "Nothing here. ".repeat(9),
        "Nor here. ".repeat(9)
    );
    let document =
        TestDocument { title: "Report".to_owned(), ..TestDocument::new("a/report.txt", &["First.", &text]) };
    let listing = world.build("acme/reports", None, &[document], &[]);
    assert_eq!((listing.documents, listing.chunks, listing.model.as_deref()), (1, 2, None));
    let found = world.find(&[("acme", &listing)], "failing wings");
    let [hit] = found.hits.as_slice() else { panic!("{found:?}") };
    assert_eq!((hit.id.label.as_str(), hit.id.chunk, hit.path.as_str()), ("acme", 1, "a/report.txt"));
    assert_eq!((hit.page, hit.headings.as_slice()), (Some(1), &["Chapter".to_owned()][..]));
    assert_eq!(hit.places[0].item, "#/texts/0");
    let marked: Vec<String> = hit.snippet.marks.iter().map(|mark| marked(&hit.snippet.text, *mark)).collect();
    assert_eq!(marked, ["wing", "failed"], "{:?}", hit.snippet);
    assert!(hit.snippet.text.chars().count() <= 48 && text.contains(&hit.snippet.text), "{:?}", hit.snippet);
    let stored = world.engine.passages(&found.hits, &search(&[("acme", &listing)], "wing")).unwrap();
    assert_eq!(stored[0].chunk.text, text);
}

fn marked(text: &str, (from, to): (u64, u64)) -> String {
    text.chars().skip(from as usize).take((to - from) as usize).collect()
}

fn documents_that_a_search_does_not_see_change_no_score(world: &World) {
    let first = world.build("acme/one", None, &corpus(30), &[]);
    let before = world.scores(&[("one", &first)], "wing number3 tested");
    assert_eq!(before[0].0, "docs/wing/3.txt");
    // Another index, a newer version, and a build that is given up.
    let more: Vec<TestDocument> =
        (0..40).map(|at| TestDocument::new(&format!("w{at}"), &["wing number3"])).collect();
    world.build("acme/other", None, &more, &[]);
    let second = world.build("acme/one", Some(&first), &more, &["docs/wing/3.txt"]);
    let mut lost = world.begin("acme/one", Some(&second));
    more.iter().for_each(|document| document.put(&mut *lost));
    drop(lost);
    assert_eq!(world.scores(&[("one", &first)], "wing number3 tested"), before);
    assert_ne!(world.scores(&[("one", &second)], "wing number3 tested"), before);
}

fn two_indexes_score_as_one(world: &World) {
    let all = corpus(40);
    let whole = world.build("acme/whole", None, &all, &[]);
    let half = world.build("acme/half", None, &all[..13], &[]);
    let rest = world.build("acme/rest", None, &all[13..], &[]);
    for query in ["wing vessel", "number7 hull", "held engine tested"] {
        let mut one = world.scores(&[("whole", &whole)], query);
        let mut two = world.scores(&[("rest", &rest), ("half", &half)], query);
        // Equal scores are ordered by label and number, which differ here; the last of ten may be one of several equal ones.
        let lowest = one[9].1;
        for ranking in [&mut one, &mut two] {
            ranking.retain(|(_, score)| *score > lowest);
            ranking.sort_by(|left, right| left.0.cmp(&right.0));
        }
        assert_eq!(one, two, "{query}");
    }
}

fn filters_leave_out_hits_and_change_no_score(world: &World) {
    let mut documents = corpus(9);
    documents[0] = documents[0].clone().with("tags", json!(["red", "blue"])).with("year", json!(2024));
    documents[3] = documents[3].clone().with("tags", json!("red"));
    documents[6].media_type = Some("application/pdf".to_owned());
    let listing = world.build("acme/one", None, &documents, &[]);
    let open = world.scores(&[("one", &listing)], "vessel");
    let find = |filter: SearchFilter| {
        let search = Search { filter, ..search(&[("one", &listing)], "vessel") };
        let hits = world.engine.search(&search, &parts("vessel")).unwrap().hits;
        for hit in &hits {
            assert!(open.contains(&(hit.path.clone(), hit.score)), "{hit:?}");
        }
        let mut paths: Vec<String> = hits.into_iter().map(|hit| hit.path).collect();
        paths.sort();
        paths
    };
    let tagged = |key: &str, any_of| SearchFilter {
        metadata: vec![FilterRule { key: key.to_owned(), any_of }],
        ..SearchFilter::default()
    };
    assert_eq!(find(tagged("tags", vec![json!("red")])), ["docs/wing/0.txt", "docs/wing/3.txt"]);
    assert_eq!(find(tagged("year", vec![json!(2024.0), json!("x")])), ["docs/wing/0.txt"]);
    assert_eq!(find(tagged("year", vec![json!("2024")])), [""; 0]);
    assert_eq!(find(tagged("year", vec![])), [""; 0]);
    let media_types = vec!["Application/PDF".to_owned()];
    assert_eq!(find(SearchFilter { media_types, ..SearchFilter::default() }), ["docs/wing/6.txt"]);
    let path_prefix = Some("docs/hull/".to_owned());
    assert_eq!(find(SearchFilter { path_prefix, ..tagged("tags", vec![json!("red")]) }), [""; 0]);
    let path_prefix = Some("docs/%".to_owned());
    assert_eq!(find(SearchFilter { path_prefix, ..SearchFilter::default() }), [""; 0]);
}

fn any_text_is_a_query(world: &World) {
    let texts = ["of the and it", "水素ガスの翼", "a NUL \0 within the wing"];
    let listing = world.build("acme/one", None, &[TestDocument::new("a", &texts)], &[]);
    let find = |query: &str| world.find(&[("one", &listing)], query).hits;
    let chunks = |query: &str| find(query).iter().map(|hit| hit.id.chunk).collect::<Vec<u64>>();
    assert_eq!(chunks("and of"), [0], "stop words are words");
    assert_eq!(chunks("翼"), [1]);
    assert_eq!(chunks("wing"), [2]);
    assert!(chunks(&format!("{} wing", "(a+)+$ ' OR 1=1; -- \" AND NOT * ~ \0 ".repeat(90))).contains(&2));
    assert!(find("?!… —").is_empty());
    let stored = world.engine.passages(&find("wing"), &search(&[("one", &listing)], "wing")).unwrap();
    assert_eq!(stored[0].chunk.text, texts[2]);
    let refused = world.engine.search(&search(&[("one", &listing)], ""), &parts(" \n")).unwrap_err();
    assert_eq!(refused.code, engine_protocol::EngineErrorCode::BadRequest);
}

fn the_parts_of_an_explanation_sum_to_the_score(world: &World) {
    let listing = world.build("acme/one", None, &corpus(12), &[]);
    let query = "the hull of number4";
    let filter = SearchFilter { path_prefix: Some("docs/hull/".to_owned()), ..SearchFilter::default() };
    let search = Search { filter, ..search(&[("one", &listing)], query) };
    let hits = world.engine.search(&search, &parts(query)).unwrap().hits;
    for (place, hit) in hits.iter().enumerate() {
        let explain = Explain { search: search.clone(), hit: hit.id.clone() };
        let explained = world.engine.explain(&explain, &parts(query)).unwrap();
        assert_eq!((explained.rank, explained.score), (Some(place as u32 + 1), Some(hit.score)));
        let sum: f32 = explained.terms.iter().map(|term| term.score).sum();
        assert!((sum - hit.parts.bm25.unwrap()).abs() < 1e-4, "{explained:?}");
        assert_eq!(explained.passages, 12);
        assert_eq!(explained.filters, [("the path begins with \"docs/hull/\"".to_owned(), true)]);
    }
    let rare = &hits[0];
    let explain = Explain { search: search.clone(), hit: rare.id.clone() };
    let terms = world.engine.explain(&explain, &parts(query)).unwrap().terms;
    let number = terms.iter().find(|term| term.term == "number4" && term.field == "body").unwrap();
    assert_eq!((number.frequency, number.passages), (1, 1), "{terms:?}");
    // One that the filter leaves out is explained, too.
    let mut left_out = rare.id.clone();
    left_out.chunk = 0;
    let explain = Explain { search: search.clone(), hit: left_out.clone() };
    let explained = world.engine.explain(&explain, &parts(query)).unwrap();
    assert_eq!((explained.rank, explained.filters[0].1), (None, false));
    left_out.chunk = 99;
    assert!(world.engine.explain(&Explain { search, hit: left_out }, &parts(query)).is_err());
}

fn a_search_by_meaning_finds_what_has_other_words(world: &World) {
    let documents = [
        TestDocument::new("a", &["A big ship"]),
        TestDocument::new("b", &["Green apples"]),
        TestDocument::new("c", &["Old apples"]),
    ];
    let mut build = world.try_begin("acme/one", None, &hybrid()).unwrap();
    documents.iter().for_each(|document| document.put(&mut *build));
    let listing = build.finish().unwrap();
    assert_eq!(listing.model.is_some(), world.is_extended);
    let mut search = Search { profile: hybrid(), ..search(&[("one", &listing)], "vessel") };
    let found = world.engine.search(&search, &parts("vessel")).unwrap();
    assert_eq!(found.by_meaning, world.is_extended);
    if !world.is_extended {
        assert!(found.hits.is_empty());
        assert!(found.warnings[0].contains("no pgvector"), "{found:?}");
        return;
    }
    assert_eq!(found.hits.iter().map(|hit| hit.path.as_str()).collect::<Vec<&str>>(), ["a"]);
    assert!(found.hits[0].parts.cosine.unwrap() > 0.5, "{found:?}");
    // Old versions and filters hold for vectors, too.
    let mut build = world.try_begin("acme/one", Some(&listing), &hybrid()).unwrap();
    build.drop_document("a").unwrap();
    TestDocument::new("d/ship", &["The ship"]).put(&mut *build);
    let second = build.finish().unwrap();
    for fusion in [search.profile.fusion, Fusion::Scores { words: 1.0, meaning: 1.0 }] {
        search.profile.fusion = fusion;
        assert_eq!(world.engine.search(&search, &parts("vessel")).unwrap().hits[0].path, "a");
        let newer =
            Search { indexes: super::world::search(&[("one", &second)], "").indexes, ..search.clone() };
        let paths = |search: &Search| -> Vec<String> {
            world
                .engine
                .search(search, &parts("vessel"))
                .unwrap()
                .hits
                .into_iter()
                .map(|hit| hit.path)
                .collect()
        };
        assert_eq!(paths(&newer), ["d/ship"]);
        let filter = SearchFilter { path_prefix: Some("b".to_owned()), ..SearchFilter::default() };
        assert_eq!(paths(&Search { filter, ..newer.clone() }), [""; 0]);
        let hit = world.engine.search(&newer, &parts("vessel")).unwrap().hits[0].id.clone();
        let explained = world.engine.explain(&Explain { search: newer, hit }, &parts("vessel")).unwrap();
        assert!(explained.fusion.contains(" = "), "{explained:?}");
    }
    world.engine.check(&second).unwrap();
}

fn words_of_the_first_passages_join_the_query(world: &World) {
    let mut documents = vec![
        TestDocument::new("a", &["flutter flutter aileron aileron aileron"]),
        TestDocument::new("b", &["aileron reversal"]),
    ];
    documents.extend(corpus(20));
    let listing = world.build("acme/one", None, &documents, &[]);
    assert_eq!(world.paths(&[("one", &listing)], "flutter"), ["a"]);
    let mut search = search(&[("one", &listing)], "flutter");
    search.profile.words.feedback = Some(WordFeedback { passages: 3, terms: 5, original: 0.6 });
    let hits = world.engine.search(&search, &parts("flutter")).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| hit.path.as_str()).collect::<Vec<&str>>(), ["a", "b"]);
    assert!(hits[1].snippet.marks.is_empty(), "only words that were asked for are marked");
    let explain = Explain { search, hit: hits[1].id.clone() };
    let terms = world.engine.explain(&explain, &parts("flutter")).unwrap().terms;
    assert!(terms.iter().all(|term| term.from_feedback && term.term == "aileron"), "{terms:?}");
}

fn one_document_has_so_many_hits_at_most(world: &World) {
    let documents = [
        TestDocument::new("a", &["wing wing", "wing", "wing of it"]),
        TestDocument::new("b", &["a wing and more of it"]),
    ];
    let listing = world.build("acme/one", None, &documents, &[]);
    assert_eq!(world.paths(&[("one", &listing)], "wing").len(), 4);
    let mut search = search(&[("one", &listing)], "wing");
    search.profile = engine_protocol::Profile { per_document: Some(2), ..profile() };
    let hits = world.engine.search(&search, &parts("wing")).unwrap().hits;
    assert_eq!(hits.iter().filter(|hit| hit.path == "a").count(), 2);
    assert_eq!(hits.len(), 3);
}
