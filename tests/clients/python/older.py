"""The journey on version 1 of the `mcp` package: sessions, over streamable HTTP, HTTP+SSE or a child process."""

import asyncio
import contextlib

import mcp.types as types
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from pydantic import AnyUrl

from journey import Refused, main


def plain(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


@contextlib.asynccontextmanager
async def streams(request):
    headers = {"Authorization": f"Bearer {request.get('token')}"}
    match request["transport"]:
        case "http":
            async with streamablehttp_client(request["url"], headers=headers) as (read, write, _):
                yield read, write
        case "sse":
            async with sse_client(request["url"], headers=headers) as pair:
                yield pair
        case "stdio":
            command, *args = request["command"]
            async with stdio_client(StdioServerParameters(command=command, args=args)) as pair:
                yield pair


@contextlib.asynccontextmanager
async def connect(request, notes):
    async def elicit(_, params):
        return types.ElicitResult.model_validate(notes.elicited(params.message))

    async def sample(_, params):
        return types.CreateMessageResult.model_validate(notes.sampled(params.messages[0].content.text))

    async def roots(_):
        return types.ListRootsResult.model_validate(notes.roots())

    async def log(params):
        notes.logs.append(params.data)

    async def hear(message):
        if isinstance(message, types.ServerNotification):
            method = message.root.method.split("/")
            if method[-1] == "list_changed":
                notes.heard.append(["changed", method[1]])
            elif method[-1] == "updated":
                notes.heard.append(["updated", str(message.root.params.uri)])

    async with streams(request) as (read, write):
        async with ClientSession(
            read,
            write,
            elicitation_callback=elicit,
            sampling_callback=sample,
            list_roots_callback=roots,
            logging_callback=log,
            message_handler=hear,
        ) as session:
            yield Older(session, await session.initialize())


class Older:
    def __init__(self, session, opened):
        self.session = session
        self.protocol = opened.protocolVersion
        self.server_name = opened.serverInfo.name

    async def refusing(self, answer):
        try:
            return plain(await answer)
        except McpError as error:
            raise Refused(error.error.code, error.error.message) from None

    async def list(self, kind):
        ask, key = {
            "tools": (self.session.list_tools, "tools"),
            "prompts": (self.session.list_prompts, "prompts"),
            "resources": (self.session.list_resources, "resources"),
            "templates": (self.session.list_resource_templates, "resourceTemplates"),
        }[kind]
        entries, cursor = [], None
        while True:
            page = plain(await ask(cursor))
            entries += page[key]
            cursor = page.get("nextCursor")
            if not cursor:
                return entries

    async def call(self, name, arguments, on_progress=None):
        async def report(done, total, _):
            on_progress(done, total)

        progress = report if on_progress else None
        return await self.refusing(self.session.call_tool(name, arguments, progress_callback=progress))

    async def want_logs(self):
        await self.session.set_logging_level("debug")

    async def read(self, uri):
        return await self.refusing(self.session.read_resource(AnyUrl(uri)))

    async def prompt(self, name, arguments):
        return await self.refusing(self.session.get_prompt(name, arguments))

    async def complete(self, prompt, argument, value):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        return plain(await self.session.complete(reference, {"name": argument, "value": value}))

    @contextlib.asynccontextmanager
    async def watching(self, uri):
        await self.session.subscribe_resource(AnyUrl(uri))
        yield
        await self.session.unsubscribe_resource(AnyUrl(uri))

    async def give_up_on(self, name):
        """This version has no way to cancel a request but to say so by hand."""
        request_id = self.session._request_id
        call = asyncio.create_task(self.session.call_tool(name, {}))
        await asyncio.sleep(0.3)
        params = types.CancelledNotificationParams(requestId=request_id, reason="no longer needed")
        note = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self.session.send_notification(types.ClientNotification(note))
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError, McpError):
            await call


main(connect)
