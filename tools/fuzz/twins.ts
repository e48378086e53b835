/** Sends two events of one sender whose ids differ a little. Neither may be refused as a repeat of the other. */

import { createRandom, type Random } from '../../bench/durability/random.ts'
import type { Json } from '../../src/core/json.ts'
import type { CaseOptions } from './cases.ts'
import type { Finding } from './finding.ts'
import { createGenuine } from './genuine.ts'
import { valueAtPath } from './parts.ts'
import { decodeUtf8, headerIn, isSendable, type Sent } from './request.ts'
import type { RouteSettings } from './world.ts'

/** Pairs of ids that a careless program takes for the same id. */
const pairs = (random: Random): readonly (readonly [string, string])[] => {
  const long = 'a'.repeat(random.pick([199, 200, 201, 400]))
  const high = '漢'.repeat(random.pick([1, 101, 201, 300]))
  // 漢 is U+6F22. The characters in its place, U+4E22 and U+0122, have the same low byte.
  return [
    [`${long}1`, `${long}2`],
    [high, high.replaceAll('漢', '丢')],
    [high, high.replaceAll('漢', 'Ģ')],
    ['é', 'e\u0301'],
    ['\ud83d\ude00'.repeat(101), '\ud83d\ude01'.repeat(101)],
    ['1', '01'],
    ['a', 'A'],
    ['a b', 'a  b'],
  ]
}

/** Whether the events of a sender have an id in the body or in a header, which can be chosen here. */
export const hasIds = ({ description: { id } }: CaseOptions['sender']): boolean => id?.body !== undefined || id?.header !== undefined

/**
 * Whether the event has the chosen id in the place of the sender's ids. Not every event has this place, and not every sender keeps the id
 * as it is.
 */
const hasId = (sent: Sent, payload: Json, { description: { id: place = {} } }: CaseOptions['sender'], id: string): boolean => {
  const inBody = [place.body ?? []].flat().map((path) => valueAtPath(payload, path.split('.')))
  const [first] = inBody.filter((value) => value !== undefined)
  return first === id || (place.header !== undefined && decodeUtf8(headerIn(sent, place.header) ?? '') === id)
}

export const runTwins = async ({ world, sender, seed, requests }: CaseOptions): Promise<readonly Finding[]> => {
  const random = createRandom(seed)
  const route: RouteSettings = { name: 'hook', verify: [sender.name], key: sender.key, address: 'public_url' }
  const findings: Finding[] = []
  for (let i = 0; i < requests / 2; i++) {
    world.forget()
    const from = random.whole(2 ** 31)
    const [first, second] = random.pick(pairs(random))
    const ids: string[] = []
    for (const id of [first, second]) {
      const sent = createGenuine(sender, createRandom(from), route, id)?.sent
      if (!sent || !isSendable(sent)) continue
      const { outcome, event } = await world.post(route, sent)
      const isTaken = outcome.kind === 'accepted' || outcome.kind === 'duplicate'
      if (isTaken && event && hasId(sent, event.payload, sender, id)) ids.push(outcome.deliveryId)
    }
    if (ids.length === 2 && ids[0] === ids[1])
      findings.push({
        property: 'two events have one id',
        sender: sender.name,
        scheme: sender.name,
        route: 'alone',
        steps: [`ids ${JSON.stringify(first.slice(-8))} and ${JSON.stringify(second.slice(-8))}, of ${first.length} characters`],
        detail: ids[0] ?? '',
        seed,
      })
  }
  return findings
}
