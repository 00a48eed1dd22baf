//! An action of the file.

use std::sync::Arc;

use openapi_tools::{ApiEffects, ApiTool};
use serde_json::Value;

use super::rules::pages;
use super::{operation, schema};
use crate::action::{ActionArgument, ConnectorAction, Idempotency};
use crate::error::BadConnectorFile;
use crate::form::{ActionForm, ArgumentForm, FileForm, IdempotencyForm, StepForm, UndoForm};
use crate::rules::ProviderRules;
use crate::step::{RequestStep, StepTarget, StepValue, ValueSource};
use crate::tool::ConnectorTool;
use crate::undo::UndoRule;
use crate::words::{AnswerKind, EffectsWord, Marked, MethodWord, RequestPlace};

pub(super) fn compile(
    text: &str,
    file: &FileForm,
    action: &ActionForm,
    rules: &Arc<ProviderRules>,
    tools: Option<&[ApiTool]>,
) -> Result<ConnectorAction, BadConnectorFile> {
    let operation = action.operation.as_ref().map(|name| operation::find(text, name, tools)).transpose()?;
    let page_rule = action.pagination.as_ref().and_then(|name| file.pagination.get(name)).map(pages);
    let mut input = match operation {
        Some(tool) => schema::over_operation(action, tool.input_schema.clone()),
        None => schema::input(action),
    };
    let mut output = action.output.clone().or_else(|| operation.and_then(|tool| tool.output_schema.clone()));
    if page_rule.is_some() {
        input = schema::paged(input);
        output = Some(schema::paged_output(action.output.as_ref()));
    }
    let steps = steps(action, operation);
    let idempotency = idempotency(action);
    let tool = ConnectorTool {
        name: action.name.get_ref().clone(),
        title: action.title.clone(),
        description: action.description.trim().to_owned(),
        input_schema: input,
        output_schema: output,
        effects: effects(action, operation, &idempotency),
    };
    Ok(ConnectorAction {
        tool,
        arguments: arguments(action),
        is_operation: operation.is_some(),
        steps,
        idempotency,
        result: action.result.as_ref().map(|pointer| pointer.get_ref().clone()),
        pages: page_rule,
        undo: action.undo.as_ref().map(undo),
        rules: Arc::clone(rules),
    })
}

fn arguments(action: &ActionForm) -> Vec<ActionArgument> {
    let asked = action.arguments.iter().filter(|(_, argument)| argument.constant.is_none());
    let own = asked.map(|(name, argument)| ActionArgument {
        name: name.get_ref().clone(),
        is_required: argument.required,
        default: argument.default.clone(),
    });
    let of_list = [crate::call::PAGE, crate::call::LIMIT].into_iter().filter(|_| action.pagination.is_some());
    let of_list =
        of_list.map(|name| ActionArgument { name: name.to_owned(), is_required: false, default: None });
    own.chain(of_list).collect()
}

fn word(action: &ActionForm, operation: Option<&ApiTool>) -> EffectsWord {
    let of_tool = operation.map(|tool| match (tool.effects.read_only, tool.effects.destructive) {
        (true, _) => EffectsWord::Read,
        (false, true) => EffectsWord::Destructive,
        (false, false) => EffectsWord::Write,
    });
    let of_method = action.method.as_ref().map(|method| method.get_ref().effects());
    let of_steps =
        action.steps.iter().map(|step| step.effects.unwrap_or(step.method.get_ref().effects())).max();
    action.effects.or(of_tool).or(of_method).or(of_steps).unwrap_or(EffectsWord::Write)
}

fn effects(action: &ActionForm, operation: Option<&ApiTool>, idempotency: &Idempotency) -> ApiEffects {
    let word = word(action, operation);
    ApiEffects {
        read_only: word == EffectsWord::Read,
        destructive: word == EffectsWord::Destructive,
        idempotent: word == EffectsWord::Read || *idempotency == Idempotency::Natural,
    }
}

fn idempotency(action: &ActionForm) -> Idempotency {
    match action.idempotency.as_ref().map(|form| form.get_ref()) {
        Some(IdempotencyForm::Table(table)) => match &table.header {
            Some(header) => Idempotency::Header(header.clone()),
            None => Idempotency::Natural,
        },
        Some(IdempotencyForm::Word(_)) | None => Idempotency::Ledger,
    }
}

fn steps(action: &ActionForm, operation: Option<&ApiTool>) -> Vec<RequestStep> {
    let is_read = word(action, operation) == EffectsWord::Read;
    if let Some(tool) = operation {
        let values = constants(action.arguments.iter());
        return vec![RequestStep {
            method: tool.method,
            target: StepTarget::Operation(Box::new(tool.plan.clone())),
            answer: action.answer,
            is_read,
            take: Vec::new(),
            values,
        }];
    }
    if let (Some(method), Some(path)) = (&action.method, &action.path) {
        return vec![single(*method.get_ref(), path, action.answer, is_read, action.arguments.iter())];
    }
    action.steps.iter().map(step).collect()
}

/// A request that takes its arguments as the file places them.
pub(super) fn single<'a>(
    method: MethodWord,
    path: &Marked,
    answer: AnswerKind,
    is_read: bool,
    arguments: impl Iterator<Item = (&'a Marked, &'a ArgumentForm)>,
) -> RequestStep {
    let target = StepTarget::Path(path.get_ref().clone());
    let values = arguments.map(|(name, argument)| placed(name, argument)).collect();
    RequestStep { method: method.method(), target, answer, is_read, take: Vec::new(), values }
}

/// The constants of an operation, whose other arguments the document places.
pub(super) fn constants<'a>(
    arguments: impl Iterator<Item = (&'a Marked, &'a ArgumentForm)>,
) -> Vec<StepValue> {
    let constants = arguments.filter(|(_, argument)| argument.constant.is_some());
    constants.map(|(name, argument)| placed(name, argument)).collect()
}

fn placed(name: &Marked, argument: &ArgumentForm) -> StepValue {
    let source = match &argument.constant {
        Some(constant) => ValueSource::Constant(constant.clone()),
        None => ValueSource::Argument(name.get_ref().clone()),
    };
    let place = argument.place.unwrap_or(RequestPlace::Query);
    StepValue {
        source,
        place,
        name: provider_name(name, place, argument.name.as_deref(), argument.pointer.as_ref()),
        encode: argument.encode,
        file_name: argument.file_name.clone(),
    }
}

fn step(form: &StepForm) -> RequestStep {
    let target = match (&form.path, &form.address) {
        (Some(path), _) => StepTarget::Path(path.get_ref().clone()),
        (None, Some(address)) => StepTarget::Taken(address.get_ref().clone()),
        (None, None) => StepTarget::Path(String::new()),
    };
    let values = form.values.iter().map(|(name, value)| StepValue {
        source: source(&value.argument, &value.taken, &value.length_of, &value.constant),
        place: value.place,
        name: provider_name(name, value.place, value.name.as_deref(), value.pointer.as_ref()),
        encode: value.encode,
        file_name: value.file_name.clone(),
    });
    RequestStep {
        method: form.method.get_ref().method(),
        target,
        answer: form.answer,
        is_read: form.effects.unwrap_or(form.method.get_ref().effects()) == EffectsWord::Read,
        take: form.take.iter().map(|(name, pointer)| (name.clone(), pointer.get_ref().clone())).collect(),
        values: values.collect(),
    }
}

fn source(
    argument: &Option<String>,
    taken: &Option<String>,
    length_of: &Option<String>,
    constant: &Option<Value>,
) -> ValueSource {
    match (argument, taken, length_of) {
        (Some(name), _, _) => ValueSource::Argument(name.clone()),
        (None, Some(name), _) => ValueSource::Taken(name.clone()),
        (None, None, Some(name)) => ValueSource::LengthOf(name.clone()),
        (None, None, None) => ValueSource::Constant(constant.clone().unwrap_or_default()),
    }
}

fn provider_name(name: &Marked, place: RequestPlace, own: Option<&str>, pointer: Option<&Marked>) -> String {
    let own = own.unwrap_or(name.get_ref());
    match (place, pointer) {
        (RequestPlace::Body, Some(pointer)) => pointer.get_ref().clone(),
        (RequestPlace::Body, None) => format!("/{}", own.replace('~', "~0").replace('/', "~1")),
        _ => own.to_owned(),
    }
}

fn undo(form: &UndoForm) -> UndoRule {
    let arguments = form.arguments.iter().map(|(name, pointer)| (name.clone(), pointer.get_ref().clone()));
    UndoRule { action: form.action.get_ref().clone(), arguments: arguments.collect() }
}
