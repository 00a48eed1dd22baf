//! The number of tools of real catalogues that the scan marks: `cargo run --example scan_rate -- FILE…`, each
//! file with one `{"server": …, "name": …, "description": …, "input_schema": …}` per line.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;

use serde_json::{Value, json};
use toolgate_catalog::{ToolNames, scan};
use toolgate_core::ServerName;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for path in std::env::args().skip(1) {
        let tools = read(&path)?;
        let mut names = ToolNames::default();
        for (server, definitions) in &tools {
            names.set(server, definitions.iter().filter_map(|one| Some(one["name"].as_str()?.to_owned())));
        }
        let (mut all, mut marked) = (0, 0);
        for (server, definition) in
            tools.iter().flat_map(|(server, all)| all.iter().map(move |one| (server, one)))
        {
            let findings = scan(definition, &names.beside(server));
            all += 1;
            marked += usize::from(!findings.is_empty());
            for finding in findings {
                let name = &definition["name"];
                writeln!(out, "{server} {name} {:?} {}: {}", finding.kind, finding.place, finding.excerpt)?;
            }
        }
        writeln!(
            out,
            "{path}: {marked} of {all} tools marked, {:.2} %",
            100.0 * f64::from(marked as u32) / f64::from(all)
        )?;
    }
    Ok(())
}

fn read(path: &str) -> Result<BTreeMap<ServerName, Vec<Value>>, Box<dyn Error>> {
    let mut tools: BTreeMap<ServerName, Vec<Value>> = BTreeMap::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let mut line: Value = serde_json::from_str(line)?;
        let server: String =
            line["server"].as_str().unwrap_or("unknown").replace(|c: char| !c.is_alphanumeric(), "-");
        let definition = json!({
            "name": line["name"].take(),
            "description": line["description"].take(),
            "annotations": line["annotations"].take(),
            "inputSchema": line["input_schema"].take(),
        });
        let server = ServerName::new(&server.chars().take(ServerName::CHARS_MAX).collect::<String>())?;
        tools.entry(server).or_default().push(definition);
    }
    Ok(tools)
}
