/** Measures how long one request of a megabyte keeps others waiting: meanwhile it asks for /health again and again. */

import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { Route } from '../src/generated/config.ts'
import type { Case, Options } from './compare.ts'
import { type Contender, withRunning } from './contender.ts'
import { median } from './median.ts'
import { curiousRoutes, type Reading, readings } from './megabytes.ts'
import { SECRET } from './payloads.ts'
import { type Figure, judge } from './report.ts'

type Sent = { readonly type: string; readonly body: Buffer }

const ask = (agent: Agent, url: string, sent?: Sent): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = sent && {
      'Content-Type': sent.type,
      'X-Webhook-Signature': createHmac('sha256', SECRET).update(sent.body).digest('hex'),
      'Content-Length': sent.body.length,
    }
    const asked = request(url, { agent, method: sent ? 'POST' : 'GET', ...(headers ? { headers } : {}) }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    asked.once('error', reject)
    asked.end(sent?.body)
  })

/** Returns the longest time that /health took while one body was worked on, in milliseconds. */
const longestMs = async (base: string, route: string, sent: Sent): Promise<number> => {
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
  const status = await ask(agent, `${base}/webhooks/${route}`, sent)
  done = true
  await asking
  agent.destroy()
  if (status >= 500) throw new Error(`${route} answered ${status}`)
  return longest
}

/** Returns the median of some rounds of `longestMs`. */
const medianMs = async (rounds: number, base: string, route: string, sent: Sent): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await longestMs(base, route, sent))
  return median(times)
}

/** Returns the routes that the launcher adds to the contender's own, by name. */
export const stallRoutes = (): Record<string, Route> =>
  Object.fromEntries(Object.entries(curiousRoutes).map(([name, route]) => [name, { secret: SECRET, ...route } as Route]))

/** Makes the case. Its figure for each reading is the worst of all bodies and routes, each as the median of its rounds. */
export const stall = (name: string, contender: Contender, must: number, aim: number): Case => ({
  name,
  durable: false,
  run: ({ rounds, note }: Options) =>
    withRunning(contender, async ({ baseUrl }) => {
      const worstOf = async ({ type, bodies }: Reading): Promise<{ readonly ms: number; readonly what: string }> => {
        let worst = { ms: 0, what: '' }
        for (const [what, text] of Object.entries(bodies)) {
          const sent = { type, body: Buffer.from(text) }
          for (const route of Object.keys(curiousRoutes)) {
            const ms = await medianMs(rounds, baseUrl, route, sent)
            note(`${name} ${what}, ${route}: ${ms.toFixed(1)} ms`)
            if (ms > worst.ms) worst = { ms, what: `${what}, ${route}` }
          }
        }
        return worst
      }
      const figures: Figure[] = []
      for (const [reading, bodies] of Object.entries(readings)) {
        const { ms, what } = await worstOf(bodies)
        figures.push({
          case: name,
          peer: contender.name,
          figure: `ms, ${reading}, worst: ${what}`,
          value: ms,
          goal: judge(ms, { must, aim }),
        })
      }
      return { rows: [], figures }
    }),
})
