/** Judges what came of a request, beside what came of the genuine one. */

import { equalJson, type Json } from '../../src/core/json.ts'
import type { Event } from '../../src/core/request.ts'
import { schemes } from '../../src/parts/schemes/index.ts'
import { headerIds, nameless, partly, unsigned } from './exempt.ts'
import type { Property } from './finding.ts'
import type { Sent } from './request.ts'
import type { Sender } from './senders.ts'
import type { Taken } from './world.ts'

/** What is compared: the genuine request, what its own route made of it, and what the route of the other request made of it, where that takes it. */
export type Reference = { readonly sent: Sent; readonly alone: Event; readonly here: Event | undefined }

export type Verdict = { readonly property: Property; readonly detail: string }

/** `undefined` where all is well: it was refused, or it is the genuine event again. */
export const judge = (taken: Taken, sent: Sent, sender: Sender, reference: Reference): Verdict | undefined => {
  const { outcome, event } = taken
  if (outcome.kind === 'refused' && outcome.code === 'internal')
    return { property: 'the gateway breaks', detail: outcome.detail?.split('\n')[0] ?? '' }
  const isTaken = outcome.kind === 'accepted' || outcome.kind === 'duplicate'
  if (!isTaken || !event || unsigned[sender.name] !== undefined) return undefined
  const other = otherContent(taken, event, sender, reference)
  if (other !== undefined) return { property: 'the agent gets what was not signed', detail: other }
  if (taken.scheme === sender.name && isStale(sent, sender, reference.sent))
    return { property: 'it is taken after its time', detail: `${Math.round((sent.at - reference.sent.at) / 1000)} s after it was sent` }
  return reference.here && mustRepeat(taken, sent, sender, reference.sent) && event.deliveryId !== reference.here.deliveryId
    ? {
        property: 'the same signature makes a second event',
        detail: `${shortJson(reference.here.deliveryId)}, then ${shortJson(event.deliveryId)}`,
      }
    : undefined
}

const shortJson = (value: Json): string => JSON.stringify(value).slice(0, 160)

/** What the agent would get beside what was signed; `undefined` where it is that. */
const otherContent = ({ scheme }: Taken, event: Event, { name, description }: Sender, { alone, here }: Reference): string | undefined => {
  const covered = partly[name]?.covered
  const [got, wanted] = [event.payload, alone.payload].map((payload) => (covered ? covered(payload) : payload))
  if (!equalJson(got as Json, wanted as Json)) return `payload ${shortJson(event.payload)}`
  if (scheme !== name || !here || covered) return undefined
  if (event.text !== here.text) return `text ${shortJson(event.text)}`
  // A type that the sender writes in a header is nobody's word.
  const isSigned = description.event !== undefined && description.event.header === undefined
  return isSigned && event.eventType !== here.eventType ? `type ${shortJson(event.eventType)}` : undefined
}

/** What no window is longer than. */
const longestMs = 3_600_000 + 900_000

const isStale = (sent: Sent, { description: { timestamp, algorithm } }: Sender, genuine: Sent): boolean =>
  (timestamp !== undefined || algorithm === 'jwt') && sent.at - genuine.at > longestMs

const mustRepeat = ({ scheme = '' }: Taken, sent: Sent, { name }: Sender, genuine: Sent): boolean =>
  isSame(scheme, name) && nameless[name] === undefined && (headerIds[name] === undefined || idLines(sent) === idLines(genuine))

/**
 * Whether the ids of both are read in the same places. Of several named senders with one key each has its id elsewhere: a request that
 * another of them takes is another event.
 */
const isSame = (scheme: string, name: string): boolean => scheme === name || [scheme, name].every((each) => builtin.has(each))
const builtin: ReadonlySet<string> = new Set(schemes.filter(({ reads }) => !reads).map(({ name }) => name))

/** All headers that look as if they held an id. */
const idLines = ({ lines }: Sent): string =>
  lines
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .filter((line) => /^[\w-]*(?:id|delivery|identifier|token|key)\b/.test(line))
    .sort()
    .join('\n')
