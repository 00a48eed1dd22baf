//! A run that waits for an answer, and the answer.

use toolgate_core::PrincipalId;
use toolgate_core::id::{InputId, RunId};
use toolgate_core::run::{
    BudgetUsage, InputRequest, InputSlot, InputState, QuestionPurpose, Run, RunBudget, RunLabel,
    RunManifests, RunReport, RunState, SlotType,
};
use toolgate_core::scope::AgentName;
use toolgate_store::{ActionStamp, Books, InputAnswer};

const NOW_MS: i64 = 1_785_585_600_123;

/// Starts a run, which asks at once.
pub(super) async fn ask(books: &Books, run: &str, input: &str) -> InputId {
    let by = PrincipalId::new("agent-7");
    let act = ActionStamp { by: &by, at_ms: NOW_MS };
    let run = books.create_run(new_run(run, &by), act).await.expect("it is created").id;
    books.start_run(&run, act).await.expect("it starts");
    let asked = books.ask_input(&new_question(run, input, &by), 0, act).await;
    asked.expect("it asks").id
}

pub(super) async fn answer(books: &Books, input: &InputId) {
    let by = PrincipalId::new("ann");
    let answer = InputAnswer { value: "the blue one".into(), via: "api".to_owned(), file: None };
    let act = ActionStamp { by: &by, at_ms: NOW_MS };
    books.answer_input(input, &answer, act).await.expect("it is answered");
}

fn new_run(id: &str, by: &PrincipalId) -> Run {
    Run {
        id: RunId::new(id),
        task: None,
        parent: None,
        agent: AgentName::new("clerk").expect("a name"),
        principal: by.clone(),
        created_by: by.clone(),
        session: None,
        state: RunState::Pending,
        reason: None,
        summary: None,
        input: Vec::new(),
        output: Vec::new(),
        label: RunLabel::default(),
        manifests: RunManifests::default(),
        report: RunReport::default(),
        events: 0,
        budget: RunBudget::default(),
        used: BudgetUsage::default(),
        created_at_ms: NOW_MS,
        started_at_ms: None,
        state_since_ms: NOW_MS,
        ended_at_ms: None,
        row_version: 1,
    }
}

fn new_question(run: RunId, id: &str, by: &PrincipalId) -> InputRequest {
    InputRequest {
        id: InputId::new(id),
        run,
        session: None,
        call: None,
        principal: by.clone(),
        slot: InputSlot {
            slot_type: SlotType::Text,
            slot_id: "colour".to_owned(),
            prompt_key: "Which one?".to_owned(),
            options: Vec::new(),
            purpose: QuestionPurpose::Question,
            picture: None,
        },
        state: InputState::Pending,
        answer: None,
        answered_by: None,
        via: None,
        created_at_ms: NOW_MS,
        resolved_at_ms: None,
    }
}
