//! Requests: contents that are brought, results that are stored, and everything that can go wrong on the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_protocol::{DocumentTier, Parse};
use toolgate_core::{Digest, Refusal};

use super::kit::{classify, content, listing, scene, scene_with, search, until};

const CLASSIFIED: &str = r#"result '{"scores":[],"method":"words"}'"#;
/// Lacks the DocIR until it lies in the folder.
const LACKS_DOCIR: &str = r#"
answer() {
  docir=$(member docir)
  if [ -f "contents/$docir" ]; then
    result '{"scores":[],"method":"words"}'
  else
    fault "{\"code\":\"missing_contents\",\"message\":\"lacking\",\"missing\":[\"$docir\"]}"
  fi
}
"#;

fn answers_with(line: &str) -> String {
    format!("answer() {{ {line}; }}\n")
}

fn parse(text: &str) -> Parse {
    Parse { artifact: content(text), media_type: None, file_name: None, tier: DocumentTier::Standard }
}

#[tokio::test]
async fn contents_that_the_engine_lacks_are_brought_and_it_is_asked_again() {
    let scene = scene(LACKS_DOCIR).await;
    let docir = scene.stored("a parsed document").await;
    let classified = scene.link.classify(classify(docir.clone())).await.expect("classified");
    assert_eq!(classified.method, "words");
    assert_eq!(scene.asked("classify"), 2);
    let brought = scene.at("contents").join(docir.as_str());
    assert_eq!(fs::read_to_string(brought).unwrap(), "a parsed document");
    let left = fs::read_dir(scene.at("contents")).unwrap().count();
    assert_eq!(left, 1, "nothing unfinished is left");
}

#[tokio::test]
async fn a_content_that_nobody_has_is_refused_and_leaves_nothing() {
    let scene = scene(LACKS_DOCIR).await;
    let refusal = scene.link.classify(classify(content("nobody has this"))).await.expect_err("refused");
    assert_eq!((refusal.code.name, scene.asked("classify")), ("file_changed", 1));
    assert_eq!(fs::read_dir(scene.at("contents")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_content_that_was_changed_in_the_storage_never_reaches_the_engine() {
    let scene = scene(LACKS_DOCIR).await;
    let docir = scene.stored("a parsed document").await;
    let stored = find(&scene.at("../files"), docir.as_str()).expect("it is stored");
    fs::write(stored, "another document").unwrap();
    let refusal = scene.link.classify(classify(docir)).await.expect_err("refused");
    assert_eq!(refusal.code.name, "file_changed");
    assert_eq!(fs::read_dir(scene.at("contents")).unwrap().count(), 0);
}

/// The file of this name below a folder.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| match entry.path() {
        folder if folder.is_dir() => find(&folder, name),
        file => Some(file).filter(|file| file.file_name().is_some_and(|one| one == name)),
    })
}

#[tokio::test]
async fn an_engine_that_lacks_the_same_content_for_ever_is_not_asked_for_ever() {
    let docir = content("a parsed document");
    let missing = docir.as_str();
    let line =
        format!(r#"fault '{{"code":"missing_contents","message":"lacking","missing":["{missing}"]}}'"#);
    let scene = scene(&answers_with(&line)).await;
    scene.stored("a parsed document").await;
    let refusal = scene.link.classify(classify(docir)).await.expect_err("refused");
    assert_eq!((refusal.code.name, scene.asked("classify")), ("engine_failed", 4));
}

#[tokio::test]
async fn a_docir_is_stored_when_a_parse_returns() {
    let docir = content("the docir");
    let name = docir.as_str();
    let behaviour = format!(
        r#"answer() {{
  printf 'the docir' >contents/{name}
  result '{{"docir":"{name}","bytes":9,"media_type":"text/plain","pages":1,"items":1,"tables":0,"confidence":1,"warnings":[]}}'
}}
"#
    );
    let scene = scene(&behaviour).await;
    let parsed = scene.link.parse(parse("a text")).await.expect("parsed");
    assert_eq!(parsed.docir, docir);
    let digest = Digest::of("the docir");
    let stored = scene.blobs.read_whole(digest, 100).await.expect("it is stored");
    assert_eq!(&stored[..], b"the docir");
}

#[tokio::test]
async fn other_bytes_than_the_engine_says_are_not_taken() {
    let name = content("the docir");
    let name = name.as_str();
    let behaviour = format!(
        r#"answer() {{
  printf 'something else' >contents/{name}
  result '{{"docir":"{name}","bytes":9,"media_type":"text/plain","pages":1,"items":1,"tables":0,"confidence":1,"warnings":[]}}'
}}
"#
    );
    let scene = scene(&behaviour).await;
    let refusal = scene.link.parse(parse("a text")).await.expect_err("refused");
    assert_eq!(refusal.code.name, "engine_failed");
    assert!(refusal.message.contains("other bytes"), "{}", refusal.message);
}

#[tokio::test]
async fn faults_of_the_engine_are_refusals_with_their_codes() {
    let line = r#"fault "{\"code\":\"$(member file_name)\",\"message\":\"it is so\",\"hint\":\"do this\"}""#;
    let scene = scene(&answers_with(line)).await;
    for (code, expected) in [
        ("unreadable", "unreadable_document"),
        ("too_large", "unreadable_document"),
        ("timed_out", "unreadable_document"),
        ("unsupported", "unsupported"),
        ("bad_request", "invalid_arguments"),
        ("outdated", "index_outdated"),
        ("internal", "engine_failed"),
    ] {
        let asked = Parse { file_name: Some(code.to_owned()), ..parse("a text") };
        let refusal = scene.link.parse(asked).await.expect_err("refused");
        assert_eq!((refusal.code.name, refusal.hint.as_str()), (expected, "do this"), "{code}");
        assert!(refusal.message.contains("it is so"), "{code}: {}", refusal.message);
    }
}

#[tokio::test]
async fn a_file_of_an_index_that_the_storage_lost_is_named() {
    let name = content("a segment");
    let line = format!(
        r#"fault '{{"code":"missing_contents","message":"lacking","missing":["{}"]}}'"#,
        name.as_str()
    );
    let scene = scene(&answers_with(&line)).await;
    let listing = listing(&[("meta.json", "{}"), ("0.term", "a segment")]);
    for refusal in [
        scene.link.search(search(listing.clone())).await.expect_err("refused"),
        scene.link.check(listing).await.expect_err("refused"),
    ] {
        assert_eq!(refusal.code.name, "index_damaged");
        assert!(refusal.message.contains("\"0.term\""), "{}", refusal.message);
    }
}

#[tokio::test]
async fn a_crash_in_the_middle_is_a_refusal_and_the_next_request_has_another_engine() {
    let scene = scene("answer() { echo 'out of luck' >&2; exit 3; }\n").await;
    let docir = content("x");
    let refusal = scene.link.classify(classify(docir.clone())).await.expect_err("refused");
    assert_eq!(refusal.code.name, "engine_failed");
    for part in ["exited with status 3", "out of luck"] {
        assert!(refusal.message.contains(part), "{}", refusal.message);
    }
    scene.behave(&answers_with(CLASSIFIED));
    assert!(scene.link.classify(classify(docir)).await.is_ok());
    assert_eq!(scene.starts(), 2);
}

#[tokio::test]
async fn lines_that_are_no_answers_harm_nobody() {
    let garbage = format!("echo 'Hello, world'; echo '{{\"result\":7}}'; {CLASSIFIED}");
    let scene = scene(&answers_with(&garbage)).await;
    assert!(scene.link.classify(classify(content("x"))).await.is_ok());
    let wrong = scene_of_wrong_form().await;
    assert_eq!(wrong.code.name, "engine_failed");
    assert!(wrong.message.contains("no answer"), "{}", wrong.message);
}

/// The refusal of an answer that is JSON of another form.
async fn scene_of_wrong_form() -> Refusal {
    let scene = scene(&answers_with("result '{\"labels\":7}'")).await;
    scene.link.classify(classify(content("x"))).await.expect_err("refused")
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_cancelled_and_the_engine_stays() {
    let behaviour = r#"
answer() {
  case $method in
    search) late=$id ;;
    cancel) id=$late; fault '{"code":"cancelled","message":"cancelled"}' ;;
    *) result '{"scores":[],"method":"words"}' ;;
  esac
}
"#;
    let short = Duration::from_millis(200);
    let scene = scene_with(behaviour, |settings| {
        settings.limits.search = short;
        settings.limits.cancel = Duration::from_secs(5);
    })
    .await;
    let refusal = scene.link.search(search(listing(&[]))).await.expect_err("refused");
    assert_eq!(refusal.code.name, "engine_failed");
    assert!(refusal.message.contains("did not answer within 0.2 seconds"), "{}", refusal.message);
    assert!(scene.link.classify(classify(content("x"))).await.is_ok());
    assert_eq!((scene.asked("cancel"), scene.starts()), (1, 1));
}

#[tokio::test]
async fn an_engine_that_does_not_even_answer_to_a_cancellation_is_killed() {
    let scene = scene_with("answer() { :; }\n", |settings| {
        settings.limits.search = Duration::from_millis(200);
    })
    .await;
    let refusal = scene.link.search(search(listing(&[]))).await.expect_err("refused");
    assert!(refusal.message.contains("did not answer within"), "{}", refusal.message);
    scene.behave(&answers_with(CLASSIFIED));
    assert!(scene.link.classify(classify(content("x"))).await.is_ok());
    assert_eq!((scene.asked("cancel"), scene.starts()), (1, 2));
}

#[tokio::test]
async fn a_caller_that_gives_up_cancels_its_request() {
    let scene = scene("answer() { :; }\n").await;
    scene.link.greeting().await.expect("it is up");
    let given_up = scene.link.search(search(listing(&[])));
    let given_up = tokio::time::timeout(Duration::from_millis(200), given_up).await;
    assert!(given_up.is_err(), "it does not answer");
    until("the engine hears of it", || scene.asked("cancel") == 1).await;
    assert_eq!(scene.starts(), 1);
}
