//! Lines: greetings, bad lines, requests that overlap and are given up.

use engine_protocol::{
    EngineErrorCode, EngineGreeting, EngineLine, EngineRequest, PROTOCOL, PutDocuments, PutSummary,
    StartedBuild,
};

use super::drive::EngineProcess;
use super::made::{begin, document};

#[test]
fn it_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let greeting: EngineGreeting = EngineProcess::start(folder.path()).ask(EngineRequest::Hello).unwrap();
    assert_eq!(greeting.protocol, PROTOCOL);
    assert_eq!((greeting.model, greeting.reads_pictures, greeting.postgres), (None, false, None));
    assert!(!greeting.parser.is_empty());
}

#[test]
fn bad_lines_are_refused_and_the_next_one_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let lines = [
        "nonsense",
        "{\"id\":41,\"method\":\"dance\"}",
        "{\"id\":42,\"method\":\"parse\",\"params\":{}}",
        "\u{0}",
    ];
    for (line, id) in lines.into_iter().zip([0, 41, 42, 0]) {
        engine.write(&format!("{line}\n"));
        let Some(EngineLine::Error { id: refused, error }) = engine.next_line() else {
            panic!("{line} was taken")
        };
        assert_eq!((refused, error.code), (id, EngineErrorCode::BadRequest), "{line}");
        assert!(error.hint.is_some());
    }
    assert!(engine.ask::<EngineGreeting>(EngineRequest::Hello).is_ok());
}

#[test]
fn a_cancelled_request_is_answered_as_cancelled_and_the_engine_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let text = "Every sentence of this document is put again and again. ".repeat(200);
    let one = document(&mut engine, folder.path(), "one.md", &text);
    let started: StartedBuild = engine.ask(begin(None)).unwrap();
    let documents = (0..5_000).map(|number| {
        let path = format!("{number}.md");
        engine_protocol::IngestDocument { path, ..one.clone() }
    });
    let put = PutDocuments { build: started.build, documents: documents.collect() };
    let id = engine.send(EngineRequest::PutDocuments(put));
    engine.send(EngineRequest::Cancel(id));
    let fault = engine.answer::<PutSummary>(id).unwrap_err();
    assert_eq!(fault.code, EngineErrorCode::Cancelled);
    engine.send(EngineRequest::Cancel(12_345));
    assert!(
        engine.ask::<EngineGreeting>(EngineRequest::Hello).is_ok(),
        "a cancellation of nothing is no fault"
    );
}
