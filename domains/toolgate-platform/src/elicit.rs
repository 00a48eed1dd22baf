//! A question in the form in which clients show it to their user, and the answer from it.

use serde_json::{Value, json};
use toolgate_core::RawJson;
use toolgate_core::run::{InputSlot, SlotType};

/// The name of the one field.
const FIELD: &str = "answer";

/// `params` of an elicitation; `problem` describes the error of the previous answer.
pub(crate) fn question(slot: &InputSlot, problem: Option<&str>) -> RawJson {
    let message = match problem {
        Some(problem) => format!("{}\n({problem})", slot.prompt_key),
        None => slot.prompt_key.clone(),
    };
    let values: Vec<&str> = slot.options.iter().map(|option| option.value.as_str()).collect();
    let labels = || {
        slot.options.iter().map(|option| json!({ "const": option.value, "title": option.label.as_ref().unwrap_or(&option.value) }))
    };
    let field = match slot.slot_type {
        SlotType::Text => json!({ "type": "string" }),
        SlotType::Choice if slot.options.iter().all(|option| option.label.is_none()) => {
            json!({ "type": "string", "enum": values })
        }
        SlotType::Choice => json!({ "type": "string", "oneOf": labels().collect::<Vec<_>>() }),
        SlotType::MultiChoice => {
            json!({ "type": "array", "items": { "anyOf": labels().collect::<Vec<_>>() } })
        }
        SlotType::Number => json!({ "type": "number" }),
        SlotType::Boolean => json!({ "type": "boolean" }),
        SlotType::Date => json!({ "type": "string", "format": "date" }),
        SlotType::File => json!({ "type": "string", "description": "The id of an uploaded file" }),
    };
    json!({
        "message": message,
        "requestedSchema": { "type": "object", "properties": { (FIELD): field }, "required": [FIELD] },
    })
    .into()
}

/// The person's answer, if there is one. Older clients send multiple choices as one text.
pub(crate) fn answer(slot: &InputSlot, said: &RawJson) -> Option<Value> {
    let said: Value = said.decode().ok()?;
    if said["action"] != "accept" {
        return None;
    }
    let answer = said["content"].get(FIELD)?.clone();
    match (slot.slot_type, &answer) {
        (SlotType::MultiChoice, Value::String(text)) => {
            Some(text.split(',').map(|one| Value::from(one.trim())).collect())
        }
        _ => Some(answer),
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::run::{QuestionPurpose, SlotOption};

    use super::*;

    fn slot(slot_type: SlotType) -> InputSlot {
        let option = |value: &str| SlotOption { value: value.to_owned(), label: None };
        InputSlot {
            slot_type,
            slot_id: "tone".to_owned(),
            prompt_key: "Which tone?".to_owned(),
            options: vec![option("formal"), option("plain")],
            purpose: QuestionPurpose::Question,
            picture: None,
        }
    }

    #[test]
    fn a_choice_is_put_as_one_and_read_back() {
        let asked: Value = question(&slot(SlotType::Choice), None).decode().unwrap();
        assert_eq!(asked["requestedSchema"]["properties"]["answer"]["enum"], json!(["formal", "plain"]));
        let said = json!({ "action": "accept", "content": { "answer": "plain" } }).into();
        assert_eq!(answer(&slot(SlotType::Choice), &said), Some(json!("plain")));
        let several = json!({ "action": "accept", "content": { "answer": "plain, formal" } }).into();
        assert_eq!(answer(&slot(SlotType::MultiChoice), &several), Some(json!(["plain", "formal"])));
    }

    #[test]
    fn who_closes_the_question_has_not_answered_it() {
        for said in
            [json!({ "action": "decline" }), json!({ "action": "cancel" }), json!({ "action": "accept" })]
        {
            assert_eq!(answer(&slot(SlotType::Choice), &said.into()), None);
        }
    }
}
