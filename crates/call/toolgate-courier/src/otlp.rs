//! Spans for an OpenTelemetry collector: one for each completed call, named by the MCP and GenAI conventions.
//!
//! A span's ids follow from the call's id, so that one that is sent twice is the same span twice.

pub(crate) mod message;

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use prost::Message;
use toolgate_core::Digest;
use toolgate_core::event::{Event, Outcome, RecordedEvent};

use crate::client::DeliveryClient;
use crate::failure::DeliveryFailure;
use crate::{BadReceiver, Otlp};
use message::{
    AnyValue, ExportTraceServiceRequest, ExportTraceServiceResponse, InstrumentationScope, KeyValue,
    OtlpResource, OtlpSpan, OtlpStatus, ResourceSpans, ScopeSpans, SpanKind, StatusCode,
};

const MEDIA_TYPE: &str = "application/x-protobuf";
const TRACES_PATH: &str = "v1/traces";
const METHOD: &str = "tools/call";
/// In a span's flags: the parent is known to be remote.
const REMOTE_PARENT: u32 = 0x100 | 0x200;
const SAMPLED: u32 = 1;

pub(crate) struct OtlpDelivery {
    client: DeliveryClient,
    headers: HeaderMap,
    resource: OtlpResource,
}

impl OtlpDelivery {
    pub(crate) fn new(otlp: &Otlp) -> Result<Self, BadReceiver> {
        let address = format!("{}/{TRACES_PATH}", otlp.endpoint.trim_end_matches('/'));
        let mut headers = HeaderMap::new();
        for (name, value) in &otlp.headers {
            let bad = |why: String| BadReceiver::Header { name: name.clone(), why };
            let header = HeaderName::try_from(name).map_err(|error| bad(error.to_string()))?;
            headers.append(header, HeaderValue::try_from(value).map_err(|error| bad(error.to_string()))?);
        }
        let about = [("service.name", &*otlp.service_name), ("service.version", env!("CARGO_PKG_VERSION"))];
        let attributes = about.map(|(key, value)| text(key, value)).into();
        let resource = OtlpResource { attributes };
        Ok(Self { client: DeliveryClient::new(&address, &otlp.egress)?, headers, resource })
    }

    /// All of them in one request.
    pub(crate) async fn deliver(
        &self,
        events: &[RecordedEvent],
        limit: Duration,
    ) -> Result<usize, DeliveryFailure> {
        let spans: Vec<OtlpSpan> = events.iter().filter_map(span).collect();
        if !spans.is_empty() {
            let body = Bytes::from(self.request(spans).encode_to_vec());
            let sent = self.client.post(MEDIA_TYPE, self.headers.clone(), body, limit).await;
            warn_of_rejected(&sent.map_err(|failure| failure.of(events.len()))?);
        }
        Ok(events.len())
    }

    fn request(&self, spans: Vec<OtlpSpan>) -> ExportTraceServiceRequest {
        let scope = InstrumentationScope {
            name: "toolgate".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let of_scope = ScopeSpans { scope: Some(scope), spans };
        let of_resource =
            ResourceSpans { resource: Some(self.resource.clone()), scope_spans: vec![of_scope] };
        ExportTraceServiceRequest { resource_spans: vec![of_resource] }
    }
}

/// A collector may accept a request and drop some of its spans. They must not be sent again.
fn warn_of_rejected(answer: &[u8]) {
    let partial = ExportTraceServiceResponse::decode(answer).ok().and_then(|answer| answer.partial_success);
    if let Some(partial) = partial.filter(|partial| partial.rejected_spans > 0) {
        tracing::warn!(
            rejected = partial.rejected_spans,
            why = partial.error_message,
            "the collector left out some spans"
        );
    }
}

/// The span of a completed call.
fn span(recorded: &RecordedEvent) -> Option<OtlpSpan> {
    let event = &recorded.event;
    let call = event.about.call.as_ref()?.as_str();
    let tool = event.about.tool.as_ref().map_or("unknown", |tool| tool.as_str());
    let context = SpanContext::of(event, call);
    let end = event.at_ms.unsigned_abs().saturating_mul(1_000_000);
    let duration = event.duration_us.unwrap_or_default().unsigned_abs().saturating_mul(1_000);
    let failed = event.outcome.filter(|outcome| is_failure(*outcome));
    Some(OtlpSpan {
        trace_id: context.trace_id,
        span_id: context.span_id,
        parent_span_id: context.parent_span_id,
        flags: context.flags,
        name: format!("{METHOD} {tool}"),
        kind: SpanKind::Server.into(),
        start_time_unix_nano: end.saturating_sub(duration),
        end_time_unix_nano: end,
        attributes: attributes(event, call, tool, failed),
        status: failed.map(|_| OtlpStatus { code: StatusCode::Error.into(), message: String::new() }),
    })
}

/// A waiting call is neither a success nor a failure.
fn is_failure(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Succeeded | Outcome::Accepted | Outcome::Joined => false,
        Outcome::PendingApproval | Outcome::InputRequired | Outcome::PendingInput => false,
        Outcome::ToolError | Outcome::Failed | Outcome::Cancelled | Outcome::Unknown => true,
        Outcome::Invalid | Outcome::Denied | Outcome::Refused => true,
        Outcome::Rejected | Outcome::ChangesRequested | Outcome::Expired => true,
    }
}

fn attributes(event: &Event, call: &str, tool: &str, failed: Option<Outcome>) -> Vec<KeyValue> {
    let about = &event.about;
    let approval = event.approval.as_ref().map(|approval| approval.as_str());
    let version = |digest: Option<Digest>| digest.map(|digest| digest.to_string());
    let (tool_version, policy_version) = (version(about.tool_version), version(event.policy_version));
    let known = [
        ("gen_ai.operation.name", Some("execute_tool")),
        ("gen_ai.tool.name", Some(tool)),
        ("gen_ai.tool.call.id", Some(call)),
        ("mcp.method.name", Some(METHOD)),
        ("error.type", failed.map(Outcome::as_str)),
        ("toolgate.server", about.server.as_ref().map(|server| server.as_str())),
        ("toolgate.principal", Some(event.principal.as_str())),
        ("toolgate.outcome", event.outcome.map(Outcome::as_str)),
        ("toolgate.decision", event.decision.map(|decision| decision.as_str())),
        ("toolgate.approval", approval),
        ("toolgate.session", about.session.as_ref().map(|session| session.as_str())),
        ("toolgate.run", about.run.as_ref().map(|run| run.as_str())),
        ("toolgate.task", about.task.as_deref()),
        ("toolgate.tool_version", tool_version.as_deref()),
        ("toolgate.policy_version", policy_version.as_deref()),
    ];
    known.into_iter().filter_map(|(key, value)| Some(text(key, value?))).collect()
}

fn text(key: &str, value: &str) -> KeyValue {
    let value = AnyValue { string_value: Some(value.to_owned()) };
    KeyValue { key: key.to_owned(), value: Some(value) }
}

/// The trace context of a span.
struct SpanContext {
    trace_id: Vec<u8>,
    span_id: Vec<u8>,
    parent_span_id: Vec<u8>,
    flags: u32,
}

impl SpanContext {
    /// Below the caller's span, or at the root of its own trace.
    fn of(event: &Event, call: &str) -> Self {
        let derived = Digest::of(call);
        let (trace, span) = (&derived.as_bytes()[..16], derived.as_bytes()[16..24].to_vec());
        match event.about.trace.as_deref().and_then(parent) {
            Some(parent) => Self { span_id: span, ..parent },
            None => {
                Self { trace_id: trace.to_vec(), span_id: span, parent_span_id: Vec::new(), flags: SAMPLED }
            }
        }
    }
}

/// Reads a W3C `traceparent`: version, trace id, parent id, flags. Later versions may have more after them.
fn parent(text: &str) -> Option<SpanContext> {
    let mut parts = text.split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let version = hex(version, 1)?[0];
    if version == 0xff || version == 0 && parts.next().is_some() {
        return None;
    }
    let known = |id: &Vec<u8>| id.iter().any(|byte| *byte != 0);
    let trace_id = hex(trace, 16).filter(known)?;
    let parent_span_id = hex(span, 8).filter(known)?;
    let flags = u32::from(hex(flags, 1)?[0]) | REMOTE_PARENT;
    Some(SpanContext { trace_id, span_id: Vec::new(), parent_span_id, flags })
}

fn hex(text: &str, bytes: usize) -> Option<Vec<u8>> {
    let lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() != bytes * 2 || !text.bytes().all(lower) {
        return None;
    }
    (0..bytes).map(|place| u8::from_str_radix(&text[place * 2..place * 2 + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_read_from_a_valid_traceparent_only() {
        let context = parent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").expect("valid");
        assert_eq!(context.trace_id[..2], [0x4b, 0xf9]);
        assert_eq!(context.parent_span_id[6..], [0x02, 0xb7]);
        assert_eq!(context.flags, SAMPLED | REMOTE_PARENT);
        assert!(parent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more").is_some());
        for bad in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-ßf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert!(parent(bad).is_none(), "{bad}");
        }
    }
}
