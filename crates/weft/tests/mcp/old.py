"""The official Python client of the old era. Arguments: `stdio COMMAND ARGUMENT…` or `http URL`."""

import asyncio
import os
import sys

from lead import lead, tell
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def main(way, *target):
    if way == "stdio":
        server = StdioServerParameters(command=target[0], args=list(target[1:]), env=dict(os.environ))
        streams = stdio_client(server)
    else:
        streams = streamable_http_client(target[0])
    async with streams as (read, write, *_), ClientSession(read, write) as session:
        began = await session.initialize()
        tell({"version": began.protocolVersion, "server": began.serverInfo.name})
        await lead(session, McpError)


asyncio.run(main(*sys.argv[1:]))
