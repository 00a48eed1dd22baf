//! A gateway with its engine, an agent that finds, an agent that judges, and people.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpAnswer;

use crate::files::archive::text;
use crate::governed::bank::NO_HOLD;
use crate::governed::database::Backing;
use crate::index::library::engine_program;
use crate::live::site::Site;

/// Both have the domain; the author of a claim is the finder.
const AGENTS: &str = r#"
[[capabilities]]
name = "claim"
[[agents]]
name = "finder"
capabilities = ["claim"]
[[agents]]
name = "judge"
capabilities = ["claim"]
"#;
/// Words that stand twice, with different words around them, and words that stand once.
pub(super) const LEASE: &str = "The lease begins in May.\n\nThe tenant pays within thirty days after the notice. Interest is due then.\n\n\
    The landlord answers within thirty days after the notice. Silence means consent.\n\nThe \u{201c}deposit\u{201d} is two monthly rents.\n";

pub(super) struct ClaimOffice {
    pub(super) site: Site,
    pub(super) finder: String,
    pub(super) judge: String,
}

impl ClaimOffice {
    /// At this level of care.
    pub(super) fn open(backing: Backing, level: &str) -> Self {
        engine_program();
        let toml = format!("[policy]\ntemplate = {level:?}\n{NO_HOLD}{AGENTS}");
        let site = Site::open_as(backing, &toml);
        let token = |name: &str| site.token(&format!("--role agent --principal {name}-bot --agent {name}"));
        let (finder, judge) = (token("finder"), token("judge"));
        Self { site, finder, judge }
    }

    pub(super) fn admin(&self) -> &str {
        &self.site.gateway.admin
    }

    pub(super) async fn said(&self, token: &str, tool: &str, arguments: Value) -> HttpAnswer {
        self.site.rest(token, "POST", &format!("/tools/{tool}"), Some(arguments)).await
    }

    /// The data of a call, which must succeed.
    pub(super) async fn done(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let said = self.said(token, tool, arguments.clone()).await;
        assert_eq!(said.status, 200, "{tool} {arguments}: {said:?}");
        said.json()["data"].clone()
    }

    /// The code of a call that is refused. Every refusal says what would help.
    pub(super) async fn refused(&self, token: &str, tool: &str, arguments: Value) -> String {
        let said = self.said(token, tool, arguments.clone()).await;
        let error = said.json()["error"].clone();
        assert!(said.status >= 400 && !text(&error["hint"]).is_empty(), "{tool} {arguments}: {said:?}");
        text(&error["code"]).to_owned()
    }

    /// The approval that a call waits for.
    pub(super) async fn asked(&self, token: &str, arguments: Value) -> String {
        let said = self.said(token, "claim.decide", arguments).await.json();
        assert_eq!(said["status"], "pending_approval", "{said:#}");
        text(&said["approval_id"]).to_owned()
    }

    pub(super) async fn votes(&self, token: &str, approval: &str) -> HttpAnswer {
        let path = format!("/approvals/{approval}/decide");
        self.site.rest(token, "POST", &path, Some(json!({ "decision": "approve" }))).await
    }

    /// The digest of a document.
    pub(super) async fn artifact(&self, name: &str, bytes: &[u8]) -> String {
        let arguments = json!({ "base64": BASE64_STANDARD.encode(bytes), "filename": name });
        text(&self.done(self.admin(), "substrate.artifact.upload", arguments).await["sha256"]).to_owned()
    }

    /// The id of a submitted claim of the finder.
    pub(super) async fn claim(&self, more: Value) -> String {
        let mut arguments = json!({ "statement": "The tenant owes interest.", "submit": true });
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        text(&self.done(&self.finder, "claim.create", arguments).await["claim"]["id"]).to_owned()
    }

    pub(super) async fn get(&self, id: &str) -> Value {
        self.done(&self.judge, "claim.get", json!({ "claim_id": id, "check": true })).await
    }
}

/// Words of a document as evidence.
pub(super) fn quoting(claim: &str, artifact: &str, exact: &str) -> Value {
    json!({ "claim_id": claim, "type": "document", "relationship": "supports",
        "citation": { "artifact": artifact, "quote": { "exact": exact } } })
}

/// A decision with a reason.
pub(super) fn decision(claim: &str, option: &str) -> Value {
    json!({ "claim_id": claim, "option": option, "rationale": "The contract says so." })
}
