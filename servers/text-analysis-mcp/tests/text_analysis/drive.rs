//! Starting the server, and reading lists.

use capability_testkit::{Client, server};
use serde_json::Value;

/// The key of the language model in tests.
pub(crate) const KEY: &str = "a-key-that-nobody-may-see";

pub(crate) async fn start(arguments: &[&str]) -> Client {
    let mut command = server(env!("CARGO_BIN_EXE_text-analysis-mcp"), arguments);
    command.env("TEST_LLM_KEY", KEY);
    Client::start(command).await
}

/// The texts of a field of each entry of a list.
pub(crate) fn each<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|entry| entry[field].as_str().unwrap()).collect()
}
