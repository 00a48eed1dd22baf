"""The hook in an agent with a made-up model, on a real gateway."""

import asyncio
import json

import house as of_house
import pytest
from fastmcp.client.transports import StreamableHttpTransport
from house import House, free_port, until
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from toolgate_pydantic_ai import GatewayFault, Governed

#: A busy machine takes its time.
of_house.SECONDS = 200


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path, f"127.0.0.1:{free_port()}")
    house.boot()
    house.agent, house.approver = house.token(), house.token("approver", "ann")
    until(lambda: "desk__send" in str(house.ask("GET", "/tools", house.agent)), "the tools are not there")
    yield house
    house.stop()


def model(text):
    def answer(messages, info):
        returns = [part.content for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
        if returns:
            return ModelResponse(parts=[TextPart(str(returns))])
        calls = [ToolCallPart(f"desk__{name}", {"text": text}, tool_call_id=f"{name}-1") for name in ("note", "send")]
        return ModelResponse(parts=calls)

    return FunctionModel(answer)


def governed(house):
    return Governed(house.url, house.agent, key=lambda ctx: ctx.deps)


def agent(house, text, made=model, token=None):
    transport = StreamableHttpTransport(f"{house.url}/mcp", headers={"Authorization": f"Bearer {token or house.agent}"})
    tools = MCPToolset(transport, process_tool_call=governed(house))
    return Agent(made(text), deps_type=str, toolsets=[tools], output_type=[str, DeferredToolRequests])


def forgetful(text):
    """A model whose provider gives the same id to a call of each answer."""

    def answer(messages, info):
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn == 3:
            returns = [part.content for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
            return ModelResponse(parts=[TextPart(json.dumps(returns))])
        name, given = [("note", {"text": text}), ("look", {}), ("note", {"text": text})][turn]
        return ModelResponse(parts=[ToolCallPart(f"desk__{name}", given, tool_call_id="call_0")])

    return FunctionModel(answer)


def curious(text):
    """A model that asks a person, after two calls of tools with data."""
    slot = {"slot_type": "choice", "slot_id": "tone", "prompt_key": "Which tone?", "options": ["formal", "plain"]}

    def answer(messages, info):
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        calls = [
            [ToolCallPart("desk__note", {"text": text}, tool_call_id="a"), ToolCallPart("desk__look", {}, tool_call_id="b")],
            [ToolCallPart("request_user_input", slot, tool_call_id="c")],
        ]
        if turn < len(calls):
            return ModelResponse(parts=calls[turn])
        return ModelResponse(parts=[TextPart(str([part.content for part in messages[-1].parts if isinstance(part, ToolReturnPart)]))])

    return FunctionModel(answer)


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_an_approval_is_a_deferred_tool_and_nothing_runs_twice(house, word):
    async def go():
        first = await agent(house, word).run("go", deps="ticket-7")
        assert isinstance(first.output, DeferredToolRequests), first.output
        (waiting,) = first.output.approvals
        about = first.output.metadata[waiting.tool_call_id]
        assert about["approval_id"].startswith("apr_") and "a letter cannot be taken back" in about["why"], about
        agreed = DeferredToolResults(approvals={waiting.tool_call_id: True})
        messages = first.all_messages()
        again = await agent(house, word).run(message_history=messages, deferred_tool_results=agreed, deps="ticket-7")
        assert isinstance(again.output, DeferredToolRequests), "the gateway's state counts"
        house.kill()
        with pytest.raises((GatewayFault, RuntimeError)):
            await agent(house, word).run(message_history=messages, deferred_tool_results=agreed, deps="ticket-7")
        house.boot()
        house.ask("POST", f"/approvals/{about['approval_id']}/decide", house.approver, {"decision": word, "reason": "a test"})
        done = await agent(house, word).run(message_history=messages, deferred_tool_results=agreed, deps="ticket-7")
        assert isinstance(done.output, str), done.output

    asyncio.run(go())
    assert house.done() == [["note", word], *([["send", word]] if word == "approve" else [])]


def test_ids_that_a_provider_repeats_are_calls_of_their_own(house):
    done = asyncio.run(agent(house, "twice", forgetful).run("go", deps="ticket-8"))
    first, second, third = json.loads(done.output)
    assert "desk" in str(second) and second != first, done.output
    assert house.done() == [["note", "twice"], ["note", "twice"]], "the same words are another call in another answer"


def test_a_question_is_a_deferred_call_with_the_id_of_the_question(house):
    token = house.ask("POST", "/runs", house.agent, {"key": "ticket-9"})["token"]

    async def go():
        writer = agent(house, "asks", curious, token)
        first = await writer.run("go", deps="ticket-9")
        assert isinstance(first.output, DeferredToolRequests) and not first.output.approvals, first.output
        (asked,) = first.output.calls
        question = first.output.metadata[asked.tool_call_id]["input_id"]
        assert question.startswith("inp_")
        assert await governed(house).decided(first.output) is None, "nobody has answered"
        house.kill()
        house.boot()
        house.ask("POST", f"/inputs/{question}/answer", house.approver, {"answer": "plain"})
        results = await governed(house).decided(first.output)
        done = await agent(house, "asks", curious, token).run(message_history=first.all_messages(), deferred_tool_results=results, deps="ticket-9")
        assert "plain" in done.output, done.output

    asyncio.run(go())
    assert house.done() == [["note", "asks"]]


def test_overridden_arguments_are_the_vote_of_the_person_who_gives_them(house):
    async def go():
        first = await agent(house, "raw").run("go", deps="ticket-10")
        (waiting,) = first.output.approvals
        about = first.output.metadata[waiting.tool_call_id]
        changed = {waiting.tool_call_id: ToolApproved(override_args={"text": "edited"})}
        more = {"message_history": first.all_messages(), "deps": "ticket-10"}
        with pytest.raises(GatewayFault, match="nobody's token"):
            await agent(house, "raw").run(deferred_tool_results=DeferredToolResults(approvals=changed), **more)
        house.kill()
        house.boot()
        voted = {waiting.tool_call_id: {**about, "approver_token": house.approver}}
        results = DeferredToolResults(approvals=changed, metadata=voted)
        done = await agent(house, "raw").run(deferred_tool_results=results, **more)
        assert isinstance(done.output, str), done.output
        again = await agent(house, "raw").run(deferred_tool_results=results, **more)
        assert isinstance(again.output, str), "a decision that was made is no fault"
        assert house.approver not in done.all_messages_json().decode()

    asyncio.run(go())
    assert house.done() == [["note", "raw"], ["send", "edited"]]
