/**
 * Slack and Discord through a relay to a live gateway: each gets the answer that the platform's own library gives to the same bytes, within
 * the three seconds that both platforms wait.
 */

import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { startGateway } from '../fakes/gateway.ts'
import { relayKey, startRelay } from '../fakes/relay.ts'
import { HTTPReceiver, LogLevel, verifyKeyMiddleware } from '../foreign/receivers.ts'

const timeoutMs = 3_000
const signingSecret = 'the signing secret of the app'

type Sent = { readonly body: string; readonly headers: { readonly [name: string]: string } }
type Answer = { readonly status: number; readonly type: string; readonly text: string; readonly ms: number }

const post = async (url: string, { body, headers }: Sent): Promise<Answer> => {
  const began = performance.now()
  const answer = await fetch(url, { method: 'POST', body, headers })
  const text = await answer.text()
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text, ms: performance.now() - began }
}

const serve = async (t: Test, listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a relay with a gateway behind it, and returns the address of the gateway's route. */
const startBoth = async (t: Test, route: object): Promise<string> => {
  const { url } = await startRelay(t)
  const config = { relay: { url: `${url}/home`, key: relayKey, listen: false } }
  const gateway = await startGateway(t, { routes: { app: { prompt: 'p', deliver: 'log', ...route } }, config })
  await gateway.line(({ msg }) => msg === 'connected to the relay')
  return `${url}/home/webhooks/app`
}

const now = (): number => Math.floor(Date.now() / 1_000)

const bySlack = (body: string, { at = now(), type = 'application/json' } = {}): Sent => {
  const signature = `v0=${createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex')}`
  return { body, headers: { 'content-type': type, 'x-slack-request-timestamp': String(at), 'x-slack-signature': signature } }
}

t.test('Slack: the gateway answers as the receiver of Bolt does', async (t) => {
  const receiver = new HTTPReceiver({ signingSecret, endpoints: '/', logLevel: LogLevel.ERROR })
  const taken: unknown[] = []
  const processEvent = async ({ body, ack }: { readonly body: unknown; readonly ack: () => Promise<void> }): Promise<void> => {
    taken.push(body)
    await ack()
  }
  receiver.init({ processEvent } as unknown as Parameters<HTTPReceiver['init']>[0])
  const bolt = await serve(t, receiver.requestListener)
  const ours = await startBoth(t, { verify: 'slack', secret: signingSecret })
  const both = async (sent: Sent): Promise<readonly [Answer, Answer]> => [await post(bolt, sent), await post(ours, sent)]

  const [theirs, answer] = await both(bySlack('{"type":"url_verification","token":"t","challenge":"3eZbrw1aB"}'))
  t.match(theirs, { status: 200, text: '{"challenge":"3eZbrw1aB"}' })
  t.match(answer, { status: 200, type: /^application\/json|^text\/plain/, text: /3eZbrw1aB/ })
  t.ok(answer.ms < timeoutMs)

  const event = '{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention","text":"hello"}}'
  for (const sent of [bySlack(event), bySlack('command=%2Fdeploy&text=now', { type: 'application/x-www-form-urlencoded' })]) {
    const [theirs, answer] = await both(sent)
    t.equal(theirs.status, 200)
    t.ok(answer.status >= 200 && answer.status < 300, `${answer.status}: Slack takes any 2xx`)
    t.ok(answer.ms < timeoutMs)
  }
  t.equal(taken.length, 2)

  const changed = { ...bySlack(event), body: event.replace('hello', 'hullo') }
  const old = bySlack(event, { at: now() - 600 })
  for (const sent of [changed, old, { body: event, headers: { 'content-type': 'application/json' } }]) {
    const [theirs, answer] = await both(sent)
    t.equal(theirs.status, 401)
    t.equal(answer.status, 401)
  }
})

t.test('Discord: the gateway answers as the library of Discord does', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex')
  const byDiscord = (body: string): Sent => {
    const at = String(now())
    const signature = sign(null, Buffer.from(`${at}${body}`), privateKey).toString('hex')
    return { body, headers: { 'content-type': 'application/json', 'x-signature-ed25519': signature, 'x-signature-timestamp': at } }
  }
  const check = verifyKeyMiddleware(key)
  let commands = 0
  const library = await serve(t, (request, response) => {
    // The library asks for a header as Express gives it.
    const asExpress = Object.assign(request, { header: (name: string) => request.headers[name.toLowerCase()] })
    void check(asExpress as unknown as Parameters<typeof check>[0] & IncomingMessage, response as never, () => {
      commands++
      response.end('{"type":5}')
    })
  })
  const ours = await startBoth(t, { verify: 'discord', public_key: key })
  const both = async (sent: Sent): Promise<readonly [Answer, Answer]> => [await post(library, sent), await post(ours, sent)]

  const [theirs, answer] = await both(byDiscord('{"id":"1","application_id":"1","type":1,"version":1}'))
  t.match(theirs, { status: 200, type: /^application\/json/, text: '{"type":1}' })
  t.match(answer, { status: 200, type: /^application\/json/ })
  t.strictSame(JSON.parse(answer.text), JSON.parse(theirs.text))
  t.ok(answer.ms < timeoutMs)

  const command = byDiscord('{"id":"2","application_id":"1","type":2,"version":1,"data":{"name":"deploy"}}')
  const [, taken] = await both(command)
  t.equal(commands, 1)
  t.ok(taken.status < 300 && taken.ms < timeoutMs, `${taken.status} after ${taken.ms} ms`)

  for (const sent of [
    { ...command, body: command.body.replace('deploy', 'delete') },
    { ...command, headers: {} },
  ]) {
    const [theirs, answer] = await both(sent)
    t.equal(theirs.status, 401)
    t.equal(answer.status, 401, 'Discord tries wrong signatures, and takes no address that lets one in')
  }
})
