//! A bank: a server whose tools have effects, and which records every call that reaches it before it answers.
//! A call in its journal has run, whatever the gateway in front of it reports.

use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use parking_lot::Mutex;
use serde_json::{Value, json};

#[derive(Args, Clone, Debug)]
pub struct BankSettings {
    /// Every call is appended here, one a line: the tool and its arguments.
    #[arg(long, value_name = "FILE")]
    pub journal: PathBuf,
    /// `hold` answers once this file exists.
    #[arg(long, value_name = "FILE")]
    pub release: Option<PathBuf>,
    /// While this file exists, a call takes effect and the bank dies before it answers. It removes the file
    /// first.
    #[arg(long, value_name = "FILE")]
    pub doom: Option<PathBuf>,
    /// The description of `transfer`.
    #[arg(long, value_name = "TEXT", default_value = "Moves money")]
    pub description: String,
}

const RESOURCES: [&str; 2] = ["bank://lobby/hours", "bank://vault/contents"];
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Serves stdin and stdout until stdin ends.
pub fn serve(settings: BankSettings) {
    let out = Arc::new(Mutex::new(std::io::stdout()));
    let settings = Arc::new(settings);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        if message.get("id").is_none() || message.get("method").is_none() {
            continue;
        }
        let (settings, out) = (settings.clone(), out.clone());
        // A call that waits must not keep others from being answered.
        std::thread::spawn(move || {
            let answer = answer(&settings, &message);
            let mut out = out.lock();
            drop(writeln!(out, "{answer}"));
            drop(out.flush());
        });
    }
}

fn answer(settings: &BankSettings, message: &Value) -> Value {
    let id = &message["id"];
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {}, "resources": {}, "prompts": {} },
            "serverInfo": { "name": "bank", "version": "1" },
        }),
        "tools/list" => json!({ "tools": tools(settings) }),
        "ping" => json!({}),
        "tools/call" => call(settings, &message["params"]),
        "resources/list" => json!({ "resources": RESOURCES.map(|uri| json!({ "uri": uri, "name": uri })) }),
        "resources/templates/list" => json!({ "resourceTemplates": [] }),
        "prompts/list" => {
            json!({ "prompts": [{ "name": "letter", "description": "A letter to a customer" }] })
        }
        "resources/read" => {
            let uri = &message["params"]["uri"];
            write_down(settings, &format!("resources/read {uri}\n"));
            json!({ "contents": [{ "uri": uri, "text": "12 bars of gold" }] })
        }
        "prompts/get" => {
            write_down(settings, &format!("prompts/get {}\n", message["params"]["name"]));
            json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "Dear customer" } }] })
        }
        _ => {
            return json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "unknown method" } });
        }
    };
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn tools(settings: &BankSettings) -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "amount": { "type": "integer", "description": "In cents" },
            "account": { "type": "string" },
            "password": { "type": "string" },
        },
        "required": ["amount", "account"],
    });
    let reads = json!({ "readOnlyHint": true, "openWorldHint": false });
    json!([
        { "name": "transfer", "description": settings.description, "inputSchema": schema },
        { "name": "hold", "description": "Moves money, when it may", "inputSchema": schema },
        { "name": "refund", "description": "Moves money back; twice is as good as once", "inputSchema": schema,
          "annotations": { "idempotentHint": true } },
        { "name": "balance", "description": "Looks", "annotations": reads,
          "inputSchema": { "type": "object", "properties": { "account": { "type": "string" } } } },
        { "name": "statement", "description": "Looks, and says it in a form", "annotations": reads,
          "inputSchema": { "type": "object", "properties": { "broken": { "type": "boolean" } } },
          "outputSchema": { "type": "object", "properties": { "total": { "type": "integer" } }, "required": ["total"] } },
    ])
}

fn call(settings: &BankSettings, params: &Value) -> Value {
    let name = params["name"].as_str().unwrap_or_default();
    let arguments = &params["arguments"];
    write_down(settings, &format!("{name} {arguments}{}\n", beside(params)));
    if settings.doom.as_ref().is_some_and(|doom| std::fs::remove_file(doom).is_ok()) {
        std::process::exit(1);
    }
    if name == "hold"
        && let Some(release) = &settings.release
    {
        while !release.exists() {
            std::thread::sleep(LOOK_EVERY);
        }
    }
    if name == "statement" {
        let total = if arguments["broken"] == true { json!("much") } else { json!(7) };
        return json!({ "content": [{ "type": "text", "text": "statement" }], "structuredContent": { "total": total } });
    }
    let mut result = json!({ "content": [{ "type": "text", "text": format!("{name} done: {arguments}") }] });
    if name == "balance" {
        // A server's metadata about its result.
        result["_meta"] = json!({ "bank/branch": 7 });
    }
    result
}

/// The members of a call besides its name and arguments; empty if there are none.
fn beside(params: &Value) -> String {
    let mut rest = params.as_object().cloned().unwrap_or_default();
    rest.retain(|key, _| key != "name" && key != "arguments");
    if let Some(meta) = rest.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.retain(|key, _| key.contains('/') && !key.starts_with("io.modelcontextprotocol/"));
        if meta.is_empty() {
            rest.remove("_meta");
        }
    }
    if rest.is_empty() { String::new() } else { format!(" beside {}", Value::from(rest)) }
}

fn write_down(settings: &BankSettings, line: &str) {
    let mut journal = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&settings.journal)
        .expect("the journal can be opened");
    journal.write_all(line.as_bytes()).expect("the journal can be written");
}
