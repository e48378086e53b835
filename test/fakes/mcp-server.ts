/** Makes a real MCP server with the official SDK. Run as a program, this file serves over stdin and stdout. */

import { fileURLToPath } from 'node:url'
import { CallToolRequestSchema, ListToolsRequestSchema, Server, StdioServerTransport } from '../foreign/mcp.ts'

const text = (value: string) => ({ type: 'text' as const, text: value })

/** Counts the calls that hang in this process. */
export const hangs = { count: 0 }

const tools = {
  add: {
    description: 'Adds two numbers.',
    inputSchema: { type: 'object' as const, properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    call: ({ a, b }: { readonly [key: string]: unknown }) => ({ content: [text(String(Number(a) + Number(b)))] }),
  },
  env: {
    description: 'Shows its environment.',
    inputSchema: { type: 'object' as const },
    call: () => ({ content: [text(JSON.stringify(process.env)), text(String(process.pid))] }),
  },
  hang: {
    description: 'Never answers.',
    inputSchema: { type: 'object' as const },
    call: () => {
      hangs.count++
      return new Promise<never>(() => {})
    },
  },
  fail: {
    description: 'Fails.',
    inputSchema: { type: 'object' as const },
    call: () => ({ isError: true, content: [text(`no such note ${process.env.NOTES_TOKEN ?? ''}${'!'.repeat(10_000)}`)] }),
  },
  mixed: {
    description: 'Gives parts of all kinds.',
    inputSchema: { type: 'object' as const },
    call: () => ({
      content: [
        text('first'),
        { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio' as const, data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource' as const, resource: { uri: 'file:///a', text: 'not shown' } },
        { type: 'resource_link' as const, uri: 'file:///b', name: 'b' },
        text('last'),
      ],
    }),
  },
}

/** Makes a server with a few tools. */
export const toolServer = (): Server => {
  const server = new Server({ name: 'fake', version: '1' }, { capabilities: { tools: { listChanged: true } } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, { call: _, ...tool }]) => ({ name, ...tool })),
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = Object.entries(tools).find(([name]) => name === params.name)?.[1]
    if (!tool) throw new Error(`no tool ${params.name}`)
    return tool.call(params.arguments ?? {})
  })
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await toolServer().connect(new StdioServerTransport())
