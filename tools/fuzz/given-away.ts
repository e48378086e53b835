/**
 * Tests signatures that the gateway gives to anybody who asks: some senders want a word signed in a handshake. No such signature may be
 * valid for an event.
 */

import { createRandom, type Random } from '../../bench/durability/random.ts'
import type { Json } from '../../src/core/json.ts'
import type { CaseOptions } from './cases.ts'
import { unsigned } from './exempt.ts'
import type { Finding } from './finding.ts'
import { asAnything } from './mutations/content.ts'
import { dress } from './mutations/redress.ts'
import { bytesOf, headerIn, isSendable, type Sent } from './request.ts'
import type { Sender } from './senders.ts'
import type { RouteSettings, World } from './world.ts'

/** Words that could be read as the body of an event, or as the text that is signed for an event. */
const words = (random: Random, now: string): readonly string[] => [
  'abc',
  'payload',
  'payload=',
  'event==',
  'true',
  `${now}${random.whole(1e9).toString(16)}cafe`,
  `${now}000abc`,
  Buffer.from('{"forged":true}').toString('base64'),
]

/** Whether a handshake of the sender asks for the signature of a word. */
export const signsWords = ({ description: { handshakes = [] } }: Sender): boolean => JSON.stringify(handshakes).includes('{hmac_')

const sendingTime = 4_000_000_000_000

/** A request without a signature. */
const bare: Sent = {
  target: '/webhooks/hook',
  lines: [
    ['Host', 'a'],
    ['Content-Type', 'application/json'],
  ],
  body: '',
  at: sendingTime,
}

export const runAsked = async ({ world, sender, senders, seed, requests }: CaseOptions): Promise<readonly Finding[]> => {
  const random = createRandom(seed)
  world.forget()
  const others = senders.filter((each) => each.secret === sender.secret && unsigned[each.name] === undefined)
  const findings: Finding[] = []
  for (let i = 0; i < requests; i++) {
    const other = random.pick(others)
    const isList = random.whole(2) === 0
    const names = other === sender ? [sender.name] : random.shuffle([sender.name, other.name])
    const route: RouteSettings = { name: 'hook', verify: isList ? names : [other.name], key: sender.key, address: 'host' }
    const asked: RouteSettings = { ...route, name: 'asked', verify: [sender.name] }
    // A gateway does not start where a key that signs words serves another scheme, too (WH318). Then nobody can ask for a signature.
    if (!world.starts([route, asked])) continue
    const word = random.pick(words(random, String(sendingTime / 1000)))
    const signed = await askedFor(world, sender, asked, word)
    if (signed === undefined) continue
    const loot = { algorithm: sender.description.algorithm, text: word, digest: signed }
    const dressed = dress(bare, loot, other, route, random)
    const sent = dressed && asAnything(dressed, { random })
    if (!sent || !isSendable(sent)) continue
    const { outcome, scheme = '', event } = await world.post(route, sent)
    if (outcome.kind !== 'accepted' && outcome.kind !== 'duplicate') continue
    findings.push({
      property: 'a signature that was given away makes an event',
      sender: sender.name,
      scheme,
      route: isList ? `a list with ${other.name}` : `another route with ${other.name}`,
      steps: [`the word ${word}`],
      detail: `payload ${JSON.stringify(event?.payload).slice(0, 120)}, sent as ${headerIn(sent, 'content-type')}`,
      seed,
    })
  }
  return findings
}

/** Asks the gateway for the signature of a word, as a sender does: by a GET, or by a signed POST. */
const askedFor = async (world: World, sender: Sender, route: RouteSettings, word: string): Promise<Buffer | undefined> => {
  const { handshakes = [] } = sender.description
  const [ask] = handshakes
  if (ask?.when.query !== undefined) {
    const target = `/webhooks/${route.name}?${ask.when.query}=${encodeURIComponent(word)}`
    return digestIn(await world.get(route, { target, lines: [['Host', 'a']], body: '', at: sendingTime }))
  }
  const body = JSON.stringify({ event: ask?.when.equals, payload: { plainToken: word } })
  const { headers } = sender.sign({ body, id: 'asked', at: sendingTime })
  const lines = Object.entries({ Host: 'a', 'Content-Type': 'application/json', ...headers })
  return digestIn((await world.post(route, { target: `/webhooks/${route.name}`, lines, body: bytesOf(body), at: sendingTime })).outcome)
}

/** Reads the signature from the answer: its last value, in hex or base64. */
const digestIn = (outcome: Awaited<ReturnType<World['post']>>['outcome']): Buffer | undefined => {
  if (outcome.kind !== 'handshake') return undefined
  const value = String(Object.values(JSON.parse(outcome.reply.body) as { readonly [name: string]: Json }).at(-1)).replace(/^sha256=/, '')
  return Buffer.from(value, /^[0-9a-f]{64}$/.test(value) ? 'hex' : 'base64')
}
