//! Rounds of questions as they are kept, asked and answered.

use toolgate_core::PrincipalId;
use toolgate_core::id::RunId;
use toolgate_core::run::SlotType;

use super::*;

fn envelope(requests: Value) -> RawJson {
    let data =
        json!({ "resultType": "input_required", "inputRequests": requests, "requestState": "s.sealed" });
    json!({ "status": "input_required", "data": data, "refs": [], "warnings": [], "tool_call_id": "tc_1",
        "error": { "code": "input_required" } })
    .into()
}

fn form(properties: Value) -> Value {
    let schema = json!({ "type": "object", "properties": properties });
    json!({ "method": "elicitation/create", "params": { "message": "bank asks: Well?", "requestedSchema": schema } })
}

fn request(slot: InputSlot, answer: Option<Value>) -> InputRequest {
    InputRequest {
        id: InputId::new(format!("inp_{}", slot.slot_id)),
        run: RunId::new("run_1"),
        session: None,
        call: None,
        principal: PrincipalId::new("bot"),
        state: if answer.is_some() { InputState::Answered } else { InputState::Pending },
        answer: answer.map(RawJson::from),
        answered_by: None,
        via: None,
        created_at_ms: 1,
        resolved_at_ms: None,
        slot,
    }
}

fn round(requests: Value) -> ServerRound {
    let envelope = envelope(requests);
    ServerRound::asked(&envelope, &envelope, 1).expect("people can be asked this")
}

#[test]
fn each_field_is_a_question_and_the_answers_go_back_together() {
    let fields = json!({ "tone": { "type": "string", "enum": ["warm", "plain"] },
        "count": { "type": "integer", "title": "How many" } });
    let round = round(json!({ "a": form(fields), "b": form(json!({})) }));
    let slots = round.slots("3.1");
    let count = slots.iter().find(|slot| slot.slot_type == SlotType::Number).expect("a number is asked for");
    assert_eq!(
        (count.slot_id.as_str(), count.prompt_key.as_str()),
        ("server.3.1.1.a.count", "bank asks: Well?\nHow many")
    );
    assert_eq!(slots.len(), 3);
    let answered = slots.into_iter().map(|slot| {
        let answer = match slot.slot_type {
            SlotType::Choice if slot.options[0].value == "accept" => json!("decline"),
            SlotType::Choice => json!("warm"),
            _ => json!(7),
        };
        request(slot, Some(answer))
    });
    let answers = round.answers(&answered.collect::<Vec<_>>());
    let responses: Value = answers.responses.expect("answers").decode().expect("an object");
    let expected = json!({ "a": { "action": "accept", "content": { "tone": "warm", "count": 7 } },
        "b": { "action": "decline" } });
    assert_eq!(responses, expected);
    assert_eq!(answers.state.expect("a state").as_str(), "\"s.sealed\"");
}

#[test]
fn an_open_question_is_kept_with_the_call_and_found_again() {
    let round = round(json!({ "a": form(json!({ "word": { "type": "string" } })) }));
    let open = request(round.slots("3.1").remove(0), None);
    let kept = round.waiting(&open.id);
    let shown: Value = kept.decode().expect("an envelope");
    assert_eq!(shown["error"]["input_id"], "inp_server.3.1.1.a.word");
    let again = ServerRound::kept(&kept).expect("it is read again");
    assert_eq!((again.number(), again.call()), (1, Some("tc_1")));
    // Another question pauses the run: this one is asked afterwards.
    let later = again.refused(&Refusal::new(&codes::RUN_PAUSED, "it waits"));
    let later: Value = later.decode().expect("an envelope");
    assert_eq!((&later["error"]["code"], &later["error"]["round"]), (&json!("run_paused"), &json!(1)));
    // The same if the run is paused while the call goes on: the answers are there the next time.
    let refused = json!({ "status": "refused", "data": null, "error": { "code": "run_paused" } });
    let aside = again.put_aside(&refused.into());
    let shown: Value = aside.decode().expect("an envelope");
    assert_eq!((&shown["status"], &shown["error"]["code"]), (&json!("input_required"), &json!("run_paused")));
    assert_eq!(ServerRound::kept(&aside).expect("its questions are kept").slots("3.1").len(), 1);
}

#[test]
fn what_people_cannot_be_asked_stays_an_error() {
    let sampling = json!({ "a": { "method": "sampling/createMessage", "params": {} } });
    let page =
        json!({ "a": { "method": "elicitation/create", "params": { "mode": "url", "url": "https://a" } } });
    let odd = json!({ "a": form(json!({ "deep": { "type": "object" } })) });
    for requests in [sampling, page, odd, json!({})] {
        let envelope = envelope(requests);
        assert!(ServerRound::asked(&envelope, &envelope, 1).is_none(), "{}", envelope.as_str());
    }
    let well = envelope(json!({ "a": form(json!({ "word": { "type": "string" } })) }));
    assert!(ServerRound::asked(&well, &well, ROUNDS_MAX).is_some());
    assert!(ServerRound::asked(&well, &well, ROUNDS_MAX + 1).is_none(), "a server does not ask for ever");
    assert!(ServerRound::kept(&well).is_none(), "a client was told of it");
}
