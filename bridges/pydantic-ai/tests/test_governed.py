"""The hook in an agent with a made-up model, on a real gateway."""

import asyncio

import pytest
from fastmcp.client.transports import StreamableHttpTransport
from house import House, free_port, until
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from toolgate_pydantic_ai import GatewayFault, Governed


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


def agent(house, text):
    transport = StreamableHttpTransport(f"{house.url}/mcp", headers={"Authorization": f"Bearer {house.agent}"})
    tools = MCPToolset(transport, process_tool_call=Governed(house.url, house.agent, key=lambda ctx: ctx.deps))
    return Agent(model(text), deps_type=str, toolsets=[tools], output_type=[str, DeferredToolRequests])


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
