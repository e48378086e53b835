/** Calls each of a few tools of the MCP server at the address that is its last argument, as the tools of an agent are called. */

import { systemClock } from '../../src/core/clock.ts'
import type { NewRun } from '../../src/core/new-run.ts'
import { compileServer } from '../../src/parts/tools/mcp/server.ts'

const run: NewRun = {
  eventId: 'e1',
  profile: 'default',
  route: 'r',
  event: 'push',
  deliveryId: 'd1',
  prompt: 'p',
  delivery: { target: 'log', extra: {} },
  acceptedAt: 0,
}
const report = (...problem: unknown[]): void => {
  throw new Error(problem.join(' '))
}
const log = Object.assign((...line: unknown[]) => console.error(...line), { writes: () => true })
const settings = { url: process.argv.at(-1) ?? '', allow: ['add_numbers', 'test_reconnection'] }
const made = compileServer('suite', settings, { report, log, clock: systemClock, env: {} })
if (typeof made !== 'object') throw new Error('the toolset owns no connection')
const { signal } = new AbortController()
for (const tool of await made.run(signal)) console.log(tool.name, await tool.call({ a: 5, b: 3 }, { run, signal }))
await made.close()
