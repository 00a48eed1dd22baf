//! `errors/`: one page for each code of the table in `toolgate_core::codes`, and their index.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use toolgate_core::codes::{self, AREAS, Code, CodeArea, CodeChannel, Hint, Retry};
use toolgate_core::{Blame, RpcError};

use super::ReferencePages;
use super::markdown::{code, fenced, table};

const START: &str = "# Errors

Whatever does not work is told with a code for programs, a sentence for people and, mostly, a hint. Branch on the code; sentences may
change. Every answer also says whose fault it was and whether the same request may succeed later (`retry`). The fault is of the `caller` (the request,
or what it asks for as things stand), of the tool `server`, or of the `gateway`.

## Where codes stand

| Channel | Where |
| --- | --- |
| HTTP | `code` of a problem as RFC 9457 has it (`application/problem+json`), with the status in the tables below |
| result | a tool call over MCP answers with a result: `structuredContent.error.code`, and `_meta[\"dev.toolgate/fault\"].code`. Over REST it is `error.code` of the envelope |
| JSON-RPC | `error.data.code` of an MCP answer |
| warning | `warnings[].code` of the envelope, beside a result |
| console | a page of the console |
| start | the gateway does not start, and says why |
";

pub(super) fn pages() -> ReferencePages {
    let mut pages = ReferencePages::from([("errors/README.md".to_owned(), index())]);
    for one in codes::all() {
        pages.insert(format!("errors/{}.md", one.name), page(one));
    }
    pages
}

fn index() -> String {
    let mut text = START.to_owned();
    AREAS.iter().for_each(|area| text.push_str(&section(area)));
    text.push_str(
        "\n## Numbers of JSON-RPC\n\nErrors of the MCP protocol itself have a number in place of a code:\n\n",
    );
    let rows = NUMBERS.iter().map(|(number, meaning)| vec![code(&number.to_string()), (*meaning).to_owned()]);
    text.push_str(&table(&["Number", "Meaning"], rows));
    text
}

const NUMBERS: [(i64, &str); 9] = [
    (RpcError::PARSE, "The message is no JSON."),
    (RpcError::INVALID_REQUEST, "The message is no request that can be served here."),
    (RpcError::METHOD_NOT_FOUND, "There is no such method."),
    (
        RpcError::INVALID_PARAMS,
        "The parameters do not fit: an unknown tool, resource or prompt, or malformed parameters.",
    ),
    (
        RpcError::INTERNAL,
        "A server could not be asked, or the gateway failed; `data` has a code of the tables above.",
    ),
    (RpcError::RESOURCE_NOT_FOUND_LEGACY, "There is no such resource, for clients of older revisions."),
    (RpcError::HEADER_MISMATCH, "A header says something else than the message."),
    (RpcError::MISSING_CAPABILITY, "The client lacks a capability that the request needs."),
    (
        RpcError::UNSUPPORTED_VERSION,
        "The protocol version is not spoken here; `data.supported` lists those that are.",
    ),
];

fn section(area: &CodeArea) -> String {
    let rows = area.codes.iter().map(|one| {
        let link = format!("[{}]({}.md)", code(one.name), one.name);
        vec![link, one.title.to_owned(), fault(one.fault).to_owned(), channels(one)]
    });
    format!("\n## {}\n\n{}", area.title, table(&["Code", "What happened", "Whose fault", "Where"], rows))
}

fn fault(blame: Blame) -> &'static str {
    match blame {
        Blame::Caller => "caller",
        Blame::Server => "server",
        Blame::Gateway => "gateway",
    }
}

fn channels(one: &Code) -> String {
    let shown = |seen: &CodeChannel| match seen {
        CodeChannel::Http(status) => format!("HTTP {status}"),
        CodeChannel::Result => "result".to_owned(),
        CodeChannel::Rpc => "JSON-RPC".to_owned(),
        CodeChannel::Warning => "warning".to_owned(),
        CodeChannel::Console => "console".to_owned(),
        CodeChannel::Start => "start".to_owned(),
    };
    one.seen.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn page(one: &Code) -> String {
    let Code { title, happened, advice, .. } = one;
    let head = format!("# {}\n\n**{title}.**\n", code(one.name));
    let facts = table(
        &["Whose fault", "Does a retry help", "Where"],
        [vec![code(fault(one.fault)), retry(one).to_owned(), channels(one)]],
    );
    let examples: String =
        one.seen.iter().filter_map(|seen| example(one, *seen)).fold(String::new(), add_first);
    let examples = if examples.is_empty() { examples } else { format!("\n## Example\n\n{examples}") };
    format!(
        "{head}\n{facts}\n## What happened\n\n{happened}\n\n## What to do\n\n{advice}\n{examples}\n## See also\n\n{}",
        see_also(one)
    )
}

/// One example is enough.
fn add_first(sum: String, next: String) -> String {
    if sum.is_empty() { next } else { sum }
}

fn retry(one: &Code) -> &'static str {
    match one.retry {
        _ if one.seen == [CodeChannel::Warning] => "none is needed: the result is there",
        Retry::Yes => "yes: the same request may succeed later",
        Retry::No => "no: it should not be repeated as it is",
        Retry::NewRequest => "not unchanged: a new request as described below can succeed",
        Retry::Sometimes => "the answer's own `retry` says it",
    }
}

fn example(one: &Code, seen: CodeChannel) -> Option<String> {
    let said = match seen {
        CodeChannel::Http(status) => problem(one, status),
        CodeChannel::Result => result(one),
        CodeChannel::Rpc => rpc(one),
        CodeChannel::Warning => json!({ "warnings": [{ "code": one.name, "message": one.message }] }),
        CodeChannel::Console | CodeChannel::Start => return None,
    };
    let text = serde_json::to_string_pretty(&said).expect("texts serialise");
    Some(fenced("json", &text))
}

/// As problems are made: with their status.
fn problem(one: &Code, status: u16) -> Value {
    let named = http::StatusCode::from_u16(status).expect("a status");
    let mut said = json!({ "type": "about:blank", "title": named.canonical_reason(), "status": status, "code": one.name,
        "fault": if named.is_server_error() { "gateway" } else { "caller" },
        "retry": matches!(status, 429 | 503), "detail": one.message });
    if one.hint != Hint::None {
        said["hint"] = one.hint.text().into();
    }
    said
}

fn result(one: &Code) -> Value {
    let error = json!({ "code": one.name, "fault": one.fault, "retry": one.retry == Retry::Yes, "message": one.message,
        "hint": one.hint.text() });
    let text = format!("{}\nhint: {}", one.message, one.hint.text());
    let mut said = json!({ "content": [{ "type": "text", "text": text }],
        "structuredContent": { "error": error, "tool_call_id": "tc_019a…" } });
    // A caller that waits for a person has done nothing wrong.
    if one != &codes::PENDING_APPROVAL {
        said["isError"] = true.into();
    }
    said
}

fn rpc(one: &Code) -> Value {
    let data = json!({ "code": one.name, "hint": one.hint.text() });
    json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": RpcError::INVALID_PARAMS, "message": one.message, "data": data } })
}

fn see_also(one: &Code) -> String {
    let mut text = String::new();
    for see in one.see {
        let line = match (codes::find(see), see.split_once('#')) {
            (Some(other), _) => format!("- [{}]({}.md): {}\n", code(see), see, lower(other.title)),
            (None, Some((page, place))) => {
                format!("- [Configuration, {}](../{page}#{place})\n", words(place))
            }
            (None, None) => format!("- [{see}](../{see})\n"),
        };
        text.push_str(&line);
    }
    text.push_str("- [All errors](README.md)\n");
    text
}

fn words(anchor: &str) -> String {
    if anchor.contains('-') { anchor.replace('-', " ") } else { code(anchor) }
}

fn lower(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// Refusals take their codes from the table, so one that is not in it does not compile. This finds the opposite.
#[test]
fn every_code_of_the_table_is_used_under_its_own_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut used = BTreeSet::new();
    for folder in ["crates", "domains"] {
        note_codes(&root.join(folder), &mut used);
    }
    let unused: Vec<&Code> = codes::all().filter(|one| !used.contains(&one.name.to_uppercase())).collect();
    assert!(unused.is_empty(), "in toolgate_core::codes, but not used as `codes::NAME`: {unused:?}");
}

/// Adds the constants of `codes` that the sources below a folder name, without tests.
fn note_codes(folder: &Path, used: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().unwrap_or_default();
        if name == "tests" || name == "testing" || name == "target" {
            continue;
        }
        if path.is_dir() {
            note_codes(&path, used);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source is text");
            let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
            let after = text.split("codes::").skip(1);
            used.extend(after.filter_map(|rest| rest.split(is_end).next()).map(str::to_owned));
        }
    }
}
