//! The cost of a large catalogue: `cargo run --release --example catalog_bench`. 500 servers with 20 tools of
//! about 1 KB each: assembled at once, one server changed, rules changed, lists written.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;
use toolgate_catalog::{Catalog, CatalogUpdate, HintTrust, ServerSettings, ToolNameFilter, ToolRule};
use toolgate_core::server::{AskPermissions, ServerListing};
use toolgate_core::{Effects, RawJson, ServerName};

const SERVERS: usize = 500;
const TOOLS: usize = 20;
const ROUNDS: usize = 21;
const PAGE_SIZE: usize = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let names: Vec<ServerName> =
        (0..SERVERS).map(|at| ServerName::new(&format!("server-{at:03}"))).collect::<Result<_, _>>()?;
    let catalog = Catalog::new();
    let before = memory_kib();
    let all = CatalogUpdate {
        servers: Some(names.iter().map(settings).collect()),
        listings: names.iter().map(|name| (name.clone(), Some(listing(name, 0)))).collect(),
        ..CatalogUpdate::default()
    };
    let given = memory_kib();
    let took = timed(|| catalog.update(all.clone()));
    drop(all);
    writeln!(out, "all {} tools: {took:.1?}", catalog.snapshot().tools.entries().len())?;
    writeln!(
        out,
        "definitions: {} KiB, catalogue beside them: {} KiB",
        given - before,
        memory_kib() - given
    )?;

    let changed = (1..=ROUNDS).map(|round| {
        let update = listing(&names[250], round);
        timed(|| catalog.publish(&names[250], update))
    });
    writeln!(out, "one server changed: {:.1?}", median(changed.collect()))?;
    let rules = (1..=ROUNDS).map(|round| {
        let rule =
            ToolRule { effects: Some(Effects::READ), ..ToolRule::new(&format!("server-{round:03}:*")) };
        timed(|| catalog.update(CatalogUpdate { rules: Some(vec![rule]), ..CatalogUpdate::default() }))
    });
    writeln!(out, "rules changed: {:.1?}", median(rules.collect()))?;
    let same = (1..=ROUNDS).map(|_| {
        let update = listing(&names[3], 0);
        timed(|| catalog.publish(&names[3], update))
    });
    writeln!(out, "nothing changed: {:.1?}", median(same.collect()))?;

    let snapshot = catalog.snapshot();
    let pages = (1..=ROUNDS).map(|_| {
        timed(|| {
            let page = snapshot.tools.page(None, PAGE_SIZE).expect("no cursor");
            let mut text = String::with_capacity(page.bytes_max());
            page.write(&mut text);
            text.len()
        })
    });
    writeln!(out, "a page of {PAGE_SIZE}: {:.2?}", median(pages.collect()))?;
    let found = (1..=ROUNDS).map(|round| {
        let name = format!("server-{round:03}__tool_7_of_many");
        timed(|| snapshot.find_tool(&name, 0).is_some())
    });
    writeln!(out, "a tool by its name: {:.2?}", median(found.collect()))?;
    Ok(())
}

fn settings(name: &ServerName) -> ServerSettings {
    ServerSettings {
        name: name.clone(),
        prefix: true,
        filter: ToolNameFilter::default(),
        hints: HintTrust::Believed,
        asks: AskPermissions::default(),
    }
}

fn listing(server: &ServerName, round: usize) -> ServerListing {
    let tool = |at: usize| {
        let properties: BTreeMap<String, _> = (0..6)
            .map(|at| {
                (
                    format!("argument_{at}"),
                    json!({ "type": "string", "description": "What it is about. ".repeat(4) }),
                )
            })
            .collect();
        RawJson::from(json!({
            "name": format!("tool_{at}_of_many"),
            "description": format!("Tool {at} of {server} as it was in round {round}. {}", "It does things. ".repeat(15)),
            "inputSchema": { "type": "object", "properties": properties, "required": ["argument_0"] },
            "annotations": { "readOnlyHint": true },
        }))
    };
    ServerListing { tools: (0..TOOLS).map(tool).collect(), ..ServerListing::default() }
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let done = work();
    let took = start.elapsed();
    drop(std::hint::black_box(done));
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The memory of the process, if the system reports it.
fn memory_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
