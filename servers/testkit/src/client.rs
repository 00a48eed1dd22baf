//! A client of a server. Every failure of the protocol itself fails the test.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientNotification, CustomNotification, MetaObject,
    ProgressNotificationParam, ReadResourceRequestParams, RequestMetaObject,
};
use rmcp::service::{NotificationContext, RoleClient, RunningService, ServiceError};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::Value;
use tokio::process::Command;

use crate::speak_with;

/// Networks in a build for tests, on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);

/// The progress that a client was told.
#[derive(Clone, Default)]
pub struct ProgressLog(Arc<Mutex<Vec<ProgressNotificationParam>>>);

impl ClientHandler for ProgressLog {
    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.lock().push(told);
    }
}

/// A client that speaks with one server.
pub struct Client {
    pub service: RunningService<RoleClient, ProgressLog>,
}

impl Client {
    /// Of a server that ends with it, on stdin and stdout.
    ///
    /// # Panics
    /// If the server cannot be started or spoken with.
    pub async fn start(command: Command) -> Self {
        let talk = speak_with(command);
        Self { service: ProgressLog::default().serve(talk).await.expect("the server can be spoken with") }
    }

    /// A call that the server may refuse as a request.
    ///
    /// # Panics
    /// If no answer comes in time, or the arguments are no object.
    pub async fn try_call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let call = self.service.call_tool(call_of(tool, arguments));
        tokio::time::timeout(LIMIT, call).await.expect("an answer in time")
    }

    /// The result of a call, whether it succeeds or fails.
    ///
    /// # Panics
    /// If the server refuses the request.
    pub async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.try_call(tool, arguments).await.expect("an answer")
    }

    /// The same with a `_meta` of its own, such as a gateway's words about its caller.
    ///
    /// # Panics
    /// If the server refuses the request, no answer comes in time, or `meta` is no object.
    pub async fn call_with_meta(&self, tool: &str, arguments: Value, meta: Value) -> CallToolResult {
        let Value::Object(meta) = meta else { panic!("_meta is an object: {meta}") };
        let mut call = call_of(tool, arguments);
        call.meta = Some(RequestMetaObject(MetaObject(meta)));
        let call = self.service.call_tool(call);
        tokio::time::timeout(LIMIT, call).await.expect("an answer in time").expect("an answer")
    }

    /// Sends a notification that the protocol does not know.
    ///
    /// # Panics
    /// If the server has gone.
    pub async fn notify(&self, method: &str, params: Value) {
        let told = ClientNotification::CustomNotification(CustomNotification::new(method, Some(params)));
        self.service.send_notification(told).await.expect("the server hears");
    }

    /// The structure of a successful call's answer.
    ///
    /// # Panics
    /// If the call fails.
    pub async fn answer(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{result:?}");
        result.structured_content.expect("a structure")
    }

    /// Code and text of a failing call.
    ///
    /// # Panics
    /// If the call succeeds.
    pub async fn trouble(&self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{result:?}");
        let meta = result.meta.expect("a failing call says why");
        let code = meta["dev.toolgate/trouble"]["code"].as_str().expect("a code");
        (code.to_owned(), result.content[0].as_text().expect("text").text.clone())
    }

    /// The whole content of a stored item, read through the server's resource template.
    ///
    /// # Panics
    /// If there is none.
    pub async fn resource(&self, id: &str) -> Value {
        let templates = self.service.list_all_resource_templates().await.expect("templates");
        let uri = templates[0].uri_template.replace("{ref_id}", id);
        let read = self.service.read_resource(ReadResourceRequestParams::new(uri)).await;
        serde_json::to_value(&read.expect("a resource").contents[0]).expect("JSON")
    }

    /// The bytes of a stored item.
    ///
    /// # Panics
    /// If there is none.
    pub async fn bytes(&self, id: &str) -> Vec<u8> {
        let content = self.resource(id).await;
        match content["blob"].as_str() {
            Some(blob) => base64_simd::STANDARD.decode_to_vec(blob).expect("Base64"),
            None => content["text"].as_str().expect("text").as_bytes().to_vec(),
        }
    }

    /// The progress that it was told so far.
    ///
    /// # Panics
    /// If another thread panicked while it read this.
    pub fn heard(&self) -> Vec<ProgressNotificationParam> {
        self.service.service().0.lock().clone()
    }
}

/// A call as the protocol has it.
///
/// # Panics
/// If the arguments are no object.
pub fn call_of(tool: &str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object: {arguments}") };
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}
