// The official TypeScript client of the modern era.
// Arguments: the folder of the packages, then `stdio COMMAND ARGUMENT…` or `http URL`.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { lead, tell } from './lead.mjs';

const [packages, way, command, ...args] = process.argv.slice(2);
const require = createRequire(join(packages, 'package.json'));
const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

const client = new Client({ name: 'weft-test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(
    way === 'stdio'
        ? new StdioClientTransport({ command, args, env: process.env })
        : new StreamableHTTPClientTransport(new URL(command)),
);
tell({ version: client.getNegotiatedProtocolVersion(), server: client.getServerVersion()?.name });
await lead(client);
