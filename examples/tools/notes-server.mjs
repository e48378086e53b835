/**
 * A small MCP server over stdin and stdout, without dependencies: it finds and reads the Markdown notes of a folder, and adds to them.
 *   node notes-server.mjs /srv/notes
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const folder = process.argv[2] ?? '.'
const names = () => readdirSync(folder).filter((name) => name.endsWith('.md'))
const read = (name) => {
  // Only what the folder lists: a name from a model may be any text.
  if (!names().includes(name)) throw new Error(`there is no note ${name}`)
  return readFileSync(join(folder, name), 'utf8')
}
const text = { type: 'string' }
const tools = {
  find_note: {
    description: 'Names the notes that contain a text.',
    inputSchema: { type: 'object', properties: { text }, required: ['text'] },
    run: ({ text }) =>
      names()
        .filter((name) => read(name).includes(text))
        .join('\n') || 'no note contains it',
  },
  read_note: {
    description: 'Gives the text of a note.',
    inputSchema: { type: 'object', properties: { name: text }, required: ['name'] },
    run: ({ name }) => read(name),
  },
  add_to_note: {
    description: 'Adds a line to a note.',
    inputSchema: { type: 'object', properties: { name: text, line: text }, required: ['name', 'line'] },
    run: ({ name, line }) => read(name) && appendFileSync(join(folder, name), `${line}\n`) === undefined && 'added',
  },
}

const call = ({ name, arguments: input }) => {
  try {
    return { content: [{ type: 'text', text: tools[name].run(input) }] }
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: error.message }] }
  }
}

const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools: Object.entries(tools).map(([name, { run, ...tool }]) => ({ name, ...tool })) }),
  'tools/call': call,
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const error = { code: -32601, message: 'unknown method' }
  const answer = Object.hasOwn(methods, method) ? { result: methods[method](params) } : { error }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
