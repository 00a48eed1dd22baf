//! The test of a model: two short questions, and the report.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use toolgate_core::RawJson;
use toolgate_core::model::{
    CallArguments, MessagePart, ModelAnswer, ModelDefinition, ModelFault, ModelFaultKind, ModelMessage,
    ModelPiece, ModelReport, ModelRequest, Models, OfferedTool, ToolUse,
};

use crate::hint;

/// The time of each question. A person waits for the report.
const QUESTION: Duration = Duration::from_secs(25);
/// Models that think before they speak need room for both.
const OUTPUT_TOKENS_MAX: u64 = 1_024;
const PROBE: &str = "toolgate_probe";

/// An answer and when its pieces came.
struct TimedAnswer {
    answered: Result<ModelAnswer, ModelFault>,
    first_piece: Option<Duration>,
    pieces: usize,
    duration: Duration,
}

pub(crate) async fn of(models: &dyn Models, definition: &ModelDefinition) -> ModelReport {
    let mut report = ModelReport::new(definition.name.clone());
    let spoken = ask(models, definition, &question()).await;
    report.first_piece = spoken.first_piece;
    report.streams = spoken.pieces > 0 && spoken.answered.is_ok();
    let Some(answer) = note(&mut report, spoken, definition) else { return report };
    report.answers = says_something(&answer);
    let called = ask(models, definition, &question_with_tool()).await;
    let Some(answer) = note(&mut report, called, definition) else { return report };
    report.calls_tools = calls_probe(&answer);
    if !report.calls_tools {
        report.hint = Some(hint::NO_TOOLS.to_owned());
    }
    report
}

/// Adds an answer to a report, and returns it unless it is a fault.
fn note(report: &mut ModelReport, timed: TimedAnswer, definition: &ModelDefinition) -> Option<ModelAnswer> {
    report.duration += timed.duration;
    match timed.answered {
        Ok(answer) => {
            report.usage = report.usage.plus(answer.usage);
            report.cost_micros =
                report.cost_micros.saturating_add(answer.usage.cost_micros(definition.prices));
            Some(answer)
        }
        Err(fault) => {
            report.hint = Some(hint::of(&fault, definition));
            report.fault = Some(fault);
            None
        }
    }
}

async fn ask(models: &dyn Models, definition: &ModelDefinition, request: &ModelRequest) -> TimedAnswer {
    let began = Instant::now();
    let first: Mutex<(Option<Duration>, usize)> = Mutex::default();
    let heard = |_: ModelPiece| {
        let mut first = first.lock();
        first.0 = first.0.or_else(|| Some(began.elapsed()));
        first.1 += 1;
    };
    let asked = tokio::time::timeout(QUESTION, models.ask(&definition.name, request, &heard)).await;
    let answered = asked.unwrap_or_else(|_| {
        let message = format!("model \"{}\" did not answer within {} s", definition.name, QUESTION.as_secs());
        Err(ModelFault::new(ModelFaultKind::Away, message))
    });
    let (first_piece, pieces) = *first.lock();
    TimedAnswer { answered, first_piece, pieces, duration: began.elapsed() }
}

fn question() -> ModelRequest {
    request("Answer with the single word: ready", Vec::new())
}

fn question_with_tool() -> ModelRequest {
    let schema = r#"{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}"#;
    let tool = OfferedTool {
        name: PROBE.into(),
        description: "Takes note of a word. Call it whenever you are told to.".into(),
        schema: RawJson::from_composed(schema.to_owned()),
    };
    let text = format!("Call the tool {PROBE} with the word \"ready\". Do not answer in any other way.");
    request(&text, vec![tool])
}

fn request(text: &str, tools: Vec<OfferedTool>) -> ModelRequest {
    ModelRequest {
        system: "You are asked by a program that checks whether you work. Be brief.".into(),
        tools: Arc::from(tools),
        messages: vec![ModelMessage::user(text)],
        tool_use: ToolUse::Allowed,
        output_tokens_max: Some(OUTPUT_TOKENS_MAX),
    }
}

fn says_something(answer: &ModelAnswer) -> bool {
    answer.parts.iter().any(|part| matches!(part, MessagePart::Text(text) if !text.trim().is_empty()))
}

fn calls_probe(answer: &ModelAnswer) -> bool {
    answer.parts.iter().any(|part| {
        matches!(part, MessagePart::Call(call)
            if call.name == PROBE && matches!(call.arguments, CallArguments::Object(_)))
    })
}
