/** A well-known sender as data: how it signs, what it asks, and what its user has to set. */

import type { SignatureScheme } from '../../generated/config.ts'
import { describedScheme } from './described/described.ts'
import type { Repeats, Scheme } from './scheme.ts'

export type PresetSpec = {
  /** In snake_case, for `verify`. */
  readonly name: string
  readonly title: string
  /** Other names of the sender. */
  readonly aliases?: readonly string[]
  /** The sender's own page on its signatures. */
  readonly docs: string
  /** What to set at the sender, and where. */
  readonly there: string
  /** Who makes its key: the sender, which shows it, or you, who choose it and enter it there. */
  readonly keyFrom: 'sender' | 'you'
  /** Which key it is, and where the sender shows it. */
  readonly key: string
  /** Event types that it sends, the commonest first. */
  readonly events: readonly string[]
  /** Other types that are known, which nobody is shown. */
  readonly furtherEvents?: readonly string[]
  /** The payload's field that says what was done, where the type alone does not. */
  readonly actionField?: string
  /** The sample that shows what it sends. */
  readonly sample: string
  /** Keys of a route to begin with, as YAML, beside `verify` and the key. */
  readonly route: string
  /** Where its key comes by a request, before the route can have it: what to do, and the route until then. */
  readonly before?: { readonly what: string; readonly route: string }
  /** What it wants for an event, where our own answer is not good enough; `respond` of a route goes before it. */
  readonly respond?: NonNullable<Scheme['respond']>
  readonly repeats?: Repeats
  /** What could not be made certain. */
  readonly uncertain?: string
  readonly scheme: Omit<SignatureScheme, 'title'>
}

/** A preset: the scheme, and what is told of its sender. */
export type Preset = Scheme & { readonly about: Omit<PresetSpec, 'scheme'>; readonly description: SignatureScheme }

export const preset = ({ scheme, ...about }: PresetSpec): Preset => {
  const { name, title, aliases = [], respond, repeats, uncertain, events, furtherEvents = [], actionField, keyFrom, key } = about
  const description: SignatureScheme = { title, sends: ['json'], ...scheme }
  const made = describedScheme(name, description)
  const help = 'docs/senders.md says more; try it with a test event of the sender'
  const doubt = uncertain === undefined ? [] : [{ code: 'WH315' as const, message: `${name}: ${uncertain}`, help }]
  return {
    ...made,
    aliases,
    ...(keyFrom === 'sender' ? { senderKey: key } : {}),
    ...(respond ? { respond } : {}),
    ...(repeats ? { repeats } : {}),
    events: { names: [...new Set([...events, ...furtherEvents])], ...(actionField === undefined ? {} : { actionField }) },
    notes: [...(made.notes ?? []), ...doubt],
    about,
    description,
  }
}
