/** A well-known sender as data: how it signs, its handshakes, and the settings of its user. */

import type { SignatureScheme } from '../../generated/config.ts'
import { describedScheme } from './described/described.ts'
import type { Repeats, Scheme } from './scheme.ts'

export type PresetSpec = {
  /** In snake_case, for `verify`. */
  readonly name: string
  readonly title: string
  /** Aliases of the sender's name. */
  readonly aliases?: readonly string[]
  /** The sender's own page on its signatures. */
  readonly docs: string
  /** The settings at the sender, and where they are. */
  readonly senderSetup: string
  /** Who makes the key: the sender, which shows it, or the operator, who chooses it and enters it there. */
  readonly keyFrom: 'sender' | 'you'
  /** The kind of key, and where the sender shows it. */
  readonly key: string
  /** Event types of the sender, the commonest first. */
  readonly events: readonly string[]
  /** Further known types, which are not shown. */
  readonly furtherEvents?: readonly string[]
  /** The field of the payload that names the action, where the type alone does not. */
  readonly actionField?: string
  /** The sample that shows an event of the sender. */
  readonly sample: string
  /** Keys of a route to begin with, as YAML, beside `verify` and the key. */
  readonly route: string
  /** For a sender whose key comes by a request before the route can have it: the steps, and the route until then. */
  readonly before?: { readonly what: string; readonly route: string }
  /** The answer that the sender wants for an event, where our own answer does not do. `respond` of a route takes precedence. */
  readonly respond?: NonNullable<Scheme['respond']>
  readonly repeats?: Repeats
  /** The points that its documentation leaves open. */
  readonly uncertain?: string
  readonly scheme: Omit<SignatureScheme, 'title'>
}

/** A preset: the scheme, and the description of its sender. */
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
