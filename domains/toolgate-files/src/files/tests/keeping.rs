//! Files: their owner, their type, their retention.

use std::time::Duration;

use toolgate_core::content::ContentHolder;
use toolgate_core::file::File;
use toolgate_core::id::{FileId, RunId};
use toolgate_core::run::{
    BudgetUsage, InputFile, Run, RunBudget, RunLabel, RunManifests, RunReport, RunState,
};
use toolgate_core::scope::AgentName;
use toolgate_core::{Digest, Principal, PrincipalId, RefusalKind, Role};
use toolgate_store::ActionStamp;

use super::{content, erna, put, some};
use crate::access::ContentAccess;
use crate::files::FileQuery;
use crate::fixture::{FilesWorld, cut, holder, name, noise, on_every_storage, person, sent};

on_every_storage!(
    a_file_is_what_its_bytes_say,
    a_file_is_read_whole_or_in_part,
    an_upload_that_breaks_off_is_no_file,
);

async fn a_file_is_what_its_bytes_say(world: FilesWorld) {
    let erna = erna();
    let pdf = [&b"%PDF-1.7\n"[..], &noise(2_000_000)].concat().into();
    let file = put(&world.files, &erna, "Lebenslauf – Müller.png", &pdf).await;
    assert_eq!(file.media_type, "application/pdf", "whatever it is called");
    assert_eq!((file.bytes, file.digest), (2_000_009, Digest::of(&pdf)));
    assert_eq!((&file.owner, file.name.as_str()), (&erna.id, "Lebenslauf – Müller.png"));
    assert!(file.id.as_str().starts_with(FileId::PREFIX));
    let month = 30 * 24 * 60 * 60 * 1000;
    assert_eq!(file.expires_at_ms, Some(file.created_at_ms + month));
    assert_eq!(world.files.get(&ContentAccess::Person(&erna), &file.id).await, Ok(file.clone()));
    let told = world.told("file.stored").await;
    assert_eq!((told.len(), &told[0]["file"]), (1, &file.id.as_str().into()));
    let text = put(&world.files, &erna, "a.md", &"# Größe".into()).await;
    assert_eq!(text.media_type, "text/markdown");
}

async fn a_file_is_read_whole_or_in_part(world: FilesWorld) {
    let erna = erna();
    let bytes = noise(3_000_000);
    let file = put(&world.files, &erna, "a.bin", &bytes).await;
    let (by, id) = (ContentAccess::Person(&erna), file.id.as_str());
    assert_eq!(content(&world.files, &by, id).await.expect("read"), bytes);
    assert_eq!(some(&world.files, &by, id, "bytes=5-9").await.expect("read"), bytes[5..10]);
    assert_eq!(some(&world.files, &by, id, "bytes=-7").await.expect("read"), bytes[2_999_993..]);
    assert_eq!(some(&world.files, &by, id, "bytes=2999999-").await.expect("read"), bytes[2_999_999..]);
    assert_eq!(some(&world.files, &by, id, "bytes=3000000-").await, Err("bad_range"));
    let empty = put(&world.files, &erna, "empty", &"".into()).await;
    assert_eq!(content(&world.files, &by, empty.id.as_str()).await, Ok(Vec::new()));
    assert_eq!(some(&world.files, &by, empty.id.as_str(), "bytes=0-0").await, Err("bad_range"));
}

async fn an_upload_that_breaks_off_is_no_file(world: FilesWorld) {
    let erna = erna();
    let by = ContentAccess::Person(&erna);
    let refused = world.files.put(&by, name("a"), cut(&noise(2_500_000))).await.expect_err("cut off");
    assert_eq!((refused.code.name, refused.kind), ("upload_cut_off", RefusalKind::Invalid));
    let page = world.files.list(&by, FileQuery::default(), 10).await.expect("listed");
    assert_eq!((page.files.len(), world.told("file.stored").await.len()), (0, 0));
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused_with_the_limit() {
    let world = FilesWorld::with(|settings| settings.upload_bytes_max = 1_000).await;
    let erna = erna();
    let by = ContentAccess::Person(&erna);
    world.files.put(&by, name("a"), sent(&noise(1_000))).await.expect("it just fits");
    let refused = world.files.put(&by, name("a"), sent(&noise(1_001))).await.expect_err("too large");
    assert_eq!(refused.code.name, "file_too_large");
    assert!(refused.message.contains("1000"), "{refused}");
}

/// A run of another principal that was given a file.
async fn given(world: &FilesWorld, file: &File) -> ContentHolder {
    let run = Run {
        id: RunId::new("run_1"),
        task: None,
        parent: None,
        agent: AgentName::new("clerk").expect("a name"),
        principal: PrincipalId::new("bert"),
        created_by: PrincipalId::new("olga"),
        session: None,
        state: RunState::Pending,
        reason: None,
        summary: None,
        input: vec![InputFile { path: "cv.pdf".to_owned(), file: file.id.clone(), digest: file.digest }],
        output: Vec::new(),
        label: RunLabel::default(),
        manifests: RunManifests::default(),
        report: RunReport::default(),
        events: 0,
        budget: RunBudget::default(),
        used: BudgetUsage::default(),
        created_at_ms: 0,
        started_at_ms: None,
        state_since_ms: 0,
        ended_at_ms: None,
        row_version: 1,
    };
    let by = PrincipalId::new("olga");
    world.books.create_run(run, ActionStamp { by: &by, at_ms: 0 }).await.expect("created");
    holder("bert", "ses_bert", Some("run_1"))
}

#[tokio::test]
async fn whoever_may_not_use_a_file_hears_that_there_is_none() {
    let world = FilesWorld::folder().await;
    let file = put(&world.files, &erna(), "a.txt", &"hello".into()).await;
    let id = file.id.as_str();
    let by_run = given(&world, &file).await;
    let by_opener =
        ContentHolder { opened_by: Some(PrincipalId::new("erna")), ..holder("bert", "ses_1", None) };
    let own = holder("erna", "ses_2", None);
    for allowed in [&by_run, &by_opener, &own] {
        assert_eq!(
            content(&world.files, &ContentAccess::Session(allowed), id).await.as_deref(),
            Ok(&b"hello"[..])
        );
    }
    let mut strange: Vec<ContentHolder> = vec![
        holder("bert", "ses_1", None),
        holder("bert", "ses_bert", Some("run_2")),
        ContentHolder { opened_by: Some(PrincipalId::new("bert")), ..holder("anna", "ses_3", None) },
    ];
    // In a call, a principal has only its own rights.
    strange.push(ContentHolder { principal: person("olga", Role::Admin), ..holder("olga", "ses_4", None) });
    let missing =
        world.files.get(&ContentAccess::Person(&erna()), &FileId::new("file_none")).await.expect_err("none");
    for holder in &strange {
        let refused =
            world.files.get(&ContentAccess::Session(holder), &file.id).await.expect_err("not theirs");
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::NotFound, "unknown_file"));
        assert_eq!(refused.message, format!("there is no file {id}"));
        assert_eq!(
            (&refused.hint, refused.kind),
            (&missing.hint, missing.kind),
            "just as if it did not exist"
        );
    }
    for (role, may) in [
        (Role::Admin, true),
        (Role::Operator, true),
        (Role::Auditor, false),
        (Role::Approver, false),
        (Role::Agent, false),
    ] {
        let found = world.files.resolve(&ContentAccess::Person(&person("olga", role)), id).await;
        assert_eq!(found.is_ok(), may, "{role:?}");
    }
    let forged = format!("file_{}\n<b>", "x".repeat(10_000));
    let refused = world.files.resolve(&ContentAccess::Person(&erna()), &forged).await.expect_err("none");
    assert!(refused.message.len() < 200 && !refused.message.contains('\n'), "{refused}");
}

#[tokio::test]
async fn a_file_ends_when_its_time_is_over() {
    let world = FilesWorld::with(|settings| settings.keep = Some(Duration::from_secs(60))).await;
    let erna = erna();
    let by = ContentAccess::Person(&erna);
    let file = put(&world.files, &erna, "a.txt", &"hello".into()).await;
    world.clock.advance(Duration::from_secs(59));
    assert!(world.files.get(&by, &file.id).await.is_ok());
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(
        content(&world.files, &by, file.id.as_str()).await,
        Err("unknown_file"),
        "though it is still there"
    );
    assert_eq!(world.files.list(&by, FileQuery::default(), 10).await.expect("listed").files, []);
    assert_eq!(world.files.collect().await.expect("collected").files, 1);
    assert_eq!(world.told("file.deleted").await[0]["reason"], "expired");
    let forever = FilesWorld::with(|settings| settings.keep = None).await;
    assert_eq!(put(&forever.files, &erna, "a", &"".into()).await.expires_at_ms, None);
}

#[tokio::test]
async fn a_list_shows_whose_files_one_may_see() {
    let world = FilesWorld::folder().await;
    let (erna, bert, olga) = (erna(), person("bert", Role::Agent), person("olga", Role::Operator));
    for number in 0..5 {
        world.clock.advance(Duration::from_secs(1));
        put(&world.files, &erna, &format!("{number}.txt"), &"same".into()).await;
    }
    put(&world.files, &bert, "0.txt", &"same".into()).await;
    let list = async |by: &Principal, query: FileQuery| {
        world.files.list(&ContentAccess::Person(by), query, 2).await.expect("listed")
    };
    let first = list(&erna, FileQuery::default()).await;
    let names: Vec<&str> = first.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["4.txt", "3.txt"], "newest first");
    let next = FileQuery { cursor: first.next, ..FileQuery::default() };
    assert_eq!(list(&erna, next).await.files[0].name.as_str(), "2.txt");
    let of_erna = FileQuery { owner: Some(erna.id.clone()), ..FileQuery::default() };
    assert!(list(&bert, of_erna.clone()).await.files.iter().all(|file| file.owner == bert.id), "his own");
    assert!(list(&olga, of_erna).await.files.iter().all(|file| file.owner == erna.id));
    let by_name = FileQuery { name: Some(name("0.txt")), ..FileQuery::default() };
    assert_eq!(list(&olga, by_name.clone()).await.files.len(), 2);
    assert_eq!(list(&erna, by_name).await.files.len(), 1);
}

#[tokio::test]
async fn only_its_owner_deletes_a_file() {
    let world = FilesWorld::folder().await;
    let erna = erna();
    let file = put(&world.files, &erna, "a.txt", &"hello".into()).await;
    let user = given(&world, &file).await;
    let refused = world.files.delete(&ContentAccess::Session(&user), &file.id).await.expect_err("only used");
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Forbidden, "not_allowed"));
    let stranger = person("anna", Role::Agent);
    let refused =
        world.files.delete(&ContentAccess::Person(&stranger), &file.id).await.expect_err("not theirs");
    assert_eq!(refused.code.name, "unknown_file");
    assert_eq!(world.files.delete(&ContentAccess::Person(&erna), &file.id).await, Ok(file.clone()));
    assert_eq!(
        content(&world.files, &ContentAccess::Session(&user), file.id.as_str()).await,
        Err("unknown_file")
    );
    let again = world.files.delete(&ContentAccess::Person(&erna), &file.id).await.expect_err("gone");
    assert_eq!(again.code.name, "unknown_file");
    assert_eq!(world.told("file.deleted").await.len(), 1);
    let other = put(&world.files, &erna, "a.txt", &"hello".into()).await;
    let olga = person("olga", Role::Operator);
    assert!(world.files.delete(&ContentAccess::Person(&olga), &other.id).await.is_ok());
}

#[test]
fn names_that_trick_are_refused() {
    for bad in ["../a", "a/b", "a\\b", "", "a\nb", "a\u{202e}b", " a", ".."] {
        let refused = crate::file_name(bad).expect_err(bad);
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "bad_file_name"), "{bad:?}");
        assert!(!refused.hint.is_empty());
    }
    assert_eq!(crate::file_name("Müller.pdf").map(|name| name.to_string()), Ok("Müller.pdf".to_owned()));
}
