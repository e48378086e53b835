/**
 * Makes presets. A preset is a well-known sender as data: how the sender signs, its handshakes, its event types, and texts that tell an
 * operator how to set up the sender and a route for it.
 */

import type { SignatureScheme } from '../../generated/config.ts'
import { describedScheme } from './described/described.ts'
import type { Batch, Repeats, Scheme } from './scheme.ts'

/** A preset as its file declares it. Its texts are shown in docs/senders.md, by commands and in the editor. */
export type PresetSpec = {
  /** The value of a route's key `verify` that chooses this preset, in snake_case. */
  readonly name: string
  readonly title: string
  /** Aliases of the sender's name. */
  readonly aliases?: readonly string[]
  /** The sender's own page on its signatures. */
  readonly docs: string
  /** The settings at the sender, and where they are. */
  readonly senderSetup: string
  /** Who makes the key: the sender, which shows the key, or the operator, who chooses the key and enters it at the sender. */
  readonly keyFrom: 'sender' | 'you'
  /** The kind of key. For a key that the sender makes, also the place at which the sender shows it. */
  readonly key: string
  /** Event types of the sender, the commonest first. */
  readonly events: readonly string[]
  /** Further known types, which are not shown. */
  readonly furtherEvents?: readonly string[]
  /** The field of the payload that names the action, where the type alone does not. */
  readonly actionField?: string
  readonly sample: string
  /** A first route for the sender, as YAML, without `verify` and without the sender's key. */
  readonly route: string
  /**
   * For a sender that sends its key to the route: `what` the operator does until the route has the key, and the YAML of the `route` until
   * then.
   */
  readonly before?: { readonly what: string; readonly route: string }
  /** The answer to an event, where the sender does not take the gateway's usual answer. `respond` of a route takes precedence. */
  readonly respond?: NonNullable<Scheme['respond']>
  /** How long the sender waits for an answer, in seconds; absent where its documentation does not say so. */
  readonly waitsSeconds?: number
  readonly repeats?: Repeats
  /** The list of a sender that puts several events into one request. */
  readonly batch?: Batch
  /** The points that the sender's documentation does not settle. They are reported for each route that names the preset. */
  readonly uncertain?: string
  /** The description by which the scheme is compiled. */
  readonly scheme: Omit<SignatureScheme, 'title'>
}

/** A preset: the compiled scheme, the texts on its sender (`about`), and the description from which the scheme was compiled. */
export type Preset = Scheme & { readonly about: Omit<PresetSpec, 'scheme'>; readonly description: SignatureScheme }

export const preset = ({ scheme, ...about }: PresetSpec): Preset => {
  const {
    name,
    title,
    aliases = [],
    respond,
    waitsSeconds,
    repeats,
    batch,
    uncertain,
    events,
    furtherEvents = [],
    actionField,
    keyFrom,
    key,
  } = about
  const description: SignatureScheme = { title, sends: ['json'], ...scheme }
  const made = describedScheme(name, description)
  const help = 'docs/senders.md says more; try it with a test event of the sender'
  const doubt = uncertain === undefined ? [] : [{ code: 'WH315' as const, message: `${name}: ${uncertain}`, help }]
  return {
    ...made,
    aliases,
    ...(keyFrom === 'sender' ? { senderKey: key } : {}),
    ...(respond ? { respond } : {}),
    ...(waitsSeconds === undefined ? {} : { waitsSeconds }),
    ...(repeats ? { repeats } : {}),
    ...(batch ? { batch } : {}),
    events: { names: [...new Set([...events, ...furtherEvents])], ...(actionField === undefined ? {} : { actionField }) },
    notes: [...(made.notes ?? []), ...doubt],
    about,
    description,
  }
}
