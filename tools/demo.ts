/**
 * Shows the built gateway at work, by real requests over loopback: an event that is accepted, a forgery, an event that a filter stops, a
 * retry, and a kill. Each step is checked: the demo ends with 1 at the first that is not as it should be.
 */

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const timeoutMs = 30_000
const secret = 'a-secret-of-the-demo-alone-0123456789'
const folder = mkdtempSync(join(tmpdir(), 'headgate-demo-'))
// The gateway gets only these variables, because settings of whoever runs the demo must not count.
const env = { PATH: process.env.PATH, HEADGATE_HOME: folder }

const configFor = (target: string): string => `
platforms:
  webhook:
    enabled: true
    extra:
      secret: ${secret}
      routes:
        pr-review:
          events: [pull_request]
          filters:
            - { field: action, in: [opened, reopened] }
            - not: { field: pull_request.draft, equals: true }
          prompt: 'Review PR #{number}'
          deliver: http
          deliver_extra: { url: '${target}' }
          retry: { max_attempts: 3, backoff: 0.2 }
`

/** Where the gateway delivers replies. `next` says what becomes of the next one. */
const receiver = { next: 'take' as 'take' | 'refuse' | 'keep waiting', taken: [] as string[] }

/** Returns the receiver's address. */
const startReceiver = async (): Promise<string> => {
  const server = createServer(async (request, response) => {
    const reply = JSON.parse(await text(request)).text
    if (receiver.next === 'keep waiting') return
    if (receiver.next === 'take') receiver.taken.push(reply)
    response.writeHead(receiver.next === 'take' ? 200 : 503).end()
    receiver.next = 'take'
  }).unref()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

let gateway: ChildProcess | undefined

/** Returns the gateway's address, once it listens. */
const startGateway = async (): Promise<string> => {
  const argv = ['dist/main.js', 'gateway', 'run', '--port', '0', '--log-format', 'json']
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  gateway = child
  for await (const line of createInterface({ input: child.stdout })) {
    const { url }: { url?: string } = JSON.parse(line)
    if (url === undefined) continue
    child.stdout.resume()
    return url
  }
  throw new Error('the gateway ended before it listened')
}

/** Ends the gateway, and returns its exit code, or the signal that ended it. */
const endGateway = async (signal: NodeJS.Signals): Promise<number | string> => {
  gateway?.kill(signal)
  const [code, by] = gateway ? await once(gateway, 'exit') : []
  return code ?? by
}

type Post = { readonly id: number; readonly draft?: boolean; readonly key?: string }

/** Posts an opened pull request as GitHub does, and returns the answer: its status and its word. */
const post = async (url: string, { id, draft = false, key = secret }: Post): Promise<string> => {
  const { body: sample } = JSON.parse(readFileSync('samples/github/pull_request.opened.json', 'utf8'))
  const body = JSON.stringify({ ...sample, number: id, pull_request: { ...sample.pull_request, draft } })
  const signature = createHmac('sha256', key).update(body).digest('hex')
  const headers = { 'X-GitHub-Event': 'pull_request', 'X-GitHub-Delivery': `delivery-${id}`, 'X-Hub-Signature-256': `sha256=${signature}` }
  const response = await fetch(`${url}/webhooks/pr-review`, { method: 'POST', headers, body })
  const { status, error } = (await response.json()) as { status?: string; error?: string }
  return `${response.status} ${status ?? error}`
}

type EventRecord = {
  readonly reason: string | null
  readonly state: string
  readonly attempt: number
  readonly tries: readonly { readonly error: string }[]
}

/** Asks `headgate events`, as a user would. */
const events = async <T>(...argv: readonly string[]): Promise<T> =>
  JSON.parse((await promisify(execFile)(process.execPath, ['dist/main.js', 'events', ...argv, '--json'], { env })).stdout).data

/** Waits until the run of an event has ended. */
const endOf = async (id: number): Promise<EventRecord> => {
  const event = await events<EventRecord>('show', `delivery-${id}`)
  if (event.state !== 'waiting' && event.state !== 'running') return event
  await delay(50)
  return endOf(id)
}

const show = (step: string, sent: string, came: string): void => console.log(`${step.padEnd(10)}--> ${sent}\n${' '.repeat(10)}<-- ${came}`)

const accepted = async (url: string): Promise<void> => {
  const answer = await post(url, { id: 1 })
  assert.equal(answer, '202 accepted')
  assert.equal((await endOf(1)).state, 'done')
  assert.deepEqual(receiver.taken, ['Review PR #1'])
  show('genuine', 'a pull request was opened, signed as GitHub signs', `${answer}: its run is done, and delivered "${receiver.taken[0]}"`)
}

const forged = async (url: string): Promise<void> => {
  const answer = await post(url, { id: 2, key: 'another secret' })
  assert.equal(answer, '401 Invalid signature')
  const [event] = (await events<{ events: EventRecord[] }>('list', '--outcome', 'bad_signature')).events
  assert.equal(event?.reason, 'github: no secret of the route gives this signature')
  show('forged', 'the same, signed with another secret', `${answer}: ${event.reason}`)
}

const filtered = async (url: string): Promise<void> => {
  const answer = await post(url, { id: 3, draft: true })
  assert.equal(answer, '200 ignored')
  const { reason } = await endOf(3)
  assert.equal(reason, 'filters[1].not pull_request.draft equals true (got true)')
  show('filtered', 'a draft, signed', `${answer}: ${reason}`)
}

const retried = async (url: string): Promise<void> => {
  receiver.next = 'refuse'
  const answer = await post(url, { id: 4 })
  assert.equal(answer, '202 accepted')
  const { state, attempt, tries } = await endOf(4)
  assert.deepEqual({ state, attempt, failed: tries.length }, { state: 'done', attempt: 2, failed: 1 })
  assert.match(tries[0]?.error ?? '', /answered HTTP 503$/)
  show('retried', 'signed, and the receiver fails once', `${answer}: attempt 1: ${tries[0]?.error}; attempt 2: done`)
}

const killed = async (url: string): Promise<void> => {
  receiver.next = 'keep waiting'
  const answer = await post(url, { id: 5 })
  assert.equal(await endGateway('SIGKILL'), 'SIGKILL')
  assert.equal(answer, '202 accepted')
  receiver.next = 'take'
  await startGateway()
  assert.equal((await endOf(5)).state, 'done')
  assert.deepEqual(receiver.taken, ['Review PR #1', 'Review PR #4', 'Review PR #5'])
  show('killed', 'signed, and SIGKILL once it is answered', `${answer}: started again, the run is done; 3 accepted, 3 delivered, none lost`)
}

const demo = async (): Promise<void> => {
  writeFileSync(join(folder, 'config.yaml'), configFor(await startReceiver()), { mode: 0o600 })
  const url = await startGateway()
  for (const step of [accepted, forged, filtered, retried, killed]) await step(url)
  assert.equal(await endGateway('SIGTERM'), 0, 'the gateway stops cleanly')
  console.log('\nAll of it is as it should be. Next, for yourself: npm run build && npm link')
}

const fail = (why: unknown): never => {
  console.error(`demo failed: ${why instanceof Error ? why.message : why}`)
  process.exit(1)
}
process.once('exit', () => {
  gateway?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, fail)
setTimeout(() => fail(`it took more than ${timeoutMs / 1000} s`), timeoutMs).unref()
await demo().catch(fail)
