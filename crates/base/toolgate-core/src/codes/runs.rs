//! Codes of runs, their calls and their questions.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { RUNS, "Runs and questions";

    UNKNOWN_RUN = Code {
        name: "unknown_run",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such run",
        happened: "No run has this id, or it is not this caller's.",
        advice: "`toolgate runs list` shows the existing runs; `POST /runs` creates one.",
        message: "there is no run run_019a…",
        hint: Hint::Standard("`toolgate runs list` shows those there are; `POST /runs` creates one"),
        see: &["run_ended"],
    };

    UNKNOWN_TASK = Code {
        name: "unknown_task",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404)],
        title: "There is no such task",
        happened: "No task has this id.",
        advice: "`GET /tasks` lists the existing tasks.",
        message: "there is no task task_019a…",
        hint: Hint::Standard("`GET /tasks` lists those there are"),
        see: &["bad_task"],
    };

    UNKNOWN_INPUT = Code {
        name: "unknown_input",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404)],
        title: "There is no such question",
        happened: "No question has this id, or it belongs to another principal's run.",
        advice: "`toolgate inputs list` shows the questions that wait for an answer.",
        message: "there is no question inp_019a…",
        hint: Hint::Standard("`toolgate inputs list` shows those that wait for an answer"),
        see: &["input_answered", "input_cancelled"],
    };

    NO_RUN = Code {
        name: "no_run",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The session belongs to no run",
        happened: "A tool that needs a run (`request_user_input`, `store_artifact`, `complete_workflow`) was called in \
             a session without one.",
        advice: "`POST /runs` starts a run and opens its session.",
        message: "this session does not belong to a run",
        hint: Hint::Standard("`POST /runs` starts one and opens its session"),
        see: &["no_session"],
    };

    NO_SESSION = Code {
        name: "no_session",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(400), CodeChannel::Http(409)],
        title: "There is no session to work in",
        happened: "The run has no open session yet, or a message over the older HTTP+SSE transport names no session.",
        advice: "`POST /sessions` with this `run` opens one. Clients of the older transport post to the URL that `GET \
             /sse` returns.",
        message: "run run_019a… has no session yet",
        hint: Hint::Standard("`POST /sessions` with this `run` opens one"),
        see: &["no_run", "unknown_session"],
    };

    RUN_ENDED = Code {
        name: "run_ended",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410), CodeChannel::Result],
        title: "The run has ended",
        happened: "The run is completed, partial, failed or cancelled, and accepts nothing more.",
        advice: "Start another run for more work.",
        message: "run run_019a… has ended: it is completed",
        hint: Hint::Standard("start another run for more work"),
        see: &["run_state", "run_ended_otherwise"],
    };

    RUN_ENDED_OTHERWISE = Code {
        name: "run_ended_otherwise",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The run was ended with other arguments",
        happened: "`run.complete`, `run.fail` or `run.cancel` was called for a run that an earlier such call ended with \
             other arguments. The same call again would have changed nothing.",
        advice: "`run.get` shows how it ended. Start another run for more work.",
        message: "run run_019a… is completed, and was ended with other arguments",
        hint: Hint::Standard("run.get shows how it ended; start another run for more work"),
        see: &["run_ended"],
    };

    RUN_PAUSED = Code {
        name: "run_paused",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The run is paused",
        happened: "The run was paused, or waits for the answer to a question.",
        advice: "Answer the question, or resume the run with `toolgate runs resume ID`; then repeat the call.",
        message: "run run_019a… is paused: it waits for an answer to inp_019a… (\"Which account?\")",
        hint: Hint::Example("`toolgate inputs answer inp_019a…` answers it; request_user_input with the slot_id \
             \"account\" waits for the answer"),
        see: &["run_state", "input_answered"],
    };

    RUN_STATE = Code {
        name: "run_state",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The run's state does not allow this",
        happened: "The request does not fit the run's state, such as resuming a run that is not paused.",
        advice: "`toolgate runs show ID` shows the run's state and what it waits for.",
        message: "run run_019a… is running, not paused",
        hint: Hint::Standard("there is nothing to resume; `toolgate runs show` says where it stands"),
        see: &["run_paused", "run_ended"],
    };

    CHECKPOINT_TAKEN = Code {
        name: "checkpoint_taken",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The checkpoint has another state",
        happened: "`run.checkpoint` was called with a `checkpoint_id` under which the run has saved another state.",
        advice: "Use another id for another state. The same state under the same id changes nothing.",
        message: "the checkpoint \"turn-7\" was saved before with another state, sha256:2c26…",
        hint: Hint::Standard("use another checkpoint_id for another state, or leave it out"),
        see: &["run_state"],
    };

    RUN_DATA_TOO_LARGE = Code {
        name: "run_data_too_large",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413), CodeChannel::Result],
        title: "What a run should keep is larger than its limit",
        happened: "The configuration, input, result or error of a run, the data of a report, or a saved state is larger \
             than the limit in the message. Nothing was kept.",
        advice: "Keep large content as a file, an artifact or a manifest, and give its id or digest.",
        message: "`data` has at most 8192 bytes as JSON; this has 10485760",
        hint: Hint::Standard("keep it as a file, an artifact or a manifest, and give its id or digest"),
        see: &["file_too_large", "body_too_large"],
    };

    TOO_MANY_RUN_EVENTS = Code {
        name: "too_many_run_events",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The run has too many events",
        happened: "A run keeps a limited number of events, and this one has reached it.",
        advice: "Report less, or do parts of the work in child runs: each has its own events.",
        message: "a run has at most 100000 events, and this one has them",
        hint: Hint::Standard("report less, or do parts of the work in child runs"),
        see: &["too_many_runs"],
    };

    RUN_TOO_DEEP = Code {
        name: "run_too_deep",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "Runs are nested too deeply",
        happened: "The new run would be nested deeper than runs may be.",
        advice: "Do the work in the parent run, or in a run of its own.",
        message: "there are at most 8 runs nested within one another",
        hint: Hint::Standard("do the work in the parent run, or in a run of its own"),
        see: &["too_many_runs"],
    };

    TOO_MANY_RUNS = Code {
        name: "too_many_runs",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(429)],
        title: "Too many runs are open",
        happened: "The limit of open runs that belong together is reached.",
        advice: "End some of them first.",
        message: "100 runs that belong together have not ended, and no more are allowed",
        hint: Hint::Standard("end some of them first"),
        see: &["run_too_deep"],
    };

    BUDGET_EXHAUSTED = Code {
        name: "budget_exhausted",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The run's budget is used up",
        happened: "The run, or a run above it, has used the calls, tokens or time that it was given.",
        advice: "`store_artifact` and `complete_workflow` still work: keep what there is, and end the run.",
        message: "the budget of run run_019a… is used up: 50 of 50 calls",
        hint: Hint::Standard("store_artifact and complete_workflow still work: keep what there is, and end the run"),
        see: &["run_ended"],
    };

    TOO_EARLY = Code {
        name: "too_early",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "Other tools must be tried before a person is asked",
        happened: "`request_user_input` is refused until two calls of data tools have completed in the run.",
        advice: "Look for the answer with other tools first, then ask for what is missing.",
        message: "a person is asked only after 2 calls of data tools have completed in this run; so far none \
             has, so 2 more are missing",
        hint: Hint::Standard("look for the answer with other tools first, then ask for what is left"),
        see: &["slot_taken"],
    };

    BAD_SLOT = Code {
        name: "bad_slot",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The question cannot be asked like this",
        happened: "The options of `request_user_input` do not fit the slot's type: a choice needs options, other types \
             take none.",
        advice: "Give two or more options to `choice` and `multi_choice`, and none to the others.",
        message: "a choice has two or more options",
        hint: Hint::Standard("choice and multi_choice have two or more options, the other types none"),
        see: &["slot_taken"],
    };

    SLOT_TAKEN = Code {
        name: "slot_taken",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The slot is used by another question",
        happened: "The run has already asked another question with the same `slot_id`.",
        advice: "Use another `slot_id` for another question, or the very same arguments for the same one.",
        message: "something else was asked in this run under the slot_id \"account\": a text, \"Which \
             account?\"",
        hint: Hint::Standard("use another slot_id for another question, or the very same arguments for the same one"),
        see: &["bad_slot"],
    };

    BAD_ANSWER = Code {
        name: "bad_answer",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The answer does not fit the question",
        happened: "The answer is not one of the options, or has the wrong type.",
        advice: "`toolgate inputs list` shows the question and the answers it accepts.",
        message: "\"maybe\" is none of the options",
        hint: Hint::Standard("`toolgate inputs list` shows what is asked, and which answers it takes"),
        see: &["unknown_input"],
    };

    INPUT_ANSWERED = Code {
        name: "input_answered",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The question was already answered",
        happened: "Another person answered first, and the run continued with that answer.",
        advice: "Nothing needs to be done: the first answer stands.",
        message: "the question inp_019a… was answered by ann at 2026-01-05T10:00:00.000Z",
        hint: Hint::Standard("an answer stands; the run went on with it"),
        see: &["input_cancelled"],
    };

    INPUT_CANCELLED = Code {
        name: "input_cancelled",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410), CodeChannel::Result],
        title: "The question was cancelled",
        happened: "The question was withdrawn, because its run ended or was cancelled.",
        advice: "People need to do nothing. An agent continues without the answer, or asks under another `slot_id`.",
        message: "the question inp_019a… was cancelled: its run no longer waits for it",
        hint: Hint::Standard("`toolgate inputs list` shows the questions that still wait"),
        see: &["input_answered"],
    };

    CALLS_IN_FLIGHT = Code {
        name: "calls_in_flight",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "Calls of the run have not ended",
        happened: "The run was asked to complete while calls in it are in progress, and they did not end within \
             `runs.completion_wait_seconds`.",
        advice: "Wait for their results and then complete the run; `toolgate runs cancel` ends it at once.",
        message: "1 call in this run have not ended: bank:transfer (tc_019a…)",
        hint: Hint::Standard("wait for their results and complete the run then; `toolgate runs cancel` ends it as it is"),
        see: &["children_running", "configuration.md#runs"],
    };

    CHILDREN_RUNNING = Code {
        name: "children_running",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "Runs within this one have not ended",
        happened: "The run was asked to complete while runs that it started have not ended.",
        advice: "End or cancel them first.",
        message: "1 run within this one have not ended: run_019a…",
        hint: Hint::Standard("end or cancel them first"),
        see: &["calls_in_flight"],
    };

    CALL_ID_TWICE = Code {
        name: "call_id_twice",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "Two calls of the batch have the same id",
        happened: "The ids of the calls in one batch must differ.",
        advice: "Give each call an id of its own.",
        message: "field `calls[1].id`: \"call_1\" is the id of another call too",
        hint: Hint::Standard("give each call an id of its own"),
        see: &["call_id_reused"],
    };

    CALL_ID_REUSED = Code {
        name: "call_id_reused",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "Another call was made under this id",
        happened: "The run has already used the id for another tool or other arguments. The same call under the same \
             id is answered with its result; a different call is refused.",
        advice: "Send exactly the same call again, or give this one an id of its own.",
        message: "another call was made in this run under the id \"call_1\"",
        hint: Hint::Standard("send the very same call again, or give this one an id of its own"),
        see: &["call_id_twice", "call_running"],
    };

    RUN_KEY_REUSED = Code {
        name: "run_key_reused",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "Another run was created under this key",
        happened: "The caller has already created a run under the key, with another task, agent, parent or principal. The \
             same request under the same key is answered with that run; a different one is refused.",
        advice: "Send the same request again, or choose another key.",
        message: "run_0198f5c2 was created under the key \"thread-7\" with another agent",
        hint: Hint::Standard("send the same request again, or choose another key"),
        see: &["call_id_reused"],
    };

    CALL_RUNNING = Code {
        name: "call_running",
        fault: Blame::Caller,
        retry: Retry::Yes,
        seen: &[CodeChannel::Result],
        title: "The call is still in progress",
        happened: "The call was already sent under this id, and has no result yet.",
        advice: "Send it again under the same id: it waits for the result.",
        message: "the call was sent before under this id, and is still under way",
        hint: Hint::Example("send it again under the same id, and it waits for the result"),
        see: &["call_id_reused"],
    };

    CALL_UNKNOWN = Code {
        name: "call_unknown",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "It is not known whether the call ran",
        happened: "The gateway stopped after it had sent the call and before the answer, and the tool is not known to \
             be safe to repeat.",
        advice: "Check what the call may have changed before you repeat it, under another id.",
        message: "the gateway stopped while the call was in progress: it is not known whether it ran",
        hint: Hint::Example("look at what it may have changed before you repeat it, under another id"),
        see: &["server_lost"],
    };

    BAD_CALL_ID = Code {
        name: "bad_call_id",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The id of a call is not valid",
        happened: "The id is empty or too long.",
        advice: "Pass the id that the model gave the call.",
        message: "the id of a call has 1 to 200 characters",
        hint: Hint::Standard("pass the id that the model gave the call"),
        see: &["call_id_twice"],
    };

    BAD_TASK = Code {
        name: "bad_task",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The task is not valid",
        happened: "The name or the description of the task is empty or too long.",
        advice: "Give it a short name, and put the rest into `description`.",
        message: "the name of a task has 1 to 200 printable characters",
        hint: Hint::Example("give it a short name, and the rest as `description`"),
        see: &["unknown_task"],
    };

    BAD_SUMMARY = Code {
        name: "bad_summary",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The summary is too long",
        happened: "The summary of a run is limited in length.",
        advice: "Shorten it, or store it as an artifact.",
        message: "`summary` has at most 20000 characters",
        hint: Hint::Example("shorten it, or store it as an artifact"),
        see: &["bad_reason"],
    };

    BAD_REASON = Code {
        name: "bad_reason",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The reason is too long",
        happened: "The reason for pausing or cancelling a run is limited in length.",
        advice: "Shorten it.",
        message: "`reason` has at most 500 characters",
        hint: Hint::Example("shorten it, or store it as an artifact"),
        see: &["bad_summary"],
    };

    BAD_INPUT = Code {
        name: "bad_input",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The input files of the run are not valid",
        happened: "The input of the run has too many files, an invalid path, or the same path twice.",
        advice: "Correct the paths; pack very many files into an archive.",
        message: "the path \"data/a.csv\" is given twice",
        hint: Hint::Example("each path names one file"),
        see: &["unknown_file"],
    };
}
