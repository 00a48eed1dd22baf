//! The part of OTLP's protocol buffers that our spans need, by field numbers.
//!
//! The crate with all of OTLP brings the OpenTelemetry SDK with it. Receivers skip missing fields.

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ExportTraceServiceRequest {
    #[prost(message, repeated, tag = "1")]
    pub(crate) resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ExportTraceServiceResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) partial_success: Option<PartialSuccess>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct PartialSuccess {
    #[prost(int64, tag = "1")]
    pub(crate) rejected_spans: i64,
    #[prost(string, tag = "2")]
    pub(crate) error_message: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    pub(crate) resource: Option<OtlpResource>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct OtlpResource {
    #[prost(message, repeated, tag = "1")]
    pub(crate) attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    pub(crate) scope: Option<InstrumentationScope>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) spans: Vec<OtlpSpan>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct InstrumentationScope {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) version: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct OtlpSpan {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(crate) name: String,
    #[prost(enumeration = "SpanKind", tag = "6")]
    pub(crate) kind: i32,
    #[prost(fixed64, tag = "7")]
    pub(crate) start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    pub(crate) end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    pub(crate) attributes: Vec<KeyValue>,
    #[prost(message, optional, tag = "15")]
    pub(crate) status: Option<OtlpStatus>,
    #[prost(fixed32, tag = "16")]
    pub(crate) flags: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum SpanKind {
    Unspecified = 0,
    Server = 2,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct OtlpStatus {
    #[prost(string, tag = "2")]
    pub(crate) message: String,
    #[prost(enumeration = "StatusCode", tag = "3")]
    pub(crate) code: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum StatusCode {
    Unset = 0,
    Error = 2,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<AnyValue>,
}

/// Our attributes are texts; other kinds are not supported here.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct AnyValue {
    #[prost(string, optional, tag = "1")]
    pub(crate) string_value: Option<String>,
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;

    /// Written by the protocol's own library for Python.
    const REQUEST: &str = "\
        0a8a010a180a160a0c736572766963652e6e616d6512060a0467617465126e0a0d0a08746f6f6c6761746512\
        0131125d0a10000102030405060708090a0b0c0d0e0f120800010203040506072208ffffffffffffffff2a0a\
        746f6f6c732f63616c6c30023901000000000000004102000000000000004a080a016b12030a01767a051201\
        6d1802850101030000";
    const RESPONSE: &str = "0a06080312026e6f";

    fn bytes(hex: &str) -> Vec<u8> {
        let byte = |place| u8::from_str_radix(&hex[place..place + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(byte).collect()
    }

    fn text(key: &str, value: &str) -> KeyValue {
        KeyValue { key: key.into(), value: Some(AnyValue { string_value: Some(value.into()) }) }
    }

    #[test]
    fn a_request_has_the_bytes_that_others_write() {
        let span = OtlpSpan {
            trace_id: (0..16).collect(),
            span_id: (0..8).collect(),
            parent_span_id: vec![0xff; 8],
            flags: 0x301,
            name: "tools/call".into(),
            kind: SpanKind::Server.into(),
            start_time_unix_nano: 1,
            end_time_unix_nano: 2,
            attributes: vec![text("k", "v")],
            status: Some(OtlpStatus { code: StatusCode::Error.into(), message: "m".into() }),
        };
        let scope = InstrumentationScope { name: "toolgate".into(), version: "1".into() };
        let request = ExportTraceServiceRequest {
            resource_spans: vec![ResourceSpans {
                resource: Some(OtlpResource { attributes: vec![text("service.name", "gate")] }),
                scope_spans: vec![ScopeSpans { scope: Some(scope), spans: vec![span] }],
            }],
        };
        assert_eq!(request.encode_to_vec(), bytes(REQUEST));
        assert_eq!(ExportTraceServiceRequest::decode(&*bytes(REQUEST)).unwrap(), request);
    }

    #[test]
    fn an_answer_is_read_as_others_write_it() {
        let answer = ExportTraceServiceResponse::decode(&*bytes(RESPONSE)).unwrap();
        let partial = PartialSuccess { rejected_spans: 3, error_message: "no".into() };
        assert_eq!(answer.partial_success, Some(partial));
    }
}
