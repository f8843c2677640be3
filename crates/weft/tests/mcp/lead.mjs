// Leads a client by lines on standard input: one request a line, one answer a line.

import { createInterface } from 'node:readline';

export const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

const answer = (client, ask) => {
    switch (ask.do) {
        case 'tools':
            return client.listTools();
        case 'resources':
            return client.listResources();
        case 'templates':
            return client.listResourceTemplates();
        case 'read':
            return client.readResource({ uri: ask.uri });
        case 'call':
            return client.callTool({ name: ask.name, arguments: ask.arguments, ...(ask.meta && { _meta: ask.meta }) });
    }
};

export const lead = async (client) => {
    for await (const line of createInterface({ input: process.stdin })) {
        try {
            tell({ ok: await answer(client, JSON.parse(line)) });
        } catch (error) {
            tell({ error: { code: error.code, message: error.message } });
        }
    }
    await client.close();
};
