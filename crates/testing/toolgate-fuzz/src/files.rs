//! Files in calls. The first byte of an input selects the tool's file arguments; then come a line of
//! arguments and a result. With `!` as the first byte, the rest is an uploaded file.
//!
//! Compared with a plain parse by serde_json: the quick check misses nothing that the full one finds, a
//! server gets the named bytes and everything else unchanged, and an agent gets nothing that should have been
//! taken out.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use toolgate_core::codes::{self, Code};
use toolgate_core::content::{AttachedContents, Attachment, Contents, ExpandedArguments, SentContent};
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_core::{RawJson, ServerName, Tool};
use toolgate_wire::ObjectMembers;

use crate::house::{self, CONTENTS, FuzzGateway, TEXT_BYTES_MAX};

/// The first byte of an input that is a file.
const UPLOAD: u8 = b'!';
const STRATEGIES: [FileStrategy; 6] = [
    FileStrategy::BinaryBase64,
    FileStrategy::ImageBase64,
    FileStrategy::PlainTextContent,
    FileStrategy::PlainTextText,
    FileStrategy::VideoS3PresignedUrl,
    FileStrategy::Passthrough,
];
/// The refusals of a file that existed before.
static REFUSED_LATE: [&Code; 2] = [&codes::NOT_TEXT, &codes::FILE_TOO_LARGE];
/// Twice the size that counts as Base64: a shorter run may be positioned so that it does not.
const RUN_BYTES: usize = 2_048;
/// The maximum nesting of JSON within strings of JSON that is inspected.
const NESTED_MAX: usize = 3;

pub(crate) fn try_one(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    if *first == UPLOAD {
        return house::within(|house| uploaded(house, rest));
    }
    let mut parts = rest.splitn(2, |byte| *byte == b'\n');
    let [arguments, result] = [parts.next(), parts.next()].map(read);
    let tool = tool(*first);
    house::within(|house| {
        let sent = arguments.map(|arguments| given(house, &tool, &arguments)).unwrap_or_default();
        if let Some(result) = result {
            taken_out(house, &tool, &result, &sent);
        }
    });
}

fn read(part: Option<&[u8]>) -> Option<RawJson> {
    RawJson::parse(Bytes::copy_from_slice(part?)).ok()
}

/// Six strategies, once or as a list, or none.
fn tool(choice: u8) -> Tool {
    let server = ServerName::new("files").expect("it is a name");
    let strategy = STRATEGIES.get(usize::from(choice) % (STRATEGIES.len() + 1));
    let slot = strategy.map(|strategy| FileSlot { many: choice >= 128, ..FileSlot::of(*strategy) });
    let mut tool = Tool::unread(&server, "work");
    tool.handling.files = slot.into_iter().collect();
    tool
}

/// A file is detected as some type, and delivered as that type.
fn uploaded(house: &FuzzGateway, content: &[u8]) {
    let id = house.upload("any", content).expect("a small file is stored");
    for choice in 0..STRATEGIES.len() {
        let tool = tool(u8::try_from(choice).expect("there are a few"));
        let arguments = json!({"file_id": id});
        let Ok(attached) = attached(house, &tool, &arguments) else { continue };
        let Some(expanded) = expanded(house, &tool, &arguments, &attached) else { continue };
        let got = written(house, expanded);
        if tool.handling.files[0].strategy == FileStrategy::BinaryBase64 {
            assert_eq!(got["file_data"], STANDARD.encode(content), "the server gets other bytes");
        }
    }
}

/// The values sent to a server that must not come back.
fn given(house: &FuzzGateway, tool: &Tool, arguments: &RawJson) -> Vec<SentContent> {
    let Ok(value) = arguments.decode::<Value>() else { return Vec::new() };
    if !value.is_object() {
        return Vec::new();
    }
    let concerns = house.files.concerns(tool, arguments);
    let Ok(attached) = attached(house, tool, &value) else {
        assert!(concerns, "the quick look missed what is refused: {}", arguments.as_str());
        return Vec::new();
    };
    let is_nothing = attached.attachments.is_empty() && attached.notices.is_empty();
    assert!(concerns || is_nothing, "the quick look missed a file: {}", arguments.as_str());
    let Some(expanded) = expanded(house, tool, &value, &attached) else { return Vec::new() };
    let sent = expanded.secrets.clone();
    let got = written(house, expanded);
    stays(tool, &value, &attached.attachments, &got);
    filled(tool, &attached.attachments, &got);
    sent
}

fn attached(
    house: &FuzzGateway,
    tool: &Tool,
    arguments: &Value,
) -> Result<AttachedContents, toolgate_core::Refusal> {
    house.runtime.block_on(house.files.attach(&house.holder, tool, arguments))
}

fn expanded(
    house: &FuzzGateway,
    tool: &Tool,
    arguments: &Value,
    attached: &AttachedContents,
) -> Option<ExpandedArguments> {
    let expanding = house.files.expand(&house.holder, tool, arguments, &attached.attachments);
    match house.runtime.block_on(expanding) {
        Ok(expanded) => Some(expanded),
        Err(refusal) => {
            assert!(REFUSED_LATE.contains(&refusal.code), "what was found is refused: {refusal:?}");
            None
        }
    }
}

/// The server's arguments, written out.
fn written(house: &FuzzGateway, expanded: ExpandedArguments) -> Value {
    let mut text = expanded.arguments.into_bytes();
    for insert in expanded.inserts.into_iter().rev() {
        let pieces = house.runtime.block_on(insert.source.open().try_collect::<Vec<Bytes>>());
        let piece = pieces.expect("it is read to its end").concat();
        assert_eq!(insert.source.bytes(), piece.len() as u64, "a source is as long as it says");
        text.splice(insert.at..insert.at, piece);
    }
    let text = String::from_utf8(text).expect("arguments are text");
    let members =
        ObjectMembers::of_str(&text).unwrap_or_else(|error| panic!("no arguments: {error}: {text}"));
    assert!(!members.has_duplicates(), "an argument stands twice: {text}");
    serde_json::from_str(&text).expect("members are those of a value")
}

/// Arguments that name no file reach the server unchanged.
fn stays(tool: &Tool, arguments: &Value, attachments: &[Attachment], got: &Value) {
    let slots = &tool.handling.files;
    let is_slot = |key: &str| slots.iter().any(|slot| slot.argument == key || slot.content == key);
    let names_file = |key: &str| {
        let place = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
        attachments.iter().any(|one| one.place == place || one.place.starts_with(&format!("{place}/")))
    };
    // An id of a server is written in that server's form.
    let is_id = |key: &str| key.ends_with("ref_id") || key.ends_with("file_id");
    for (key, value) in arguments.as_object().into_iter().flatten() {
        let mentions = value.to_string();
        if !is_slot(key) && !names_file(key) && !is_id(key) && !mentions.contains("_id\"") {
            assert_eq!(got.get(key), Some(value), "{key:?} is another one");
        }
    }
}

/// The Base64 is that of the named file.
fn filled(tool: &Tool, attachments: &[Attachment], got: &Value) {
    let [slot] = &tool.handling.files[..] else { return };
    if slot.strategy != FileStrategy::BinaryBase64 || slot.many {
        return;
    }
    let place = format!("/{}", slot.argument);
    let Some(named) = attachments.iter().find(|one| one.place == place) else { return };
    let number = named.id.strip_prefix("file_").and_then(|number| number.parse::<usize>().ok());
    let known = number.and_then(|number| CONTENTS.get(number.checked_sub(1)?));
    if let Some((_, content)) = known {
        assert_eq!(got[&slot.content], STANDARD.encode(content), "the server gets other bytes");
    }
}

fn taken_out(house: &FuzzGateway, tool: &Tool, result: &RawJson, sent: &[SentContent]) {
    let taking = house.files.take_out(&house.holder, tool, result.clone(), sent);
    let taken = house.runtime.block_on(taking);
    let text = Bytes::copy_from_slice(taken.result.as_bytes());
    assert!(RawJson::parse(text).is_ok(), "what is left is not JSON: {}", taken.result.as_str());
    taken.refs.iter().for_each(|one| {
        assert!(one.decode::<Value>().is_ok_and(|one| one["ref_id"].is_string()), "{}", one.as_str());
    });
    // Lone surrogates and numbers beyond a double are JSON, and no value.
    let Ok(left) = taken.result.decode::<Value>() else { return };
    no_binary(&left);
    fits_context(&left, 0);
    for one in sent {
        hides(&left, one);
    }
}

fn no_binary(left: &Value) {
    for block in left["content"].as_array().into_iter().flatten() {
        let is_binary = ["image", "audio"].iter().any(|kind| block["type"] == *kind);
        assert!(!(is_binary && block["data"].is_string()), "binary content is left: {block}");
        let is_blob = block["type"] == "resource" && block["resource"]["blob"].is_string();
        assert!(!is_blob, "binary content is left: {block}");
    }
}

/// No text is too long, and none contains Base64.
fn fits_context(value: &Value, nested: usize) {
    match value {
        Value::String(text) => {
            assert!(text.len() <= TEXT_BYTES_MAX, "a text of {} bytes is left", text.len());
            assert!(!has_run(text), "Base64 is left: {text}");
            let is_json = text.trim_start().starts_with(['{', '[']) && nested < NESTED_MAX;
            if let Some(inner) = is_json.then(|| serde_json::from_str::<Value>(text).ok()).flatten() {
                fits_context(&inner, nested + 1);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| fits_context(value, nested)),
        Value::Object(members) => members.values().for_each(|value| fits_context(value, nested)),
        _ => {}
    }
}

fn has_run(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    let is_file = |run: &str| {
        run.len() >= RUN_BYTES
            && run.contains(|c: char| c.is_ascii_uppercase())
            && run.contains(|c: char| c.is_ascii_lowercase())
    };
    text.split(|c: char| !is_letter(c)).any(is_file)
}

/// A sent value does not come back as a separate text.
fn hides(value: &Value, sent: &SentContent) {
    let secret = match sent {
        SentContent::Address(address) => address,
        SentContent::Content { encoded, .. } => encoded,
    };
    match value {
        Value::String(text) => assert!(text != secret, "what was sent came back: {text}"),
        Value::Array(values) => values.iter().for_each(|value| hides(value, sent)),
        Value::Object(members) => members.values().for_each(|value| hides(value, sent)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "binary content is left")]
    fn a_picture_that_reaches_the_agent_is_a_finding() {
        no_binary(&json!({"content": [{"type": "image", "data": "AAAA"}]}));
    }

    #[test]
    #[should_panic(expected = "Base64 is left")]
    fn base64_that_reaches_the_agent_is_a_finding() {
        has_run("").then(|| panic!("an empty text has none"));
        assert!(!has_run(&"aB3+".repeat(RUN_BYTES / 4)), "Base64 is left");
    }

    #[test]
    #[should_panic(expected = "\"a\" is another one")]
    fn an_argument_that_changes_on_its_way_is_a_finding() {
        stays(&tool(0), &json!({"a": 1}), &[], &json!({"a": 2}));
    }
}
