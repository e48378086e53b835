/**
 * Sends an event to a route that ignores it, and then again to the same route without its filter: the second must count as a duplicate.
 * Where a signature covers only parts of the body, a stranger could otherwise use it for another body.
 */

import { createRandom } from '../../bench/durability/random.ts'
import type { CaseOptions } from './cases.ts'
import { partly } from './exempt.ts'
import type { Finding } from './finding.ts'
import { createGenuine } from './genuine.ts'
import type { Sender } from './senders.ts'
import type { RouteSettings } from './world.ts'

/** Whether the signature of a sender covers only parts of the body. */
export const signsParts = ({ name }: Sender): boolean => partly[name] !== undefined

export const runIgnored = async ({ world, sender, seed, requests }: CaseOptions): Promise<readonly Finding[]> => {
  const random = createRandom(seed)
  const { name, key } = sender
  const route: RouteSettings = { name: 'hook', verify: [name], key, address: 'public_url' }
  const findings: Finding[] = []
  for (let i = 0; i < requests / 2; i++) {
    world.forget()
    const genuine = createGenuine(sender, random, route)
    if (!genuine) continue
    const first = await world.post({ ...route, events: ['none.of.its.events'] }, genuine.sent)
    if (first.outcome.kind !== 'ignored') continue
    const { outcome } = await world.post(route, genuine.sent)
    if (outcome.kind === 'duplicate') continue
    findings.push({
      property: 'the same signature makes a second event',
      sender: name,
      scheme: name,
      route: 'alone',
      steps: [...genuine.variants, 'an event that the route ignores'],
      detail: `the first was ignored, the second ${outcome.kind}`,
      seed,
    })
  }
  return findings
}
