/** Measures how long one request of a megabyte keeps others waiting: meanwhile it asks for /health again and again. */

import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { Route } from '../src/generated/config.ts'
import type { Case, Options } from './compare.ts'
import { type Contender, withRunning } from './contender.ts'
import { median } from './median.ts'
import { curiousRoutes, megabytes } from './megabytes.ts'
import { SECRET } from './payloads.ts'
import { judge } from './report.ts'

const ask = (agent: Agent, url: string, body?: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = body && {
      'X-Webhook-Signature': createHmac('sha256', SECRET).update(body).digest('hex'),
      'Content-Length': body.length,
    }
    const sent = request(url, { agent, method: body ? 'POST' : 'GET', ...(headers ? { headers } : {}) }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('error', reject)
    sent.end(body)
  })

/** The longest that /health took while one body was worked on, in milliseconds. */
const longestMs = async (base: string, route: string, body: Buffer): Promise<number> => {
  const agent = new Agent({ keepAlive: true })
  let longest = 0
  let done = false
  const asking = (async () => {
    while (!done) {
      const from = performance.now()
      await ask(agent, `${base}/health`)
      longest = Math.max(longest, performance.now() - from)
    }
  })()
  const status = await ask(agent, `${base}/webhooks/${route}`, body)
  done = true
  await asking
  agent.destroy()
  if (status >= 500) throw new Error(`${route} answered ${status}`)
  return longest
}

/** `routes` beside the contender's own, by name, for its launcher. */
export const stallRoutes = (): Record<string, Route> =>
  Object.fromEntries(Object.entries(curiousRoutes).map(([name, route]) => [name, { secret: SECRET, ...route } as Route]))

/** The worst of all bodies and routes. Each is the median of its rounds. */
export const stall = (name: string, contender: Contender, must: number, aim: number): Case => ({
  name,
  durable: false,
  run: ({ rounds, note }: Options) =>
    withRunning(contender, async ({ baseUrl }) => {
      const worst = { ms: 0, what: '' }
      for (const [what, text] of Object.entries(megabytes)) {
        const body = Buffer.from(text)
        for (const route of Object.keys(curiousRoutes)) {
          const times: number[] = []
          for (let round = 0; round < rounds; round++) times.push(await longestMs(baseUrl, route, body))
          const ms = median(times)
          note(`${name} ${what}, ${route}: ${ms.toFixed(1)} ms`)
          if (ms > worst.ms) Object.assign(worst, { ms, what: `${what}, ${route}` })
        }
      }
      const goal = judge(worst.ms, { must, aim })
      return { rows: [], figures: [{ case: name, peer: contender.name, figure: `ms, worst: ${worst.what}`, value: worst.ms, goal }] }
    }),
})
