use serde_json::json;
use toolgate_core::RefusalKind;
use toolgate_core::codes;
use toolgate_core::file::RefOrigin;
use toolgate_core::id::SessionId;
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_core::{Digest, PrincipalId};

use super::super::scan::scan;
use super::*;
use crate::files::StoredKind;

fn server(name: &str) -> ServerName {
    ServerName::new(name).expect("a server name")
}

fn tool(slots: &[FileSlot]) -> Tool {
    let mut tool = Tool::unread(&server("doc"), "read");
    tool.handling.files = slots.into();
    tool
}

fn binary() -> FileSlot {
    FileSlot::of(FileStrategy::BinaryBase64)
}

fn found(id: &str) -> FoundContent {
    FoundContent {
        what: StoredKind::File,
        digest: Digest::of(id),
        bytes: 3,
        media_type: "text/plain".to_owned(),
        name: None,
    }
}

fn minted(by: &str, own: &str) -> Ref {
    Ref {
        id: RefId::new(format!("ref_{by}_{own}")),
        media_type: "application/pdf".to_owned(),
        bytes: 0,
        digest: None,
        preview: String::new(),
        principal: PrincipalId::local(),
        session: SessionId::new("ses_1"),
        run: None,
        call: None,
        tool: None,
        origin: Some(RefOrigin { server: server(by), own: own.to_owned(), uri: None }),
        created_at_ms: 0,
        expires_at_ms: 0,
    }
}

/// `file_…` names a file; ids that begin with `doc_`, `other_` or `both_` belong to servers of these names.
fn look(id: &str) -> LookupOutcome {
    let own = id.rsplit(':').next().unwrap_or(id);
    match own.split('_').next() {
        Some("file" | "ref") if !id.ends_with("gone") => LookupOutcome::Here(found(id)),
        Some("doc") => LookupOutcome::AtServers(vec![minted("doc", own)]),
        Some("other") => LookupOutcome::AtServers(vec![minted("other", own)]),
        Some("two") => {
            LookupOutcome::AtServers(vec![minted("other", own), minted("third", own), minted("other", own)])
        }
        Some("both") => LookupOutcome::AtServers(vec![minted("other", own), minted("doc", own)]),
        _ => LookupOutcome::Nothing,
    }
}

fn check(slots: &[FileSlot], arguments: Value) -> Result<ExpansionPlan, Refusal> {
    let mentions = scan(slots, &arguments)?;
    let looked = mentions.iter().map(|mention| look(&mention.id)).collect();
    plan(&tool(slots), &arguments, mentions, looked)
}

/// Slot, argument and ids of each fill.
fn filled(plan: &ExpansionPlan) -> Vec<(usize, &str, Vec<&str>)> {
    fn ids(fill: &SlotFill) -> Vec<&str> {
        fill.items.iter().map(|item| item.id.as_str()).collect()
    }
    plan.fills.iter().map(|fill| (fill.slot, fill.argument.as_str(), ids(fill))).collect()
}

#[test]
fn what_stands_in_a_slot_fills_it() {
    let plan = check(&[binary()], json!({"file_id": "file_1", "n": 1})).unwrap();
    assert_eq!(filled(&plan), [(0, "file_id", vec!["file_1"])]);
    assert_eq!(plan.fills[0].items[0].source, ContentSource::Here(found("file_1")));
    assert!(plan.notices.is_empty() && plan.passed.is_empty());
    let many = FileSlot { many: true, ..binary() };
    let plan = check(&[many], json!({"file_id": ["file_2", "ref_1"]})).unwrap();
    assert_eq!(filled(&plan), [(0, "file_id", vec!["file_2", "ref_1"])]);
}

#[test]
fn what_names_nothing_is_refused_in_a_slot() {
    for (id, code) in [("file_gone", "unknown_file"), ("ref_gone", "unknown_ref"), ("what", "unknown_ref")] {
        let refused = check(&[binary()], json!({"file_id": id})).unwrap_err();
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::NotFound, code));
        assert_eq!(refused.field.as_deref(), Some("/file_id"));
    }
}

#[test]
fn what_the_tools_own_server_made_goes_on_as_it_is() {
    for id in ["doc_1", "both_1"] {
        let plan = check(&[binary()], json!({"source_ref_id": id})).unwrap();
        assert_eq!(plan, ExpansionPlan::default(), "{id}");
        assert_eq!(
            check(&[], json!({"a": [{"source_ref_id": id}]})).unwrap(),
            ExpansionPlan::default(),
            "{id}"
        );
    }
    let plan = check(&[], json!({"source_ref_id": "doc:doc_1"})).unwrap();
    assert_eq!(plan.rewritten, [("/source_ref_id".to_owned(), "doc_1".to_owned())]);
}

#[test]
fn what_the_tools_own_server_made_is_read_where_its_content_is_wanted() {
    let plan = check(&[binary()], json!({"file_id": "both_1"})).unwrap();
    assert_eq!(plan.fills[0].items[0].source, ContentSource::Server(vec![minted("doc", "both_1")]));
}

#[test]
fn a_ref_in_another_argument_fills_the_only_slot() {
    for id in ["file_1", "ref_1", "other_1", "other:other_1"] {
        let plan = check(&[binary()], json!({"content_ref_id": id, "n": 1})).unwrap();
        assert_eq!(filled(&plan), [(0, "content_ref_id", vec![id])]);
        assert!(plan.notices.is_empty());
    }
}

#[test]
fn a_slot_that_has_something_is_not_filled_again() {
    let given = [
        json!({"file_id": "file_1", "content_ref_id": "ref_1"}),
        json!({"file_data": "AAAA", "content_ref_id": "ref_1"}),
    ];
    for arguments in given {
        let plan = check(&[binary()], arguments).unwrap();
        assert!(!filled(&plan).iter().any(|(_, argument, _)| *argument == "content_ref_id"));
        assert_eq!(plan.notices.len(), 1);
        assert_eq!(plan.passed[0].id, "ref_1");
    }
    let plan = check(&[binary()], json!({"a_ref_id": "ref_1", "b_ref_id": "ref_2"})).unwrap();
    assert_eq!(filled(&plan), [(0, "a_ref_id", vec!["ref_1"])]);
    assert!(plan.notices[0].message.contains("`b_ref_id` holds ref_2"), "{:?}", plan.notices);
}

#[test]
fn two_slots_are_never_guessed_between() {
    let other = FileSlot {
        argument: "image".to_owned(),
        content: "image_data".to_owned(),
        media_type: None,
        ..binary()
    };
    let plan = check(&[binary(), other], json!({"source_ref_id": "ref_1"})).unwrap();
    assert!(plan.fills.is_empty());
    assert!(plan.notices[0].message.ends_with("It takes files in `file_id`, `image`"), "{:?}", plan.notices);
}

#[test]
fn a_tool_without_a_strategy_gets_the_id_and_the_caller_a_notice() {
    let plan = check(&[], json!({"file_id": "file_1", "deep": {"x_file_id": "other_1"}})).unwrap();
    let words: Vec<(&str, &str)> =
        plan.notices.iter().map(|notice| (notice.code.name, notice.message.as_str())).collect();
    let hint = "To give it the content instead, an operator sets one: [[tools]] name = \"doc:read\" \
                file_strategy = \"binary_base64\"";
    let message = |key: &str, id: &str| {
        format!("`{key}` holds {id} and is passed on as it is: tool doc:read has no file strategy. {hint}")
    };
    let expected = [message("file_id", "file_1"), message("x_file_id", "other_1")];
    assert_eq!(words, expected.each_ref().map(|message| ("file_not_mapped", message.as_str())));
    assert_eq!(plan.passed.iter().map(|item| item.place.as_str()).collect::<Vec<&str>>(), ["/file_id"]);
}

#[test]
fn what_names_nothing_elsewhere_goes_on_and_only_our_own_kind_is_mentioned() {
    let plan = check(&[], json!({"file_id": "1234", "ref_id": "x"})).unwrap();
    assert_eq!(plan, ExpansionPlan::default());
    let plan = check(&[binary()], json!({"source_file_id": "file_gone"})).unwrap();
    let message = "`source_file_id` holds file_gone, which names nothing here, and is passed on as it is";
    assert_eq!(plan.notices, [Notice { code: &codes::FILE_NOT_MAPPED, message: message.to_owned() }]);
    assert!(plan.fills.is_empty());
}

#[test]
fn a_slot_that_passes_ids_on_says_nothing_and_keeps_others_files_back() {
    let slot = FileSlot::of(FileStrategy::Passthrough);
    let plan = check(std::slice::from_ref(&slot), json!({"file_id": "file_1"})).unwrap();
    assert!(plan.notices.is_empty() && plan.fills.is_empty());
    assert_eq!(plan.passed[0].id, "file_1");
    assert_eq!(
        check(std::slice::from_ref(&slot), json!({"file_id": "theirs"})).unwrap(),
        ExpansionPlan::default()
    );
    let refused = check(&[slot], json!({"file_id": "file_gone"})).unwrap_err();
    assert_eq!(refused.code.name, "unknown_file");
}

#[test]
fn an_id_of_two_servers_must_be_said_more_exactly() {
    for arguments in [json!({"file_id": "two_1"}), json!({"content_ref_id": "two_1"})] {
        let refused = check(&[binary()], arguments).unwrap_err();
        assert_eq!(refused.code.name, "ambiguous_ref");
        assert_eq!(refused.message, "2 servers call something two_1");
        assert_eq!(refused.hint, "say whose is meant: `other:two_1` or `third:two_1`");
    }
}
