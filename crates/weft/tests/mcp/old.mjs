// The official TypeScript client of the old era.
// Arguments: the folder of the packages, then `stdio COMMAND ARGUMENT…` or `http URL`.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { lead, tell } from './lead.mjs';

const [packages, way, command, ...args] = process.argv.slice(2);
const require = createRequire(join(packages, 'package.json'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

const client = new Client({ name: 'weft-test', version: '1.0.0' });
const transport =
    way === 'stdio'
        ? new StdioClientTransport({ command, args, env: process.env })
        : new StreamableHTTPClientTransport(new URL(command));
// Only the transport is told which version was agreed on.
const { setProtocolVersion } = transport;
let version;
transport.setProtocolVersion = (agreed) => {
    version = agreed;
    setProtocolVersion?.call(transport, agreed);
};
await client.connect(transport);
tell({ version, server: client.getServerVersion()?.name });
await lead(client);
