/** Mutations of headers: the header of the signature twice or in another spelling, and other times and ids beside it. */

import { jsonOf } from '../parts.ts'
import { bytesOf, headerIn, type Sent, withBody, withHeader, withLine } from '../request.ts'
import { setAt } from '../set-at.ts'
import type { Mutate, Mutation, Scene } from './mutation.ts'

const placeOf = ({ sender: { description } }: Scene) =>
  description.signature ?? (description.algorithm === 'basic' || description.algorithm === 'jwt' ? { header: 'Authorization' } : {})

const signature: Mutate = (sent, scene) => {
  const { random } = scene
  const { header, label = 'v1', prefix = '' } = placeOf(scene)
  const value = header === undefined ? undefined : headerIn(sent, header)
  if (header === undefined || value === undefined) return undefined
  const wrong = value.replace(/[0-9a-f]{8}/i, '00000000')
  if (random.whole(3) === 0)
    return withLine(sent, random.pick([header, header.toLowerCase()]), random.pick([value, wrong, '']), random.whole(2) === 0)
  const changed = random.pick([
    `${wrong},${value}`,
    `${value},${wrong}`,
    `${value} ${wrong}`,
    `${wrong} ${value}`,
    `${value},${label}=${'0'.repeat(64)}`,
    `${value},t=1,timestamp=1`,
    `t=1,${value}`,
    value.split(',').reverse().join(','),
    value.toUpperCase(),
    `${prefix}${value}`,
    value.slice(prefix.length),
    value.replace(/=+$/, ''),
    `${value}=`,
    value.replaceAll('+', '-').replaceAll('/', '_'),
    ` ${value}\t`,
    `${value};`,
    value.slice(0, -1),
  ])
  return withHeader(sent, header, changed)
}

/** Returns other spellings of the time of a request, and some texts that are another time or none. */
const otherTimes = (time: string): readonly string[] => [
  `${time}000`,
  `${time}.0`,
  `${time}.000000001`,
  `0${time}`,
  `+${time}`,
  `${time} `,
  `${time}e0`,
  time.slice(0, -3),
  time.replace('Z', '+00:00'),
  time.replace(/\.\d+Z/, 'Z'),
  time.replace('T', ' '),
  String(Number(time) + 1),
  '',
]

const time: Mutate = (sent, { random, sender: { description } }) => {
  const { header, label, body } = description.timestamp ?? {}
  if (header !== undefined) {
    const value = headerIn(sent, header) ?? ''
    if (label === undefined) return withHeader(sent, header, random.pick([undefined, ...otherTimes(value)]))
    return withHeader(
      sent,
      header,
      value.replace(new RegExp(`\\b${label}=([^,]*)`), (_all, at: string) => `${label}=${random.pick(otherTimes(at))}`),
    )
  }
  const payload = jsonOf(sent)
  const [path] = [body ?? []].flat()
  if (path === undefined || payload === undefined) return undefined
  const value = path.split('.').reduce<unknown>((at, key) => (at as { [key: string]: unknown } | undefined)?.[key], payload)
  // `String` throws for a map whose member `toString` is no function, so no map or list is converted.
  const now = typeof value === 'object' ? '' : String(value)
  return withBody(sent, bytesOf(JSON.stringify(setAt(payload, path.split('.'), random.pick(otherTimes(now))))))
}

const twoHoursMs = 7_200_000

/** Sends the captured request at a later time, when it is out of date. */
const late: Mutate = (sent, { random }) => ({ ...sent, at: sent.at + random.pick([1, 12, 24 * 365]) * twoHoursMs })

/** Changes, adds or removes a header with an id, which most schemes do not sign. */
const id: Mutate = (sent, { random, sender, other }) => {
  const names = ['X-Request-ID', 'Idempotency-Key', 'X-GitHub-Delivery', 'webhook-id', 'svix-id', 'X-Gitlab-Event-UUID']
  const name = random.pick([
    ...names,
    ...(sender.scheme.idHeaders ?? []),
    ...(other.scheme.idHeaders ?? []),
    ...(other.scheme.idHeaders ?? []),
  ])
  return withHeader(sent, name, random.pick(['new', undefined, 'a'.repeat(300), '\xe9', 'a, b']))
}

/** Adds the signature header of another scheme, with a false value. */
const beside: Mutate = (sent: Sent, { random, other }) => {
  const { header } = other.description.signature ?? {}
  return header === undefined
    ? undefined
    : withLine(sent, header, random.pick(['', 'x', `sha256=${'0'.repeat(64)}`]), random.whole(2) === 0)
}

export const headers: readonly Mutation[] = [
  { name: 'signature', mutate: signature },
  { name: 'time', mutate: time },
  { name: 'late', mutate: late },
  { name: 'id', mutate: id },
  { name: 'another scheme beside it', mutate: beside },
]
