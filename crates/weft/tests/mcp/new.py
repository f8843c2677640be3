"""The official Python client of the modern era. Arguments: `stdio COMMAND ARGUMENT…` or `http URL`."""

import asyncio
import os
import sys

from lead import lead, tell
from mcp import Client, MCPError, StdioServerParameters


async def main(way, *target):
    if way == "stdio":
        server = StdioServerParameters(command=target[0], args=list(target[1:]), env=dict(os.environ))
    else:
        server = target[0]
    async with Client(server) as client:
        tell({"version": client.protocol_version, "server": client.server_info.name})
        await lead(client, MCPError)


asyncio.run(main(*sys.argv[1:]))
