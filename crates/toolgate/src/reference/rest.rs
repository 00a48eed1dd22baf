//! `rest.md` and `rest-schemas.md`, from the OpenAPI document that the gateway serves.

mod schema;

use serde_json::{Map, Value};

use super::ReferencePages;
use super::markdown::{anchor, code, prose, sentence, table};

const START: &str = "# REST API

The gateway serves `/openapi.json`, from which this page is made. Requests carry `Authorization: Bearer <token>`; `toolgate token create`
makes tokens. Bodies are JSON unless said otherwise. What goes wrong is answered with `application/problem+json`: see the
[errors](errors/README.md). Lists are paged: pass on `next` of a page as `cursor`, as it is. An answer to a token says the
gateway's version in the header `Toolgate-Version`.

Beside these routes there are `/mcp` (MCP itself; `/mcp/{agent}` and `/mcp/{session}` for one of them), `/sse` (the older transport),
`/metrics` (see [metrics](metrics.md)), `/healthz` and `/readyz`.

";

struct Operation<'a> {
    method: String,
    path: &'a str,
    tag: &'a str,
    said: &'a Value,
}

pub(super) fn pages() -> ReferencePages {
    let document: Value = serde_json::from_str(&toolgate_api::openapi_document(&crate::domains::tools()))
        .expect("the document is JSON");
    let routes = routes(&document);
    let schemas = schema::page(&document["components"]["schemas"]);
    ReferencePages::from([("rest.md".to_owned(), routes), ("rest-schemas.md".to_owned(), schemas)])
}

fn routes(document: &Value) -> String {
    let operations = operations(document);
    let mut tags: Vec<&str> = operations.iter().map(|one| one.tag).collect();
    tags.sort_unstable();
    tags.dedup();
    let mut text = START.to_owned();
    let about = |tag: &&str| operations.iter().filter(|one| one.tag == *tag).count();
    let overview = tags.iter().map(|tag| vec![format!("[{tag}](#{})", anchor(tag)), about(tag).to_string()]);
    text.push_str(&table(&["Part", "Routes"], overview));
    for tag in &tags {
        let own: Vec<&Operation<'_>> = operations.iter().filter(|one| one.tag == *tag).collect();
        text.push_str(&format!("\n## {tag}\n\n"));
        text.push_str(&table(&["Route", "What it does", "Who may"], own.iter().map(|one| one.line())));
        own.iter().for_each(|one| text.push_str(&one.section()));
    }
    text
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut found = Vec::new();
    for (path, item) in members(&document["paths"]) {
        for (method, said) in members(item).filter(|(_, said)| said.get("responses").is_some()) {
            let tag = said["tags"][0].as_str().unwrap_or("other");
            found.push(Operation { method: method.to_uppercase(), path, tag, said });
        }
    }
    found.sort_by_key(|one| one.path);
    found
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

impl Operation<'_> {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    fn line(&self) -> Vec<String> {
        let name = self.name();
        vec![format!("[{}](#{})", code(&name), anchor(&name)), self.text("summary"), self.who()]
    }

    fn text(&self, key: &str) -> String {
        prose(&sentence(self.said[key].as_str().unwrap_or_default()))
    }

    fn who(&self) -> String {
        let roles: Vec<&str> = strings(&self.said["x-roles"]);
        let scheme = |name: &str| self.said["security"][0].get(name).is_some();
        match roles.is_empty() {
            false => roles.join(", "),
            true if scheme("signature") => "holders of the signing secret".to_owned(),
            true => "holders of the address".to_owned(),
        }
    }

    fn section(&self) -> String {
        let mut text = format!("\n### {}\n\n{}\n", code(&self.name()), self.text("summary"));
        let more = self.text("description");
        if !more.is_empty() {
            text.push_str(&format!("\n{more}\n"));
        }
        text.push_str(&format!("\nWho may: {}.\n", self.who()));
        text.push_str(&self.parameters());
        text.push_str(&self.body());
        text.push_str(&format!("\n{}", table(&["Answer", "Meaning", "Body"], self.answers())));
        text
    }

    fn parameters(&self) -> String {
        let Some(parameters) = self.said["parameters"].as_array() else { return String::new() };
        let rows = parameters.iter().map(|one| {
            let word = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            let needed = if one["required"] == true { " Needed." } else { "" };
            let meaning = prose(&sentence(&word("description"))) + needed;
            vec![code(&word("name")), word("in"), schema::kind(&one["schema"]), meaning]
        });
        format!("\n{}", table(&["Parameter", "In", "Type", "Meaning"], rows))
    }

    fn body(&self) -> String {
        let content: Vec<String> = members(&self.said["requestBody"]["content"])
            .map(|(media, content)| format!("{} as {}", schema::kind(&content["schema"]), code(media)))
            .collect();
        if content.is_empty() { String::new() } else { format!("\nBody: {}.\n", content.join("; or ")) }
    }

    fn answers(&self) -> Vec<Vec<String>> {
        let answers = members(&self.said["responses"]);
        let row = |(status, answer): (&String, &Value)| {
            let bodies: Vec<String> =
                members(&answer["content"]).map(|(media, content)| shown_body(media, content)).collect();
            let meaning = prose(&sentence(answer["description"].as_str().unwrap_or_default()));
            let status = if status == "default" { "else".to_owned() } else { status.clone() };
            vec![status, meaning, bodies.join(" or ")]
        };
        answers.map(row).collect()
    }
}

fn shown_body(media: &str, content: &Value) -> String {
    let kind = schema::kind(&content["schema"]);
    if media == "application/json" || media == "application/problem+json" {
        kind
    } else {
        format!("{kind} ({media})")
    }
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
