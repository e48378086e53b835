/** The one call of a server: what it follows, how much and how long it reads, and what its failures say. */

import type { ServerResponse } from 'node:http'
import t from 'tap'
import { CallFailure } from '../../src/core/calls/call-failure.ts'
import { boundedFetch, callServer, type ServerCall } from '../../src/core/calls/call-server.ts'
import { requestByNode } from '../../src/core/calls/request-by-node.ts'
import { fakeClock } from '../fakes/clock.ts'
import { closedOrigin, sink } from '../fakes/sink.ts'

const secret = 'hunter2'
const asked: ServerCall = { headers: { authorization: `Bearer ${secret}` }, timeoutMs: 10_000, maxAnswerBytes: 8 }

/** The failure of a call, whose message quotes neither the path nor the credential. */
const failureOf = async (call: Promise<unknown>): Promise<Pick<CallFailure, 'kind' | 'message'>> => {
  const thrown = await call.then(
    () => new Error('it has an answer'),
    (error: unknown) => error,
  )
  if (!(thrown instanceof CallFailure)) throw thrown
  if (thrown.message.includes(secret)) throw new Error('the failure quotes a secret')
  return { kind: thrown.kind, message: thrown.message }
}

const answers: { readonly [path: string]: (response: ServerResponse) => void } = {
  '/moved': (response) => response.writeHead(302, { location: '/there' }).end('moved'),
  '/there': (response) => response.end('there'),
  '/long': (response) => response.end('123456789'),
  '/refused': (response) => response.writeHead(404).end('123456789'),
  '/cut': (response) => {
    response.writeHead(200, { 'content-length': '8' }).write('12', () => response.destroy())
  },
  '/none': (response) => response.destroy(),
  '/silent': () => {},
}

t.test('a redirect is an answer, and is not followed', async (t) => {
  const { origin, seen } = await sink(t, (response, { url }) => answers[url]?.(response))
  t.match(await callServer(`${origin}/moved`, asked), { status: 302, ok: false })
  const raw = await boundedFetch(8)(`${origin}/moved`)
  t.equal(raw.status, 302)
  t.equal(await raw.text(), 'moved')
  t.same(
    seen.map(({ url }) => url),
    ['/moved', '/moved'],
  )
})

t.test('an answer is read up to its bound; of a refusal only the status counts, unless it is asked for', async (t) => {
  const { origin } = await sink(t, (response, { url }) => answers[url]?.(response))
  t.match(await callServer(`${origin}/there`, asked), { ok: true, bytes: Buffer.from('there'), whole: true })
  const large = { kind: 'large', message: 'the answer is larger than 8 bytes' }
  t.same(await failureOf(callServer(`${origin}/long`, asked)), large)
  t.same(await failureOf(boundedFetch(8)(`${origin}/long`).then((answer) => answer.text())), large)
  t.match(await callServer(`${origin}/refused`, asked), { status: 404, bytes: Buffer.alloc(0), whole: true })
  t.match(await failureOf(callServer(`${origin}/cut`, asked)), { kind: 'broken', message: /^the connection broke off \(\w+\)$/ })
  const any = { ...asked, reads: 'any' } as const
  t.match(await callServer(`${origin}/refused`, any), { status: 404, bytes: Buffer.from('123456789'), whole: false })
  t.match(await callServer(`${origin}/cut`, any), { status: 200, bytes: Buffer.from('12'), whole: false })
})

t.test('a failure says whether the request can have arrived, by either client', async (t) => {
  const { origin } = await sink(t, (response, { url }) => answers[url]?.(response))
  const closed = await closedOrigin()
  const query = `?key=${secret}`
  const refused = { kind: 'unsent', message: 'no connection (ECONNREFUSED)' }
  t.same(await failureOf(callServer(`${closed}/${query}`, asked)), refused)
  t.same(await failureOf(requestByNode(new URL(`${closed}/${query}`), {})), refused)
  const broken = { kind: 'broken', message: /^the connection broke off \(\w+\)$/ }
  t.match(await failureOf(callServer(`${origin}/none`, asked)), broken)
  t.match(await failureOf(requestByNode(new URL(`${origin}/none`), {})), broken)
  const odd = { ...asked, headers: { authorization: `${secret}\nx` } }
  t.match(await failureOf(callServer(`${origin}/there`, odd)), { kind: 'unsent', message: /^no request can be made/ })
  t.match(await failureOf(callServer(`http://${secret}@127.0.0.1/`, asked)), { kind: 'unsent', message: /^no request can be made/ })
  t.match(await failureOf(callServer('http://127.0.0.1:25/', asked)), { kind: 'unsent', message: /^its port belongs to another protocol/ })
})

t.test('a call ends with its time, and with the signal of its caller', async (t) => {
  const clock = fakeClock()
  const stop = new AbortController()
  let begun = (): void => clock.advance(10_000)
  const { origin, seen } = await sink(t, () => setImmediate(begun))
  const call = { ...asked, clock, signal: stop.signal }
  t.same(await failureOf(callServer(`${origin}/silent`, call)), { kind: 'late', message: 'no answer in time' })
  t.same(await failureOf(callServer(`${origin}/silent`, { ...call, timeoutMs: 0 })), { kind: 'unsent', message: 'no time left' })
  t.equal(seen.length, 1)
  begun = () => stop.abort(new Error('the run was stopped'))
  await t.rejects(callServer(`${origin}/silent`, call), { message: 'the run was stopped' })
})
