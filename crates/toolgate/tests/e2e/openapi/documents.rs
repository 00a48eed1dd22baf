//! Documents: good, bad, changed, large, and at addresses.

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_testkit::gateway::{Gateway, HttpClient, until, until_async};
use toolgate_testkit::web_api::{WebAnswer, WebApi};

use super::stage::{ApiStage, OPEN, document, operation, operation_with};
use crate::doors::WAIT;
use crate::kit::{call, file, listed, names};
use crate::{boot, toolgate};

/// What `servers show` says of a server once it contains some words.
fn shown(gateway: &Gateway, server: &str, words: &str) -> String {
    let show = || {
        let output = gateway.cli(&["servers", "show", server]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.contains(words).then_some(text)
    };
    until(WAIT, show).unwrap_or_else(|| {
        let output = gateway.cli(&["servers", "show", server]);
        panic!("{server} does not say {words:?}: {output:?}")
    })
}

#[tokio::test]
async fn a_document_is_fetched_and_its_relative_address_counts() {
    let pets = json!({
        "openapi": "3.1.0", "info": { "title": "Pets", "version": "1" }, "servers": [{ "url": "/api" }],
        "paths": { "/pets": { "get": operation("list") } },
    });
    let api = WebApi::start(move |heard| match heard.path() {
        "/openapi.json" => WebAnswer::json(200, &pets),
        "/moved.json" => WebAnswer::redirect(302, "/openapi.json"),
        _ => WebAnswer::json(200, &json!({ "path": heard.path() })),
    });
    let gateway =
        boot(&format!("{OPEN}[[servers]]\nname = \"pets\"\nopenapi = {:?}\n", api.url("/moved.json")));
    listed(&gateway, "pets__list").await;
    let result = call(&gateway.client(), "pets__list", json!({})).await;
    assert_eq!(result["structuredContent"]["path"], "/api/pets", "{result}");
}

#[test]
fn a_document_that_makes_no_tools_says_why() {
    let elsewhere = WebApi::start(|_| WebAnswer::json(200, &document(json!({}))));
    let other = elsewhere.url("/openapi.json");
    let api = WebApi::start(move |heard| match heard.path() {
        "/away.json" => WebAnswer::redirect(302, &other),
        "/foreign.json" => {
            let mut foreign = document(json!({ "/a": { "get": operation("a") } }));
            foreign["servers"] = json!([{ "url": "https://api.attacker.example/v1" }]);
            WebAnswer::json(200, &foreign)
        }
        _ => WebAnswer::json(404, &json!({})),
    });
    let folder = TempDir::new().expect("a folder");
    file(folder.path(), "broken.json", "{\"openapi\": ");
    file(folder.path(), "other.json", "{\"asyncapi\": \"2.0.0\"}");
    let mut bomb =
        String::from("openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths: {}\nx0: &a0 [lol, lol]\n");
    for level in 1..30 {
        let before = level - 1;
        bomb.push_str(&format!(
            "x{level}: &a{level} [*a{before}, *a{before}, *a{before}, *a{before}, *a{before}]\n"
        ));
    }
    file(folder.path(), "bomb.yaml", &bomb);
    let base = "base_url = \"https://pets.example\"\n";
    let servers = [
        ("missing", "missing.json".to_owned(), base, "could not be read"),
        ("broken", "broken.json".to_owned(), base, "is not JSON"),
        ("other", "other.json".to_owned(), base, "is no OpenAPI document"),
        ("bomb", "bomb.yaml".to_owned(), base, "aliases repeat"),
        ("gone", api.url("/gone.json"), base, "HTTP 404"),
        ("away", api.url("/away.json"), base, "another origin"),
        ("foreign", api.url("/foreign.json"), "", "set `base_url`"),
        ("silent", "http://127.0.0.1:9/openapi.json".to_owned(), base, "could not be read"),
    ];
    let mut toml = OPEN.to_owned();
    for (name, place, more, _) in &servers {
        toml.push_str(&format!("[[servers]]\nname = {name:?}\nopenapi = {place:?}\n{more}"));
    }
    let gateway = Gateway::boot_in(toolgate(), &toml, folder);
    for (name, _, _, words) in servers {
        shown(&gateway, name, words);
    }
    assert!(elsewhere.heard().is_empty(), "the other origin was not asked");
}

#[cfg(unix)]
#[tokio::test]
async fn a_reference_leads_neither_to_another_origin_nor_out_of_the_folder() {
    let parameter =
        |name: &str| json!({ "A": { "name": name, "in": "query", "schema": { "type": "string" } } });
    let (inside, outside) = (parameter("inside"), parameter("stolen"));
    let stolen = outside.clone();
    let elsewhere = WebApi::start(move |_| WebAnswer::json(200, &stolen));
    let far = elsewhere.url("/far.json#/A");
    let made_of = |references: &[(&str, &str)]| {
        let mut paths = json!({});
        for (name, reference) in references {
            let operation = operation_with(name, json!({ "parameters": [{ "$ref": reference }] }));
            paths[format!("/{name}")] = json!({ "get": operation });
        }
        document(paths)
    };
    let folder = TempDir::new().expect("a folder");
    std::fs::create_dir(folder.path().join("docs")).expect("a folder in it");
    file(folder.path(), "outside.json", &outside.to_string());
    file(folder.path(), "docs/inside.json", &inside.to_string());
    let link = folder.path().join("docs/link.json");
    std::os::unix::fs::symlink(folder.path().join("outside.json"), link).expect("a link");
    let absolute = format!("{}#/A", folder.path().join("outside.json").display());
    let references = [
        ("near", "inside.json#/A"),
        ("up", "../outside.json#/A"),
        ("link", "link.json#/A"),
        ("absolute", absolute.as_str()),
        ("far", far.as_str()),
    ];
    file(folder.path(), "docs/pets.json", &made_of(&references).to_string());
    let mut fetched =
        made_of(&[("near", "inside.json#/A"), ("far", far.as_str()), ("local", "file:///etc/hosts#/A")]);
    fetched["servers"] = json!([{ "url": "/v1" }]);
    let api = WebApi::start(move |heard| match heard.path() {
        "/openapi.json" => WebAnswer::json(200, &fetched),
        _ => WebAnswer::json(200, &inside),
    });
    let toml = format!(
        "{OPEN}[[servers]]\nname = \"pets\"\nopenapi = \"docs/pets.json\"\nbase_url = \"http://127.0.0.1:9\"\n\
         [[servers]]\nname = \"web\"\nopenapi = {:?}\n",
        api.url("/openapi.json")
    );
    let gateway = Gateway::boot_in(toolgate(), &toml, folder);
    listed(&gateway, "pets__near").await;
    listed(&gateway, "web__near").await;
    let client = gateway.client();
    let mut seen = names(&client).await;
    seen.sort();
    assert_eq!(seen, ["pets__near", "web__near"], "the others lead nowhere");
    let text = client.modern("tools/list", json!({})).await.text;
    assert!(text.contains("\"inside\"") && !text.contains("stolen"), "{text}");
    assert!(elsewhere.heard().is_empty(), "the other origin was not asked");
}

#[tokio::test]
async fn an_operation_that_narrows_is_quarantined_and_the_others_stay() {
    let filter = |kinds: Value| {
        let parameter =
            json!([{ "name": "kind", "in": "query", "schema": { "type": "string", "enum": kinds } }]);
        let list = operation_with("list", json!({ "parameters": parameter }));
        document(json!({ "/pets": { "get": list }, "/ping": { "get": operation("ping") } }))
    };
    let folder = TempDir::new().expect("a folder");
    file(folder.path(), "pets.json", &filter(json!(["cat", "dog"])).to_string());
    let toml = format!(
        "{OPEN}[[servers]]\nname = \"pets\"\nopenapi = \"pets.json\"\nbase_url = \"http://127.0.0.1:9\"\n"
    );
    let gateway = Gateway::boot_in(toolgate(), &toml, folder);
    listed(&gateway, "pets__list").await;
    file(gateway.folder(), "pets.json", &filter(json!(["cat"])).to_string());
    let gateway = gateway.restart(false);
    let withheld = until(WAIT, || {
        let rows = gateway.cli(&["tools", "list", "--status", "quarantined", "--json"]);
        let rows: Value = serde_json::from_slice(&rows.stdout).ok()?;
        rows.get(0).cloned()
    });
    assert_eq!(withheld.expect("a quarantined tool")["name"], "pets:list");
    let words = String::from_utf8(gateway.cli(&["tools", "diff"]).stdout).expect("text");
    assert!(words.contains("pets:list") && words.contains("dog"), "{words}");
    assert_eq!(names(&gateway.client()).await, ["pets__ping"]);
}

#[tokio::test]
async fn hundreds_of_operations_are_found_by_search() {
    let mut paths = json!({});
    for number in 0..300 {
        paths[format!("/thing{number}")] = json!({ "get": operation(&format!("getThing{number}")) });
    }
    let mut vaccinate = operation("vaccinatePet");
    vaccinate["summary"] = json!("Gives a pet its vaccination against rabies");
    paths["/vaccinations"] = json!({ "post": vaccinate });
    let stage = ApiStage::boot(paths, "", |_| WebAnswer::json(200, &json!({})));
    let found = until_async(WAIT, || async {
        let found = call(&stage.agent, "search_tools", json!({ "query": "rabies vaccination" })).await;
        found.to_string().contains("vaccinatePet").then_some(())
    });
    found.await.expect("it is found by what it does");
    assert!(names(&stage.agent).await.len() < 20, "hundreds are not listed");
}

#[tokio::test]
async fn a_session_sees_a_connector_only_if_it_mounts_the_provider() {
    let folder = TempDir::new().expect("a folder");
    file(folder.path(), "pets.json", &document(json!({ "/pets": { "get": operation("list") } })).to_string());
    let lines = "openapi = \"pets.json\"\nbase_url = \"http://127.0.0.1:9\"\n";
    let toml = format!(
        "{OPEN}[[servers]]\nname = \"connector.petshop\"\n{lines}[[servers]]\nname = \"plain\"\n{lines}"
    );
    let gateway = Gateway::boot_in(toolgate(), &toml, folder);
    listed(&gateway, "plain__list").await;
    let client = gateway.client();
    let open = |mounts: Value| {
        let request = client.http.post(gateway.url("/sessions")).bearer_auth(&gateway.agent);
        HttpClient::finish(request.json(&json!({ "mounts": mounts })))
    };
    let mounted = until_async(WAIT, || async {
        let answer = open(json!({ "providers": ["petshop"] })).await;
        (answer.status == 201).then(|| answer.json())
    });
    let mounted = mounted.await.expect("the provider is known once its tools are");
    let token = mounted["token"].as_str().expect("a token");
    let mut seen = names(&HttpClient::new(&gateway.endpoint, token)).await;
    seen.sort();
    assert_eq!(seen, ["connector__petshop__list", "plain__list"]);
    assert_eq!(names(&client).await, ["plain__list"], "without the mount");
}

#[test]
fn an_api_is_imported_by_its_document() {
    let mut pets = document(json!({ "/pets": { "get": operation("list") } }));
    pets["servers"] = json!([{ "url": "https://pets.example/v1" }]);
    pets["components"]["securitySchemes"] =
        json!({ "key": { "type": "apiKey", "in": "header", "name": "X-Key" } });
    let api = WebApi::start(move |_| WebAnswer::json(200, &pets));
    let gateway = boot("");
    let url = api.url("/openapi.json");
    let output = gateway.cli(&["servers", "import", "--openapi", &url, "--name", "pets", "--yes"]);
    assert!(output.status.success(), "{output:?}");
    let written = std::fs::read_to_string(gateway.folder().join("toolgate.toml")).expect("the file is there");
    for line in [
        "name = \"pets\"",
        &format!("openapi = {url:?}"),
        "base_url = \"https://pets.example/v1\"",
        "X-Key = \"${vault:API_KEY}\"",
    ] {
        assert!(written.contains(line), "{line}: {written}");
    }
    let taken_up = until(WAIT, || {
        let tools = gateway.cli(&["tools", "list", "--json"]);
        String::from_utf8_lossy(&tools.stdout).contains("pets__list").then_some(())
    });
    assert!(taken_up.is_some(), "the gateway that runs takes it up");
    let bad = gateway.cli(&["servers", "import", "--openapi", "nothing.json", "--yes"]);
    assert!(
        !bad.status.success() && String::from_utf8_lossy(&bad.stderr).contains("nothing.json"),
        "{bad:?}"
    );
}
