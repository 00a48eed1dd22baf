use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate_core::file::Ref;
use toolgate_core::id::{RefId, SessionId};
use toolgate_core::{Digest, PrincipalId};

use super::super::render::{PieceFate, preview, render};
use super::*;

const LIMIT: usize = 4096;

fn settings() -> ResultSettings {
    ResultSettings { binary: BinaryTreatment::TakeOut, text_bytes_max: LIMIT }
}

/// As it would be stored, with consecutive ids.
fn stored(at: usize, piece: &TakenPiece) -> PieceFate {
    let (media_type, words) = match &piece.content {
        PieceContent::Bytes(_) => ("application/octet-stream".to_owned(), String::new()),
        PieceContent::Text(text) => {
            (piece.declared.clone().unwrap_or_else(|| "text/plain".to_owned()), preview(text))
        }
    };
    let one = Ref {
        id: RefId::new(format!("ref_{at}")),
        media_type,
        bytes: piece.content.as_bytes().len() as u64,
        digest: None,
        preview: words,
        principal: PrincipalId::local(),
        session: SessionId::new("ses_1"),
        run: None,
        call: None,
        tool: None,
        origin: None,
        created_at_ms: 0,
        expires_at_ms: 0,
    };
    PieceFate::Ref(Box::new(one), Digest::of(piece.content.as_bytes()))
}

fn take_with(result: &str, settings: &ResultSettings, structure: StructureRule) -> (String, Vec<TakenPiece>) {
    let cleaned = clean(result, settings, structure);
    let kept: Vec<PieceFate> =
        cleaned.pieces.iter().enumerate().map(|(at, piece)| stored(at, piece)).collect();
    let text = cleaned.parts.map_or_else(|| result.to_owned(), |parts| render(&parts, &kept));
    (text, cleaned.pieces)
}

fn take(result: &Value) -> (Value, Vec<TakenPiece>) {
    let (text, pieces) = take_with(&result.to_string(), &settings(), StructureRule::Free);
    (serde_json::from_str(&text).expect("what is left is JSON"), pieces)
}

fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x1234_5678_u32;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[1]
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

fn prose(bytes: usize) -> String {
    "The quick brown fox jumps over the lazy dog. ".chars().cycle().take(bytes).collect()
}

fn bytes_of(piece: &TakenPiece) -> &[u8] {
    piece.content.as_bytes()
}

#[test]
fn a_block_that_two_readers_may_read_differently_is_taken_out_whole() {
    let result = r#"{"content":[{"type":"text","text":"hi","t\u0079pe":"image","data":"AAAA"}]}"#;
    let (left, pieces) = take_with(result, &settings(), StructureRule::Free);
    let left: Value = serde_json::from_str(&left).expect("what is left is JSON");
    assert_eq!(left["content"][1]["type"], "resource_link", "{left}");
    assert_eq!(pieces[0].content.as_bytes(), &result.as_bytes()[12..result.len() - 2]);
}

#[test]
fn a_result_with_nothing_to_take_out_stays_as_it_is() {
    let result = r#"{ "content":[{"type":"text","text":"hi \u00e9"}], "n": 1.10, "isError":false }"#;
    let cleaned = clean(result, &settings(), StructureRule::Free);
    assert!(cleaned.parts.is_none() && cleaned.pieces.is_empty());
}

#[test]
fn images_and_sound_become_refs_and_links() {
    let image = noise(50);
    let result = json!({"content": [
        {"type": "text", "text": "before"},
        {"type": "image", "data": STANDARD.encode(&image), "mimeType": "image/png",
         "annotations": {"audience": ["user"]}, "_meta": {"k": 1}},
        {"type": "audio", "data": STANDARD.encode(noise(60)), "mimeType": "audio/wav"},
        {"type": "text", "text": "after"},
    ], "isError": true});
    let (left, pieces) = take(&result);
    let digest = |at: usize| Digest::of(bytes_of(&pieces[at])).to_string();
    let line = |at: usize, size: usize| {
        format!(
            r#"{{"ref_id":"ref_{at}","media_type":"application/octet-stream","size":{size},"digest":"{}"}}"#,
            digest(at)
        )
    };
    let expected = json!({"content": [
        {"type": "text", "text": "before"},
        {"type": "text", "text": line(0, 50)},
        {"type": "resource_link", "uri": "toolgate://refs/ref_0", "name": "file",
         "mimeType": "application/octet-stream", "annotations": {"audience": ["user"]}, "_meta": {"k": 1}},
        {"type": "text", "text": line(1, 60)},
        {"type": "resource_link", "uri": "toolgate://refs/ref_1", "name": "file",
         "mimeType": "application/octet-stream"},
        {"type": "text", "text": "after"},
    ], "isError": true});
    assert_eq!(left, expected);
    assert_eq!(bytes_of(&pieces[0]), image);
}

#[test]
fn resources_with_bytes_or_long_text_become_refs() {
    let blob = noise(100);
    let text = prose(LIMIT + 1);
    let result = json!({"content": [
        {"type": "resource", "resource": {"uri": "file:///a.bin", "blob": STANDARD.encode(&blob)}},
        {"type": "resource", "resource": {"uri": "file:///a.md", "mimeType": "text/markdown", "text": text}},
        {"type": "resource", "resource": {"uri": "file:///b.md", "text": "short"}},
    ]});
    let (left, pieces) = take(&result);
    assert_eq!(pieces[0].content, PieceContent::Bytes(blob));
    assert_eq!(pieces[1].content, PieceContent::Text(text));
    assert_eq!(left["content"][3]["name"], "markdown");
    assert_eq!(left["content"][4], result["content"][2]);
}

#[test]
fn what_a_block_says_about_itself_is_kept_if_it_is_short_and_plain() {
    let data = STANDARD.encode(noise(50));
    let long: Vec<String> = (0..100).map(|at| format!("audience {at}")).collect();
    for dropped in [json!({"audience": long}), json!({"icon": STANDARD.encode(noise(760))})] {
        let block = json!({"type": "image", "data": data, "annotations": dropped, "_meta": {"k": 1}});
        let (left, pieces) = take(&json!({"content": [block]}));
        let expected = json!({"type": "resource_link", "uri": "toolgate://refs/ref_0", "name": "file",
            "mimeType": "application/octet-stream", "_meta": {"k": 1}});
        assert_eq!((&left["content"][1], pieces.len()), (&expected, 1));
    }
}

#[test]
fn what_is_within_a_string_that_goes_as_a_whole_is_not_kept_twice() {
    let text = format!("{} {}", STANDARD.encode(noise(3000)), prose(LIMIT));
    let result = json!({"content": [{"type": "text", "text": text}], "structuredContent": {"a": text}});
    let (left, pieces) = take(&result);
    assert_eq!(pieces, [TakenPiece { content: PieceContent::Text(text.clone()), declared: None }]);
    assert_eq!(left["structuredContent"]["a"], format!("[ref_0 text/plain {} bytes]", text.len()));
}

#[test]
fn binary_blocks_stay_where_the_operator_wants_them() {
    let result = json!({"content": [
        {"type": "image", "data": STANDARD.encode(noise(5000)), "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "u:a", "blob": STANDARD.encode(noise(5000))}},
        {"type": "text", "text": prose(LIMIT + 1)},
    ]});
    let inline = ResultSettings { binary: BinaryTreatment::Inline, ..settings() };
    let (left, pieces) = take_with(&result.to_string(), &inline, StructureRule::Free);
    let left: Value = serde_json::from_str(&left).unwrap();
    assert_eq!(left["content"][0], result["content"][0]);
    assert_eq!(left["content"][1], result["content"][1]);
    assert_eq!(pieces.len(), 1);
}

#[test]
fn long_text_becomes_a_ref_with_its_first_words() {
    let text = format!("Dear\n\n\tall,\u{7} {}", prose(LIMIT));
    let (left, pieces) = take(&json!({"content": [{"type": "text", "text": text}]}));
    assert_eq!(pieces[0].content, PieceContent::Text(text));
    let line: Value = serde_json::from_str(left["content"][0]["text"].as_str().unwrap()).unwrap();
    let preview = line["preview"].as_str().unwrap();
    assert!(preview.starts_with("Dear all, The quick"), "{preview}");
    assert_eq!(preview.chars().count(), 200);
    assert_eq!(left["content"][1]["type"], "resource_link");
}

#[test]
fn a_preview_stops_where_base64_begins() {
    let text = format!("A key: {}", STANDARD.encode(noise(9000)));
    assert_eq!(preview(&text), "A key:");
    assert_eq!(preview("ä".repeat(5000).as_str()).chars().count(), 200);
}

#[test]
fn base64_within_text_leaves_a_mark() {
    let data = noise(3000);
    let text = format!("The file: {} (end)", STANDARD.encode(&data));
    let (left, pieces) = take(&json!({"content": [{"type": "text", "text": text}]}));
    assert_eq!(left["content"][0]["text"], "The file: [ref_0 application/octet-stream 3000 bytes] (end)");
    assert_eq!(pieces[0].content, PieceContent::Bytes(data));
}

#[test]
fn base64_within_json_within_text_leaves_a_mark() {
    let data = noise(3000);
    // As some servers write it, with every slash escaped.
    let encoded = STANDARD.encode(&data).replace('/', "\\/");
    let inner = format!(r#"{{ "n": 1.10, "pdf":"{encoded}", "note":"a\"b" }}"#);
    let (left, pieces) = take(&json!({"content": [{"type": "text", "text": inner}]}));
    let expected = r#"{ "n": 1.10, "pdf":"[ref_0 application/octet-stream 3000 bytes]", "note":"a\"b" }"#;
    assert_eq!(left["content"][0]["text"], expected);
    assert_eq!(pieces[0].content, PieceContent::Bytes(data));
}

#[test]
fn what_is_said_twice_is_one_ref() {
    let structured = json!({"pdf": STANDARD.encode(noise(3000)), "pages": 4});
    let (left, pieces) = take(&json!({
        "content": [{"type": "text", "text": structured.to_string()}],
        "structuredContent": structured,
    }));
    let expected = json!({"pdf": "[ref_0 application/octet-stream 3000 bytes]", "pages": 4});
    assert_eq!(left["structuredContent"], expected);
    assert_eq!(left["content"][0]["text"], expected.to_string());
    assert_eq!(pieces.len(), 1);
}

#[test]
fn long_strings_in_a_structure_become_marks() {
    let text = prose(LIMIT + 1);
    let (left, pieces) = take(&json!({"content": [], "structuredContent": {"a": {"b": [text]}, "c": "x"}}));
    let mark = format!("[ref_0 text/plain {} bytes]", text.len());
    assert_eq!(left["structuredContent"], json!({"a": {"b": [mark]}, "c": "x"}));
    assert_eq!(pieces[0].content, PieceContent::Text(text));
}

#[test]
fn a_long_structure_of_short_strings_goes_as_a_whole_unless_its_shape_is_promised() {
    let many: Vec<String> = (0..1000).map(|at| format!("entry {at}")).collect();
    let result = json!({"content": [], "structuredContent": {"many": many}}).to_string();
    let (left, pieces) = take_with(&result, &settings(), StructureRule::Free);
    let left: Value = serde_json::from_str(&left).unwrap();
    assert_eq!(left["structuredContent"]["ref_id"], "ref_0");
    assert_eq!(pieces[0].content, PieceContent::Text(json!({"many": many}).to_string()));
    let promised = clean(&result, &settings(), StructureRule::Promised);
    assert!(promised.parts.is_none() && promised.long_structure.is_some_and(|left| left > LIMIT));
}

#[test]
fn addresses_with_data_stay_addresses() {
    let data = noise(2000);
    let uri = format!("data:application/pdf;base64,{}", STANDARD.encode(&data));
    let (left, pieces) = take(&json!({"content": [{"type": "resource_link", "uri": uri, "name": "a"}]}));
    assert_eq!(left["content"][0]["uri"], "toolgate://refs/ref_0");
    assert_eq!(pieces[0].content, PieceContent::Bytes(data));
}

#[test]
fn broken_base64_is_kept_as_it_is_written() {
    let (left, pieces) =
        take(&json!({"content": [{"type": "image", "data": "not base64!", "mimeType": "image/png"}]}));
    assert_eq!(pieces[0].content, PieceContent::Text("not base64!".to_owned()));
    assert_eq!(left["content"][1]["type"], "resource_link");
}

#[test]
fn more_pieces_than_there_may_be_are_withheld_and_that_is_said() {
    let image = |at: u8| json!({"type": "image", "mimeType": "image/png", "data": STANDARD.encode([at; 30])});
    let blocks: Vec<Value> = (0..70).map(image).collect();
    let (left, pieces) = take(&json!({"content": blocks}));
    assert_eq!(pieces.len(), PIECES_MAX);
    let blocks = left["content"].as_array().unwrap();
    assert_eq!(blocks.len(), 2 * PIECES_MAX + 6);
    assert_eq!(blocks.last().unwrap()["text"], "[30 bytes withheld: more than 64 parts to take out]");
}

#[test]
fn a_page_with_too_many_pictures_is_kept_as_one() {
    let picture =
        |at: usize| format!("<img src=\"data:image/png;base64,{}\">", STANDARD.encode(noise(200 + at)));
    let page: String = (0..100).map(picture).collect();
    let roomy = ResultSettings { text_bytes_max: 20_000, ..settings() };
    let result = json!({"content": [{"type": "text", "text": page}]}).to_string();
    let (_, pieces) = take_with(&result, &roomy, StructureRule::Free);
    assert_eq!(pieces, [TakenPiece { content: PieceContent::Text(page), declared: None }]);
}

#[test]
fn lost_pieces_are_withheld_and_never_passed_on() {
    let data = STANDARD.encode(noise(3000));
    let result = json!({
        "content": [{"type": "image", "data": data, "mimeType": "image/png"}, {"type": "text", "text": format!("x {data}")}],
        "structuredContent": {"many": vec!["entry"; 1000]},
    })
    .to_string();
    let cleaned = clean(&result, &settings(), StructureRule::Free);
    let lost: Vec<PieceFate> =
        cleaned.pieces.iter().map(|piece| PieceFate::Lost(piece.content.as_bytes().len())).collect();
    let left: Value = serde_json::from_str(&render(&cleaned.parts.unwrap(), &lost)).unwrap();
    let expected = json!({
        "content": [
            {"type": "text", "text": "[3000 bytes withheld: the storage of files is away]"},
            {"type": "text", "text": "x [3000 bytes withheld: the storage of files is away]"},
        ],
        "structuredContent": {"withheld": "[8010 bytes withheld: the storage of files is away]"},
    });
    assert_eq!(left, expected);
}

#[test]
fn a_binary_ref_costs_the_context_little() {
    let id = RefId::new(format!("ref_{}", "0".repeat(32)));
    for media_type in ["application/pdf", "image/png", "video/mp4", "application/octet-stream"] {
        let piece = TakenPiece { content: PieceContent::Bytes(noise(204_800)), declared: None };
        let PieceFate::Ref(one, digest) = stored(0, &piece) else { unreachable!("it was stored") };
        let one = Ref { id: id.clone(), media_type: media_type.to_owned(), ..*one };
        let parts = vec![ResultPart::Block(PiecePosition::Piece(0), BlockExtra::default())];
        let text = render(&parts, &[PieceFate::Ref(Box::new(one), digest)]);
        assert!(text.len() < 370, "{media_type}: {}", text.len());
    }
}

/// Finds Base64 by another algorithm than ours: every word is checked.
fn has_run(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c);
    text.split(|c| !is_letter(c)).any(|word| {
        let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
        word.len() >= RUN_BYTES_MIN && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
    })
}

fn all_strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| all_strings(value, found)),
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            found.push(key.clone());
            all_strings(value, found);
        }),
        _ => {}
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let encoded = (0usize..4000).prop_map(|bytes| STANDARD.encode(noise(bytes)));
    prop_oneof![
        "[ -~éß\\n\"\\\\]{0,40}",
        encoded.clone(),
        (encoded.clone(), "[ ,.:]{1}[a-z \\n]{0,20}")
            .prop_map(|(data, words)| format!("{words}{data}{words}")),
        encoded.prop_map(|data| format!("see data:image/png;base64,{data} there")),
        (0usize..10_000).prop_map(prose),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any_text().prop_map(Value::from),
        any_text().prop_map(|text| Value::from(json!({"inner": text, "n": 1}).to_string())),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_block() -> impl Strategy<Value = Value> {
    prop_oneof![
        any_text().prop_map(|text| json!({"type": "text", "text": text})),
        any_value().prop_map(|value| json!({"type": "text", "text": value.to_string()})),
        (0usize..3000).prop_map(|bytes| json!({"type": "image", "mimeType": "image/png",
            "data": STANDARD.encode(noise(bytes))})),
        any_text().prop_map(|text| json!({"type": "resource", "resource": {"uri": "a:b", "text": text}})),
        any_value().prop_map(|value| json!({"type": "unheard-of", "value": value})),
    ]
}

/// True if the remaining parts occur in the result, in order.
fn kept_in_order(result: &str, parts: &[ResultPart<'_>]) -> bool {
    let mut at = 0;
    parts.iter().all(|part| match part {
        ResultPart::Kept(Cow::Borrowed(text)) if *text != "\"" => match result[at..].find(*text) {
            Some(found) => {
                at += found + text.len();
                true
            }
            None => false,
        },
        _ => true,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_that_is_left_is_long_or_encoded(
        blocks in prop::collection::vec(any_block(), 0..6),
        structured in any_value(),
        meta in any_value(),
    ) {
        let result = json!({"content": blocks, "structuredContent": structured, "_meta": meta}).to_string();
        let cleaned = clean(&result, &settings(), StructureRule::Free);
        if let Some(parts) = &cleaned.parts {
            prop_assert!(kept_in_order(&result, parts));
        }
        let (left, _) = take_with(&result, &settings(), StructureRule::Free);
        let left: Value = serde_json::from_str(&left).expect("what is left is JSON");
        let mut strings = Vec::new();
        all_strings(&left, &mut strings);
        for text in strings {
            prop_assert!(text.len() <= LIMIT, "{} bytes are left", text.len());
            prop_assert!(!has_run(&text), "{}", text);
        }
    }

    #[test]
    fn short_results_stay_byte_for_byte(value in any_value()) {
        let text = json!({"structuredContent": value}).to_string();
        prop_assume!(text.len() < STRING_BYTES_MIN);
        prop_assert!(clean(&text, &settings(), StructureRule::Free).parts.is_none());
    }
}
