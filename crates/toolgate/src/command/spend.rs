//! `toolgate spend`: what models have cost.

use std::process::ExitCode;

use serde_json::Value;
use toolgate_core::moment::rfc3339;

use super::context::Context;
use super::shown::{count, money, now_ms, text};
use crate::cli::SpendArgs;
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::put;
use crate::table::TextTable;

pub(super) async fn run(context: &Context, args: SpendArgs) -> anyhow::Result<ExitCode> {
    let now_ms = now_ms();
    let mut query = vec![("by", args.by.as_str().to_owned())];
    query.extend(args.since.map(|since| ("from", rfc3339(since.from(now_ms)))));
    query.extend(args.until.map(|until| ("until", rfc3339(until.from(now_ms)))));
    let ask = async |api: &mut LocalApi| api.get(&["spend"], &query).await;
    let spend = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", table(&spend).render(context.reader(), &spend));
    Ok(ExitCode::SUCCESS)
}

fn table(spend: &Value) -> TextTable {
    let mut table = TextTable::new(["FOR", "RUNS", "TURNS", "INPUT", "CACHED", "OUTPUT", "COST"]);
    let number = |row: &Value, key: &str| row[key].as_u64().map(count).unwrap_or_default();
    let mut add = |name: &str, row: &Value| {
        table.row([
            name.to_owned(),
            number(row, "runs"),
            number(row, "turns"),
            number(row, "input_tokens"),
            share(&row["cached_share"]),
            number(row, "output_tokens"),
            money(row["cost_micros"].as_u64().unwrap_or_default()),
        ]);
    };
    for row in spend["rows"].as_array().into_iter().flatten() {
        let key = text(&row["key"]);
        add(if key.is_empty() { "no task" } else { key }, row);
    }
    add("total", &spend["total"]);
    table
}

/// `62 %`
fn share(share: &Value) -> String {
    format!("{:.0} %", share.as_f64().unwrap_or_default() * 100.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::OutputReader;

    #[test]
    fn spending_is_told_in_a_line_each_and_in_total() {
        let spend = json!({
            "rows": [{ "key": "writer", "runs": 2, "turns": 9, "input_tokens": 12_000, "cached_share": 0.625,
                "output_tokens": 800, "cost_micros": 48_000 }],
            "total": { "turns": 9, "input_tokens": 12_000, "cached_share": 0.625, "output_tokens": 800,
                "cost_micros": 48_000 },
        });
        insta::assert_snapshot!(table(&spend).render(OutputReader::Pipe, &()), @r"
        FOR     RUNS  TURNS  INPUT   CACHED  OUTPUT  COST
        writer  2     9      12,000  62 %    800     0.0480
        total         9      12,000  62 %    800     0.0480
        ");
    }
}
