//! How many of the right tools stand in an answer of so many tokens, and what lists and answers cost:
//! `cargo run --release --example answer_recall -- --data DIR [--budget TOKENS]`, where DIR holds `livemcpbench` and
//! `enterprise77k` (and `real-catalogue` for the start set), each with its `tools.jsonl`.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate_core::{CanonicalName, Digest, ServerName};
use toolgate_search::meta_tools::{self, ServerBehind};
use toolgate_search::{
    Answer, Budget, Card, Cost, Detail, Document, Indexer, Item, Subset, diet, listed, tokens,
};

type Failure = Box<dyn Error>;

/// How many found tools an answer can choose from.
const CANDIDATES_MAX: usize = 100;

struct Tool {
    card: Card,
    definition: Value,
    cost: Cost,
}

struct Catalogue {
    all: Subset,
    servers: BTreeMap<ServerName, usize>,
    tools: HashMap<CanonicalName, Tool>,
}

struct Labelled {
    query: String,
    groups: Vec<Vec<CanonicalName>>,
}

fn main() -> Result<(), Failure> {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| options.iter().skip_while(|option| *option != name).nth(1);
    let data = PathBuf::from(value("--data").ok_or("say where the catalogues are: --data DIR")?);
    let budget = value("--budget").map_or(Ok(Budget::TOKENS_DEFAULT), |tokens| tokens.parse())?;
    let mut out = std::io::stdout().lock();
    for (folder, queries) in [
        ("livemcpbench", &["queries_steps_curated.jsonl", "queries.jsonl"][..]),
        ("enterprise77k", &["queries.jsonl"]),
        ("real-catalogue", &[]),
    ] {
        let catalogue = Catalogue::read(&data.join(folder).join("tools.jsonl"))?;
        catalogue.tell_costs(folder, &mut out)?;
        for file in queries {
            let queries = labelled(&data.join(folder).join(file))?;
            for detail in Detail::ALL {
                writeln!(
                    out,
                    "  {file} {} {}",
                    detail.as_str(),
                    catalogue.recall(&queries, detail, Budget::of(budget))
                )?;
            }
        }
    }
    Ok(())
}

impl Catalogue {
    fn read(path: &Path) -> Result<Self, Failure> {
        let mut documents: BTreeMap<ServerName, Vec<(Digest, Arc<Document>)>> = BTreeMap::new();
        let mut tools = HashMap::new();
        for line in std::fs::read_to_string(path)?.lines() {
            let mut line: Value = serde_json::from_str(line)?;
            let server = server(line["server"].as_str().ok_or("a tool without a server")?)?;
            let own = line["name"].as_str().ok_or("a tool without a name")?.to_owned();
            let definition = json!({
                "name": own,
                "description": line["description"].take(),
                "annotations": line["annotations"].take(),
                "inputSchema": line["input_schema"].take(),
            });
            let document = Document::read(&server, &own, &definition, &[], &[]);
            let wire = format!("{}__{own}", server.as_str().replace('.', "__"));
            let (card, cost) = (Card::of(&wire, &definition), Cost::of(&wire, &definition));
            tools.insert(document.name.clone(), Tool { card, cost, definition: listed(&wire, &definition) });
            let version = Digest::of(definition.to_string());
            documents.entry(server).or_default().push((version, Arc::new(document)));
        }
        let servers = documents.iter().map(|(server, tools)| (server.clone(), tools.len())).collect();
        let mut indexer = Indexer::new();
        for (server, documents) in documents {
            indexer.update(&server, documents);
        }
        Ok(Self { all: indexer.index().all(), servers, tools })
    }

    fn tell_costs(&self, name: &str, out: &mut impl Write) -> Result<(), Failure> {
        let all: Cost = self.tools.values().map(|tool| tool.cost).sum();
        let slim: usize =
            self.tools.values().map(|tool| tokens::count(&diet(&tool.definition).to_string())).sum();
        let saved = 100.0 * (1.0 - slim as f64 / all.tokens_full as f64);
        let n = self.tools.len();
        writeln!(out, "{name}: {n} tools of {} servers, {} tokens", self.servers.len(), tokens::TOKENIZER)?;
        writeln!(
            out,
            "  in full {}, after the diet {slim} (-{saved:.1} %), as signatures {}, as lines {}",
            all.tokens_full, all.tokens_signature, all.tokens_line
        )?;
        writeln!(out, "  start set {}", self.start_set())?;
        Ok(())
    }

    fn start_set(&self) -> usize {
        let servers: Vec<_> = self
            .servers
            .iter()
            .map(|(name, tools)| ServerBehind { name: name.as_str(), tools: *tools })
            .collect();
        let blurb = meta_tools::catalogue_blurb(&servers, &[], meta_tools::BLURB_TOKENS_DEFAULT);
        meta_tools::definitions(&blurb).iter().map(|tool| tokens::count(&tool.to_string())).sum()
    }

    /// Mean over the queries of the share of groups that have a member in the answer.
    fn recall(&self, queries: &[Labelled], detail: Detail, budget: Budget) -> String {
        let n = queries.len() as f64;
        let (mut found, mut shown, mut used, mut longest) = (0.0, 0.0, 0.0, Duration::ZERO);
        for labelled in queries {
            let hits = self.all.search(&labelled.query, None, CANDIDATES_MAX);
            let tools: Vec<&Tool> = hits.iter().map(|hit| &self.tools[&hit.name]).collect();
            let items: Vec<Item<'_>> = tools
                .iter()
                .map(|tool| Item { card: &tool.card, definition: Some(&tool.definition) })
                .collect();
            let start = Instant::now();
            let answer = Answer::of(&items, items.len(), detail, budget);
            longest = longest.max(start.elapsed());
            let names: Vec<_> = hits[..answer.shown.len()].iter().map(|hit| &hit.name).collect();
            let right =
                labelled.groups.iter().filter(|group| group.iter().any(|name| names.contains(&name))).count();
            found += right as f64 / labelled.groups.len() as f64;
            shown += answer.shown.len() as f64;
            used += answer.tokens as f64;
        }
        format!(
            "n={n} recall {:.1} %, {:.1} tools and {:.0} tokens on average, longest to write {longest:.1?}",
            100.0 * found / n,
            shown / n,
            used / n
        )
    }
}

fn labelled(path: &Path) -> Result<Vec<Labelled>, Failure> {
    let mut all = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let groups: Vec<Vec<String>> = serde_json::from_value(line["groups"].clone())?;
        let groups = groups.iter().map(|group| group.iter().map(|name| canonical(name)).collect());
        let groups = groups.collect::<Result<Vec<_>, _>>()?;
        let query = line["query"].as_str().ok_or("a line without a query")?.to_owned();
        all.extend(Some(Labelled { query, groups }).filter(|labelled| !labelled.groups.is_empty()));
    }
    Ok(all)
}

fn canonical(name: &str) -> Result<CanonicalName, Failure> {
    let (name, own) = name.split_once(':').ok_or("a tool without a server")?;
    Ok(CanonicalName::of(&server(name)?, own))
}

/// Names that no operator could write are made such.
fn server(name: &str) -> Result<ServerName, Failure> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    Ok(ServerName::new(&name.chars().map(|c| if fits(c) { c } else { '-' }).collect::<String>())?)
}
