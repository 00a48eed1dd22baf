//! A call of an action, from its first request to its end: steps, pages, and tries. It sends nothing itself.

mod list;

use std::time::Duration;

use serde_json::{Map, Value};

use crate::action::{ConnectorAction, Idempotency};
use crate::error::BadActionArguments;
use crate::judge::{self, ProviderVerdict, ReceivedAnswer, Repeating};
use crate::plan::{PlannedRequest, StepInput, plan};
use crate::step::RequestStep;
use crate::words::HeaderOf;
use list::PagedList;
pub(crate) use list::{ITEMS_DEFAULT, ITEMS_MAX, LIMIT, PAGE};

/// A call that is under way.
pub struct ActionCall<'a> {
    action: &'a ConnectorAction,
    arguments: Map<String, Value>,
    call_id: String,
    /// What steps took of their answers.
    taken: Map<String, Value>,
    step: usize,
    tries: u32,
    /// The verdict on the last request, if it may be sent again.
    refused: Option<ProviderVerdict>,
    list: Option<PagedList>,
}

/// What comes next in a call.
#[derive(Clone, PartialEq, Debug)]
pub enum CallTurn {
    /// [`ActionCall::request`] has another request.
    Send,
    /// The same request is sent again after this time. Whoever cannot wait that long ends with [`ActionCall::given_up`].
    Wait(Duration),
    /// Never [`ProviderVerdict::Again`].
    End(ProviderVerdict),
}

impl ConnectorAction {
    /// Begins a call. Its id is the key where the provider takes one.
    pub fn call(
        &self,
        arguments: &Map<String, Value>,
        call_id: &str,
    ) -> Result<ActionCall<'_>, BadActionArguments> {
        ActionCall::begin(self, self.complete(arguments)?, call_id)
    }
}

impl<'a> ActionCall<'a> {
    fn begin(
        action: &'a ConnectorAction,
        mut arguments: Map<String, Value>,
        call_id: &str,
    ) -> Result<Self, BadActionArguments> {
        let list = action.pages.as_ref().map(|rule| PagedList::begin(rule, &mut arguments)).transpose()?;
        let call_id = call_id.to_owned();
        Ok(Self { action, arguments, call_id, taken: Map::new(), step: 0, tries: 0, refused: None, list })
    }

    /// The request to send now.
    pub fn request(&self, base_url: &str) -> Result<PlannedRequest, BadActionArguments> {
        self.planned(self.now(), &self.taken, base_url)
    }

    /// All requests of the call. What later ones take from answers of earlier ones is `‹name›`.
    pub fn preview(&self, base_url: &str) -> Result<Vec<PlannedRequest>, BadActionArguments> {
        let mut taken = self.taken.clone();
        let mut requests = Vec::with_capacity(self.action.steps.len());
        for step in &self.action.steps {
            requests.push(match step.taken_address() {
                Some(name) => self.unaddressed(step, &taken, name, base_url)?,
                None => self.planned(step, &taken, base_url)?,
            });
            taken.extend(step.take.iter().map(|(name, _)| (name.clone(), Value::from(placeholder(name)))));
        }
        Ok(requests)
    }

    /// The answer to the last request came.
    pub fn answered(&mut self, status: u16, headers: HeaderOf<'_>, body: Option<&Value>) -> CallTurn {
        let step = self.now();
        let answer = ReceivedAnswer { status, headers, body };
        match judge::judge(&self.action.rules, self.action.repeating(step), step.answer, &answer) {
            ProviderVerdict::Done { data } => self.took_effect(headers, data),
            verdict => self.go_on(verdict),
        }
    }

    /// The last request was sent, and no answer came.
    pub fn lost(&mut self) -> CallTurn {
        self.go_on(judge::lost(self.action.repeating(self.now())))
    }

    /// The end of a call instead of the wait that it asked for: it says how long that is.
    pub fn given_up(&self) -> ProviderVerdict {
        let nothing = || ProviderVerdict::Failed { says: "nothing was answered".to_owned(), code: None };
        self.refused.clone().map_or_else(nothing, judge::given_up)
    }

    /// A request that changes something was answered before the one that is to be sent now. Until then, a call that ends
    /// without a verdict changed nothing.
    pub fn has_written(&self) -> bool {
        self.action.steps[..self.step].iter().any(|step| !step.is_read)
    }

    fn now(&self) -> &'a RequestStep {
        &self.action.steps[self.step]
    }

    fn planned(
        &self,
        step: &RequestStep,
        taken: &Map<String, Value>,
        base_url: &str,
    ) -> Result<PlannedRequest, BadActionArguments> {
        let header = match &self.action.idempotency {
            Idempotency::Header(name) if !step.is_read => Some((name.clone(), self.call_id.clone())),
            _ => None,
        };
        let more = self.list.as_ref().map(PagedList::placed).unwrap_or_default();
        let input = StepInput { arguments: &self.arguments, taken, more, header };
        plan(&self.action.rules, step, input, base_url)
    }

    /// A request whose address only an answer will tell.
    fn unaddressed(
        &self,
        step: &RequestStep,
        taken: &Map<String, Value>,
        name: &str,
        base_url: &str,
    ) -> Result<PlannedRequest, BadActionArguments> {
        let mut taken = taken.clone();
        taken.insert(name.to_owned(), Value::from(base_url));
        let mut planned = self.planned(step, &taken, base_url)?;
        planned.address = placeholder(name);
        Ok(planned)
    }

    fn took_effect(&mut self, headers: HeaderOf<'_>, data: Value) -> CallTurn {
        for (name, pointer) in &self.now().take {
            let Some(value) = data.pointer(pointer) else { return self.lacks(pointer) };
            self.taken.insert(name.clone(), value.clone());
        }
        self.tries = 0;
        if self.step + 1 < self.action.steps.len() {
            self.step += 1;
            return CallTurn::Send;
        }
        match &mut self.list {
            Some(list) => list.add(headers, &data, self.action.result.as_deref()),
            None => self.end(data),
        }
    }

    fn end(&self, data: Value) -> CallTurn {
        let Some(pointer) = self.action.result.as_deref() else {
            return CallTurn::End(ProviderVerdict::Done { data });
        };
        match data.pointer(pointer) {
            Some(found) => CallTurn::End(ProviderVerdict::Done { data: found.clone() }),
            None if self.now().is_read => self.lacks(pointer),
            // It happened, whatever the provider says about it.
            None => CallTurn::End(ProviderVerdict::Done { data }),
        }
    }

    fn lacks(&self, pointer: &str) -> CallTurn {
        let says = format!("the provider's answer has nothing at {pointer:?}");
        let has_written = self.action.steps[..=self.step].iter().any(|step| !step.is_read);
        CallTurn::End(match has_written {
            true => ProviderVerdict::Unsure { says },
            false => ProviderVerdict::Failed { says, code: None },
        })
    }

    /// Another try, if one may be made. A write that bears no repeating is not sent again even where the provider says that it
    /// did nothing: the caller decides.
    fn go_on(&mut self, verdict: ProviderVerdict) -> CallTurn {
        self.tries += 1;
        let ProviderVerdict::Again { after, .. } = verdict else { return CallTurn::End(verdict) };
        let may_repeat = self.action.repeating(self.now()) != Repeating::OnceOnly;
        match self.action.rules.retry.wait(after, self.tries).filter(|_| may_repeat) {
            Some(wait) => {
                self.refused = Some(verdict);
                CallTurn::Wait(wait)
            }
            None => CallTurn::End(judge::given_up(verdict)),
        }
    }
}

fn placeholder(name: &str) -> String {
    format!("‹{name}›")
}

#[cfg(test)]
mod tests;
