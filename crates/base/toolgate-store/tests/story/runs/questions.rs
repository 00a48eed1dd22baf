//! Questions to people: the conditions for asking, and the effect of an answer.

use serde_json::json;
use toolgate_core::run::SlotOption;
use toolgate_store::InputFilter;

use super::*;

crate::on_both!(
    nobody_is_asked_before_two_data_tools_have_completed,
    a_question_pauses_the_run_and_its_answer_resumes_it,
    the_same_question_is_asked_once,
    another_question_under_the_same_id_is_none,
    a_run_waits_for_one_question_at_a_time,
    an_answer_must_fit_and_stands,
    a_run_may_go_on_without_its_answer,
    a_file_that_is_an_answer_is_given_to_the_run,
    questions_are_listed_and_watched,
);

async fn nobody_is_asked_before_two_data_tools_have_completed(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    let count = async || match ask(&books, "1", &run, a_slot("a")).await {
        Err(RunError::TooEarly { completed }) => completed.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(count().await, 0);
    admit(&books, &run, "1").await.expect("let in");
    assert_eq!(count().await, 0, "it is under way");
    finish(&books, &run, "1").await;
    admit(&books, &run, "1").await.expect("again");
    finish(&books, &run, "1").await;
    assert_eq!(count().await, 1, "the same call is one");
    admit(&books, &run, "2").await.expect("let in");
    let failed = RunCallEnd { completed: false, bytes: 1 };
    books.finish_run_call(&run, &call_id("2"), failed, NOW_MS + 20).await.expect("noted");
    for (call, kind) in [("3", CallKind::Control), ("4", CallKind::Ask)] {
        books.admit_run_call(&run, &a_call(call, kind), NOW_MS + 20).await.expect("let in");
        finish(&books, &run, call).await;
    }
    assert_eq!(count().await, 1, "what failed, and what the gateway has itself, does not count");
    assert_eq!(read(&store, &run).await.state, RunState::Running);
    admit(&books, &run, "5").await.expect("let in");
    finish(&books, &run, "5").await;
    ask(&books, "1", &run, a_slot("a")).await.expect("asked");
    check_question(&store, &run).await;
}

async fn a_question_pauses_the_run_and_its_answer_resumes_it(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    look_first(&books, &run).await;
    let asked = ask(&books, "1", &run, a_slot("a\0")).await.expect("asked");
    assert_eq!(store.input(&asked.id).await.expect("read"), Some(asked.clone()));
    let paused = read(&store, &run).await;
    assert_eq!((paused.state, paused.reason.as_deref()), (RunState::Paused, Some("input")));
    let refused = admit(&books, &run, "3").await;
    let Err(RunError::Paused { question: Some(question), .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(question.id, asked.id);
    let asking = a_call("asking", CallKind::Ask);
    books.admit_run_call(&run, &asking, NOW_MS + 35).await.expect("it may be the question itself");
    assert!(matches!(complete(&books, &run, None).await, Err(RunError::Paused { .. })));

    // A restart in between.
    books.writer().close().await;
    let (store, books) = place(&world).await;
    let answered = answer(&books, &asked.id, "bob", "the blue one").await.expect("answered");
    assert_eq!(answered.answer.as_ref().map(|answer| answer.as_str()), Some("\"the blue one\""));
    assert_eq!(
        (answered.answered_by.as_ref(), answered.via.as_deref()),
        (Some(&PrincipalId::new("bob")), Some("api"))
    );
    assert_eq!(store.input(&asked.id).await.expect("read"), Some(answered));
    assert_eq!(read(&store, &run).await.state, RunState::Running);
    admit(&books, &run, "3").await.expect("let in");
    let story = story_of(&store, &run).await;
    assert_eq!(story[2..], ["input.requested", "run.paused", "input.resolved", "run.resumed"]);
    for one in events_of(&store, &run).await {
        let told = detail(&one).to_string();
        assert!(!told.contains("blue") && !told.contains("Which"), "neither question nor answer: {told}");
    }
    check_question(&store, &run).await;
}

async fn the_same_question_is_asked_once(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    look_first(&books, &run).await;
    let asked = ask(&books, "1", &run, a_slot("a")).await.expect("asked");
    assert_eq!(ask(&books, "2", &run, a_slot("a")).await.expect("attached"), asked);
    let answered = answer(&books, &asked.id, "bob", "x").await.expect("answered");
    assert_eq!(ask(&books, "3", &run, a_slot("a")).await.expect("it has its answer"), answered);
    assert_eq!(read(&store, &run).await.state, RunState::Running);
    let story = story_of(&store, &run).await;
    assert_eq!(story.iter().filter(|kind| **kind == "input.requested").count(), 1);
}

async fn another_question_under_the_same_id_is_none(world: StoreWorld) {
    let (_, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    look_first(&books, &run).await;
    let option = |value: &str| SlotOption { value: value.to_owned(), label: None };
    let choice = |values: [&str; 2]| InputSlot {
        slot_type: SlotType::Choice,
        options: values.map(option).to_vec(),
        ..a_slot("a")
    };
    let asked = ask(&books, "1", &run, choice(["x", "y"])).await.expect("asked");
    let others = [
        InputSlot { prompt_key: "Why?".to_owned(), ..choice(["x", "y"]) },
        InputSlot { slot_type: SlotType::MultiChoice, ..choice(["x", "y"]) },
        choice(["x", "z"]),
    ];
    for other in others {
        let refused = ask(&books, "2", &run, other).await;
        assert!(matches!(&refused, Err(RunError::SlotTaken(before)) if before.id == asked.id), "{refused:?}");
    }
    let labelled = SlotOption { value: "x".to_owned(), label: Some("the first".to_owned()) };
    let same = InputSlot { options: vec![labelled, option("y")], ..choice(["x", "y"]) };
    assert_eq!(ask(&books, "2", &run, same).await.expect("attached").id, asked.id);
}

async fn a_run_waits_for_one_question_at_a_time(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, other) = (create(&books, a_run("1")).await.id, create(&books, a_run("2")).await.id);
    look_first(&books, &run).await;
    look_first(&books, &other).await;
    let first = ask(&books, "1", &run, a_slot("a")).await.expect("asked");
    let refused = ask(&books, "2", &run, a_slot("b")).await;
    let Err(RunError::Paused { question: Some(question), .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(question.id, first.id);
    ask(&books, "3", &other, a_slot("a")).await.expect("another run asks for itself");
    answer(&books, &first.id, "bob", "x").await.expect("answered");
    ask(&books, "4", &run, a_slot("b")).await.expect("asked");
    let refused = ask(&books, "5", &run, a_slot("a")).await;
    assert!(matches!(refused, Err(RunError::Paused { .. })), "nor for one that was answered: {refused:?}");
    check_question(&store, &run).await;
    check_question(&store, &other).await;
}

async fn an_answer_must_fit_and_stands(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    look_first(&books, &run).await;
    let asked = ask(&books, "1", &run, a_slot("a")).await.expect("asked");
    let number = InputAnswer { value: json!(7), via: "cli".to_owned(), file: None };
    let by = ada();
    let refused = books.answer_input(&asked.id, &number, later(&by, 40)).await;
    assert!(matches!(refused, Err(RunError::BadAnswer(_))), "{refused:?}");
    assert_eq!(read(&store, &run).await.state, RunState::Paused);
    answer(&books, &asked.id, "bob", "x").await.expect("answered");
    for value in ["y", "x"] {
        let refused = answer(&books, &asked.id, "eve", value).await;
        let Err(RunError::Resolved(input)) = refused else { panic!("{refused:?}") };
        assert_eq!(input.answered_by, Some(PrincipalId::new("bob")));
        assert_eq!(input.resolved_at_ms, Some(NOW_MS + 40));
    }
}

async fn a_run_may_go_on_without_its_answer(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    look_first(&books, &run).await;
    let asked = ask(&books, "1", &run, a_slot("a")).await.expect("asked");
    let by = ada();
    let resumed = books.resume_run(&run, later(&by, 45)).await.expect("resumed");
    assert_eq!(resumed.cancelled.len(), 1);
    assert_eq!((&resumed.cancelled[0].id, resumed.cancelled[0].state), (&asked.id, InputState::Cancelled));
    assert!(matches!(answer(&books, &asked.id, "bob", "x").await, Err(RunError::Resolved(_))));
    let again = ask(&books, "2", &run, a_slot("a")).await.expect("asked again");
    assert_eq!(again.id.as_str(), "inp_2");
    assert_eq!(
        story_of(&store, &run).await[2..],
        ["input.requested", "run.paused", "input.resolved", "run.resumed", "input.requested", "run.paused"]
    );
    check_question(&store, &run).await;
}

async fn a_file_that_is_an_answer_is_given_to_the_run(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    look_first(&books, &run).await;
    let by = ada();
    let files = [("1", "cv.pdf", "file_2"), ("2", "cv.pdf", "file_3"), ("3", "again.pdf", "file_2")];
    for (name, path, file) in files {
        let slot = InputSlot { slot_type: SlotType::File, ..a_slot(name) };
        let asked = ask(&books, name, &run, slot).await.expect("asked");
        let given = InputFile { path: path.into(), file: FileId::new(file), digest: Digest::of(file) };
        let answer = InputAnswer { value: json!(file), via: "api".to_owned(), file: Some(given) };
        books.answer_input(&asked.id, &answer, later(&by, 40)).await.expect("answered");
    }
    let input = read(&store, &run).await.input;
    let input: Vec<_> = input.iter().map(|file| (file.path.as_str(), file.file.as_str())).collect();
    let first = ("in/a\u{1F600}.pdf", "file_1");
    assert_eq!(input, [("cv.pdf", "file_2"), first, ("inp_2/cv.pdf", "file_3")]);
}

async fn questions_are_listed_and_watched(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let mut asked = Vec::new();
    for number in 0..5 {
        let run = create(&books, a_run(&number.to_string())).await.id;
        look_first(&books, &run).await;
        asked.push(ask(&books, &number.to_string(), &run, a_slot("a")).await.expect("asked"));
    }
    answer(&books, &asked[1].id, "bob", "x").await.expect("answered");
    let all: Vec<InputId> = asked.iter().map(|input| input.id.clone()).collect();
    let resolved = store.resolved_inputs(&all).await.expect("read");
    assert_eq!(resolved.iter().map(|input| &input.id).collect::<Vec<_>>(), [&asked[1].id]);
    assert!(store.resolved_inputs(&[]).await.expect("read").is_empty());
    let pending = InputFilter { state: Some(InputState::Pending), ..InputFilter::default() };
    let (first, next) = store.inputs(&pending, None, 3).await.expect("read");
    let (second, end) = store.inputs(&pending, next.as_ref(), 3).await.expect("read");
    let ids: Vec<&str> = first.iter().chain(&second).map(|input| input.id.as_str()).collect();
    assert_eq!((ids, end), (vec!["inp_4", "inp_3", "inp_2", "inp_0"], None));
    let of_one = InputFilter { run: Some(id("1")), ..InputFilter::default() };
    assert_eq!(store.inputs(&of_one, None, 3).await.expect("read").0.len(), 1);
}
