//! `conformance-driver`: makes an MCP endpoint perform a client scenario of the conformance suite.
//!
//! The suite judges the requests to its own server. With the gateway between, this program drives it;
//! without, it is the client under test itself, which shows that it makes the right requests.
#![expect(clippy::disallowed_methods, reason = "the suite says in the environment what to do")]

use std::env;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Parser, ValueEnum};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, GetPromptRequestParams, ProtocolVersion, ReadResourceRequestParams,
};
use rmcp::service::{ClientLifecycleMode, RoleClient, RunningService};
use serde_json::{Value, json};
use toolgate_testkit::conformance::client::ObligingClient;

/// Tools of `http-invalid-tool-headers` that no client may ever call.
const FORBIDDEN_TOOLS: [&str; 11] = [
    "invalid_empty_header",
    "invalid_object_header",
    "invalid_array_header",
    "invalid_null_header",
    "invalid_number_header",
    "invalid_duplicate_same_case",
    "invalid_duplicate_diff_case",
    "invalid_space_in_name",
    "invalid_colon_in_name",
    "invalid_non_ascii_name",
    "invalid_control_char_name",
];

/// The tool of servers in the OAuth scenarios.
const PROTECTED_TOOL: &str = "test-tool";
const LISTED_WAIT: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Runs the scenario named by MCP_CONFORMANCE_SCENARIO against an endpoint.
#[derive(Parser)]
struct DriverArguments {
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// The era to use; that of MCP_CONFORMANCE_PROTOCOL_VERSION by default.
    #[arg(long)]
    era: Option<DriverEra>,
    /// Call even tools that the endpoint has to withhold from its server. Only for an endpoint that is a
    /// gateway.
    #[arg(long)]
    insist: bool,
    url: String,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum DriverEra {
    Legacy,
    Modern,
}

struct Driver {
    client: RunningService<RoleClient, ObligingClient>,
    insist: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = DriverArguments::parse();
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").context("MCP_CONFORMANCE_SCENARIO is not set")?;
    let lifecycle = lifecycle(arguments.era.unwrap_or_else(era_of_the_suite));
    let client =
        ObligingClient::default().connect(&arguments.url, arguments.token.as_deref(), lifecycle).await?;
    let driver = Driver { client, insist: arguments.insist };
    driver.run(&scenario).await.with_context(|| format!("scenario {scenario}"))?;
    driver.client.cancel().await?;
    Ok(())
}

fn era_of_the_suite() -> DriverEra {
    match env::var("MCP_CONFORMANCE_PROTOCOL_VERSION") {
        Ok(version) if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() => DriverEra::Modern,
        _ => DriverEra::Legacy,
    }
}

fn lifecycle(era: DriverEra) -> ClientLifecycleMode {
    match era {
        DriverEra::Legacy => ClientLifecycleMode::Initialize,
        DriverEra::Modern => {
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
        }
    }
}

impl Driver {
    async fn run(&self, scenario: &str) -> anyhow::Result<()> {
        match scenario {
            "initialize" | "request-metadata" | "json-schema-ref-no-deref" => self.list_tools().await,
            "tools_call" => self.call("add_numbers", json!({ "a": 5, "b": 3 })).await.map(drop),
            "elicitation-sep1034-client-defaults" => {
                self.call("test_client_elicitation_defaults", json!({})).await.map(drop)
            }
            "sse-retry" => self.call("test_reconnection", json!({})).await.map(drop),
            "sep-2322-client-request-state" => self.answer_questions().await,
            "http-standard-headers" => self.touch_everything().await,
            "http-custom-headers" => self.call_as_told().await,
            "http-invalid-tool-headers" => self.avoid_invalid_tools().await,
            "json-schema-2020-12-preservation" => self.echo_schema().await,
            auth if auth.starts_with("auth/") => self.use_what_is_protected().await,
            _ => bail!("no steps are known for it"),
        }
    }

    async fn list_tools(&self) -> anyhow::Result<()> {
        self.client.list_all_tools().await?;
        Ok(())
    }

    /// The list first: headers made from arguments need the tool's schema.
    async fn call(&self, tool: &'static str, arguments: Value) -> anyhow::Result<CallToolResult> {
        self.list_tools().await?;
        self.call_listed(tool.to_owned(), arguments).await
    }

    async fn call_listed(&self, tool: String, arguments: Value) -> anyhow::Result<CallToolResult> {
        let Value::Object(arguments) = arguments else { bail!("arguments of {tool} are not an object") };
        let result =
            self.client.call_tool(CallToolRequestParams::new(tool.clone()).with_arguments(arguments)).await?;
        if result.is_error == Some(true) {
            bail!("{tool} failed: {:?}", result.content);
        }
        Ok(result)
    }

    /// The sign-in happened elsewhere: the endpoint may take a moment to notice.
    async fn use_what_is_protected(&self) -> anyhow::Result<()> {
        let listed = async {
            while !self.client.list_all_tools().await?.iter().any(|tool| tool.name == PROTECTED_TOOL) {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(LISTED_WAIT, listed).await.context("nothing is listed")??;
        self.call_listed(PROTECTED_TOOL.to_owned(), json!({})).await.map(drop)
    }

    async fn answer_questions(&self) -> anyhow::Result<()> {
        for tool in
            ["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"]
        {
            self.call(tool, json!({})).await?;
        }
        Ok(())
    }

    async fn touch_everything(&self) -> anyhow::Result<()> {
        for tool in ["test_headers", "my-hyphenated-tool"] {
            self.call(tool, json!({})).await?;
        }
        for resource in self.client.list_all_resources().await? {
            self.client.read_resource(ReadResourceRequestParams::new(resource.uri)).await?;
        }
        for prompt in self.client.list_all_prompts().await? {
            self.client.get_prompt(GetPromptRequestParams::new(prompt.name)).await?;
        }
        Ok(())
    }

    async fn call_as_told(&self) -> anyhow::Result<()> {
        let told: Value = serde_json::from_str(&env::var("MCP_CONFORMANCE_CONTEXT")?)?;
        self.list_tools().await?;
        for call in told["toolCalls"].as_array().context("the context names no calls")? {
            let tool = call["name"].as_str().context("a call without a name")?;
            self.call_listed(tool.to_owned(), call["arguments"].clone()).await?;
        }
        Ok(())
    }

    async fn avoid_invalid_tools(&self) -> anyhow::Result<()> {
        self.call("valid_tool", json!({ "region": "us-west1" })).await?;
        if !self.insist {
            return Ok(());
        }
        for tool in FORBIDDEN_TOOLS {
            if self.call_listed(tool.to_owned(), json!({})).await.is_ok() {
                bail!("{tool} could be called");
            }
        }
        Ok(())
    }

    async fn echo_schema(&self) -> anyhow::Result<()> {
        let listed = self.client.list_all_tools().await?;
        let tool = listed.iter().find(|tool| tool.name == "json_schema_2020_12_tool");
        let schema = tool.context("json_schema_2020_12_tool is not listed")?.schema_as_json_value();
        self.call_listed("json_schema_echo".to_owned(), json!({ "schema": schema })).await?;
        Ok(())
    }
}
