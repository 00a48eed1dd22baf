use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::model::{
    KnownModel, MessagePart, ModelAnswer, ModelDefinition, ModelFault, ModelFaultKind, ModelLimits,
    ModelMessage, ModelName, ModelPiece, ModelPrices, ModelProvider, ModelRequest, Models, ToolUse,
};
use toolgate_core::port::{BoxFuture, NoKey};

use super::listener::{Ending, ScriptedListener, streamed, whole};
use crate::{ModelDesk, ModelDeskSetup, ModelKeys, ModelSource};

const READY: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"rea\"}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"dy\"}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\n\
    data: [DONE]\n\n";
const KEY: &str = "sk-very-secret";

/// The models that a test sets.
struct SetModels(Mutex<Vec<KnownModel>>);

impl ModelSource for SetModels {
    fn models(&self) -> Vec<KnownModel> {
        self.0.lock().clone()
    }
}

/// One key, and another one after the first was refused.
struct TurningKeys {
    refused: Mutex<usize>,
    is_replaced: bool,
}

impl ModelKeys for TurningKeys {
    fn key<'a>(&'a self, _: &'a KnownModel, name: &'a str) -> BoxFuture<'a, Result<String, NoKey>> {
        let found = match name {
            "MISSING" => Err(NoKey("the vault has no secret \"MISSING\"".into())),
            _ => Ok(format!("{KEY}-{}", *self.refused.lock())),
        };
        Box::pin(std::future::ready(found))
    }

    fn refused(&self) -> BoxFuture<'_, bool> {
        *self.refused.lock() += 1;
        Box::pin(std::future::ready(self.is_replaced))
    }
}

fn known(url: &str) -> KnownModel {
    let definition = ModelDefinition {
        name: name(),
        provider: ModelProvider::Openai,
        model: "gpt-5".into(),
        url: url.into(),
        key: Some("A".into()),
        context_tokens: 128_000,
        prices: ModelPrices::default(),
        limits: ModelLimits { silence: Duration::from_secs(20), ..ModelLimits::default() },
    };
    KnownModel { definition, reach: Reach::Anywhere, egress: Arc::default() }
}

fn name() -> ModelName {
    ModelName::new("gpt").expect("a name")
}

fn desk_with(known: KnownModel, is_replaced: bool) -> (Arc<ModelDesk>, Arc<SetModels>) {
    let source = Arc::new(SetModels(Mutex::new(vec![known])));
    let keys = Arc::new(TurningKeys { refused: Mutex::default(), is_replaced });
    (ModelDesk::new(ModelDeskSetup { source: source.clone(), keys }), source)
}

fn desk(known: KnownModel) -> Arc<ModelDesk> {
    desk_with(known, false).0
}

fn request() -> ModelRequest {
    ModelRequest {
        system: "Be brief.".into(),
        tools: Arc::from([]),
        messages: vec![ModelMessage::user("Say ready.")],
        tool_use: ToolUse::Allowed,
        output_tokens_max: None,
    }
}

async fn ask(desk: &ModelDesk) -> Result<ModelAnswer, ModelFault> {
    desk.ask(&name(), &request(), &|_| ()).await
}

async fn fault(answer: String, ending: Ending) -> ModelFault {
    let listener = ScriptedListener::start(answer, ending).await;
    let mut known = known(&listener.url);
    if ending == Ending::Silence {
        known.definition.limits.silence = Duration::from_millis(300);
    }
    ask(&desk(known)).await.expect_err("a fault")
}

#[tokio::test]
async fn an_answer_arrives_in_pieces_and_as_a_whole() {
    let listener = ScriptedListener::start(streamed(READY), Ending::HangUp).await;
    let pieces = Mutex::new(Vec::new());
    let desk = desk(known(&listener.url));
    let heard = |piece: ModelPiece| pieces.lock().push(piece);
    let answer = desk.ask(&name(), &request(), &heard).await.expect("an answer");
    assert_eq!(answer.parts, [MessagePart::Text("ready".into())]);
    let tallies = desk.tallies();
    assert_eq!((tallies.len(), tallies[0].outcome, tallies[0].calls), (1, "answered", 1), "{tallies:?}");
    assert_eq!((tallies[0].usage.input, tallies[0].usage.output), (9, 2));
    assert_eq!((answer.usage.input, answer.usage.output), (9, 2));
    assert_eq!(*pieces.lock(), [ModelPiece::Text("rea".into()), ModelPiece::Text("dy".into())]);
    let asked = listener.heard().remove(0);
    assert!(asked.starts_with("post /v1/chat/completions http/1.1"), "{asked}");
    assert!(asked.contains(&format!("authorization: bearer {KEY}-0")), "{asked}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_falls_silent_or_is_none_is_a_fault() {
    let cut = &READY[..READY.find("finish_reason").expect("it is there")];
    let cut = fault(streamed(cut), Ending::HangUp).await;
    assert!(cut.kind.is_passing(), "{cut:?}");
    let silent = fault(streamed(&READY[..90]), Ending::Silence).await;
    assert_eq!(silent.kind, ModelFaultKind::Away);
    assert!(silent.message.contains("nothing came for 0.3 s"), "{}", silent.message);
    let unstreamed =
        fault(whole("200 OK", "content-type: application/json\r\n", "{\"a\":1}"), Ending::HangUp);
    let unstreamed = unstreamed.await;
    assert_eq!(unstreamed.kind, ModelFaultKind::Nonsense);
    assert!(unstreamed.message.contains("although one was asked for: {\"a\":1}"), "{}", unstreamed.message);
}

#[tokio::test]
async fn an_answer_without_end_is_given_up() {
    let flood = format!("data: {}\n\n", "x".repeat(9 << 20));
    let flooded = fault(streamed(&flood), Ending::HangUp).await;
    assert_eq!(flooded.kind, ModelFaultKind::Nonsense);
    assert!(flooded.message.contains("larger than 8 MiB"), "{}", flooded.message);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let moved = fault(whole("307 Moved", "location: http://127.0.0.1:9/\r\n", ""), Ending::HangUp).await;
    assert_eq!((moved.kind, moved.status), (ModelFaultKind::Refused, Some(307)));
    assert!(moved.message.contains("redirects are not followed"), "{}", moved.message);
}

#[tokio::test]
async fn a_busy_provider_says_when_to_come_again() {
    let busy = fault(whole("429 Busy", "retry-after: 7\r\n", "{}"), Ending::HangUp).await;
    assert_eq!((busy.kind, busy.status), (ModelFaultKind::Busy, Some(429)));
    assert_eq!(busy.retry_after, Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn a_refusal_that_repeats_the_key_is_told_without_it() {
    let body = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {KEY}-0\"}}}}");
    let refused = fault(whole("401 Unauthorized", "", &body), Ending::HangUp).await;
    assert_eq!((refused.kind, refused.status), (ModelFaultKind::Refused, Some(401)));
    assert!(!format!("{refused:?}").contains(KEY), "{refused:?}");
}

#[tokio::test]
async fn a_key_that_was_replaced_is_tried_once() {
    for (is_replaced, requests) in [(true, 2), (false, 1)] {
        let listener = ScriptedListener::start(whole("401 No", "", "{}"), Ending::HangUp).await;
        let (desk, _) = desk_with(known(&listener.url), is_replaced);
        assert_eq!(ask(&desk).await.expect_err("refused").status, Some(401));
        assert_eq!(listener.heard().len(), requests);
    }
}

#[tokio::test]
async fn a_model_without_its_key_or_beyond_its_rules_is_not_asked() {
    let listener = ScriptedListener::start(streamed(READY), Ending::HangUp).await;
    let mut keyless = known(&listener.url);
    keyless.definition.key = Some("MISSING".into());
    let fault = ask(&desk(keyless)).await.expect_err("no key");
    assert_eq!(fault.kind, ModelFaultKind::Unusable);
    for url in [listener.url.clone(), listener.url.replace("127.0.0.1", "localhost")] {
        let within = KnownModel { reach: Reach::Within(AddressRules::default()), ..known(&url) };
        let fault = ask(&desk(within)).await.expect_err("forbidden");
        assert_eq!(fault.kind, ModelFaultKind::Unusable, "{url}");
        assert!(fault.message.contains("address of this machine"), "{}", fault.message);
    }
    assert_eq!(listener.heard(), [""; 0], "nothing was sent");
}

#[tokio::test]
async fn a_change_counts_with_the_next_request() {
    let listener = ScriptedListener::start(streamed(READY), Ending::HangUp).await;
    let (desk, source) = desk_with(known("http://127.0.0.1:9/v1"), false);
    assert_eq!(ask(&desk).await.expect_err("nobody listens").kind, ModelFaultKind::Away);
    *source.0.lock() = vec![known(&listener.url)];
    assert!(ask(&desk).await.is_ok());
    source.0.lock().clear();
    let gone = ask(&desk).await.expect_err("it is gone");
    assert_eq!((gone.kind, gone.message.as_str()), (ModelFaultKind::Unusable, "there is no model \"gpt\""));
}

#[tokio::test]
async fn no_more_requests_run_at_once_than_the_model_allows() {
    let listener = ScriptedListener::start(streamed(""), Ending::Silence).await;
    let mut known = known(&listener.url);
    known.definition.limits.parallel_max = 1;
    known.definition.limits.answer = Duration::from_millis(300);
    let desk = desk(known);
    let (mut one, mut other) = (Box::pin(ask(&desk)), Box::pin(ask(&desk)));
    let first = tokio::select! {
        first = &mut one => first,
        first = &mut other => first,
    };
    assert_eq!(first.expect_err("it never ends").kind, ModelFaultKind::Away);
    assert_eq!(listener.heard().len(), 1, "the other one waits for its place");
}

#[tokio::test]
async fn a_test_says_what_works_and_what_helps() {
    let listener = ScriptedListener::start(streamed(READY), Ending::HangUp).await;
    let report = desk(known(&listener.url)).test(&name()).await.expect("a report");
    assert!(report.answers && report.streams && !report.calls_tools, "{report:?}");
    assert!(report.hint.expect("a hint").contains("calls tools"));
    let away = desk(known("http://127.0.0.1:9/v1")).test(&name()).await.expect("a report");
    assert!(!away.answers && away.fault.is_some_and(|fault| fault.kind == ModelFaultKind::Away));
    assert!(away.hint.expect("a hint").contains("http://127.0.0.1:9/v1"));
    let unknown = desk(known(&listener.url)).test(&ModelName::new("other").expect("a name")).await;
    assert_eq!(unknown.expect_err("no such model").code.name, "unknown_model");
}
