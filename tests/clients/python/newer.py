"""The journey on version 2 of the `mcp` package: both eras, over streamable HTTP, HTTP+SSE or a child process."""

import asyncio
import contextlib
import warnings

import mcp.types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared._httpx_utils import create_mcp_http_client

from journey import Refused, main

# Logging, sampling and roots are deprecated, and still promised.
warnings.simplefilter("ignore")


def plain(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


@contextlib.asynccontextmanager
async def transport(request):
    headers = {"Authorization": f"Bearer {request.get('token')}"}
    match request["transport"]:
        case "http":
            async with create_mcp_http_client(headers=headers) as http:
                yield streamable_http_client(request["url"], http_client=http)
        case "sse":
            yield sse_client(request["url"], headers=headers)
        case "stdio":
            command, *args = request["command"]
            yield stdio_client(StdioServerParameters(command=command, args=args))


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
        method = getattr(message, "method", "").split("/")
        if method[-1] == "list_changed":
            notes.heard.append(["changed", method[1]])
        elif method[-1] == "updated":
            notes.heard.append(["updated", str(message.params.uri)])

    modern = request["era"] == "modern"
    async with transport(request) as way:
        async with Client(
            way,
            mode="auto" if modern else "legacy",
            elicitation_callback=elicit,
            sampling_callback=sample,
            list_roots_callback=roots,
            logging_callback=log,
            log_level="debug" if modern else None,
            message_handler=hear,
        ) as client:
            yield Newer(client, notes, modern)


class Newer:
    def __init__(self, client, notes, modern):
        self.client, self.notes, self.modern = client, notes, modern
        self.protocol = client.protocol_version
        self.server_name = client.server_info.name

    async def refusing(self, answer):
        try:
            return plain(await answer)
        except MCPError as error:
            raise Refused(error.error.code, error.error.message) from None

    async def list(self, kind):
        ask, key = {
            "tools": (self.client.list_tools, "tools"),
            "prompts": (self.client.list_prompts, "prompts"),
            "resources": (self.client.list_resources, "resources"),
            "templates": (self.client.list_resource_templates, "resourceTemplates"),
        }[kind]
        entries, cursor = [], None
        while True:
            page = plain(await ask(cursor=cursor))
            entries += page[key]
            cursor = page.get("nextCursor")
            if not cursor:
                return entries

    async def call(self, name, arguments, on_progress=None):
        async def report(done, total, _):
            on_progress(done, total)

        progress = report if on_progress else None
        return await self.refusing(self.client.call_tool(name, arguments, progress_callback=progress))

    async def want_logs(self):
        if not self.modern:
            await self.client.set_logging_level("debug")

    async def read(self, uri):
        return await self.refusing(self.client.read_resource(uri))

    async def prompt(self, name, arguments):
        return await self.refusing(self.client.get_prompt(name, arguments))

    async def complete(self, prompt, argument, value):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        return plain(await self.client.complete(reference, {"name": argument, "value": value}))

    @contextlib.asynccontextmanager
    async def watching(self, uri):
        if not self.modern:
            await self.client.subscribe_resource(uri)
            yield
            await self.client.unsubscribe_resource(uri)
            return
        everything = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}
        async with self.client.listen(**everything, resource_subscriptions=[uri]) as subscription:
            listening = asyncio.create_task(self.hear(subscription))
            yield
            listening.cancel()

    async def hear(self, subscription):
        async for event in subscription:
            if isinstance(event, ResourceUpdated):
                self.notes.heard.append(["updated", str(event.uri)])
            else:
                kind = type(event).__name__.removesuffix("ListChanged").lower()
                self.notes.heard.append(["changed", kind])

    async def give_up_on(self, name):
        call = asyncio.create_task(self.client.call_tool(name, {}))
        await asyncio.sleep(0.3)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError, MCPError):
            await call


main(connect)
