//! The server of a scripted model, on a thread of its own: a test that waits for a command does not keep it from answering.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::asked::AskedModel;
use super::cassette::{Cassette, forward};
use super::exchange::{RawAsked, StreamFacts};
use super::format::WireFormat;
use super::formats::{self, error};
use super::history::{KnownHistory, prompt_bytes};
use super::script::{ModelScript, ModelStep, ScriptedAnswer, StreamEnd};
use super::sending::{built, refusal, response};

const BODY_BYTES_MAX: usize = 32 << 20;
/// About this many bytes are a token.
const TOKEN_BYTES: usize = 4;

#[derive(Clone, Debug, Default)]
pub struct ModelSettings {
    /// The key that requests must have. `None` for a server that wants none.
    pub key: Option<String>,
    /// Histories may begin anew, because older messages were folded.
    pub allows_folds: bool,
}

/// The origin of answers.
#[derive(Clone)]
pub enum ModelSource {
    Script(ModelScript),
    Replay(Arc<Cassette>),
    /// A real model at this address, whose answers are recorded.
    Record(Arc<Cassette>, String),
}

/// A model on a free loopback port, until it is dropped.
#[derive(Clone)]
pub struct ScriptedModel {
    address: SocketAddr,
    state: Arc<ModelState>,
    _end: Arc<DropGuard>,
}

struct ModelState {
    settings: ModelSettings,
    source: Mutex<ModelSource>,
    kept: Mutex<KeptRequests>,
}

#[derive(Default)]
struct KeptRequests {
    requests: Vec<AskedModel>,
    problems: Vec<String>,
    history: KnownHistory,
}

impl ScriptedModel {
    /// A model that wants no key.
    pub fn start(script: ModelScript) -> Self {
        Self::start_with(ModelSettings::default(), script)
    }

    pub fn start_with(settings: ModelSettings, script: ModelScript) -> Self {
        let address = "127.0.0.1:0".parse().expect("an address");
        Self::start_at(address, settings, ModelSource::Script(script)).expect("a free port")
    }

    pub fn start_at(
        address: SocketAddr,
        settings: ModelSettings,
        source: ModelSource,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let state = Arc::new(ModelState { settings, source: Mutex::new(source), kept: Mutex::default() });
        let end = CancellationToken::new();
        let (until, served) = (end.clone(), Arc::clone(&state));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::spawn(move || {
            runtime.block_on(until.run_until_cancelled(serve(listener, served)));
        });
        Ok(Self { address, state, _end: Arc::new(end.drop_guard()) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address that an operator configures for a format.
    pub fn url(&self, format: WireFormat) -> String {
        format!("http://{}{}", self.address, format.base_path())
    }

    /// Follows another script from now on.
    pub fn follow(&self, script: ModelScript) {
        *self.state.source.lock() = ModelSource::Script(script);
    }

    /// All requests so far, in their order.
    pub fn requests(&self) -> Vec<AskedModel> {
        self.state.kept.lock().requests.clone()
    }

    /// The requests whose goal has this part.
    pub fn requests_of(&self, goal: &str) -> Vec<AskedModel> {
        self.requests().into_iter().filter(|asked| asked.goal().contains(goal)).collect()
    }

    /// The rules that requests broke.
    pub fn problems(&self) -> Vec<String> {
        self.state.kept.lock().problems.clone()
    }

    /// Fails if a request broke a rule.
    pub fn assert_no_problems(&self) {
        let problems = self.problems();
        assert!(problems.is_empty(), "requests to the model broke rules: {problems:#?}");
    }
}

async fn serve(listener: TcpListener, state: Arc<ModelState>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a socket that does not block");
    let router = Router::new().fallback(answer).with_state(state);
    // It ends with its test.
    drop(axum::serve(listener, router).await);
}

/// The part of a request whose bytes must not change.
#[derive(Deserialize)]
struct ToolsMember<'a> {
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
}

async fn answer(State(state): State<Arc<ModelState>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_BYTES_MAX).await else {
        return built(413, "text/plain", None, Body::empty());
    };
    let Some(format) = WireFormat::of_path(head.uri.path()).filter(|_| head.method == "POST") else {
        state.kept.lock().problems.push(format!("{} {} is no request to a model", head.method, head.uri));
        return built(404, "text/plain", None, Body::from("no such path"));
    };
    let Ok(json) = serde_json::from_slice::<Value>(&body) else {
        state.kept.lock().problems.push(format!("a body is no JSON: {}", String::from_utf8_lossy(&body)));
        return refusal(400, &error(format, 400, "no JSON"), None);
    };
    let source = state.source.lock().clone();
    let (asked, mut problems) = read(format, &head, json, &body);
    if let Some(key) = &state.settings.key {
        if asked.key.is_none() {
            problems.push(format!("there is no key in {}", format.key_header()));
        }
        if asked.key.as_ref() != Some(key) {
            state.keep(asked, problems);
            return refusal(401, &error(format, 401, "the key is not valid"), None);
        }
    }
    match source {
        ModelSource::Script(script) => follow(&state, &script, asked, problems),
        ModelSource::Replay(cassette) => {
            let played = cassette.play(head.uri.path(), &asked.body);
            problems.extend(played.as_ref().err().cloned());
            state.keep(asked, problems);
            match played {
                Ok(recording) => recording.response(),
                Err(miss) => refusal(501, &error(format, 501, &miss), None),
            }
        }
        ModelSource::Record(cassette, address) => {
            let key = asked.key.clone();
            state.keep(asked, problems);
            match forward(&cassette, &address, &head, body, key.as_deref()).await {
                Ok(recording) => recording.response(),
                Err(failed) => refusal(502, &error(format, 502, &failed.to_string()), None),
            }
        }
    }
}

fn read(format: WireFormat, head: &Parts, body: Value, bytes: &Bytes) -> (AskedModel, Vec<String>) {
    let mut problems = Vec::new();
    let raw = RawAsked { path: head.uri.path(), query: head.uri.query(), headers: &head.headers, body };
    let mut asked = formats::read(format, &raw, &mut problems);
    let member: Result<ToolsMember<'_>, _> = serde_json::from_slice(bytes);
    let tools = member.ok().and_then(|member| member.tools).map(RawValue::get);
    asked.tools_text = tools.unwrap_or_default().to_owned();
    (asked, problems)
}

/// Follows the script, and remembers what it said.
fn follow(
    state: &ModelState,
    script: &ModelScript,
    asked: AskedModel,
    mut problems: Vec<String>,
) -> Response {
    let step = script(&asked);
    let whole = match &step {
        ModelStep::Answer(answer, StreamEnd::Whole) => Some(answer),
        _ => None,
    };
    let (number, cached) = {
        let mut kept = state.kept.lock();
        kept.history.check(&asked, state.settings.allows_folds, &mut problems);
        let cached = kept.history.cached_bytes(&asked);
        kept.history.remember(&asked, whole);
        (kept.requests.len(), cached)
    };
    let facts = StreamFacts {
        number,
        model: asked.model.clone(),
        input_tokens: prompt_bytes(&asked, asked.items.len()).div_ceil(TOKEN_BYTES),
        cached_tokens: cached / TOKEN_BYTES,
        output_tokens: whole.map_or(0, ScriptedAnswer::bytes).div_ceil(TOKEN_BYTES),
    };
    let format = asked.format;
    state.keep(asked, problems);
    response(format, &step, &facts)
}

impl ModelState {
    fn keep(&self, asked: AskedModel, problems: Vec<String>) {
        let mut kept = self.kept.lock();
        let place = format!("{}, turn {} of {:?}", asked.format.provider(), asked.turn(), asked.goal());
        kept.problems.extend(problems.into_iter().map(|problem| format!("{place}: {problem}")));
        kept.requests.push(asked);
    }
}
