//! The cost of the parts of a call that neither wait nor decide: parse, validate, digest, redact. Run it with
//! `--release`.

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;

use serde_json::{Value, json};
use toolgate_core::{AuditLevel, CanonicalName, Digest, Effects, RawJson, ServerName, Tool, ToolHandling};
use toolgate_pipeline::canonical::{digest_of, parse};
use toolgate_pipeline::redact::{MarkStyle, RedactRule, Redactor};
use toolgate_pipeline::schema::Schemas;

const ARGUMENTS: &str = r#"{"account_id":"acc_81723","amount":1250.75,"currency":"EUR","note":"August invoice 4711","urgent":false}"#;
const RESULT: &str = r#"{"content":[{"type":"text","text":"Transferred 1250.75 EUR from acc_81723"}],"structuredContent":{"id":"tr_991","state":"done"}}"#;
const ROUNDS: u32 = 200_000;

fn main() {
    let tool = tool();
    let schemas = Schemas::default();
    let rule = RedactRule {
        tools: "bank:*".into(),
        input: vec!["/owner/*/iban".into()],
        output: vec!["/iban".into()],
    };
    let redactor = Redactor::new(vec![rule]).expect("the rule is well formed");
    let arguments = parse(ARGUMENTS).expect("the arguments are well formed");
    let result = RawJson::from_composed(RESULT.to_owned());
    let wrong = json!({"acount_id": "acc_81723", "amount": "ten"});
    let name = tool.name.as_str();

    measure("parse", || parse(black_box(ARGUMENTS)));
    measure("validate", || schemas.check_input(&tool, black_box(&arguments)));
    measure("digest", || digest_of(black_box(&arguments)));
    measure("redact the arguments", || {
        redactor.redact_input(name, black_box(&arguments), MarkStyle::Plain).complete
    });
    let text =
        json!({"path": "/tmp/notes.md", "text": "The quick brown fox jumps over the lazy dog. ".repeat(45)});
    measure("redact 2 KB of text", || {
        redactor.redact_input(name, black_box(&text), MarkStyle::Plain).complete
    });
    let lines = RawJson::from(json!({"content": [{"type": "text", "text": text["text"]}]}));
    measure("redact a result of 2 KB", || redactor.redact_output(name, black_box(&lines)).complete);
    measure("redact the result", || redactor.redact_output(name, black_box(&result)).complete);
    measure("all of it", || {
        let arguments: Value = parse(black_box(ARGUMENTS)).expect("the arguments are well formed");
        let check = schemas.check_input(&tool, &arguments);
        let input = redactor.redact_input(name, &arguments, MarkStyle::Plain).complete;
        let output = redactor.redact_output(name, black_box(&result)).complete;
        (check, digest_of(&arguments), input, output)
    });
    measure("explain wrong arguments", || schemas.check_input(&tool, black_box(&wrong)));
}

fn measure<T>(what: &str, mut work: impl FnMut() -> T) {
    for _ in 0..ROUNDS / 10 {
        black_box(work());
    }
    let start = Instant::now();
    for _ in 0..ROUNDS {
        black_box(work());
    }
    let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS);
    writeln!(std::io::stdout(), "{what:<26}{micros:>8.3} µs").expect("stdout is open");
}

fn tool() -> Tool {
    let server = ServerName::new("bank").expect("a plain name");
    let schema = json!({
        "type": "object",
        "properties": {
            "account_id": {"type": "string", "pattern": "^acc_[0-9]+$"},
            "amount": {"type": "number", "exclusiveMinimum": 0},
            "currency": {"enum": ["EUR", "USD", "CHF"]},
            "note": {"type": "string", "maxLength": 140},
            "urgent": {"type": "boolean"},
        },
        "required": ["account_id", "amount", "currency"],
        "additionalProperties": false,
    });
    Tool {
        name: CanonicalName::of(&server, "transfer"),
        version: Digest::of(schema.to_string()),
        server,
        own: "transfer".into(),
        effects: Effects::ALL,
        hinted: false,
        idempotent: false,
        audit: AuditLevel::Standard,
        input_schema: Some(RawJson::from(schema)),
        output_schema: None,
        output_check: None,
        handling: ToolHandling::default(),
    }
}
