//! A gateway with its engine and a few contracts.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, until_async};

use crate::doors::WAIT;
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::live::site::{OPEN, Site};
use crate::toolgate;

/// `lawyer` sees the contracts, `clerk` sees only letters.
const AGENTS: &str = r#"
[[capabilities]]
name = "knowledge"
[[agents]]
name = "lawyer"
capabilities = ["knowledge"]
mounts = { pointers = ["legal"] }
[[agents]]
name = "clerk"
capabilities = ["knowledge"]
mounts = { pointers = ["letters"] }
"#;
pub(super) const LEASE: &str = "# Lease\n\n## Notice period\n\nEither party may terminate the lease with a notice period of thirty days. \
    The notice is given in writing.\n\n## Deposit\n\nThe tenant pays a security deposit of two monthly rents.\n";
pub(super) const OFFICE: &str = "# Office lease\n\n## Notice period\n\nThe notice period of the office lease is six months. \
    A security deposit is not due.\n";

pub(crate) struct KnowledgeLibrary {
    pub(crate) site: Site,
}

impl KnowledgeLibrary {
    /// With this corpus under the pointer `legal:contracts`, which is indexed, and a base `contracts` over it.
    pub(crate) async fn open(documents: &[(&str, &[u8])], manner: &str) -> Self {
        Self::open_with(documents, manner, "").await
    }

    /// The same with more in the configuration.
    pub(super) async fn open_with(documents: &[(&str, &[u8])], manner: &str, more: &str) -> Self {
        let engine = toolgate().with_file_name("toolgate-engine");
        assert!(
            engine.exists(),
            "{} is missing; build it with `cargo build -p capability-engine`",
            engine.display()
        );
        let library = Self { site: Site::open_as(Backing::Sqlite, &format!("{OPEN}{AGENTS}{more}")) };
        library.fill("legal", "contracts", documents).await;
        let pointers = json!([{ "namespace": "legal", "name": "contracts" }]);
        library
            .done(
                "knowledge.kb_create",
                json!({ "name": "contracts", "pointers": pointers, "manner": manner }),
            )
            .await;
        library
    }

    /// With two contracts as texts.
    pub(super) async fn of_texts(manner: &str) -> Self {
        Self::open(&[("lease.md", LEASE.as_bytes()), ("office.md", OFFICE.as_bytes())], manner).await
    }

    pub(crate) fn admin(&self) -> &str {
        &self.site.gateway.admin
    }

    pub(super) fn agent(&self, name: &str) -> String {
        self.site.token(&format!("--role agent --principal {name}-bot --agent {name}"))
    }

    /// A pointer to these documents, and its index.
    pub(super) async fn fill(&self, namespace: &str, name: &str, documents: &[(&str, &[u8])]) {
        let mut entries = Vec::new();
        for (path, bytes) in documents {
            let content = BASE64_STANDARD.encode(bytes);
            let stored =
                self.done("substrate.artifact.upload", json!({ "base64": content, "filename": path })).await;
            entries.push(json!({ "path": path, "artifact_sha256": stored["sha256"] }));
        }
        let made =
            self.done("substrate.manifest.create", json!({ "entries": entries, "message": "filled" })).await;
        let pointer = json!({ "namespace": namespace, "name": name, "manifest_sha256": made["sha256"] });
        self.done("substrate.pointer.create", pointer).await;
        let target = json!({ "pointer": { "namespace": namespace, "name": name } });
        self.done("index.ingest", json!({ "target": target, "wait_seconds": 60 })).await;
        let searched = json!({ "query": "lease", "scope": { "pointers": [target["pointer"]] } });
        let ready = until_async(WAIT, || async {
            (self.said(self.admin(), "index.search", searched.clone()).await.status == 200).then_some(())
        });
        ready.await.expect("the index is there");
    }

    pub(super) async fn said(&self, token: &str, tool: &str, arguments: Value) -> HttpAnswer {
        self.site.rest(token, "POST", &format!("/tools/{tool}"), Some(arguments)).await
    }

    /// The data of a call by the operator, which must succeed.
    pub(crate) async fn done(&self, tool: &str, arguments: Value) -> Value {
        let said = self.said(self.admin(), tool, arguments.clone()).await;
        assert_eq!(said.status, 200, "{tool} {arguments}: {said:?}");
        said.json()["data"].clone()
    }

    /// The status and code of a call that is refused. Every refusal says what would help.
    pub(super) async fn refused(&self, token: &str, tool: &str, arguments: Value) -> (u16, String) {
        let said = self.said(token, tool, arguments.clone()).await;
        let error = said.json()["error"].clone();
        assert!(!text(&error["hint"]).is_empty(), "{tool} {arguments}: {said:?}");
        (said.status, text(&error["code"]).to_owned())
    }

    /// The addresses of all citations of an answer.
    pub(crate) fn addresses(answer: &Value) -> Vec<String> {
        sentences(answer)
            .iter()
            .filter_map(|one| one["citation"]["address"].as_str().map(str::to_owned))
            .collect()
    }
}

/// All sentences of an answer.
pub(super) fn sentences(answer: &Value) -> Vec<Value> {
    let passages = answer["passages"].as_array().expect("a list").iter();
    passages.flat_map(|one| one["sentences"].as_array().expect("a list").clone()).collect()
}

/// A PDF of one page with these lines, twenty points apart.
pub(crate) fn lease_pdf(lines: &[&str]) -> Vec<u8> {
    let shown: String = lines.iter().map(|line| format!("({line}) Tj 0 -20 Td ")).collect();
    let stream = format!("BT /F1 14 Tf 72 700 Td {shown}ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut pdf = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        table.push_str(&format!("{:010} 00000 n \n", pdf.len()));
        pdf.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let (start, count) = (pdf.len(), objects.len() + 1);
    pdf.push_str(&format!(
        "xref\n0 {count}\n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    ));
    pdf.into_bytes()
}
