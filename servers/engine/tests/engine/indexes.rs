//! Indexes: built, searched, explained, read.

use docir::DocIr;
use engine_protocol::{
    EngineErrorCode, EngineRequest, Explain, Explanation, FinishBuild, FinishedBuild, IngestDocument,
    Passage, Passages, PutDocuments, PutSummary, SearchAnswer, StartedBuild,
};

use super::drive::{EngineProcess, get, put};
use super::made::{begin, build, document, search_for};

const WHALES: &str =
    "Whales sing to each other over hundreds of miles. Their songs change from year to year.";
const BRIDGES: &str = "A bridge carries its load to the ground. Steel bends before it breaks.";

fn paths(answer: &SearchAnswer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.path.as_str()).collect()
}

#[test]
fn what_was_put_is_found_and_its_sentences_have_places() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let documents = vec![
        document(&mut engine, folder.path(), "whales.md", WHALES),
        document(&mut engine, folder.path(), "bridges.md", BRIDGES),
    ];
    let (summary, listing) = build(&mut engine, None, documents);
    assert_eq!((summary.documents, summary.refused.len(), listing.documents), (2, 0, 2));
    assert_eq!((listing.model.clone(), listing.profile.as_str()), (None, "docs.test@1"));
    let search = search_for(&listing, "songs of whales");
    let answer: SearchAnswer = engine.ask(EngineRequest::Search(Box::new(search.clone()))).unwrap();
    assert_eq!((paths(&answer)[0], answer.by_meaning), ("whales.md", false));

    let passages: Vec<Passage> =
        engine.ask(EngineRequest::Passages(Box::new(Passages { search: search.clone() }))).unwrap();
    assert_eq!(passages[0].hit.id, answer.hits[0].id);
    let docir = DocIr::read(&get(folder.path(), &passages[0].hit.docir)).unwrap();
    let best = passages[0].sentences.iter().max_by(|one, other| one.words.total_cmp(&other.words)).unwrap();
    for sentence in &passages[0].sentences {
        let place = &sentence.place;
        let item = docir.text(&place.item).unwrap();
        let said: String =
            item.chars().skip(place.start as usize).take((place.end - place.start) as usize).collect();
        assert_eq!(said, sentence.text);
    }
    assert!(best.words > 0.0 && best.cosine.is_none(), "{best:?}");

    let explain = Explain { search: search.clone(), hit: answer.hits[0].id.clone() };
    let explained: Explanation = engine.ask(EngineRequest::Explain(Box::new(explain))).unwrap();
    assert_eq!((explained.rank, explained.path.as_str()), (Some(1), "whales.md"));
    engine.ask::<()>(EngineRequest::Check(Box::new(listing))).unwrap();
}

#[test]
fn queries_that_ask_for_nothing_or_too_much_are_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let one = document(&mut engine, folder.path(), "whales.md", WHALES);
    let (_, listing) = build(&mut engine, None, vec![one]);
    let mut refused = |change: &dyn Fn(&mut engine_protocol::Search)| {
        let mut search = search_for(&listing, "whales");
        change(&mut search);
        engine.refusal::<SearchAnswer>(EngineRequest::Search(Box::new(search)))
    };
    assert_eq!(refused(&|search| search.query = " \n".to_owned()), EngineErrorCode::BadRequest);
    assert_eq!(refused(&|search| search.top_k = 0), EngineErrorCode::BadRequest);
    assert_eq!(refused(&|search| search.indexes.clear()), EngineErrorCode::BadRequest);
    let long = search_for(&listing, &"whales (a+)+$ ".repeat(8_000));
    let answer: SearchAnswer = engine.ask(EngineRequest::Search(Box::new(long))).unwrap();
    assert_eq!(paths(&answer), ["whales.md"]);
    assert!(answer.warnings.iter().any(|said| said.contains("are searched")), "{:?}", answer.warnings);
    let common = search_for(&listing, "to the of");
    assert!(engine.ask::<SearchAnswer>(EngineRequest::Search(Box::new(common))).is_ok());
}

#[test]
fn a_document_that_cannot_be_read_is_named_and_the_others_are_indexed() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let good = document(&mut engine, folder.path(), "whales.md", WHALES);
    let bad = |path: &str, bytes: &[u8]| IngestDocument {
        path: path.to_owned(),
        docir: put(folder.path(), bytes),
        ..good.clone()
    };
    let documents = vec![bad("broken.md", b"{\"schema_name\":"), good.clone(), bad("other.md", b"[]")];
    let (summary, listing) = build(&mut engine, None, documents);
    let refused: Vec<&str> = summary.refused.iter().map(|one| one.path.as_str()).collect();
    assert_eq!((refused, summary.documents, listing.documents), (vec!["broken.md", "other.md"], 1, 1));
}

#[test]
fn all_missing_contents_are_named_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let good = document(&mut engine, folder.path(), "whales.md", WHALES);
    let gone: Vec<IngestDocument> = ["one", "two"]
        .map(|path| {
            let docir = put(folder.path(), path.as_bytes());
            std::fs::remove_file(folder.path().join("contents").join(docir.as_str())).unwrap();
            IngestDocument { path: path.to_owned(), docir, ..good.clone() }
        })
        .into();
    let missing: Vec<_> = gone.iter().map(|document| document.docir.clone()).collect();
    let started: StartedBuild = engine.ask(begin(None)).unwrap();
    let put = PutDocuments { build: started.build, documents: gone };
    let fault = engine.ask::<PutSummary>(EngineRequest::PutDocuments(put)).unwrap_err();
    assert_eq!((fault.code, fault.missing), (EngineErrorCode::MissingContents, missing));
}

#[test]
fn a_file_of_an_index_that_is_damaged_or_missing_is_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let one = document(&mut engine, folder.path(), "whales.md", WHALES);
    let (_, listing) = build(&mut engine, None, vec![one]);
    let file = &listing.files[0].content;
    let place = folder.path().join("contents").join(file.as_str());
    let whole = std::fs::read(&place).unwrap();
    // A new file: an open index may have the old one mapped.
    std::fs::remove_file(&place).unwrap();
    std::fs::write(&place, b"damaged").unwrap();
    let fault = engine.ask::<()>(EngineRequest::Check(Box::new(listing.clone()))).unwrap_err();
    assert_eq!((fault.code, fault.missing), (EngineErrorCode::MissingContents, vec![file.clone()]));
    put(folder.path(), &whole);
    engine.ask::<()>(EngineRequest::Check(Box::new(listing))).unwrap();
}

#[test]
fn a_version_goes_on_from_the_one_before_and_a_changed_profile_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let whales = document(&mut engine, folder.path(), "whales.md", WHALES);
    let bridges = document(&mut engine, folder.path(), "bridges.md", BRIDGES);
    let (_, first) = build(&mut engine, None, vec![whales]);
    let (_, second) = build(&mut engine, Some(first.clone()), vec![bridges]);
    assert_eq!((first.documents, second.documents), (1, 2));
    let mut changed = second;
    changed.profile = "docs.test@0".to_owned();
    assert_eq!(engine.refusal::<StartedBuild>(begin(Some(changed))), EngineErrorCode::Outdated);
}

#[test]
fn a_build_that_is_over_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let started: StartedBuild = engine.ask(begin(None)).unwrap();
    engine
        .ask::<()>(EngineRequest::AbandonBuild(engine_protocol::AbandonBuild { build: started.build }))
        .unwrap();
    let finish = EngineRequest::FinishBuild(FinishBuild { build: started.build });
    assert_eq!(engine.refusal::<FinishedBuild>(finish), EngineErrorCode::UnknownBuild);
}
