//! Spans.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::StatusCode;
use prost::Message;
use toolgate_core::event::{Event, EventSubject, Outcome};

use super::ledger::TestLedger;
use super::listener::Listener;
use super::{completed, start, until};
use crate::otlp::message::{ExportTraceServiceRequest, KeyValue, OtlpSpan, ResourceSpans};
use crate::{Otlp, Receiver};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

async fn exported(events: Vec<Event>, answering: fn(usize) -> StatusCode) -> (Listener, Vec<ResourceSpans>) {
    let listener = Listener::start(answering).await;
    let ledger = TestLedger::open("otlp").await;
    ledger.append(events).await;
    let otlp = Otlp {
        endpoint: listener.url("/otel/"),
        headers: vec![("x-api-key".into(), "k".into())],
        service_name: "gate".into(),
        egress: Arc::default(),
    };
    let running = start(&ledger, Receiver::Otlp(otlp)).await;
    until("all are exported", || listener.received().last().is_some_and(|last| last.answered.is_success()))
        .await;
    running.stop().await;
    let decode = |body| ExportTraceServiceRequest::decode(body).expect("a request").resource_spans;
    let spans = listener.received().into_iter().flat_map(|one| decode(one.body)).collect();
    (listener, spans)
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<&str, &str> {
    attributes.iter().map(|one| (one.key.as_str(), text(one))).collect()
}

fn text(attribute: &KeyValue) -> &str {
    let value = attribute.value.as_ref().and_then(|value| value.string_value.as_deref());
    value.unwrap_or_else(|| panic!("{} is no text", attribute.key))
}

fn only(spans: &[ResourceSpans]) -> Vec<&OtlpSpan> {
    spans.iter().flat_map(|one| &one.scope_spans).flat_map(|one| &one.spans).collect()
}

#[tokio::test]
async fn a_completed_call_is_a_span_by_the_conventions() {
    let (listener, spans) = exported(vec![completed("tc_1", Outcome::Succeeded)], |_| StatusCode::OK).await;
    let request = &listener.received()[0];
    assert_eq!(request.path, "/otel/v1/traces");
    assert_eq!(request.header("content-type"), "application/x-protobuf");
    assert_eq!(request.header("x-api-key"), "k");
    let resource = spans[0].resource.as_ref().expect("a resource");
    assert_eq!(texts(&resource.attributes)["service.name"], "gate");
    let span = only(&spans)[0];
    assert_eq!((span.name.as_str(), span.kind), ("tools/call bank:transfer", 2));
    assert_eq!(span.end_time_unix_nano, 1_785_585_600_123_000_000);
    assert_eq!(span.end_time_unix_nano - span.start_time_unix_nano, 41_500_000);
    assert_eq!((span.trace_id.len(), span.span_id.len(), span.parent_span_id.len()), (16, 8, 0));
    assert_eq!(span.status, None);
    let attributes = texts(&span.attributes);
    for (key, value) in [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "bank:transfer"),
        ("gen_ai.tool.call.id", "tc_1"),
        ("mcp.method.name", "tools/call"),
        ("toolgate.server", "bank"),
        ("toolgate.principal", "agent-7"),
        ("toolgate.outcome", "succeeded"),
        ("toolgate.run", "run_1"),
    ] {
        assert_eq!(attributes.get(key), Some(&value), "{key}");
    }
    assert_eq!(attributes.get("error.type"), None);
}

#[tokio::test]
async fn a_failed_call_is_a_span_with_its_error_below_the_callers_own() {
    let mut event = completed("tc_1", Outcome::ToolError);
    event.about = Arc::new(EventSubject { trace: Some(PARENT.into()), ..(*event.about).clone() });
    let (_, spans) = exported(vec![event], |_| StatusCode::OK).await;
    let span = only(&spans)[0];
    assert_eq!(span.status.as_ref().map(|status| status.code), Some(2));
    assert_eq!(texts(&span.attributes)["error.type"], "tool_error");
    assert_eq!(span.trace_id[..2], [0x4b, 0xf9]);
    assert_eq!(span.parent_span_id, [0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
    assert_eq!(span.flags, 0x301);
}

#[tokio::test]
async fn a_span_that_is_sent_again_is_the_same_span() {
    let events = || vec![completed("tc_1", Outcome::Succeeded), completed("tc_2", Outcome::Failed)];
    let once_down = |before| if before == 0 { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    let (listener, spans) = exported(events(), once_down).await;
    assert_eq!(listener.received().len(), 2);
    let spans = only(&spans);
    assert_eq!((spans[0], spans[1]), (spans[2], spans[3]));
    assert_ne!(spans[0].trace_id, spans[1].trace_id);
}
