//! Scripts as text, for programs that are started: one rule a line, the first that fits is followed.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;

use super::asked::AskedModel;
use super::script::{ModelScript, ModelStep, ScriptedAnswer, ScriptedCall, StreamEnd};

/// `{"when": {"turn": 1}, "then": {"call": [{"name": "bank__balance", "arguments": {}}]}}`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptRule {
    #[serde(default)]
    when: RuleCondition,
    /// It is followed at most this often in a conversation.
    #[serde(default)]
    times: Option<usize>,
    then: RuleStep,
}

/// Members that are left out match everything.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct RuleCondition {
    turn: Option<usize>,
    /// A part of the first message.
    goal: Option<String>,
    /// A part of the last result.
    last_result: Option<String>,
    model: Option<String>,
    /// True if tools may be called.
    may_call: Option<bool>,
}

#[derive(Deserialize, Clone, Default)]
#[serde(deny_unknown_fields, default)]
struct RuleStep {
    think: Option<String>,
    say: Option<String>,
    call: Vec<RuleCall>,
    /// The limit of tokens ends the answer.
    cut_off: bool,
    cut_after: Option<usize>,
    stall_after: Option<usize>,
    status: Option<u16>,
    retry_after: Option<String>,
    overflow: bool,
    endless: bool,
    silence: bool,
    nonsense: bool,
    redirect: Option<String>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct RuleCall {
    name: String,
    /// An object, or a text that is sent as it is.
    #[serde(default)]
    arguments: Value,
    #[serde(default)]
    id: Option<String>,
}

/// Reads a script: a rule a line. Without a rule that fits, the model says `done`.
pub fn script_of_lines(text: &str) -> anyhow::Result<ModelScript> {
    let mut rules = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let rule: ScriptRule = serde_json::from_str(line).with_context(|| format!("line {}", at + 1))?;
        rules.push(rule);
    }
    let followed: Mutex<BTreeMap<(usize, String), usize>> = Mutex::default();
    Ok(Arc::new(move |asked: &AskedModel| {
        let mut followed = followed.lock();
        let fits = |(at, rule): &(usize, &ScriptRule)| {
            let count = followed.get(&(*at, asked.goal().to_owned())).copied().unwrap_or_default();
            rule.when.fits(asked) && rule.times.is_none_or(|times| count < times)
        };
        let Some((at, rule)) = rules.iter().enumerate().find(fits) else { return ModelStep::say("done") };
        *followed.entry((at, asked.goal().to_owned())).or_default() += 1;
        rule.then.clone().step()
    }))
}

impl RuleCondition {
    fn fits(&self, asked: &AskedModel) -> bool {
        let has = |part: &Option<String>, text: &str| part.as_ref().is_none_or(|part| text.contains(part));
        self.turn.is_none_or(|turn| turn == asked.turn())
            && has(&self.goal, asked.goal())
            && has(&self.last_result, asked.last_result().unwrap_or_default())
            && self.model.as_ref().is_none_or(|model| *model == asked.model)
            && self.may_call.is_none_or(|may_call| may_call == asked.may_call)
    }
}

impl RuleStep {
    fn step(self) -> ModelStep {
        if let Some(status) = self.status {
            let message = self.say.unwrap_or_else(|| "The script says so".to_owned());
            return ModelStep::Status { status, retry_after: self.retry_after, message };
        }
        if let Some(redirect) = &self.redirect {
            return ModelStep::Redirect(redirect.clone());
        }
        match (self.overflow, self.endless, self.silence, self.nonsense) {
            (true, _, _, _) => ModelStep::Overflow,
            (_, true, _, _) => ModelStep::EndlessTalk,
            (_, _, true, _) => ModelStep::silence(),
            (_, _, _, true) => ModelStep::Nonsense,
            (false, false, false, false) => self.answer(),
        }
    }

    fn answer(self) -> ModelStep {
        let mut answer = ScriptedAnswer { is_cut_off: self.cut_off, ..ScriptedAnswer::default() };
        answer = self.think.iter().fold(answer, |answer, text| answer.think(text));
        answer = self.say.iter().fold(answer, |answer, text| answer.say(text));
        answer = self.call.into_iter().map(RuleCall::scripted).fold(answer, ScriptedAnswer::call);
        let end = match (self.cut_after, self.stall_after) {
            (Some(bytes), _) => StreamEnd::CutAfter(bytes),
            (None, Some(bytes)) => StreamEnd::StallsAfter(bytes),
            (None, None) => StreamEnd::Whole,
        };
        ModelStep::Answer(answer, end)
    }
}

impl RuleCall {
    fn scripted(self) -> ScriptedCall {
        let arguments = match self.arguments {
            Value::String(text) => text,
            Value::Null => "{}".to_owned(),
            other => other.to_string(),
        };
        ScriptedCall { name: self.name, arguments, id: self.id }
    }
}
