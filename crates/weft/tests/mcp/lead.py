"""Leads a client by lines on standard input: one request a line, one answer a line."""

import asyncio
import json
import sys


def tell(what):
    print(json.dumps(what), flush=True)


async def lead(client, failure):
    """Asks for what each line says until there are no more; `failure` is what the client raises for an error of the protocol."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        try:
            result = await answer(client, json.loads(line))
            tell({"ok": result.model_dump(mode="json", by_alias=True, exclude_none=True)})
        except failure as error:
            tell({"error": {"code": error.error.code, "message": error.error.message}})


async def answer(client, ask):
    match ask["do"]:
        case "tools":
            return await client.list_tools()
        case "resources":
            return await client.list_resources()
        case "templates":
            return await client.list_resource_templates()
        case "read":
            return await client.read_resource(ask["uri"])
        case "call":
            return await client.call_tool(ask["name"], ask["arguments"], meta=ask.get("meta"))
