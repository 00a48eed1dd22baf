//! Budgets, repetition and folding.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use toolgate_core::model::{MessageRole, ModelFaultKind, ToolUse};
use toolgate_core::run::RunBudget;
use toolgate_store::{SpendBy, SpendQuery};

use crate::script::{Reply, ScriptedModels, fault, passing_at_once};
use crate::world::{AgentsWorld, assert_valid, until};

fn reading() -> Reply {
    Reply::Call(vec![("read", json!({}))])
}

#[tokio::test]
async fn a_budget_is_told_at_eighty_percent_and_closed_with_one_answer_without_tools() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, request| match request.tool_use {
        ToolUse::Allowed => reading(),
        ToolUse::Forbidden => Reply::Say("Half of it is done."),
    }));
    let gateway = world.gateway("one").await;
    let run = gateway.begin_with(RunBudget { turns: Some(5), ..RunBudget::default() }, None).await;
    let ended = gateway.becomes(&run, "partial").await;
    assert_eq!(ended.summary.as_deref(), Some("Half of it is done."));
    assert_eq!(ended.reason.as_deref(), Some("budget.turns"));
    assert_eq!(ended.used.turns, 6, "five, and the closing one");
    assert_eq!(gateway.lines(&run, "[gateway] Most of the budget is used: 4 of 5 turns").await, 1);
    assert_eq!(gateway.lines(&run, "[gateway] The budget is used up: turns").await, 1);
    let requests = world.models.requests.lock();
    let closing = requests.last().expect("a request");
    assert_eq!(closing.tools, requests[0].tools, "the tools are named, so that earlier calls make sense");
}

#[tokio::test]
async fn tokens_and_cost_are_limits_too() {
    for (budget, reason) in [
        (RunBudget { tokens: Some(150), ..RunBudget::default() }, "budget.tokens"),
        (RunBudget { cost_micros: Some(130), ..RunBudget::default() }, "budget.cost"),
    ] {
        let world = AgentsWorld::new(ScriptedModels::new(|_, request| match request.tool_use {
            ToolUse::Allowed => reading(),
            ToolUse::Forbidden => Reply::Say("Enough."),
        }));
        let gateway = world.gateway("one").await;
        let run = gateway.begin_with(budget, None).await;
        let ended = gateway.becomes(&run, "partial").await;
        assert_eq!(ended.reason.as_deref(), Some(reason));
        assert_eq!(ended.used.turns, 3, "{reason}");
    }
}

#[tokio::test]
async fn an_agent_that_repeats_itself_is_told_once_and_then_stuck() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Call(vec![("same", json!({}))])));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    let asked = gateway.waits_for(&run, "stuck").await;
    assert_eq!(gateway.lines(&run, "[gateway] You repeat yourself").await, 1);
    assert_eq!(world.models.asked(), 8, "four times, told, and four times again");
    assert_valid(&gateway.chat(&run).await);
    let how = gateway.agent_loop(&run).await.action.expect("it waits").how;
    assert!(how.contains("the same call had the same result 4 times") && how.contains(&asked), "{how}");
    gateway.answer(&asked, "stop").await;
    let ended = gateway.becomes(&run, "cancelled").await;
    assert_eq!(ended.reason.as_deref(), Some("stopped by a person"));
}

#[tokio::test]
async fn the_advice_of_a_person_reaches_the_agent() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, request| {
        let is_advised =
            request.messages.iter().any(|one| one.text() == "[gateway] A person says: Look at page 2.");
        if is_advised { Reply::Say("Page 2 has it.") } else { Reply::Call(vec![("fail", json!({}))]) }
    }));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    let asked = gateway.waits_for(&run, "stuck").await;
    assert_eq!(world.models.asked(), 6, "an error is noticed the third time");
    gateway.answer(&asked, "Look at page 2.").await;
    let ended = gateway.becomes(&run, "completed").await;
    assert_eq!(ended.summary.as_deref(), Some("Page 2 has it."));
}

#[tokio::test]
async fn a_run_that_an_operator_resumes_gets_another_chance() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| match turn {
        ..8 => Reply::Call(vec![("same", json!({}))]),
        _ => Reply::Say("Now I know."),
    }));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    gateway.waits_for(&run, "stuck").await;
    gateway.runs.resume(&run, &crate::world::ada()).await.expect("resumed");
    gateway.becomes(&run, "completed").await;
}

#[tokio::test]
async fn answers_that_never_end_are_stuck() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Endless));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    gateway.waits_for(&run, "stuck").await;
    assert_eq!(world.models.asked(), 4, "three, told, and one more");
}

#[tokio::test]
async fn a_long_conversation_is_folded_between_turns() {
    const TURNS: usize = 24;
    let script = |said: usize, is_forbidden: bool, messages: usize| match () {
        () if is_forbidden => Reply::Say("A summary."),
        () if messages > 0 && said > TURNS => Reply::Say("Done."),
        () => reading(),
    };
    // Folded answers are not in the request, so the turns are counted apart.
    let count = AtomicUsize::new(0);
    let models = ScriptedModels::with_context(2_600, move |_, request| {
        let said = count.fetch_add(1, Ordering::SeqCst);
        script(said, request.tool_use == ToolUse::Forbidden, request.messages.len())
    });
    let world = AgentsWorld::new(models);
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    gateway.becomes(&run, "completed").await;
    let chat = gateway.chat(&run).await;
    let folded = chat.iter().filter(|one| one.folded_into.is_some()).count();
    assert!(folded > 0, "something was folded");
    assert_eq!(chat[0].folded_into, None, "the goal stays");
    assert_valid(&chat);
    let requests = world.models.requests.lock();
    for request in requests.iter() {
        assert_eq!(request.messages[0].text(), "Do it.");
        let calls: usize = request.messages.iter().map(|one| one.calls().count()).sum();
        let results: usize = request.messages.iter().map(|one| one.results().count()).sum();
        assert_eq!(calls, results, "pairs are never split");
    }
    let longest = requests.iter().map(|one| one.messages.len()).max().expect("requests");
    assert!(longest < 2 * TURNS, "{longest}");
    let last = requests.last().expect("a request");
    let texts: Vec<String> = last.messages.iter().map(|one| one.text()).collect();
    assert!(texts.iter().any(|text| text.starts_with("[gateway] Earlier messages, shortened:")), "{texts:?}");
    assert!(last.messages.iter().filter(|one| one.role == MessageRole::Assistant).count() >= 4);
}

#[tokio::test]
async fn a_fold_that_fails_changes_nothing_and_after_three_people_are_asked() {
    // Each turn is as large as all before it together: what could be folded is never a tenth of the whole.
    let models = ScriptedModels::with_context(1_000, |turn, request| match request.tool_use {
        ToolUse::Forbidden => fault(ModelFaultKind::Refused),
        ToolUse::Allowed => Reply::Call(vec![("write", json!({ "text": "x".repeat(200 << turn) }))]),
    });
    let world = AgentsWorld::new(models);
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    let asked = gateway.waits_for(&run, "stuck").await;
    let agent_loop = gateway.agent_loop(&run).await;
    let how = agent_loop.action.expect("it waits").how;
    assert!(how.contains("cannot be folded"), "{how}");
    assert_eq!(agent_loop.fold_faults, 3);
    let chat = gateway.chat(&run).await;
    assert!(chat.iter().all(|one| one.folded_into.is_none()), "nothing is folded");
    assert_valid(&chat);
    let summaries = |request: &toolgate_core::model::ModelRequest| request.tool_use == ToolUse::Forbidden;
    let requests = world.models.requests.lock().clone();
    assert_eq!(requests.iter().filter(|one| summaries(one)).count(), 3);
    let last = requests.iter().rev().find(|one| !summaries(one)).expect("it was asked");
    let turns = last.messages.iter().filter(|one| one.role == MessageRole::Assistant).count();
    assert_eq!(turns + 1, requests.len() - 3, "the whole conversation was sent to the end");
    gateway.answer(&asked, "stop").await;
    gateway.becomes(&run, "cancelled").await;
}

#[tokio::test]
async fn a_summary_is_billed_although_the_next_request_fails() {
    /// The conversation is summed up long before.
    const REQUESTS_MAX: usize = 80;
    let (count, was_summed_up, has_failed) =
        (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
    let models = ScriptedModels::with_context(2_600, move |_, request| {
        let asked = count.fetch_add(1, Ordering::SeqCst);
        let is_summary = request.tool_use == ToolUse::Forbidden;
        let after_summary = !is_summary && was_summed_up.swap(is_summary, Ordering::SeqCst);
        match () {
            () if is_summary => {
                was_summed_up.store(true, Ordering::SeqCst);
                Reply::Say("A summary.")
            }
            () if has_failed.load(Ordering::SeqCst) => Reply::Say("Done."),
            () if after_summary => {
                has_failed.store(true, Ordering::SeqCst);
                Reply::Fault(passing_at_once())
            }
            () if asked > REQUESTS_MAX => Reply::Say("It was never summed up."),
            () => reading(),
        }
    });
    let world = AgentsWorld::new(models);
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    let ended = gateway.becomes(&run, "completed").await;
    assert_eq!(ended.summary.as_deref(), Some("Done."));
    let answers = u64::try_from(world.models.asked()).expect("a few") - 1;
    let query = SpendQuery { by: SpendBy::Model, ..SpendQuery::default() };
    let spent = gateway.store.spend(&query).await.expect("summed");
    assert_eq!((spent[0].usage.input, spent[0].usage.output), (100 * answers, 10 * answers));
    let turns = u64::try_from(gateway.agents.turns(&run, 0, 200).await.expect("read").len()).expect("a few");
    assert!(turns < answers && spent[0].turns == turns, "{turns} of {answers}");
    assert_eq!(ended.used.tokens, 110 * answers);
}

#[tokio::test]
async fn a_child_ends_with_the_budget_of_its_parent() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, request| match request.tool_use {
        ToolUse::Allowed => reading(),
        ToolUse::Forbidden => Reply::Say("Enough."),
    }));
    let gateway = world.gateway("one").await;
    let limit = RunBudget { turns: Some(2), ..RunBudget::default() };
    let parent = gateway.new_run(limit).await;
    let child = gateway.begin_within(&parent).await;
    let ended = gateway.becomes(&child, "partial").await;
    assert_eq!(ended.reason.as_deref(), Some("budget.turns"));
    until("the count", async || gateway.run(&parent).await.used.turns == 3).await;
}

#[tokio::test]
async fn an_agent_that_has_spent_its_day_waits_for_people() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Say("Done.")));
    world.is_spent.store(true, Ordering::SeqCst);
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    let asked = gateway.waits_for(&run, "budget").await;
    let how = gateway.agent_loop(&run).await.action.expect("it waits").how;
    assert!(how.contains("The spending of agent default is at its limit: 5.00 of 5.00."), "{how}");
    gateway.answer(&asked, "go on").await;
    until("another question", async || {
        gateway.agent_loop(&run).await.action.is_some_and(|action| action.id != asked)
    })
    .await;
    assert_eq!(world.models.asked(), 0, "a word alone raises no limit");
    world.is_spent.store(false, Ordering::SeqCst);
    let asked = gateway.waits_for(&run, "budget").await;
    gateway.answer(&asked, "go on").await;
    gateway.becomes(&run, "completed").await;
}
