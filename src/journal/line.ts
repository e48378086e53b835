/** Parses and checks one line of the journal: a crash may have cut it off, and somebody may have edited it. */

import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { JournalRecord, RawPlace } from './record.ts'

export type Line = { readonly entry: JournalRecord; readonly raw?: RawPlace }

const needed: ReadonlyMap<Json | undefined, readonly string[]> = new Map([
  ['received', ['profile', 'route', 'outcome', 'stage', 'status', 'duration_ms']],
  ['started', ['profile', 'job', 'delivery_id']],
  ['tried', ['attempt', 'error', 'next_at']],
  ['ended', ['profile', 'route', 'event_type', 'delivery_id', 'state', 'attempt']],
  ['revived', []],
])

const texts = [
  'at',
  'event_id',
  'profile',
  'route',
  'event_type',
  'delivery_id',
  'outcome',
  'reason',
  'stage',
  'target',
  'job',
  'group',
  'answer',
]
const types: ReadonlyMap<string, string> = new Map([
  ...[...texts, 'replay_of', 'error', 'next_at', 'state'].map((name) => [name, 'string'] as const),
  ...['status', 'duration_ms', 'attempt', 'count'].map((name) => [name, 'number'] as const),
  ['edited', 'boolean'],
])

/** `undefined` for a line that is damaged, or that is no record of ours. */
export const parseLine = (bytes: Buffer, segment: string): Line | undefined => {
  const value = parse(bytes)
  if (!isObject(value)) return undefined
  const names = needed.get(value.kind)
  if (!names || !holds(value, ['at', 'event_id']) || !holds(value, names)) return undefined
  if (Object.keys(value).some((name) => isWrong(value[name], types.get(name)))) return undefined
  if (value.kind === 'ended' && value.state !== 'done' && value.state !== 'dead') return undefined
  if (value.unverified !== undefined && !isUnverified(value.unverified)) return undefined
  if (value.usage !== undefined && !isUsage(value.usage)) return undefined
  const raw = placeOf(value.raw, segment)
  return raw ? { entry: value as JournalRecord, raw } : { entry: value as JournalRecord }
}

const parse = (bytes: Buffer): Json | undefined => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

const holds = (value: JsonObject, names: readonly string[]): boolean => names.every((name) => Object.hasOwn(value, name))

const isWrong = (value: Json | undefined, type: string | undefined): boolean => type !== undefined && typeof value !== type

const isUnverified = (value: Json): boolean => isObject(value) && typeof value.address === 'string' && typeof value.proxied === 'boolean'

const isUsage = (value: Json): boolean =>
  isObject(value) &&
  ['steps', 'input_tokens', 'output_tokens'].every((name) => typeof value[name] === 'number') &&
  (value.cost === undefined || typeof value.cost === 'number') &&
  isObject(value.tools) &&
  Object.values(value.tools).every((count) => typeof count === 'number')

const isSize = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const placeOf = (raw: Json | undefined, segment: string): RawPlace | undefined => {
  if (!isObject(raw)) return undefined
  const { offset, head_bytes, body_bytes } = raw
  return isSize(offset) && isSize(head_bytes) && isSize(body_bytes) ? { segment, offset, head_bytes, body_bytes } : undefined
}
