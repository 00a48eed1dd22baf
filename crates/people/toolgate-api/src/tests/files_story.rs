//! Files, from the one who sends them to their end.

use http::{Method, StatusCode};
use serde_json::json;
use toolgate_core::Role;
use toolgate_core::event::{EventFilter, EventKind};
use toolgate_core::id::RunId;
use toolgate_store::LedgerOrder;

use super::file_kit::{FORM, Part, agent, form, operator, raw, with, with_token};
use super::gate::{Gate, UPLOAD_BYTES_MAX, somebody};

const PDF: &str = "%PDF-1.7 and so on";

async fn is_empty(gate: &Gate) -> bool {
    let listed = gate.get(&operator(), "/files").await;
    listed.json()["files"].as_array().expect("a list").is_empty()
}

#[tokio::test]
async fn a_file_is_stored_shown_listed_and_deleted() {
    let gate = Gate::open().await;
    let stored = gate.send_form(&agent(), &[("file", Some("Müller – CV.pdf"), PDF)]).await;
    assert_eq!(stored.status, StatusCode::CREATED, "{stored:?}");
    let file = stored.json();
    let id = file["id"].as_str().expect("an id");
    assert!(id.starts_with("file_"));
    assert_eq!(stored.headers["location"], format!("/files/{id}"));
    assert_eq!((&file["name"], &file["media_type"]), (&json!("Müller – CV.pdf"), &json!("application/pdf")));
    assert_eq!((&file["size"], &file["owner"]), (&json!(PDF.len()), &json!("agent-7")));
    assert_eq!(file["digest"], toolgate_core::Digest::of(PDF).to_string());
    assert!(file["created_at"].as_str() < file["expires_at"].as_str(), "{file}");

    assert_eq!(gate.get(&agent(), &format!("/files/{id}")).await.json(), file);
    assert_eq!(gate.get(&agent(), "/files").await.json(), json!({ "files": [file] }));
    let fetched = gate.get(&agent(), &format!("/files/{id}/content")).await;
    assert_eq!((fetched.status, fetched.text.as_str()), (StatusCode::OK, PDF));
    assert_eq!(gate.delete(&agent(), &format!("/files/{id}")).await.status, StatusCode::NO_CONTENT);
    for path in [format!("/files/{id}"), format!("/files/{id}/content")] {
        let gone = gate.get(&agent(), &path).await;
        assert_eq!((gone.status, gone.problem().as_str()), (StatusCode::NOT_FOUND, "unknown_file"));
    }
    assert_eq!(gate.delete(&agent(), &format!("/files/{id}")).await.problem(), "unknown_file");
    let of = |kind| EventFilter { kind: Some(kind), ..EventFilter::default() };
    for kind in [EventKind::FileStored, EventKind::FileDeleted] {
        let told = gate.store.ledger_page(&of(kind), None, 10, LedgerOrder::OldestFirst).await.expect("read");
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].event.principal.as_str(), "agent-7");
    }
}

#[tokio::test]
async fn a_body_is_a_file_with_its_name_beside_it() {
    let gate = Gate::open().await;
    let named = |path: &str, headers: &[(&'static str, &str)]| {
        with(raw(Method::POST, path, Some(&agent()), "a,b\n1,2\n"), headers)
    };
    for (path, headers, name) in [
        ("/files?name=t%C3%A4st.csv", &[] as &[_], "täst.csv"),
        ("/files?name=a.csv", &[("x-file-name", "b.csv")], "a.csv"),
        ("/files", &[("x-file-name", "t%C3%A4st.csv")], "täst.csv"),
        ("/files", &[("content-disposition", "attachment; filename=\"a b.csv\"")], "a b.csv"),
        ("/files", &[("content-disposition", "attachment; filename*=UTF-8''t%C3%A4st.csv")], "täst.csv"),
        // A sender's claim about the type of its bytes is not believed.
        ("/files?name=a.csv", &[("content-type", "image/png")], "a.csv"),
    ] {
        let stored = gate.send(named(path, headers)).await;
        assert_eq!(stored.status, StatusCode::CREATED, "{path} {headers:?}: {stored:?}");
        let file = stored.json();
        assert_eq!((&file["name"], &file["media_type"]), (&json!(name), &json!("text/csv")), "{file}");
    }
    let nameless = gate.send(named("/files", &[])).await;
    assert_eq!((nameless.status.as_u16(), nameless.problem().as_str()), (422, "name_missing"));
}

#[tokio::test]
async fn what_a_form_says_may_stand_before_its_file_or_behind_it() {
    let gate = Gate::open().await;
    let file: Part<'_> = ("file", Some("other.txt"), "hello");
    let said: [Part<'_>; 3] =
        [("name", None, "told.txt"), ("owner", None, "erna"), ("expires_in_seconds", None, "60")];
    for parts in [[&[file][..], &said].concat(), [&said[..], &[file]].concat()] {
        let stored = gate.send_form(&operator(), &parts).await;
        assert_eq!(stored.status, StatusCode::CREATED, "{stored:?}");
        let file = stored.json();
        assert_eq!((&file["name"], &file["owner"]), (&json!("told.txt"), &json!("erna")));
        let at = |key: &str| {
            toolgate_core::moment::parse_rfc3339(file[key].as_str().expect("a time")).expect("a time")
        };
        assert_eq!(at("expires_at") - at("created_at"), 60_000);
    }
    let of_erna = gate.get(&somebody("erna", Role::Agent), "/files").await.json();
    assert_eq!(of_erna["files"].as_array().map(Vec::len), Some(2));
    assert_eq!(gate.get(&operator(), "/files?owner=ops").await.json(), json!({ "files": [] }));
}

#[tokio::test]
async fn a_file_of_somebody_else_is_as_if_there_were_none() {
    let gate = Gate::open().await;
    let id = gate.keep(&agent(), "a.txt", "hello").await;
    let other = somebody("agent-8", Role::Agent);
    for role in [Role::Agent, Role::Approver, Role::Auditor] {
        let other = somebody("agent-8", role);
        let foreign = gate.get(&other, &format!("/files/{id}")).await;
        let missing = gate.get(&other, "/files/file_none").await;
        assert_eq!(foreign.status, StatusCode::NOT_FOUND);
        assert_eq!(foreign.text.replace(&id, "file_none"), missing.text, "they sound the same");
        assert_eq!(gate.get(&other, &format!("/files/{id}/content")).await.problem(), "unknown_file");
        assert_eq!(gate.delete(&other, &format!("/files/{id}")).await.problem(), "unknown_file");
        assert_eq!(gate.get(&other, "/files?owner=agent-7").await.json(), json!({ "files": [] }));
    }
    for role in [Role::Admin, Role::Operator] {
        let keeper = somebody("keeper", role);
        assert_eq!(gate.get(&keeper, &format!("/files/{id}/content")).await.text, "hello");
        let listed = gate.get(&keeper, "/files?owner=agent-7&name=a.txt").await.json();
        assert_eq!(listed["files"][0]["id"], id);
    }
    let for_erna = gate.send_form(&other, &[("owner", None, "erna"), ("file", Some("a"), "hello")]).await;
    assert_eq!((for_erna.status.as_u16(), for_erna.problem().as_str()), (403, "not_allowed"));
    assert_eq!(for_erna.json()["field"], "owner");
    let for_itself =
        gate.send_form(&other, &[("owner", None, "agent-8"), ("file", Some("a"), "hello")]).await;
    assert_eq!(for_itself.status, StatusCode::CREATED);
    for nobody in ["", "gateway", "a\u{7}b"] {
        let parts = [("owner", None, nobody), ("file", Some("a"), "hello")];
        assert_eq!(gate.send_form(&operator(), &parts).await.problem(), "bad_owner", "{nobody:?}");
    }
}

#[tokio::test]
async fn a_file_whose_time_is_over_is_gone() {
    let gate = Gate::open().await;
    let sent = raw(Method::POST, "/files?name=a&expires_in_seconds=60", Some(&agent()), "hello");
    let id = gate.send(sent).await.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!(gate.get(&agent(), &format!("/files/{id}")).await.status, StatusCode::OK);
    gate.clock.advance_ms(60_001);
    for path in [format!("/files/{id}"), format!("/files/{id}/content")] {
        assert_eq!(gate.get(&agent(), &path).await.problem(), "unknown_file");
    }
    assert!(is_empty(&gate).await);
    let month = 30 * 24 * 60 * 60;
    for (seconds, status) in [
        ("0".to_owned(), 422),
        ("soon".to_owned(), 422),
        (month.to_string(), 201),
        ((month + 1).to_string(), 422),
    ] {
        let path = format!("/files?name=a&expires_in_seconds={seconds}");
        let answer = gate.send(raw(Method::POST, &path, Some(&agent()), "hello")).await;
        assert_eq!(answer.status.as_u16(), status, "{seconds}: {answer:?}");
        if status == 422 {
            assert_eq!(answer.json()["field"], "expires_in_seconds");
        }
    }
}

#[tokio::test]
async fn what_is_too_large_is_refused_with_the_limit() {
    let gate = Gate::open().await;
    let max = usize::try_from(UPLOAD_BYTES_MAX).expect("small");
    let (fits, large) = ("x".repeat(max), "x".repeat(max + 1));
    let raw = |body: &str| raw(Method::POST, "/files?name=a", Some(&agent()), body.to_owned());
    assert_eq!(gate.send(raw(&fits)).await.status, StatusCode::CREATED);
    assert_eq!(gate.send_form(&agent(), &[("file", Some("a"), &fits)]).await.status, StatusCode::CREATED);
    let kept = gate.objects();
    // Whether or not the length is declared.
    let declared = with(raw(""), &[("content-length", &(max + 1).to_string())]);
    for request in [raw(&large), declared] {
        let refused = gate.send(request).await;
        assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (413, "file_too_large"));
        assert!(refused.json()["detail"].as_str().expect("text").contains("10000 bytes"), "{refused:?}");
    }
    let refused = gate.send_form(&agent(), &[("file", Some("a"), &large)]).await;
    assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (413, "file_too_large"));
    assert_eq!(gate.objects(), kept, "nothing of it was kept");
}

#[tokio::test]
async fn what_breaks_off_leaves_nothing() {
    let gate = Gate::open().await;
    let cut = |body: &str| with(raw(Method::POST, "/files", Some(&agent()), body.to_owned()), &[FORM]);
    let whole = form(&[("file", Some("a"), &"x".repeat(5_000)), ("name", None, "b")]);
    for end in [0, 30, 1_000, whole.len() - 60, whole.len() - 8] {
        for broken in [gate.send_broken(cut(&whole[..end])).await, gate.send(cut(&whole[..end])).await] {
            assert_eq!((broken.status.as_u16(), broken.problem().as_str()), (400, "upload_cut_off"), "{end}");
        }
    }
    let body = raw(Method::POST, "/files?name=a", Some(&agent()), "half of it");
    let broken = gate.send_broken(body).await;
    assert_eq!((broken.status.as_u16(), broken.problem().as_str()), (400, "upload_cut_off"));
    assert!(broken.json()["hint"].as_str().expect("a hint").contains("nothing of it was kept"));
    assert!(is_empty(&gate).await);
}

#[tokio::test]
async fn names_with_tricks_are_refused() {
    let gate = Gate::open().await;
    for name in
        ["../../etc/passwd", "a/b", "..", "a\\b", "cv\u{202e}fdp.exe", "a\u{7}b", " a", &"x".repeat(256)]
    {
        let in_part = gate.send_form(&agent(), &[("file", Some(&name.replace('\\', "\\\\")), "hello")]).await;
        // A value that no header can carry is not a form either.
        assert!(
            ["bad_file_name", "form_broken"].contains(&in_part.problem().as_str()),
            "{name:?}: {in_part:?}"
        );
        let encoded: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
        for answer in [
            gate.send_form(&agent(), &[("name", None, name), ("file", Some("a"), "hello")]).await,
            gate.send_form(&agent(), &[("file", Some("a"), "hello"), ("name", None, name)]).await,
            gate.send(raw(Method::POST, &format!("/files?name={encoded}"), Some(&agent()), "hello")).await,
        ] {
            assert_eq!(
                (answer.status.as_u16(), answer.problem().as_str()),
                (422, "bad_file_name"),
                "{name:?}"
            );
        }
    }
    assert!(is_empty(&gate).await);
}

#[tokio::test]
async fn a_form_has_one_file_and_nothing_that_nobody_knows() {
    let gate = Gate::open().await;
    let file: Part<'_> = ("file", Some("a"), "hello");
    for (parts, code) in [
        (&[file, file][..], "second_file"),
        (&[("name", None, "a")], "file_missing"),
        (&[], "file_missing"),
        (&[file, ("comment", None, "nice")], "field_unknown"),
        (&[("file", None, "hello")], "name_missing"),
    ] {
        let answer = gate.send_form(&agent(), parts).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (422, code), "{answer:?}");
    }
    let typed = |media: &'static str| {
        with(raw(Method::POST, "/files", Some(&agent()), form(&[file])), &[("content-type", media)])
    };
    assert_eq!(gate.send(typed("multipart/form-data")).await.problem(), "form_broken");
    assert_eq!(gate.send(typed("multipart/form-data; boundary=YY")).await.problem(), "upload_cut_off");
    assert!(is_empty(&gate).await);
}

#[tokio::test]
async fn files_are_listed_page_by_page() {
    let gate = Gate::open().await;
    for number in 0..5 {
        gate.keep(&agent(), &format!("{number}.txt"), "hello").await;
        gate.clock.advance_ms(1);
    }
    let mut names = Vec::new();
    let mut path = "/files?limit=2".to_owned();
    loop {
        let page = gate.get(&agent(), &path).await.json();
        let files = page["files"].as_array().expect("a list").clone();
        names.extend(files.iter().map(|file| file["name"].as_str().expect("a name").to_owned()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        assert_eq!(files.len(), 2);
        path = format!("/files?limit=2&cursor={next}");
    }
    assert_eq!(names, ["4.txt", "3.txt", "2.txt", "1.txt", "0.txt"]);
    assert_eq!(gate.get(&agent(), "/files?cursor=x").await.problem(), "parameter_invalid");
    assert_eq!(gate.get(&agent(), "/files?limit=501").await.problem(), "parameter_invalid");
}

/// A file that was given to a run may be used with the token of its session, and by no other session of its
/// agent.
#[tokio::test]
async fn a_session_may_use_what_its_opener_has() {
    let gate = Gate::open().await;
    let id = gate.keep(&operator(), "cv.txt", "hello").await;
    let opened = gate.post(&operator(), "/sessions", r#"{"principal":"agent-7"}"#).await;
    let token = opened.json()["token"].as_str().expect("a token").to_owned();
    let credential = gate.store.verify(&token).await.expect("read").expect("it is good");
    let ask = |method: Method, path: String| with_token(raw(method, &path, None, ""), &credential);
    assert_eq!(gate.send(ask(Method::GET, format!("/files/{id}/content"))).await.text, "hello");
    let refused = gate.send(ask(Method::DELETE, format!("/files/{id}"))).await;
    assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (403, "not_allowed"));
    assert_eq!(gate.get(&agent(), &format!("/files/{id}")).await.problem(), "unknown_file");

    let sent = with_token(raw(Method::POST, "/files?name=a", None, "from the session"), &credential);
    let stored = gate.send(sent).await.json();
    assert_eq!(stored["owner"], "agent-7");
    let filter = EventFilter {
        kind: Some(EventKind::FileStored),
        principal: Some(agent().id),
        ..EventFilter::default()
    };
    let told = gate.store.ledger_page(&filter, None, 10, LedgerOrder::OldestFirst).await.expect("read");
    assert_eq!(told[0].event.about.session, credential.session);
    assert_eq!(told[0].event.about.run, None::<RunId>);
}
