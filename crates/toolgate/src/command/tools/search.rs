//! `toolgate tools search`: the results that an agent would get.

use std::process::ExitCode;

use anyhow::anyhow;
use serde_json::Value;

use super::offline;
use crate::cli::SearchArgs;
use crate::command::context::Context;
use crate::command::sessions;
use crate::command::shown::{several, text};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{printable, put, talk};
use crate::table::{TextTable, json};

const LIMIT_DEFAULT: u16 = 20;

pub(super) async fn run(context: &Context, args: SearchArgs) -> anyhow::Result<ExitCode> {
    if !args.catalogue.is_empty() {
        return offline::search(context, args).await;
    }
    let found = context.ask(CatalogueNeed::Needed, async |api| ask(api, &args).await).await?;
    put!("{}", if context.global.json { json(&found) } else { table(&found).render(context.reader(), &()) });
    for server in found["unknown_servers"].as_array().into_iter().flatten() {
        talk!("warning: no tool is of a server {:?}\nhint: `toolgate servers list` shows them", text(server));
    }
    if !context.global.json {
        talk!("{}", summary(&found));
    }
    Ok(ExitCode::SUCCESS)
}

async fn ask(api: &mut LocalApi, args: &SearchArgs) -> anyhow::Result<Value> {
    let mut query =
        vec![("q", args.words.join(" ")), ("limit", args.limit.unwrap_or(LIMIT_DEFAULT).to_string())];
    query.extend((!args.servers.is_empty()).then(|| ("servers", args.servers.join(","))));
    query.extend(args.budget_tokens.map(|tokens| ("budget_tokens", tokens.to_string())));
    query.extend(args.whose.agent.as_ref().map(|agent| ("agent", agent.to_string())));
    let Some(session) = &args.whose.session else { return api.get(&["tools", "search"], &query).await };
    let id = sessions::find(api, session).await?;
    query.push(("session", id.clone()));
    let found = api.get(&["tools", "search"], &query).await;
    found.map_err(|error| if sessions::is_unknown(&error) { somebody_elses(&id) } else { error })
}

/// It exists, but searching in it means using it.
fn somebody_elses(id: &str) -> anyhow::Error {
    anyhow!(
        "only its holder searches in the session {id}\nhint: `toolgate sessions explain {id} --in` shows what it sees"
    )
}

fn table(found: &Value) -> TextTable {
    let mut table = TextTable::new(["TOOL", "FOUND BY", "WHAT"]);
    for one in found["results"].as_array().into_iter().flatten() {
        let what = [&one["signature"], &one["line"]].into_iter().find_map(Value::as_str);
        let by = match text(&one["place"]) {
            "exact" => "name",
            "prefix" => "name begins so",
            other => other,
        };
        table.row([text(&one["name"]).to_owned(), by.to_owned(), what.unwrap_or_default().to_owned()]);
    }
    table
}

fn summary(found: &Value) -> String {
    let shown = found["results"].as_array().map_or(0, Vec::len) as u64;
    let more = found["more"].as_u64().unwrap_or_default();
    let tokens = several(found["tokens"].as_u64().unwrap_or_default(), "token");
    match (shown, more) {
        (0, _) => printable(text(&found["text"])),
        (_, 0) => format!("{}; an agent reads {tokens}", several(shown, "tool")),
        (_, more) => {
            format!("{} and {more} more; an agent reads {tokens}", several(shown, "tool"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::OutputReader;

    #[test]
    fn what_was_found_is_told_with_how_and_how_many_more() {
        let found = json!({
            "results": [
                { "name": "a:b", "place": "exact", "signature": "b(x: string)\nDoes it." },
                { "name": "a:c", "place": "words", "line": "c: does more" },
                { "name": "a:d", "place": "prefix" },
            ],
            "more": 4, "tokens": 1200, "text": "",
        });
        insta::assert_snapshot!(table(&found).render(OutputReader::Pipe, &()), @r"
        TOOL  FOUND BY        WHAT
        a:b   name            b(x: string) Does it.
        a:c   words           c: does more
        a:d   name begins so
        ");
        assert_eq!(summary(&found), "3 tools and 4 more; an agent reads 1,200 tokens");
        assert_eq!(summary(&json!({ "results": [], "text": "nothing" })), "nothing");
    }
}
