//! Calls that are built from the schemas of a document.

use std::process::ExitCode;

use openapi_tools::{ApiTool, ReadLimits};
use serde_json::{Value, json};

use crate::say;
use crate::values;

/// Prints calls of operations that stand at even distances from each other in the document.
pub(crate) fn run(file: &str, count: usize) -> ExitCode {
    let Ok(bytes) = std::fs::read(file) else { return ExitCode::FAILURE };
    let Ok(document) = openapi_tools::read(&bytes, &ReadLimits::default()) else { return ExitCode::FAILURE };
    // Some documents tell operations of one path apart by what stands behind `#` or `?`, which no other program knows.
    let mut tools = document.tools().tools;
    tools.retain(|tool| !tool.path.contains(['#', '?']));
    let step = (tools.len() / count.max(1)).max(1);
    for tool in tools.iter().step_by(step).take(count) {
        say(&call(tool).to_string());
    }
    ExitCode::SUCCESS
}

/// The request, or the reason why there is none.
fn call(tool: &ApiTool) -> Value {
    let named = json!({ "name": tool.name, "method": tool.method.as_str(), "path": tool.path, "produces": tool.produces });
    let mut call = named;
    let Ok(validator) = jsonschema::draft202012::new(&tool.input_schema) else {
        call["failed"] = json!("the schema does not compile");
        return call;
    };
    let Some(arguments) = values::arguments(&tool.input_schema, &validator) else {
        call["failed"] = json!("no arguments were found that fit the schema");
        return call;
    };
    match tool.plan.request(&arguments) {
        Err(bad) => call["failed"] = json!(bad.to_string()),
        Ok(request) => {
            let secrets = tool.plan.security_parameters().iter();
            let secrets: Vec<Value> =
                secrets.map(|secret| json!([format!("{:?}", secret.place), secret.name])).collect();
            call["secrets"] = json!(secrets);
            call["target"] = json!(request.path_and_query);
            call["headers"] = json!(request.headers);
            call["cookies"] = json!(request.cookies);
            call["body"] = request
                .body
                .map_or(Value::Null, |body| json!({ "type": body.media_type, "bytes": body.bytes }));
        }
    }
    call["arguments"] = Value::Object(arguments);
    call
}
