//! The steps of a script: words, thoughts and calls of a model, and its faults.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::asked::AskedModel;

/// The answer to a request, from the request alone: so that one script serves many runs at once.
pub type ModelScript = Arc<dyn Fn(&AskedModel) -> ModelStep + Send + Sync>;

/// The reaction to one request.
#[derive(Clone, PartialEq, Debug)]
pub enum ModelStep {
    Answer(ScriptedAnswer, StreamEnd),
    /// A status that is not 200, in the form of the provider.
    Status {
        status: u16,
        retry_after: Option<String>,
        message: String,
    },
    /// The request is larger than the context, in the words of the provider.
    Overflow,
    /// It talks and never ends.
    EndlessTalk,
    /// Status 200, and a body that is none of the format.
    Nonsense,
    /// A redirect to this address.
    Redirect(String),
}

/// The end of a streamed answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamEnd {
    Whole,
    /// The connection breaks after this many bytes.
    CutAfter(usize),
    /// Nothing more arrives after this many bytes, and the connection stays.
    StallsAfter(usize),
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScriptedAnswer {
    pub parts: Vec<ScriptedPart>,
    /// The limit of tokens ends it, whatever it was about to say.
    pub is_cut_off: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ScriptedPart {
    Text(String),
    Thinking(String),
    Call(ScriptedCall),
}

#[derive(Clone, PartialEq, Debug)]
pub struct ScriptedCall {
    pub name: String,
    /// As it is sent: it need not be JSON.
    pub arguments: String,
    /// The provider's own id. `None` for a new one.
    pub id: Option<String>,
}

impl ScriptedCall {
    pub fn new(name: &str, arguments: &Value) -> Self {
        Self { name: name.to_owned(), arguments: arguments.to_string(), id: None }
    }

    /// With arguments that need not be JSON.
    pub fn raw(name: &str, arguments: &str) -> Self {
        Self { name: name.to_owned(), arguments: arguments.to_owned(), id: None }
    }

    #[must_use]
    pub fn with_id(self, id: &str) -> Self {
        Self { id: Some(id.to_owned()), ..self }
    }

    /// The arguments, if they are an object.
    pub fn object(&self) -> Option<Value> {
        serde_json::from_str(&self.arguments).ok().filter(Value::is_object)
    }
}

impl ScriptedAnswer {
    #[must_use]
    pub fn say(mut self, text: &str) -> Self {
        self.parts.push(ScriptedPart::Text(text.to_owned()));
        self
    }

    #[must_use]
    pub fn think(mut self, text: &str) -> Self {
        self.parts.push(ScriptedPart::Thinking(text.to_owned()));
        self
    }

    #[must_use]
    pub fn call(mut self, call: ScriptedCall) -> Self {
        self.parts.push(ScriptedPart::Call(call));
        self
    }

    #[must_use]
    pub fn cut_off(self) -> Self {
        Self { is_cut_off: true, ..self }
    }

    pub fn calls(&self) -> impl Iterator<Item = &ScriptedCall> {
        self.parts.iter().filter_map(|part| match part {
            ScriptedPart::Call(call) => Some(call),
            ScriptedPart::Text(_) | ScriptedPart::Thinking(_) => None,
        })
    }

    /// All that it says, joined.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().map(|part| match part {
            ScriptedPart::Text(text) => text.as_str(),
            ScriptedPart::Thinking(_) | ScriptedPart::Call(_) => "",
        });
        texts.collect()
    }

    /// All that it thinks, joined.
    pub fn thinking(&self) -> String {
        let texts = self.parts.iter().map(|part| match part {
            ScriptedPart::Thinking(text) => text.as_str(),
            ScriptedPart::Text(_) | ScriptedPart::Call(_) => "",
        });
        texts.collect()
    }

    /// About its size in bytes, for the tokens that it costs.
    pub(super) fn bytes(&self) -> usize {
        let sizes = self.parts.iter().map(|part| match part {
            ScriptedPart::Text(text) | ScriptedPart::Thinking(text) => text.len(),
            ScriptedPart::Call(call) => call.name.len() + call.arguments.len(),
        });
        sizes.sum()
    }
}

impl ModelStep {
    pub fn say(text: &str) -> Self {
        ScriptedAnswer::default().say(text).into()
    }

    pub fn call(name: &str, arguments: &Value) -> Self {
        Self::calls([ScriptedCall::new(name, arguments)])
    }

    pub fn calls(calls: impl IntoIterator<Item = ScriptedCall>) -> Self {
        calls.into_iter().fold(ScriptedAnswer::default(), ScriptedAnswer::call).into()
    }

    /// Ends the run with this summary.
    pub fn complete(summary: &str) -> Self {
        Self::call("complete_workflow", &json!({ "summary": summary }))
    }

    pub fn status(status: u16) -> Self {
        Self::Status { status, retry_after: None, message: "The script says so".to_owned() }
    }

    /// 429 with the header.
    pub fn busy(retry_after: &str) -> Self {
        Self::Status {
            status: 429,
            retry_after: Some(retry_after.to_owned()),
            message: "Slow down".to_owned(),
        }
    }

    /// Status 200, and nothing more.
    pub fn silence() -> Self {
        Self::Answer(ScriptedAnswer::default().say("never"), StreamEnd::StallsAfter(0))
    }

    /// The same answer with another end. Faults stay as they are.
    #[must_use]
    pub fn ending(self, end: StreamEnd) -> Self {
        match self {
            Self::Answer(answer, _) => Self::Answer(answer, end),
            other => other,
        }
    }
}

impl From<ScriptedAnswer> for ModelStep {
    fn from(answer: ScriptedAnswer) -> Self {
        Self::Answer(answer, StreamEnd::Whole)
    }
}

/// A script of the steps of one conversation: the first for its first turn, and so on; the last one for all further turns.
pub fn steps(steps: impl IntoIterator<Item = ModelStep>) -> ModelScript {
    let steps: Vec<ModelStep> = steps.into_iter().collect();
    assert!(!steps.is_empty(), "a script has a step");
    Arc::new(move |asked| steps[(asked.turn() - 1).min(steps.len() - 1)].clone())
}

/// A model that does what it is asked for: it calls the first tool that it is offered, once, and otherwise says a word.
pub fn obliging() -> ModelScript {
    Arc::new(|asked| match asked.tools.first() {
        Some(tool) if asked.may_call && asked.last_result().is_none() => {
            ModelStep::call(&tool.name, &arguments_for(&tool.schema))
        }
        _ => ModelStep::say("ready"),
    })
}

/// Arguments that fit a simple schema: its required members.
fn arguments_for(schema: &Value) -> Value {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let members = required.iter().filter_map(Value::as_str).map(|name| {
        let property = &schema["properties"][name];
        let value = match (property["enum"].get(0), property["type"].as_str()) {
            (Some(first), _) => first.clone(),
            (None, Some("integer" | "number")) => json!(1),
            (None, Some("boolean")) => json!(true),
            (None, Some("array")) => json!([]),
            (None, Some("object")) => json!({}),
            (None, _) => json!("ready"),
        };
        (name.to_owned(), value)
    });
    Value::Object(members.collect::<Map<_, _>>())
}
