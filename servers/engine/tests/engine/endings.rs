//! The end of an engine: asked for, or by force at any moment.

use engine_protocol::{
    EngineErrorCode, EngineGreeting, EngineRequest, PutDocuments, PutSummary, SearchAnswer, StartedBuild,
};

use super::drive::EngineProcess;
use super::made::{begin, build, document, search_for};

#[test]
fn it_answers_what_it_was_asked_and_ends_with_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let id = engine.send(EngineRequest::Hello);
    engine.close_input();
    assert!(engine.answer::<EngineGreeting>(id).is_ok());
    assert!(engine.ends_well());
    assert!(engine.next_line().is_none());
}

#[test]
fn a_kill_in_the_middle_of_a_build_loses_nothing_but_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let text = "Lighthouses warn ships of rocks. Their lamps turn all night.";
    let one = document(&mut engine, folder.path(), "one.md", text);
    let (_, before) = build(&mut engine, None, vec![one.clone()]);
    let started: StartedBuild = engine.ask(begin(Some(before.clone()))).unwrap();
    let two = engine_protocol::IngestDocument { path: "two.md".to_owned(), ..one.clone() };
    let put = PutDocuments { build: started.build, documents: vec![two.clone()] };
    engine.ask::<PutSummary>(EngineRequest::PutDocuments(put.clone())).unwrap();
    engine.kill();

    let mut engine = EngineProcess::start(folder.path());
    let lost = engine.refusal::<PutSummary>(EngineRequest::PutDocuments(put));
    assert_eq!(lost, EngineErrorCode::UnknownBuild);
    let search = |listing| EngineRequest::Search(Box::new(search_for(listing, "lighthouses")));
    let old: SearchAnswer = engine.ask(search(&before)).unwrap();
    assert_eq!(old.hits.len(), 1);
    let (_, after) = build(&mut engine, Some(before.clone()), vec![two]);
    let new: SearchAnswer = engine.ask(search(&after)).unwrap();
    assert_eq!(new.hits.len(), 2);
}
