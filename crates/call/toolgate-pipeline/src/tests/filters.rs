//! Calls that filters look through.

use serde_json::{Value, json};
use toolgate_core::decision::Verdict;
use toolgate_core::event::{EventKind, Outcome};
use toolgate_core::port::{ServerError, ServerReply};
use toolgate_core::{AuditLevel, Effects, RawJson, RpcError};

use super::approvals::{decide, gated};
use super::kit::{PipelineWorld, code, requirement};
use crate::desk::ApproverDecision;
use crate::filter::{FilterAction, FilterRule, FilteredTraffic, Filters, known_kinds};
use crate::{CallAnswerBody, PipelineSettings};

const CARD: &str = "4111 1111 1111 1111";

fn rule(action: FilterAction, on: FilteredTraffic, kind: &str) -> FilterRule {
    let kind = known_kinds().into_iter().find(|(name, _)| *name == kind).expect("a kind").1;
    FilterRule {
        name: format!("no {}s", kind.name()),
        on,
        tools: vec!["bank:*".into()],
        pattern: None,
        kinds: vec![kind],
        action,
        approvers: Vec::new(),
    }
}

fn filter(world: &PipelineWorld, rules: &[FilterRule]) {
    world.pipeline.set_filters(Filters::new(rules).expect("good filters"));
}

fn to(account: &str) -> Value {
    json!({ "amount": 1, "account": account })
}

fn sent(world: &PipelineWorld) -> Option<Value> {
    world.server.arguments.lock().as_ref().map(|raw| raw.decode().expect("JSON"))
}

fn replies(world: &PipelineWorld, reply: Result<ServerReply, ServerError>) {
    world.server.replies.lock().push(reply);
}

fn text_result(text: &str) -> RawJson {
    json!({ "content": [{ "type": "text", "text": text }] }).into()
}

/// The filter events in the ledger, and every stored body.
fn kept(world: &PipelineWorld) -> (Vec<Value>, String) {
    let entries = world.books.0.entries.lock();
    let events = entries.iter().flat_map(|entry| &entry.events);
    let matched = events.filter(|event| event.kind == EventKind::FilterMatched);
    let details = matched.map(|event| event.detail.as_ref().expect("a detail").decode().expect("JSON"));
    let bodies = entries.iter().flat_map(|entry| &entry.bodies).map(|body| body.json.as_str().to_owned());
    (details.collect(), bodies.collect::<Vec<_>>().join("\n"))
}

#[tokio::test]
async fn what_is_masked_is_masked_for_the_server_for_people_and_for_the_ledger() {
    let world = gated();
    filter(&world, &[rule(FilterAction::Mask, FilteredTraffic::Arguments, "email")]);
    let proposed = to("ann@example.com");
    assert_eq!(code(&world.call(proposed.clone()).await), "pending_approval");
    let shown: Value = world.books.0.only_approval().arguments.decode().expect("JSON");
    assert_eq!(shown, to("[masked: no emails]"));
    decide(&world, ApproverDecision::Approve, None).await.expect("a yes");
    let answer = world.call(proposed).await;
    assert_eq!(answer.envelope.status, Outcome::Succeeded, "{answer:?}");
    assert_eq!(sent(&world), Some(to("[masked: no emails]")), "what was shown is what is sent");
    assert_eq!(answer.envelope.warnings[0].code.name, "filtered");
    let (matched, bodies) = kept(&world);
    assert_eq!(matched[0]["on"], "arguments");
    assert_eq!(
        matched[0]["filters"],
        json!([{ "filter": "no emails", "action": "mask", "kind": "email", "count": 1, "paths": ["/account"] }])
    );
    assert!(bodies.contains("[masked: no emails]") && !bodies.contains("ann@"), "{bodies}");
}

#[tokio::test]
async fn a_call_that_asks_nobody_is_sent_masked_too() {
    let world = PipelineWorld::new(Verdict::Permit);
    filter(&world, &[rule(FilterAction::Mask, FilteredTraffic::Both, "email")]);
    let answer = world.call(to("ann@example.com")).await;
    assert_eq!(answer.envelope.status, Outcome::Succeeded);
    assert_eq!(sent(&world), Some(to("[masked: no emails]")));
    world.call(to("DE1")).await;
    assert_eq!(sent(&world), None, "what nobody changed goes as it came");
}

#[tokio::test]
async fn a_blocked_call_is_not_sent_and_says_what_and_where_and_never_the_value() {
    let world = PipelineWorld::new(Verdict::Permit);
    filter(&world, &[rule(FilterAction::Block, FilteredTraffic::Arguments, "card")]);
    let answer = world.call(to(CARD)).await;
    let CallAnswerBody::Refusal(refusal) = &answer.body else { panic!("a refusal: {answer:?}") };
    assert_eq!((refusal.code.name, answer.envelope.status), ("filter_blocked", Outcome::Denied));
    assert!(
        refusal.message.contains("card at /account") && !format!("{refusal:?}").contains("4111"),
        "{refusal:?}"
    );
    assert_eq!(refusal.details["filters"][0]["filter"], "no cards");
    assert_eq!(world.ran(), 0);
    let (matched, bodies) = kept(&world);
    assert_eq!(matched.len(), 1);
    assert!(!bodies.contains("4111"), "{bodies}");
}

#[tokio::test]
async fn what_goes_beside_the_arguments_is_looked_through_as_well() {
    let mut world = PipelineWorld::new(Verdict::Permit);
    filter(&world, &[rule(FilterAction::Mask, FilteredTraffic::Arguments, "email")]);
    world.context.extras = Some(json!({ "x/y": "ann@example.com" }).into());
    world.call(to("DE1")).await;
    let extras = world.server.extras.lock().clone().expect("extras").decode::<Value>().expect("JSON");
    assert_eq!(extras, json!({ "x/y": "[masked: no emails]" }));
    filter(&world, &[rule(FilterAction::Block, FilteredTraffic::Arguments, "email")]);
    assert_eq!(code(&world.call(to("DE1")).await), "filter_blocked");
}

#[tokio::test]
async fn what_goes_beside_the_arguments_is_a_body_and_stands_in_no_event() {
    let mut world = PipelineWorld::new(Verdict::Permit);
    let large = "x".repeat(17 << 10);
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for extras in [
        json!({ "bank/desk": 4, "bank/password": "hunter2" }).to_string(),
        format!("{{\"bank/text\":{large:?}}}"),
        format!("{{\"bank/deep\":{deep}}}"),
    ] {
        world.context.extras = Some(RawJson::from_composed(extras));
        world.call(to("DE1")).await;
    }
    let (_, bodies) = kept(&world);
    assert!(bodies.contains("bank/desk") && !bodies.contains("hunter2"), "{bodies}");
    assert!(
        !bodies.contains("bank/text") && !bodies.contains("bank/deep"),
        "too large, and not looked through"
    );
    let entries = world.books.0.entries.lock();
    let events = || entries.iter().flat_map(|entry| &entry.events);
    assert_eq!(events().filter(|event| event.meta.is_some()).count(), 3);
    assert!(events().all(|event| event.meta.is_none() || event.kind == EventKind::CallStarted));
    let details: Vec<&str> = events().filter_map(|event| Some(event.detail.as_ref()?.as_str())).collect();
    assert!(details.iter().all(|detail| !detail.contains("bank/")), "{details:?}");
}

#[tokio::test]
async fn a_person_is_asked_with_the_filter_as_the_reason_beside_those_of_policy() {
    for (world, gates) in [
        (
            PipelineWorld::with(
                Verdict::Permit,
                PipelineSettings { hold: std::time::Duration::ZERO, ..PipelineSettings::default() },
            ),
            1,
        ),
        (gated(), 1 + requirement().gates.len()),
    ] {
        filter(&world, &[rule(FilterAction::Ask, FilteredTraffic::Arguments, "email")]);
        let proposed = to("ann@example.com");
        assert_eq!(code(&world.call(proposed.clone()).await), "pending_approval");
        let approval = world.books.0.only_approval();
        let asked = &approval.requirement.gates;
        assert_eq!(asked.len(), gates);
        let gate = asked.iter().find(|gate| gate.id == "filter:no emails").expect("the filter's gate");
        assert!(gate.reason.as_ref().is_some_and(|why| why.contains("email at /account")), "{gate:?}");
        assert_eq!(approval.arguments.decode::<Value>().expect("JSON"), proposed, "people see what is sent");
        decide(&world, ApproverDecision::Approve, None).await.expect("a yes");
        assert_eq!(world.call(proposed.clone()).await.envelope.status, Outcome::Succeeded);
        assert_eq!(sent(&world), Some(proposed));
    }
}

#[tokio::test]
async fn a_yes_does_not_outlive_the_filters_it_was_given_under() {
    let world = gated();
    let proposed = to("ann@example.com");
    assert_eq!(code(&world.call(proposed.clone()).await), "pending_approval");
    decide(&world, ApproverDecision::Approve, None).await.expect("a yes");
    filter(&world, &[rule(FilterAction::Block, FilteredTraffic::Arguments, "email")]);
    assert_eq!(code(&world.call(proposed).await), "filter_blocked");
    assert_eq!(world.ran(), 0);
}

#[tokio::test]
async fn an_approver_cannot_write_in_what_a_filter_keeps_out() {
    for action in [FilterAction::Mask, FilterAction::Block, FilterAction::Ask] {
        let world = gated();
        filter(&world, &[rule(action, FilteredTraffic::Arguments, "email")]);
        world.call(to("DE1")).await;
        let edited = ApproverDecision::Edit(to("ann@example.com"));
        decide(&world, edited, None).await.expect("an edit");
        let refused = code(&world.call(to("DE1")).await);
        let expected = if action == FilterAction::Ask { "not_approved" } else { "filter_blocked" };
        assert_eq!((refused, world.ran()), (expected, 0), "{action:?}");
    }
}

#[tokio::test]
async fn results_are_masked_for_the_agent_and_for_the_ledger() {
    let world = PipelineWorld::new(Verdict::Permit);
    filter(&world, &[rule(FilterAction::Mask, FilteredTraffic::Results, "email")]);
    let result = json!({ "content": [{ "type": "text", "text": "{\"to\":\"ann@example.com\"}" }],
        "structuredContent": { "to": "ann@example.com", "n": 1 } });
    replies(&world, Ok(ServerReply::Complete(result.into())));
    let answer = world.call(to("bob@example.com")).await;
    let CallAnswerBody::Result(result) = &answer.body else { panic!("a result: {answer:?}") };
    let result: Value = result.decode().expect("JSON");
    assert_eq!(result["structuredContent"], json!({ "to": "[masked: no emails]", "n": 1 }));
    assert_eq!(result["content"][0]["text"], "{\"to\":\"[masked: no emails]\"}");
    assert_eq!(sent(&world), None, "arguments are not its business");
    let (matched, bodies) = kept(&world);
    assert_eq!(matched[0]["filters"][0]["count"], 2);
    assert!(!bodies.contains("ann@"), "{bodies}");
}

#[tokio::test]
async fn a_result_that_is_withheld_has_run_and_is_recorded_so() {
    let world = PipelineWorld::new(Verdict::Permit);
    filter(&world, &[rule(FilterAction::Block, FilteredTraffic::Results, "email")]);
    replies(&world, Ok(ServerReply::Complete(text_result("write to ann@example.com"))));
    let answer = world.call(to("DE1")).await;
    let CallAnswerBody::Refusal(refusal) = &answer.body else { panic!("a refusal: {answer:?}") };
    assert_eq!(
        (refusal.code.name, answer.envelope.status, world.ran()),
        ("result_withheld", Outcome::Succeeded, 1)
    );
    assert!(refusal.message.contains("ran") && !refusal.message.contains("ann@"), "{refusal:?}");
    assert_eq!(world.books.0.last_outcome(), "succeeded");
    let (_, bodies) = kept(&world);
    assert!(bodies.contains("write to [masked: no emails]") && !bodies.contains("ann@"), "{bodies}");
}

#[tokio::test]
async fn what_a_server_says_when_it_fails_is_looked_through() {
    let world = PipelineWorld::new(Verdict::Permit);
    filter(&world, &[rule(FilterAction::Mask, FilteredTraffic::Results, "email")]);
    let failed = RpcError::new(RpcError::INTERNAL, "no such user: ann@example.com")
        .with_data(json!({ "user": "ann@example.com" }));
    replies(&world, Err(ServerError::Rpc(failed)));
    let answer = world.call(to("DE1")).await;
    let CallAnswerBody::Error(error) = &answer.body else { panic!("an error: {answer:?}") };
    assert_eq!(error.message, "no such user: [masked: no emails]");
    assert_eq!(error.data.as_ref().map(RawJson::as_str), Some(r#"{"user":"[masked: no emails]"}"#));
}

#[tokio::test]
async fn a_call_that_leaves_no_record_leaves_one_where_a_filter_fires() {
    let mut world = PipelineWorld::new(Verdict::Permit);
    (world.tool.audit, world.tool.effects) = (AuditLevel::None, Effects::READ);
    filter(&world, &[rule(FilterAction::Mask, FilteredTraffic::Results, "email")]);
    world.call(to("DE1")).await;
    assert_eq!(world.books.0.kinds(), Vec::<&str>::new());
    replies(&world, Ok(ServerReply::Complete(text_result("ann@example.com"))));
    world.call(to("DE1")).await;
    assert!(world.books.0.kinds().contains(&"filter.matched"), "{:?}", world.books.0.kinds());
}

#[tokio::test]
async fn a_result_is_held_against_its_schema_before_it_is_masked() {
    let mut world = PipelineWorld::new(Verdict::Permit);
    let schema = json!({ "type": "object", "properties": { "to": { "maxLength": 15 } }, "required": ["to"] });
    world.tool.output_schema = Some(schema.into());
    filter(&world, &[rule(FilterAction::Mask, FilteredTraffic::Results, "email")]);
    for (to, warnings) in
        [("ann@example.com", vec!["filtered"]), ("annabel@example.com", vec!["filtered", "output_schema"])]
    {
        replies(
            &world,
            Ok(ServerReply::Complete(json!({ "content": [], "structuredContent": { "to": to } }).into())),
        );
        let answer = world.call(self::to("DE1")).await;
        let codes: Vec<&str> = answer.envelope.warnings.iter().map(|warning| warning.code.name).collect();
        assert_eq!(codes, warnings, "{to}");
    }
}
