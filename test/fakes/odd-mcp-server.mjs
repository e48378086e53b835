/**
 * Runs an MCP server that misbehaves in the way that its first argument names. The second argument is a file to which each start adds its
 * process id. Further arguments are names of tools.
 */

import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , how, log, ...names] = process.argv
const write = (text) => process.stdout.write(text)
const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const note = (text) => appendFileSync(log, `${text}\n`)
const tool = (name, more = {}) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more })
const answer = (text) => ({ content: [{ type: 'text', text }] })

note(process.pid)
if (how === 'crash') {
  process.stderr.write(`starting with ${process.env.NOTES_TOKEN}\nno licence\n`)
  process.exit(3)
}
if (how === 'stubborn') {
  process.on('SIGTERM', () => note('asked'))
  setInterval(() => {}, 1000)
  for (const detached of [false, true]) note(spawn('sleep', ['600'], { stdio: 'ignore', detached }).pid)
}

let listed = 0
let asked

const list = ({ cursor = '0' } = {}) => {
  listed++
  switch (how) {
    case 'endless':
      return { tools: [tool(`t${cursor}`)], nextCursor: String(Number(cursor) + 1) }
    case 'many':
      return { tools: Array.from({ length: 10_000 }, (_, i) => tool(`t${i}`)) }
    case 'changing':
      return { tools: [tool(listed === 1 ? 'old' : 'new')] }
    case 'large':
      return {
        tools: [
          tool('wordy', { description: 'x'.repeat(5000) }),
          tool('huge', { inputSchema: { type: 'object', description: 'x'.repeat(70_000) } }),
          tool('long'),
          tool('flood'),
        ],
      }
    case 'named':
      return { tools: names.map((name) => tool(name)) }
    default:
      return {
        tools: ['echo', 'hang', 'die', 'ask', 'talk', 'complain', 'parts', 'picture', 'no.dots/ever', 'no_dots_ever'].map((name) =>
          tool(name),
        ),
      }
  }
}

const sixteenMiB = 16 * 1024 * 1024
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`

/**
 * What the server may say unasked, `count` times in one write, so that a client reads the last of it together with the first where that is
 * possible.
 */
const talk = {
  blanks: (count) => '\n'.repeat(count),
  lines: (count) => 'y\n'.repeat(count),
  notices: (count) => '{"method":"n"}\n'.repeat(count),
  requests: (count) => line({ id: 1, method: 'roots/list' }).repeat(count),
  answers: (count) => line({ id: 7_000, result: {} }).repeat(count),
  batch: (count) => `[${Array(count).fill('{"id":1,"method":"m"}')}]\n`,
  bytes: () => line({ method: 'n', params: { text: 'x'.repeat(4 * 1024 * 1024) } }).repeat(5),
}

const call = (id, { name, arguments: args }) => {
  switch (name) {
    case 'talk':
      // The first line is no message, which the log is told of: from then on it is read.
      return write(`-\n${talk[args.of](args.count)}${line({ id, result: answer('said') })}`)
    case 'complain':
      return process.stderr.write('e'.repeat(sixteenMiB + 2 ** 20), () => send({ id, result: answer('said') }))
    case 'parts':
      return send({ id, result: { content: Array(args.count).fill({ type: 'text', text: 'x' }) } })
    case 'picture':
      return send({
        id,
        result: { content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(args.size) }, ...answer('seen').content] },
      })
    case 'hang':
      return note('hangs')
    case 'die':
      return process.exit(7)
    case 'ask':
      asked = id
      return send({ id: 'mine', method: args.method, params: {} })
    case 'long':
      return send({ id, result: answer('y'.repeat(300_000)) })
    case 'flood':
      return write('z'.repeat(9 * 1024 * 1024))
    default:
      return send({ id, result: answer(`${name} ${JSON.stringify(args)}`) })
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, error } = JSON.parse(line)
  if (id === 'mine') send({ id: asked, result: answer(`refused ${error.code}`) })
  if (method === 'notifications/cancelled') note(`cancelled ${params.requestId}`)
  if (how === 'silent' && method === 'tools/list') return note('silent')
  if (how === 'mute') return
  if (how === 'garbage') write('\n{"jsonrpc":\nhello\n[1,2]\nnull\n{"jsonrpc":"2.0","id":99,"result":{}}\n{"id":98}\n')
  if (method === 'initialize') {
    const { protocolVersion } = params
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } } })
  }
  if (method === 'tools/list') send({ id, result: list(params) })
  if (method === 'tools/list' && how === 'deaf') process.stdin.pause()
  if (method === 'tools/call') call(id, params)
})
