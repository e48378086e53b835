/**
 * Asks the user for the key that a subscription lacks. Some senders make the key themselves, so a signature would never hold with a key
 * that is made here.
 */

import { defaultProfile } from '../../config/config.ts'
import { readEntries } from '../../config/writing/entry-store.ts'
import { exit, Fault } from '../../core/fault.ts'
import { type JsonObject, own } from '../../core/json.ts'
import { listenerOf, routeUrl, senderUrl } from '../../datadir/route-address.ts'
import { subscriptionsFile } from '../../datadir/routes.ts'
import { changeEntry, type SubscriptionInput } from '../../datadir/subscription-record.ts'
import type { Route } from '../../generated/config.ts'
import { presets } from '../../parts/schemes/index.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { verifyNames } from '../../parts/written-names.ts'
import { checkedWith } from '../../plan/route-schemes.ts'
import type { SubscriptionContext } from './check-subscription.ts'

export type WantedKey = {
  /** The sender's name, for people. */
  readonly title: string
  /** The settings to make at the sender, and where to make them; `undefined` where they are not known. */
  readonly senderSetup: string | undefined
  /** The kind of key, and where the sender shows it. */
  readonly key: string
  /** The address that the sender posts to. Many senders show their key only after they are given the address. */
  readonly url: string
  /** The setting of the route that holds the key. */
  readonly into: 'secret' | 'public_key'
  /** The beginning of the command that saves the key. */
  readonly command: string
}

/** Asks the user for the key, and returns the typed text. */
export type AskKey = (wanted: WantedKey) => Promise<string>

/**
 * Returns the input, with the sender's key in it where the subscription would lack that key. Throws a Fault for an input that is refused,
 * where nobody can be asked, and for an empty answer.
 */
export const withSenderKey = async (
  served: SubscriptionContext,
  name: string,
  input: SubscriptionInput,
  askKey: AskKey | undefined,
): Promise<SubscriptionInput> => {
  const wanted = keyWanted(served, name, input)
  if (!wanted) return input
  const key = (await askKey?.(wanted))?.trim() ?? ''
  if (key === '') throw keyMissing(wanted)
  return withKey(input, wanted, key)
}

/**
 * Returns the key of the sender that the subscription would lack after the change; `undefined` where the subscription would lack no key.
 * Throws a Fault for a change that is refused.
 */
const keyWanted = (
  { config, catalogue, workspace }: SubscriptionContext,
  name: string,
  input: SubscriptionInput,
): WantedKey | undefined => {
  const { entry, secret } = changeEntry(name, own(readEntries(subscriptionsFile(workspace)), name), input)
  const spec = entry as Route
  const schemes = verifyNames(spec).length > 0 ? checkedWith({ spec }, catalogue) : []
  const [first] = schemes
  if (!first?.senderKey || secret !== 'generated' || !schemes.every((scheme) => lacksKey(scheme, entry))) return undefined
  const profile = String(entry.profile ?? defaultProfile)
  return {
    title: first.title,
    senderSetup: presets.find((preset) => preset.name === first.name)?.about.senderSetup,
    key: first.senderKey,
    url: senderUrl({ name, profile, spec: entry }, routeUrl(listenerOf(config, workspace), name, profile), config.adapter.public_url),
    into: first.keys === 'public' ? 'public_key' : 'secret',
    command: `${workspace.self} webhook subscribe ${name}`,
  }
}

const withKey = (input: SubscriptionInput, { into }: WantedKey, key: string): SubscriptionInput =>
  into === 'secret' ? { ...input, secret: key, rotate: false } : { ...input, from: { ...input.from, public_key: key } }

const keyMissing = ({ title, senderSetup: there, key, url, into, command }: WantedKey): Fault =>
  new Fault('sender_key', `nothing was saved: ${title} makes its key itself, and one that is made here would never hold`, {
    exitCode: exit.usage,
    hint: [
      `the address for ${title}: ${url}${there === undefined ? '' : ` (${there})`}`,
      `its key: ${key}`,
      into === 'secret'
        ? `then: ${command} --secret-file <file> (or --secret-stdin), with your other options`
        : `then: ${command} --from @route.yaml, a file with "verify" and "public_key", with your other options`,
    ].join('\n'),
  })

/** Whether the entry lacks the sender's key. A scheme that fetches its keys needs no key in the entry. */
const lacksKey = ({ senderKey, keys = 'secret' }: Scheme, entry: JsonObject): boolean =>
  senderKey !== undefined && (keys === 'secret' || (keys === 'public' && own(entry, 'public_key') === undefined))
