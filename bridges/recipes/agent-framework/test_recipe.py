"""The recipe with Agent Framework, a made-up model and a real gateway that is killed."""

import asyncio

import pytest
from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message
from house import House, free_port, until
from toolgate_agent_framework import Gate, GatewayFault
from toolgate_client import AsyncToolgate


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path, f"127.0.0.1:{free_port()}")
    house.boot()
    house.agent, house.approver = house.token(), house.token("approver", "ann")
    until(lambda: "desk__send" in str(house.ask("GET", "/tools", house.agent)), "the tools are not there")
    yield house
    house.stop()


class Model(FunctionInvocationLayer, BaseChatClient):
    """Writes a note and a letter, then says what it heard."""

    def __init__(self, text):
        super().__init__()
        self.text = text

    def _inner_get_response(self, *, messages, stream, options, **more):
        async def answer():
            heard = [str(one.result) for message in messages for one in message.contents if one.type == "function_result"]
            if heard:
                return ChatResponse(messages=[Message(role="assistant", contents=[" | ".join(heard)])])
            calls = [Content.from_function_call(f"{name}-1", f"desk__{name}", arguments={"text": self.text}) for name in ("note", "send")]
            return ChatResponse(messages=[Message(role="assistant", contents=calls)])

        return answer()


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_a_marked_tool_pauses_the_agent_and_nothing_runs_twice(house, word):
    async def run(said, stored=None, patience=60.0):
        """As a process of its own does it, from a stored session."""
        async with AsyncToolgate(house.url, house.agent) as client:
            gate = Gate(client, key=word, patience=patience)
            agent = Agent(Model(word), tools=await gate.tools(), middleware=[gate])
            session = agent.create_session() if stored is None else AgentSession.from_dict(stored)
            answer = await agent.run(said, session=session)
            return gate, answer, session.to_dict()

    async def waiting(asked, patience=60.0):
        async with AsyncToolgate(house.url, house.agent) as client:
            return await Gate(client, key=word, patience=patience).waiting(asked)

    async def go():
        gate, first, stored = await run("go")
        asked = first.user_input_requests
        assert [one.function_call.name for one in asked] == ["desk__send"], "only what is marked"
        (waits,) = await waiting(asked)
        assert "a letter cannot be taken back" in waits["error"]["why"]
        house.kill()
        with pytest.raises(GatewayFault):
            await waiting(asked, patience=0)
        house.boot()
        assert len(await waiting(asked)) == 1, "the same approval"
        decision = {"decision": word, "reason": "a test"}
        house.ask("POST", f"/approvals/{waits['approval_id']}/decide", house.approver, decision)
        assert await waiting(asked) == []
        texts = []
        for _ in range(2):
            _, done, _ = await run(gate.answer(asked), stored)
            texts.append(done.text)
        assert texts[0] == texts[1], "recorded results"
        assert ("send: approve" if word == "approve" else "ann said no") in texts[0], texts

    asyncio.run(go())
    assert sorted(house.done()) == [["note", word], *([["send", word]] if word == "approve" else [])]
