//! The fields of a server's forms as questions to people: one for each field.

use serde_json::{Map, Value, json};
use toolgate_core::port::AskKind;
use toolgate_core::run::{InputSlot, QuestionPurpose, SlotOption, SlotType};

const ACCEPT: &str = "accept";
const DECLINE: &str = "decline";

/// One field of a form, or a form without fields, which is agreed to or not.
pub(super) struct AskedField {
    /// The name of the form among those of the round.
    form: String,
    property: Option<String>,
    prompt: String,
    slot_type: SlotType,
    options: Vec<SlotOption>,
}

/// The fields of all forms. `None` if one of them is no form.
pub(super) fn fields(requests: &Map<String, Value>) -> Option<Vec<AskedField>> {
    let mut fields = Vec::new();
    for (form, request) in requests {
        let params = &request["params"];
        let is_form = params["mode"].as_str().is_none_or(|mode| mode == "form");
        if request["method"] != AskKind::Elicitation.method() || !is_form {
            return None;
        }
        fields.extend(fields_of(form, params)?);
    }
    (!fields.is_empty()).then_some(fields)
}

/// Fields that must be filled in, or all where none must.
fn fields_of(form: &str, params: &Value) -> Option<Vec<AskedField>> {
    let (message, schema) = (params["message"].as_str().unwrap_or_default(), &params["requestedSchema"]);
    let Some(properties) = schema["properties"].as_object().filter(|all| !all.is_empty()) else {
        return Some(vec![agreement(form, message)]);
    };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_asked = |name: &String| required.is_empty() || required.contains(&name.as_str());
    let asked = properties.iter().filter(|(name, _)| is_asked(name));
    asked.map(|(name, schema)| field(form, message, name, schema)).collect()
}

fn agreement(form: &str, message: &str) -> AskedField {
    AskedField {
        form: form.to_owned(),
        property: None,
        prompt: prompt(message, ""),
        slot_type: SlotType::Choice,
        options: [ACCEPT, DECLINE].map(|value| SlotOption { value: value.to_owned(), label: None }).to_vec(),
    }
}

fn field(form: &str, message: &str, name: &str, schema: &Value) -> Option<AskedField> {
    let options = options(schema);
    let slot_type = match schema["type"].as_str().unwrap_or("string") {
        "boolean" => SlotType::Boolean,
        "number" | "integer" => SlotType::Number,
        "array" if options.len() > 1 => SlotType::MultiChoice,
        "string" if options.len() > 1 => SlotType::Choice,
        "string" if schema["format"] == "date" => SlotType::Date,
        "string" => SlotType::Text,
        _ => return None,
    };
    let options = if slot_type.has_options() { options } else { Vec::new() };
    let said = ["title", "description"].map(|key| schema[key].as_str().unwrap_or_default());
    let about = match said {
        ["", ""] => name.to_owned(),
        ["", description] => format!("{name}: {description}"),
        [title, ""] => title.to_owned(),
        [title, description] => format!("{title}: {description}"),
    };
    let (form, property) = (form.to_owned(), Some(name.to_owned()));
    Some(AskedField { form, property, prompt: prompt(message, &about), slot_type, options })
}

fn prompt(message: &str, about: &str) -> String {
    let whole = format!("{message}\n{about}");
    let text: String = whole.trim().chars().take(InputSlot::TEXT_CHARS_MAX).collect();
    if text.is_empty() { "The server of the call asks.".to_owned() } else { text }
}

/// The values that a field may have, as schemas of forms say them.
fn options(schema: &Value) -> Vec<SlotOption> {
    let of = if schema["type"] == "array" { &schema["items"] } else { schema };
    let list = |key: &str| of[key].as_array().into_iter().flatten();
    let names: Vec<&str> = list("enumNames").filter_map(Value::as_str).collect();
    let plain = list("enum").filter_map(Value::as_str).enumerate().map(|(place, value)| SlotOption {
        value: value.to_owned(),
        label: names.get(place).map(|name| (*name).to_owned()),
    });
    let titled = list("oneOf").chain(list("anyOf")).filter_map(|one| {
        let label = one["title"].as_str().map(str::to_owned);
        Some(SlotOption { value: one["const"].as_str()?.to_owned(), label })
    });
    plain.chain(titled).collect()
}

impl AskedField {
    /// The question. `start` is of the call and its round: the same question in another round is another one.
    pub(super) fn slot(&self, start: &str) -> InputSlot {
        let property = self.property.as_deref().unwrap_or_default();
        let slot_id: String =
            format!("{start}.{}.{property}", self.form).chars().take(InputSlot::TEXT_CHARS_MAX).collect();
        InputSlot {
            slot_type: self.slot_type,
            slot_id,
            prompt_key: self.prompt.clone(),
            options: self.options.clone(),
            purpose: QuestionPurpose::default(),
            picture: None,
        }
    }

    /// Adds an answer to those of its form, unless another field of it was declined.
    pub(super) fn answer(&self, responses: &mut Map<String, Value>, answer: Value) {
        let Some(property) = &self.property else {
            let response = match answer == ACCEPT {
                true => json!({ "action": ACCEPT, "content": {} }),
                false => json!({ "action": DECLINE }),
            };
            responses.insert(self.form.clone(), response);
            return;
        };
        let accepted = || json!({ "action": ACCEPT, "content": {} });
        let response = responses.entry(self.form.clone()).or_insert_with(accepted);
        if response["action"] == ACCEPT {
            response["content"][property] = answer;
        }
    }

    pub(super) fn decline(&self, responses: &mut Map<String, Value>) {
        responses.insert(self.form.clone(), json!({ "action": DECLINE }));
    }
}
