/**
 * `npm run bench:console [-- --events 100000]`: how soon the console answers about many recorded events, how much memory that takes, and
 * how a browser scrolls through their list.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { systemClock } from '../src/core/clock.ts'
import { openJournal } from '../src/journal/journal.ts'
import { chromium } from '../test/foreign/browser.ts'
import { table } from './durability/table.ts'
import { machine } from './machine.ts'
import { median } from './median.ts'

const { values: given } = parseArgs({
  options: { events: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '9' } },
})
const count = Number(given.events)
const rounds = Number(given.rounds)
const main = process.env.HEADGATE_MAIN ?? fileURLToPath(new URL('../dist/main.js', import.meta.url))
const chromiumPath = '/usr/bin/chromium'
const limits = { filterMs: 50, listMs: 300, frameMs: 20 }
const routes = ['pr-review', 'pushes', 'issues', 'deploys']
/** The time that the console gets to index the journal, in milliseconds. */
const timeoutMs = 60_000

/** Writes a journal: of four events, two are done, one is ignored, and one in a thousand is dead. */
const fill = async (dir: string): Promise<void> => {
  writeFileSync(join(dir, 'config.yaml'), 'platforms: { webhook: { enabled: true } }\nagent: { runner: echo }\n', { mode: 0o600 })
  mkdirSync(join(dir, 'state'), { mode: 0o700 })
  const bounds = { maxAgeMs: 72 * 3_600_000, maxBytes: 1_073_741_824, maxEvents: 1_000_000 }
  const journal = await openJournal({
    folder: join(dir, 'state', 'events'),
    clock: systemClock,
    limits: () => bounds,
    report: console.error,
  })
  const began = Date.now() - count * 500
  for (let n = 0; n < count; n++) {
    const at = (later: number): string => new Date(began + n * 500 + later).toISOString()
    const event_id = `${n.toString(16).padStart(8, '0')}-0000-4000-8000-${(n * 7_919).toString(16).padStart(12, '0')}`
    const about = { event_id, profile: 'default', route: routes[n % routes.length] ?? '', event_type: 'push', delivery_id: `d-${event_id}` }
    const isIgnored = n % 4 === 3
    const outcome = isIgnored
      ? { outcome: 'ignored', stage: 'filters', status: 200, reason: 'filters[0]: payload.action is "closed"' }
      : { outcome: 'accepted', stage: 'dispatch', status: 202 }
    const body = JSON.stringify({ number: n, action: isIgnored ? 'closed' : 'opened', text: 'lorem ipsum '.repeat(60) })
    journal.add(
      { kind: 'received', at: at(0), ...about, ...outcome, duration_ms: 1.5 },
      { headers: { 'content-type': 'application/json' }, body: Buffer.from(body) },
    )
    if (!isIgnored)
      journal.add({
        kind: 'ended',
        at: at(400),
        ...about,
        state: n % 1_000 === 0 ? 'dead' : 'done',
        attempt: 1,
        duration_ms: 300,
        ...(n % 1_000 === 0 ? { error: 'the agent ended with 1' } : {}),
        target: 'log',
        usage: { steps: 2, input_tokens: 900, output_tokens: 120, cost: 0.004, tools: {} },
      })
    if (n % 2_000 === 0) await journal.flushed()
  }
  await journal.close()
}

const start = async (dir: string): Promise<{ readonly child: ChildProcess; readonly address: string }> => {
  const child = spawn(process.execPath, [main, '--data-dir', dir, 'console', '--no-open', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) return { child, address: line }
  throw new Error('the console ended')
}

type Ask = (name: string, question: object) => Promise<{ readonly ms: number }>

/** Signs in as a page does. */
const signIn = async (address: string): Promise<Ask> => {
  const { origin, hash } = new URL(address)
  const ofPage = { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  const signedIn = await fetch(`${origin}/ask/signIn`, { method: 'POST', headers: ofPage, body: JSON.stringify({ code: hash.slice(6) }) })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const { bearer } = (await signedIn.json()) as { bearer: string }
  return async (name, question) => {
    const began = performance.now()
    const asked = await fetch(`${origin}/ask/${name}`, {
      method: 'POST',
      headers: { ...ofPage, cookie, authorization: `Bearer ${bearer}` },
      body: JSON.stringify(question),
    })
    const answer = await asked.json()
    if (!asked.ok) throw new Error(JSON.stringify(answer))
    return { ms: performance.now() - began }
  }
}

const memoryMib = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

const questions: readonly (readonly [what: string, name: string, question: object])[] = [
  ['newest 50', 'events', {}],
  ['one route', 'events', { route: 'deploys' }],
  ['one outcome', 'events', { outcome: ['ignored:filters'] }],
  ['dead', 'events', { state: ['dead'] }],
  ['oldest hour', 'events', { until: Date.now() - count * 490 }],
  ['outcome without a hit', 'events', { outcome: ['rate_limited'] }],
  ['text with hits', 'events', { text: 'ipsum' }],
  ['text without a hit', 'events', { text: 'not in there' }],
  ['charts of a day', 'charts', { span: 'day' }],
]

const browse = async (address: string): Promise<readonly (readonly [string, number, number])[]> => {
  const browser = await chromium.launch({ executablePath: chromiumPath, chromiumSandbox: false, args: ['--disable-gpu'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } })
    await page.goto(address)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    const shown: number[] = []
    for (let round = 0; round < rounds; round++) {
      await page.goto(new URL('/health', address).href)
      const began = performance.now()
      await page.goto(new URL('/events', address).href)
      await page.locator('.event').nth(10).waitFor()
      shown.push(performance.now() - began)
    }
    const frames = await page.evaluate(
      `new Promise((resolve) => {
        const list = document.querySelector('.events'), times = []
        let last = performance.now()
        const step = (now) => {
          times.push(now - last)
          last = now
          list.scrollTop += 200
          if (times.length < 300) requestAnimationFrame(step)
          else resolve(times.slice(5).sort((a, b) => a - b))
        }
        requestAnimationFrame(step)
      })`,
    )
    const times = frames as number[]
    return [
      ['list shown', median(shown), limits.listMs],
      ['a frame while scrolling, p95', times[Math.floor(times.length * 0.95)] ?? 0, limits.frameMs],
    ]
  } finally {
    await browser.close()
  }
}

const dir = mkdtempSync(join(tmpdir(), 'bench-console-'))
const running: ChildProcess[] = []
try {
  console.log(machine())
  await fill(dir)
  const { child, address } = await start(dir)
  running.push(child)
  const ask = await signIn(address)
  const first = await ask('events', {})
  const before = memoryMib(child.pid ?? 0)
  // A question that no record answers is quick as soon as the index is there.
  for (let waited = 0; waited < timeoutMs && (await ask('events', { outcome: ['rate_limited'] })).ms > 100; waited += 100) await wait(100)
  const rows: (readonly string[])[] = [['newest 50, first question', first.ms.toFixed(0), '']]
  for (const [what, name, question] of questions) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push((await ask(name, question)).ms)
    rows.push([what, median(times).toFixed(1), what.startsWith('text') || name !== 'events' ? '' : String(limits.filterMs)])
  }
  if (existsSync(chromiumPath)) {
    const second = await start(dir)
    running.push(second.child)
    for (const [what, ms, limit] of await browse(second.address)) rows.push([what, ms.toFixed(1), String(limit)])
  }
  console.log(table(['what', 'ms', 'at most'], rows))
  console.log(`memory: ${before.toFixed(0)} MiB at the first question, ${memoryMib(child.pid ?? 0).toFixed(0)} MiB at the end`)
} finally {
  for (const child of running) child.kill('SIGTERM')
  rmSync(dir, { recursive: true, force: true })
}
