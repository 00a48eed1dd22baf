"""The node in a graph, on a real gateway."""

from __future__ import annotations

import asyncio
import threading

import httpx
import pytest
from conftest import call, done_with, graph, node, texts, thread, turn
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command, RetryPolicy, Send
from langgraph.graph import END, START, StateGraph
from conftest import State
from toolgate_langgraph import Gateway, GatewayTooNew, GatewayTooOld, GatewayUnreachable, MCPToolNode, RunGone, TokenRefused
from toolgate_langgraph.people import vote
from toolgate_langgraph.turn import Waiting
from langgraph.checkpoint.memory import InMemorySaver


def test_a_turn_is_answered_in_order_with_content_artifact_and_status(shared):
    said = graph(node(shared)).invoke(
        turn(call("note", "1", text="a"), call("fail", "2"), call("draw", "3"), call("note", "4"), call("nothing", "5")), thread()
    )
    note, fail, draw, wrong, unknown = said["messages"][1:]
    assert (note.status, note.tool_call_id, texts(note)) == ("success", "1", "note: a")
    assert note.artifact["structured_content"] == {"done": "note"}
    assert note.artifact["envelope"]["status"] == "succeeded" and note.artifact["envelope"]["tool_call_id"].startswith("tc_")
    assert (fail.status, texts(fail)) == ("error", "the desk is on fire")
    # The gateway takes pictures out of results: the model gets the name of one.
    assert draw.artifact["refs"] and draw.artifact["refs"][0]["ref_id"] in texts(draw), draw
    assert wrong.status == "error" and "/text" in texts(wrong)
    assert unknown.status == "error" and "there is no tool" in texts(unknown) and "list of tools has changed" in texts(unknown)


def test_every_form_of_input_that_a_tool_node_takes(shared):
    one = call("note", "x", text="forms")
    tools = node(shared)
    assert [made.tool_call_id for made in tools.invoke([AIMessage(content="", tool_calls=[one])], thread())] == ["x"]
    assert tools.invoke([one], thread())["messages"][0].status == "success"
    assert tools.invoke({"__type": "tool_call_with_context", "tool_call": one, "state": {}}, thread())["messages"][0].status == "success"
    given = asyncio.run(tools.ainvoke(turn(one), thread()))
    assert isinstance(given["messages"][0], ToolMessage)
    with pytest.raises(ValueError, match="no message of a model"):
        tools.invoke({"messages": []}, thread())


def test_one_run_for_a_thread_and_another_for_the_next(shared):
    tools, first = node(shared), thread()
    run = tools.run_id(first)
    assert node(shared).run_id(first) == run, "another node, and another process, finds it"
    assert tools.run_id(thread()) != run
    named = shared.ask("POST", "/runs", shared.agent, {})
    assert tools.run_id(thread(toolgate_run=named["run"]["id"])) == named["run"]["id"]
    assert tools.run_id(thread(toolgate_session=named["session"]["id"])) == named["run"]["id"]


def test_resume_runs_nothing_twice_and_asks_once_for_all(shared):
    app, config = graph(node(shared)), thread()
    paused = app.invoke(turn(call("note", "1", text="twice"), call("send", "2", text="twice"), call("send", "3", text="twice too")), config)
    assert done_with(shared, "twice") == ["note"]
    (pause,) = paused["__interrupt__"]
    asked = pause.value
    assert [one["name"] for one in asked["action_requests"]] == ["desk__send", "desk__send"]
    assert asked["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject", "respond"]
    assert [one["tool_call_id"] for one in asked["toolgate"]["items"]] == ["2", "3"]
    again = app.invoke(Command(resume="look again"), config)
    assert again["__interrupt__"], "people have not decided"
    for one in asked["toolgate"]["items"]:
        shared.ask("POST", f"/approvals/{one['id']}/decide", shared.approver, {"decision": "approve"})
    said = app.invoke(Command(resume="look"), config)
    assert [made.status for made in said["messages"][1:]] == ["success"] * 3
    assert done_with(shared, "twice") == ["note", "send"] and done_with(shared, "twice too") == ["send"]


def test_one_interrupt_for_each_call_by_send(shared):
    builder = StateGraph(State)
    builder.add_node("tools", node(shared))
    calls = [call("send", "1", text="by send"), call("note", "2", text="by send"), call("send", "3", text="by send too")]
    builder.add_conditional_edges(START, lambda _: [Send("tools", [one]) for one in calls], ["tools"])
    builder.add_edge("tools", END)
    app, config = builder.compile(checkpointer=InMemorySaver()), thread()
    paused = app.invoke({"messages": []}, config)
    first, second = paused["__interrupt__"]
    shared.ask("POST", f"/approvals/{first.value['toolgate']['items'][0]['id']}/decide", shared.approver, {"decision": "approve"})
    half = app.invoke(Command(resume={first.id: "look", second.id: "look"}), config)
    assert len(half["__interrupt__"]) == 1
    (left,) = half["__interrupt__"]
    shared.ask("POST", f"/approvals/{left.value['toolgate']['items'][0]['id']}/decide", shared.approver, {"decision": "approve"})
    said = app.invoke(Command(resume={left.id: "look"}), config)
    assert len(said["messages"]) == 3
    assert sorted(done_with(shared, "by send")) == ["note", "send"] and done_with(shared, "by send too") == ["send"]


def decided(shared, text, decision, **more):
    """A graph whose one letter is decided on in the answer to the interrupt, by somebody with a token."""
    app, config = graph(node(shared), context_schema=dict), thread()
    paused = app.invoke(turn(call("send", "1", text=text)), config)
    assert paused["__interrupt__"]
    said = app.invoke(Command(resume={"decisions": [decision]}), config, **more)
    return app, config, said


def test_approve_edit_reject_and_respond_with_the_resumers_own_token(shared):
    context = {"context": {"toolgate_approver_token": shared.approver}}
    _, _, said = decided(shared, "yes", {"type": "approve"}, **context)
    assert said["messages"][-1].status == "success" and done_with(shared, "yes") == ["send"]
    edit = {"type": "edit", "edited_action": {"name": "desk__send", "args": {"text": "edited"}}}
    _, _, said = decided(shared, "raw", edit, **context)
    assert "send: edited" in texts(said["messages"][-1]) and "ann changed the arguments" in texts(said["messages"][-1])
    assert done_with(shared, "edited") == ["send"] and done_with(shared, "raw") == []
    _, _, said = decided(shared, "no", {"type": "reject", "message": "not on a Friday"}, **context)
    assert said["messages"][-1].status == "error" and "not on a Friday" in texts(said["messages"][-1])
    _, _, said = decided(shared, "by hand", {"type": "respond", "message": "I have called her"}, **context)
    assert (said["messages"][-1].status, texts(said["messages"][-1])) == ("success", "I have called her")
    assert done_with(shared, "no") == [] and done_with(shared, "by hand") == []


def test_a_decision_without_an_approvers_token_is_no_vote(shared):
    for more in ({}, {"context": {"toolgate_approver_token": shared.agent}}):
        app, config, said = decided(shared, "unvoted", {"type": "approve"}, **more)
        (pause,) = said["__interrupt__"]
        assert done_with(shared, "unvoted") == []
        if more:
            (vote,) = pause.value["toolgate"]["votes"]
            assert vote["counted"] is False and vote["why"]


def test_an_earlier_resumers_decision_is_not_the_next_ones_vote(shared):
    app, config, said = decided(shared, "not mine", {"type": "approve"})
    assert said["__interrupt__"]
    said = app.invoke(Command(resume="look"), config, context={"toolgate_approver_token": shared.approver})
    assert said["__interrupt__"] and done_with(shared, "not mine") == []


def test_an_answer_that_is_older_than_the_question_is_no_vote(shared):
    """The graph stands before the node, and whoever resumes it has seen no approval yet."""
    builder = StateGraph(State, context_schema=dict)
    builder.add_node("tools", node(shared))
    builder.add_edge(START, "tools")
    app, config = builder.compile(checkpointer=InMemorySaver(), interrupt_before=["tools"]), thread()
    app.invoke(turn(call("send", "1", text="unseen")), config)
    context = {"toolgate_approver_token": shared.approver}
    said = app.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config, context=context)
    (pause,) = said["__interrupt__"]
    (item,), (vote,) = pause.value["toolgate"]["items"], pause.value["toolgate"]["votes"]
    assert (vote["id"], vote["counted"]) == (item["id"], False) and "after the answer" in vote["why"], vote
    assert item["votes"] == [] and done_with(shared, "unseen") == []
    said = app.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config, context=context)
    assert said["messages"][-1].status == "success" and done_with(shared, "unseen") == ["send"]


def test_no_token_stands_in_a_checkpoint(shared):
    saver = InMemorySaver()
    app, config = graph(node(shared), saver, context_schema=dict), thread()
    app.invoke(turn(call("send", "1", text="secret")), config)
    config = {"configurable": {**config["configurable"], "__toolgate_approver_token": shared.approver}}
    app.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert done_with(shared, "secret") == ["send"]
    assert shared.approver not in repr([saver.storage, saver.writes, saver.blobs])
    assert shared.agent not in repr([saver.storage, saver.writes, saver.blobs])


def test_two_resumes_at_once_run_a_call_once(shared):
    app, config = graph(node(shared)), thread()
    (pause,) = app.invoke(turn(call("note", "1", text="race"), call("send", "2", text="race")), config)["__interrupt__"]
    shared.ask("POST", f"/approvals/{pause.value['toolgate']['items'][0]['id']}/decide", shared.approver, {"decision": "approve"})
    said = []

    def resume():
        try:
            said.append(app.invoke(Command(resume="look"), config))
        except GatewayUnreachable as error:
            said.append(error)

    both = [threading.Thread(target=resume) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    assert len(said) == 2
    assert done_with(shared, "race") == ["note", "send"]


def test_waiting_and_returning(shared):
    app, config = graph(node(shared, approvals="return")), thread()
    said = app.invoke(turn(call("send", "1", text="return")), config)
    assert said["messages"][-1].status == "error" and "waits for approval" in texts(said["messages"][-1])
    said = graph(node(shared, approvals="wait", wait_seconds=0.3)).invoke(turn(call("send", "1", text="short")), thread())
    assert said["messages"][-1].artifact["envelope"]["status"] == "pending_approval"
    app, heard = graph(node(shared, approvals="wait")), []

    def work():
        for kind, part in app.stream(turn(call("send", "1", text="wait")), thread(), stream_mode=["custom", "values"]):
            heard.append(part)
            if kind == "custom" and part["toolgate"]["state"] == "waiting" and len(heard) < 4:
                approval = part["toolgate"]["for"][0]
                shared.ask("POST", f"/approvals/{approval}/decide", shared.approver, {"decision": "approve"})

    work()
    assert done_with(shared, "wait") == ["send"]
    told = [part["toolgate"] for part in heard if "toolgate" in part]
    states = [one["state"] for one in told]
    assert states[:2] == ["calling", "waiting"] and states[-1] == "done", states
    assert told[0]["call"] == told[-1]["call"] and told[0]["tool"] == "desk__send" and told[-1]["status"] == "succeeded", told


def test_a_question_is_answered_with_its_schema(shared):
    ask = {"name": "request_user_input", "id": "ask", "type": "tool_call"}
    slot = {"slot_type": "choice", "slot_id": "tone", "prompt_key": "Which tone?", "options": ["formal", "plain"]}
    app, config = graph(node(shared), context_schema=dict), thread()
    look = [call("look", "1"), call("look", "2")]
    paused = app.invoke(turn(*look, {**ask, "args": slot}), config)
    (pause,) = paused["__interrupt__"]
    (item,) = pause.value["toolgate"]["items"]
    assert (pause.value["type"], item["answer_schema"]) == ("toolgate_question", {"type": "string", "enum": ["formal", "plain"]})
    context = {"toolgate_approver_token": shared.approver}
    wrong = app.invoke(Command(resume={"answers": {item["id"]: "loud"}}), config, context=context)
    assert wrong["__interrupt__"][0].value["toolgate"]["votes"][0]["counted"] is False
    said = app.invoke(Command(resume={"decisions": [{"type": "respond", "message": "plain"}]}), config, context=context)
    assert "plain" in texts(said["messages"][-1]), said["messages"][-1]


def test_a_state_is_saved_with_the_run(shared):
    tools, config = node(shared), thread()
    tools.call([call("look", "1")], config)
    saved = tools.checkpoint("after-turn-1", {"turn": 1}, config)
    assert saved["status"] == "succeeded"
    assert asyncio.run(node(shared).acheckpoint("after-turn-1", {"turn": 1}, config))["replayed"] is True


def test_transport_faults_raise_and_a_retry_makes_no_call_twice(shared):
    class Lossy(httpx.HTTPTransport):
        """Loses the first answer to calls, after the gateway has made them."""

        lost = 0

        def handle_request(self, request):
            response = super().handle_request(request)
            if request.url.path.endswith("/tool-calls") and not self.lost:
                self.lost += 1
                response.close()
                raise httpx.ReadError("connection reset", request=request)
            return response

    lossy = Lossy()
    builder = StateGraph(State)
    tools = MCPToolNode(Gateway(shared.url, shared.agent, transport=lossy))
    with pytest.raises(GatewayUnreachable, match="hint: run the node again"):
        graph(tools).invoke(turn(call("note", "1", text="lost once")), thread())
    lossy.lost = 0
    policy = RetryPolicy(initial_interval=0.05, max_attempts=3, retry_on=GatewayUnreachable)
    builder.add_node("tools", tools, retry_policy=policy)
    builder.add_edge(START, "tools")
    said = builder.compile().invoke(turn(call("note", "1", text="lost")), thread())
    assert texts(said["messages"][-1]) == "note: lost" and done_with(shared, "lost") == ["note"]


def test_nobody_at_the_address(shared):
    with pytest.raises(GatewayUnreachable, match="was not reached"):
        graph(MCPToolNode("http://127.0.0.1:9", "x")).invoke(turn(call("look", "1")), thread())


def test_a_run_that_has_ended_is_gone(shared):
    tools, config = node(shared), thread()
    run = tools.run_id(config)
    shared.ask("POST", f"/runs/{run}/cancel", shared.token("operator", "olga"), {})
    with pytest.raises(RunGone, match="new thread"):
        tools.call([call("look", "1")], config)
    with pytest.raises(RunGone, match="no run run_nothing"):
        tools.call([call("look", "1")], thread(toolgate_run="run_nothing"))


def test_a_gateway_without_keys_is_too_old():
    def old(request):
        problem = {"status": 422, "code": "field_unknown", "field": "key", "detail": "there is no field `key` here", "hint": "one of: task"}
        return httpx.Response(422, json=problem)

    tools = MCPToolNode(Gateway("http://old", "x", transport=httpx.MockTransport(old)))
    with pytest.raises(GatewayTooOld, match="version 0.1"):
        tools.call([call("look", "1")], thread())


@pytest.mark.parametrize(
    ("version", "error", "advice"),
    [("0.0.9", GatewayTooOld, "update the gateway"), ("0.2.0-rc.1", GatewayTooNew, "install the"), ("1.0.0", GatewayTooNew, "install the")],
)
def test_a_gateway_of_another_version_is_refused_before_a_call_is_made(version, error, advice):
    asked = []

    def other(request):
        asked.append(request.url.path)
        return httpx.Response(200, json={"run": {"id": "run_1"}}, headers={"Toolgate-Version": version})

    tools = MCPToolNode(Gateway("http://other", "x", transport=httpx.MockTransport(other), async_transport=httpx.MockTransport(other)))
    with pytest.raises(error, match=f"version {version}.* version 0.1\nhint: {advice}"):
        tools.call([call("look", "1")], thread())
    with pytest.raises(error, match=version):
        asyncio.run(tools.acall([call("look", "1")], thread()))
    assert asked == ["/runs", "/runs"], "nothing else was asked of it"


def test_a_vote_does_not_hide_that_the_version_does_not_fit():
    def other(request):
        return httpx.Response(404, json={"code": "unknown_approval"}, headers={"Toolgate-Version": "9.0.0"})

    gateway = Gateway("http://other", "x", transport=httpx.MockTransport(other))
    one = Waiting("approval", "appr_1", call("send", "1"))
    with pytest.raises(GatewayTooNew, match="9.0.0"):
        gateway.run(vote([(one, {"type": "approve"})], "token"))


def test_the_gateway_says_its_version_to_who_has_a_token(shared):
    said = httpx.get(f"{shared.url}/tools", headers={"Authorization": f"Bearer {shared.agent}"}, trust_env=False)
    assert said.headers["Toolgate-Version"] == shared.say("--version").removeprefix("toolgate ")
    assert "Toolgate-Version" not in httpx.get(f"{shared.url}/tools", trust_env=False).headers


def test_a_token_that_is_not_known(shared):
    with pytest.raises(TokenRefused, match="token create"):
        MCPToolNode(shared.url, "tg_agent_nobody").call([call("look", "1")], thread())


def test_equal_and_missing_ids_of_a_model_are_calls_of_their_own(shared):
    same = [call("note", "", text="no id"), call("note", "", text="no id"), call("note", "n", text="same id"), call("note", "n", text="same id")]
    tools, config = node(shared), thread()
    assert [made.status for made in tools.call(same, config)] == ["success"] * 4
    assert done_with(shared, "no id") == ["note"] * 2 and done_with(shared, "same id") == ["note"] * 2
    tools.call(same, config)
    assert done_with(shared, "same id") == ["note"] * 2
