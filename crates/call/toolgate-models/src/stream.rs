//! An answer as it arrives: frames of HTTP to events of the format to pieces, within limits of time and bytes.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, DATE, RETRY_AFTER};
use http::{HeaderName, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use toolgate_core::model::{ModelAnswer, ModelFault, ModelFaultKind, ModelPiece};
use toolgate_outbound::{excerpt, told};
use toolgate_wire::line::{Framer, WireLine};
use toolgate_wire::sse::SseDecoder;

use crate::formats::{self, AnswerReader, Framing};
use crate::http::ModelConnection;

/// The most that one answer may have.
const ANSWER_BYTES_MAX: usize = 8 << 20;
/// The part of a refusal that is read.
const REFUSAL_BYTES_MAX: usize = 64 << 10;
/// The part of an answer that is shown to people.
const EXCERPT_CHARS_MAX: usize = 200;

type PieceListener<'a> = &'a (dyn Fn(ModelPiece) + Send + Sync);

/// Reads an answer to its end. One that breaks off is a fault.
pub(crate) async fn read(
    connection: &ModelConnection,
    answer: Response<Incoming>,
    heard: PieceListener<'_>,
) -> Result<ModelAnswer, ModelFault> {
    if !answer.status().is_success() {
        return Err(refusal(connection, answer).await);
    }
    let definition = &connection.known.definition;
    let framing = formats::framing(definition.provider);
    if matches!(framing, Framing::Sse) && is_whole(&answer) {
        return Err(unstreamed(connection, answer.into_body()).await);
    }
    let mut decoder = AnswerDecoder::new(&framing);
    let mut reader = AnswerReader::new(definition.provider);
    let mut body = answer.into_body();
    let mut bytes: usize = 0;
    while let Some(chunk) = next(connection, &mut body).await? {
        bytes += chunk.len();
        if bytes > ANSWER_BYTES_MAX {
            return Err(connection.nonsense(TOO_LARGE));
        }
        for (name, data) in decoder.push(&chunk).map_err(|TooLong| connection.nonsense(TOO_LARGE))? {
            reader.event(name.as_deref(), &data)?.into_iter().for_each(heard);
        }
    }
    if let Some(rest) = decoder.rest() {
        reader.event(None, &rest)?.into_iter().for_each(heard);
    }
    reader.finish()
}

const TOO_LARGE: &str = "its answer is larger than 8 MiB";

/// The next bytes of a body, within the time of silence; `None` at its end.
async fn next(connection: &ModelConnection, body: &mut Incoming) -> Result<Option<Bytes>, ModelFault> {
    let limit = connection.known.definition.limits.silence;
    loop {
        let frame = match tokio::time::timeout(limit, body.frame()).await {
            Ok(None) => return Ok(None),
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(error))) => return Err(connection.away(&told(&error))),
            Err(_) => return Err(connection.away(&silent(limit))),
        };
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
}

fn silent(limit: Duration) -> String {
    format!("its answer broke off, and nothing came for {} s", limit.as_secs_f64())
}

/// The fault of an answer with another status than success.
async fn refusal(connection: &ModelConnection, answer: Response<Incoming>) -> ModelFault {
    let status = answer.status();
    if status.is_redirection() {
        let name = &connection.known.definition.name;
        let message =
            format!("model \"{name}\" answered with HTTP status {status}; redirects are not followed");
        return ModelFault::new(ModelFaultKind::Refused, message).with_status(status.as_u16());
    }
    let header = |name: HeaderName| answer.headers().get(name).and_then(|value| value.to_str().ok());
    let retry_after = header(RETRY_AFTER).and_then(|after| formats::wait(after, header(DATE)));
    let body = beginning(connection, answer.into_body()).await;
    let body = String::from_utf8_lossy(&body);
    let provider = connection.known.definition.provider;
    formats::fault(provider, status.as_u16(), retry_after, &body)
}

/// As much of a body as fits and arrives.
async fn beginning(connection: &ModelConnection, mut body: Incoming) -> Vec<u8> {
    let mut read = Vec::new();
    while let Ok(Some(chunk)) = next(connection, &mut body).await {
        let room = REFUSAL_BYTES_MAX - read.len();
        read.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if read.len() == REFUSAL_BYTES_MAX {
            break;
        }
    }
    read
}

/// True if the answer comes in one piece although a stream was asked for.
fn is_whole(answer: &Response<Incoming>) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.unwrap_or_default().trim_start().to_ascii_lowercase();
    // Others are tried: some servers call their streams plain text.
    ["application/json", "text/html"].iter().any(|whole| kind.starts_with(whole))
}

async fn unstreamed(connection: &ModelConnection, body: Incoming) -> ModelFault {
    let body = beginning(connection, body).await;
    let said = excerpt(&body, EXCERPT_CHARS_MAX);
    connection.nonsense(&format!("it sent no stream, although one was asked for: {said}"))
}

/// Cuts bytes into events, each with its name and its data.
enum AnswerDecoder {
    Sse(SseDecoder),
    Lines(Framer),
}

struct TooLong;

type NamedEvent = (Option<String>, String);

impl AnswerDecoder {
    fn new(framing: &Framing) -> Self {
        match framing {
            Framing::Sse => Self::Sse(SseDecoder::new(ANSWER_BYTES_MAX)),
            Framing::Lines => Self::Lines(Framer::new(ANSWER_BYTES_MAX)),
        }
    }

    fn push(&mut self, chunk: &[u8]) -> Result<Vec<NamedEvent>, TooLong> {
        let mut events = Vec::new();
        match self {
            Self::Sse(decoder) => {
                let taken = decoder.push(chunk, |event| {
                    events.push((Some(event.name).filter(|name| !name.is_empty()), event.data));
                });
                taken.map_err(|_| TooLong)?;
            }
            Self::Lines(framer) => {
                framer.push(chunk);
                while let Some(line) = framer.next_line() {
                    let WireLine::Whole(line) = line else { return Err(TooLong) };
                    events.extend(text(&line).map(|line| (None, line)));
                }
            }
        }
        Ok(events)
    }

    /// A last line without its break.
    fn rest(&mut self) -> Option<String> {
        match self {
            Self::Sse(_) => None,
            Self::Lines(framer) => match framer.rest()? {
                WireLine::Whole(line) => text(&line),
                WireLine::TooLong { .. } => None,
            },
        }
    }
}

/// The text of a line that has any.
fn text(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
