/** Judges how the gateway ended a forged request, by comparing it with the genuine request. */

import { equalJson, type Json } from '../../src/core/json.ts'
import type { Event } from '../../src/core/request.ts'
import { schemes } from '../../src/parts/schemes/index.ts'
import { headerIds, nameless, partly, unsigned } from './exempt.ts'
import type { Property } from './finding.ts'
import type { Sent } from './request.ts'
import type { Sender } from './senders.ts'
import type { Taken } from './world.ts'

/**
 * The genuine request, its event on its own route (`alone`), and its event on the route of the forged request (`here`), where that route
 * accepts it.
 */
export type Reference = { readonly sent: Sent; readonly alone: Event; readonly here: Event | undefined }

export type Verdict = { readonly property: Property; readonly detail: string }

/**
 * Returns the property that does not hold; `undefined` where all is well: the request made no event, or the genuine event again. For a
 * sender that signs nothing (`unsigned`), only a broken gateway is told.
 */
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

/** Names the first part of the event (payload, text or type) that differs from the genuine event; `undefined` where none differs. */
const otherContent = ({ scheme }: Taken, event: Event, { name, description }: Sender, { alone, here }: Reference): string | undefined => {
  const covered = partly[name]?.covered
  const [got, wanted] = [event.payload, alone.payload].map((payload) => (covered ? covered(payload) : payload))
  if (!equalJson(got as Json, wanted as Json)) return `payload ${shortJson(event.payload)}`
  if (scheme !== name || !here || covered) return undefined
  if (event.text !== here.text) return `text ${shortJson(event.text)}`
  // An event type in a header is not compared: no signature covers it.
  const isSigned = description.event !== undefined && description.event.header === undefined
  return isSigned && event.eventType !== here.eventType ? `type ${shortJson(event.eventType)}` : undefined
}

/** The age at which every scheme must refuse a request: the longest time window, an hour, and a quarter of an hour more. */
const longestMs = 3_600_000 + 900_000

const isStale = (sent: Sent, { description: { timestamp, algorithm } }: Sender, genuine: Sent): boolean =>
  (timestamp !== undefined || algorithm === 'jwt') && sent.at - genuine.at > longestMs

const mustRepeat = ({ scheme = '' }: Taken, sent: Sent, { name }: Sender, genuine: Sent): boolean =>
  isSame(scheme, name) && nameless[name] === undefined && (headerIds[name] === undefined || idLines(sent) === idLines(genuine))

/**
 * Whether the scheme that took the request reads the id in the place where the scheme of the sender reads it. Senders that must be named
 * have their ids in different places, so a request that another sender takes is another event.
 */
const isSame = (scheme: string, name: string): boolean => scheme === name || [scheme, name].every((each) => builtin.has(each))
const builtin: ReadonlySet<string> = new Set(schemes.filter(({ reads }) => !reads).map(({ name }) => name))

/** Returns the lines of all headers whose names look like those of ids. */
const idLines = ({ lines }: Sent): string =>
  lines
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .filter((line) => /^[\w-]*(?:id|delivery|identifier|token|key)\b/.test(line))
    .sort()
    .join('\n')
