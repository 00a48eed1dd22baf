//! `toolgate tools cost`: the cost of tools for the model that reads them.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::Value;

use crate::cli::CostArgs;
use crate::command::agents::budget;
use crate::command::context::Context;
use crate::command::sessions;
use crate::command::shown::{count, several, text};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{put, talk};
use crate::table::{TextTable, json};

pub(super) async fn run(context: &Context, args: CostArgs) -> anyhow::Result<ExitCode> {
    let mut bill = context.ask(CatalogueNeed::Needed, async |api| ask(api, &args).await).await?;
    let table = match &args.server {
        Some(name) => {
            let server = of_server(&bill, name)?;
            let table = tools(&server);
            bill["servers"] = Value::Array(vec![server]);
            table
        }
        None => servers(&bill),
    };
    put!("{}", if context.global.json { json(&bill) } else { table.render(context.reader(), &()) });
    if !context.global.json {
        talk!("{}", summary(&bill));
    }
    Ok(ExitCode::SUCCESS)
}

async fn ask(api: &mut LocalApi, args: &CostArgs) -> anyhow::Result<Value> {
    match (&args.whose.session, &args.whose.agent) {
        (Some(session), _) => {
            let id = sessions::find(api, session).await?;
            api.get(&["sessions", &id, "cost"], &[]).await
        }
        (None, Some(agent)) => api.get(&["tools", "cost"], &[("agent", agent.to_string())]).await,
        (None, None) => api.get(&["tools", "cost"], &[]).await,
    }
}

fn of_server(bill: &Value, name: &str) -> anyhow::Result<Value> {
    let servers = bill["servers"].as_array().map(Vec::as_slice).unwrap_or_default();
    if let Some(server) = servers.iter().find(|server| server["server"] == name) {
        return Ok(server.clone());
    }
    let names: Vec<&str> = servers.iter().map(|server| text(&server["server"])).collect();
    match names[..] {
        [] => bail!("no tool of the server {name:?} is seen\nhint: no tool is seen at all"),
        _ => bail!("no tool of the server {name:?} is seen\nhint: there are tools of {}", names.join(", ")),
    }
}

fn servers(bill: &Value) -> TextTable {
    let mut table = TextTable::new(["SERVER", "TOOLS", "LISTED", "AS SIGNATURES", "AS LINES"]);
    for server in bill["servers"].as_array().into_iter().flatten() {
        let [full, signature, line] = tokens(server);
        let tools = server["tools"].as_array().map_or(0, Vec::len);
        table.row([text(&server["server"]).to_owned(), tools.to_string(), full, signature, line]);
    }
    table
}

fn tools(server: &Value) -> TextTable {
    let mut table = TextTable::new(["TOOL", "LISTED", "AS SIGNATURE", "AS LINE"]);
    for tool in server["tools"].as_array().into_iter().flatten() {
        let [full, signature, line] = tokens(tool);
        table.row([text(&tool["tool"]).to_owned(), full, signature, line]);
    }
    table
}

fn tokens(of: &Value) -> [String; 3] {
    ["tokens_full", "tokens_signature", "tokens_line"].map(|key| count(of[key].as_u64().unwrap_or_default()))
}

fn summary(bill: &Value) -> String {
    let number = |key: &str| bill[key].as_u64().unwrap_or_default();
    let tools = several(number("tools"), "tool");
    let listed = format!("{tools}, {} to list all of them", several(number("tokens_full"), "token"));
    let surface = match text(&bill["surface"]) {
        "search" => format!(
            "searched instead: the list has {}, which saves {}",
            several(number("tokens_listed"), "token"),
            count(number("tokens_saved"))
        ),
        _ => "listed in full".to_owned(),
    };
    let budget = match budget(&bill["token_budget"]) {
        budget if budget.is_empty() => String::new(),
        budget => format!(", budget {budget}"),
    };
    format!("agent {}{budget}: {listed}; {surface} ({})", text(&bill["agent"]), text(&bill["tokenizer"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::OutputReader;

    fn bill() -> Value {
        json!({
            "agent": "writer", "tokenizer": "o200k_base", "surface": "search", "token_budget": 8000,
            "tools": 2, "tokens_full": 12000, "tokens_listed": 900, "tokens_saved": 11100,
            "servers": [{
                "server": "git", "tokens_full": 12000, "tokens_signature": 80, "tokens_line": 30,
                "tools": [
                    { "tool": "git:a", "tokens_full": 11000, "tokens_signature": 50, "tokens_line": 20 },
                    { "tool": "git:b", "tokens_full": 1000, "tokens_signature": 30, "tokens_line": 10 },
                ],
            }],
        })
    }

    #[test]
    fn servers_then_tools_are_told_with_their_tokens() {
        insta::assert_snapshot!(servers(&bill()).render(OutputReader::Pipe, &()), @r"
        SERVER  TOOLS  LISTED  AS SIGNATURES  AS LINES
        git     2      12,000  80             30
        ");
        let server = of_server(&bill(), "git").expect("it is there");
        insta::assert_snapshot!(tools(&server).render(OutputReader::Pipe, &()), @r"
        TOOL   LISTED  AS SIGNATURE  AS LINE
        git:a  11,000  50            20
        git:b  1,000   30            10
        ");
        assert!(of_server(&bill(), "gti").is_err_and(|told| told.to_string().ends_with("tools of git")));
    }

    #[test]
    fn the_summary_says_what_search_saves_and_which_tokens_are_counted() {
        assert_eq!(
            summary(&bill()),
            "agent writer, budget 8000 tokens: 2 tools, 12,000 tokens to list all of them; \
             searched instead: the list has 900 tokens, which saves 11,100 (o200k_base)"
        );
    }
}
