/** Creates or updates a subscription, after a check that the gateway would serve it. */

import { defaultProfile, insecure } from '../../config/config.ts'
import { type EntriesUpdate, readEntries } from '../../config/writing/entry-store.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { changeEntries } from '../../datadir/entries/change-entries.ts'
import { type Refusal, refusal } from '../../datadir/refusal.ts'
import { listenerOf, routeUrl, senderUrl } from '../../datadir/route-address.ts'
import { shadowWarning, subscriptionsFile } from '../../datadir/routes.ts'
import { type Change, changeEntry, type SubscriptionInput } from '../../datadir/subscription-record.ts'
import { type Warning, warningOf, warningWithHelp } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { signingCurl, unsignedCurl } from '../../dryrun/requests/curl.ts'
import { schemeOf } from '../../dryrun/requests/sign-test.ts'
import { withDryEffects } from '../../dryrun/trace/dry-effects.ts'
import type { Route } from '../../generated/config.ts'
import type { Effects } from '../../parts/effects.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { quietBook } from '../../plan/check.ts'
import type { JobBook } from '../../plan/jobs.ts'
import { allSchemes } from '../../plan/route-schemes.ts'
import { checkEntry, readSubscriptionContext, type SubscriptionContext } from './check-subscription.ts'
import { type AskKey, withSenderKey } from './sender-key.ts'

export type Subscribed = {
  readonly ok: true
  readonly name: string
  readonly change: Change
  readonly url: string
  /** The secret that was made for the subscription, to be shown once; `undefined` where none was made, and in a dry run. */
  readonly newSecret: string | undefined
  /** The secret or public key in use, with references resolved. */
  readonly secret: string
  /** The scheme that a test of the subscription would be signed with. */
  readonly scheme: string
  /** How a sender signs for the subscription, in words; `undefined` where nothing is signed, or the scheme cannot be signed in a shell. */
  readonly how: string | undefined
  /** A shell line that posts to the subscription; `undefined` where the scheme cannot be signed in a shell. */
  readonly curl: string | undefined
  /** A configured route of the same name hides the subscription. */
  readonly shadowed: boolean
  readonly warnings: readonly Warning[]
}

/** What the user is shown and asked before the subscription is saved. */
export type SubscribeDialogue = {
  readonly note: (...notices: readonly string[]) => void
  /** Absent where nobody can be asked. */
  readonly askKey?: AskKey | undefined
}

export type SubscribeRequest = SubscribeDialogue & {
  /**
   * Reads the user's input. It is called only once the configuration was read, so that a broken configuration is reported first and alone.
   */
  readonly readInput: () => Promise<SubscriptionInput>
  /** Does everything but ask for a key and save. */
  readonly dryRun: boolean
}

/**
 * Makes the subscription from the stored entry and the user's input, and saves it. Returns a refusal where the gateway would not serve it.
 * Throws a Fault for input that cannot be used, and as `readSubscriptionContext` does.
 */
export const subscribe = async (
  workspace: Workspace,
  name: string,
  { readInput, dryRun, note, askKey }: SubscribeRequest,
): Promise<Subscribed | Refusal> => {
  const served = await readSubscriptionContext(workspace)
  if (!served.ok) return served
  note(...served.notices)
  const input = await readInput()
  return saveInput(served, name, dryRun ? input : await withSenderKey(served, name, input, askKey), dryRun)
}

const saveInput = async (
  served: SubscriptionContext,
  name: string,
  input: SubscriptionInput,
  dryRun: boolean,
): Promise<Subscribed | Refusal> => {
  const { config, workspace } = served
  const file = subscriptionsFile(workspace)
  const { change, secret, diagnostics, refused, likely } = await withDryEffects((effects) => {
    const update = updateOf(name, input, { ...served, effects }, dryRun)
    return dryRun ? update(readEntries(file)).result : changeEntries(workspace, file, update)
  })
  if (refused) return refusal(`nothing was saved: "${name}" would not be served like this`, diagnostics)
  const shadowed = config.routes.has(name)
  const warnings = [
    ...diagnostics.map(warningOf),
    ...likely.map(warningWithHelp),
    ...(shadowed ? [shadowWarning({ name })] : []),
    ...secretWarning(name, change),
  ]
  const profile = String(change.entry.profile ?? defaultProfile)
  const listensAt = routeUrl(listenerOf(config, workspace), name, profile)
  const url = senderUrl({ name, profile, spec: change.entry }, listensAt, config.adapter.public_url)
  const newSecret = change.secret === 'generated' && !dryRun ? secret : undefined
  return {
    ok: true,
    name,
    change,
    url,
    newSecret,
    secret,
    ...signing(change.entry, listensAt, { secret, shown: newSecret, schemes: allSchemes(served.catalogue) }),
    shadowed,
    warnings,
  }
}

/** `secret`: the secret in use. `shown`: the secret that the curl line may have in it. */
type Signing = { readonly secret: string; readonly shown: string | undefined; readonly schemes: readonly Scheme[] }

/**
 * Says how to sign a request and post it. A secret that the user gave, or that was kept, is not shown again. The curl line then reads the
 * secret from a variable of the shell.
 */
const signing = (entry: JsonObject, url: string, { secret, shown, schemes }: Signing): Pick<Subscribed, 'scheme' | 'how' | 'curl'> => {
  const scheme = schemeOf('auto', entry as Pick<Route, 'verify'>, secret, schemes)
  const spec = entry as Pick<Route, 'methods' | 'body' | 'events'>
  if (secret === insecure) return { scheme, how: undefined, curl: unsignedCurl(url, spec) }
  const byHand = schemes.find(({ name }) => name === scheme)?.byHand
  // The lines of a multipart body end in a way that a line of a shell cannot show.
  return { scheme, how: byHand?.how, curl: byHand && spec.body !== 'multipart' ? signingCurl(url, spec, shown, byHand) : undefined }
}

type CheckedChange = {
  readonly change: Change
  readonly secret: string
  readonly diagnostics: readonly Diagnostic[]
  readonly refused: boolean
  /** Findings about settings that are valid but likely wrong. Such findings are reported, and the entry is saved all the same. */
  readonly likely: readonly Diagnostic[]
}

/**
 * Returns the function that updates the stored entries. The function checks the new entry as the gateway would, and saves the entry only
 * when it has no error.
 */
const updateOf =
  (
    name: string,
    input: SubscriptionInput,
    { effects, ...served }: SubscriptionContext & { readonly effects: Effects },
    dryRun: boolean,
  ): EntriesUpdate<CheckedChange> =>
  (entries) => {
    const stored = own(entries, name)
    const jobs = quietBook(served.config, served.catalogue)
    const change = changeEntry(name, stored, withJobId(input, stored, jobs))
    const { route, diagnostics, likely } = checkEntry(name, change.entry, served, { ...effects, jobs })
    const refused = diagnostics.some(({ severity }) => severity === 'error')
    const result: CheckedChange = { change, secret: route?.secrets[0] ?? '', diagnostics, refused, likely }
    const same = change.changed.length === 0 && !change.created
    return refused || dryRun || same ? { result } : { entries: { ...entries, [name]: change.entry }, result }
  }

/** Replaces the name of a job by its id, because another job may get that name later (rules: Jobs 6). */
const withJobId = (input: SubscriptionInput, stored: Json | undefined, jobs: JobBook): SubscriptionInput => {
  const named = (key: 'cron_job' | 'profile'): string | undefined => input.fields[key] ?? textMember(input.from ?? {}, key)
  const [reference, profile] = [named('cron_job'), named('profile')]
  if (reference === undefined) return input
  const bound = isObject(stored) && !input.replace && typeof stored.profile === 'string' ? stored.profile : defaultProfile
  const [job, ...others] = jobs.find(profile ?? bound, reference)
  return job && others.length === 0 ? { ...input, fields: { ...input.fields, cron_job: job.id } } : input
}

const textMember = (map: JsonObject, key: string): string | undefined => {
  const value = own(map, key)
  return typeof value === 'string' ? value : undefined
}

/** Warns that an existing subscription has a new secret, with which its senders do not sign yet. */
const secretWarning = (name: string, { created, changed, rebound, entry }: Change): Warning[] => {
  if (created || !changed.includes('secret')) return []
  const why = rebound ? `"${name}" is bound to profile "${String(entry.profile)}" now` : `"${name}" is changed`
  const { overlap } = entry
  const old = isObject(overlap)
    ? `the old one holds until ${String(overlap.until)}`
    : 'senders that hold the old one are refused until they are updated'
  return [{ code: 'new_secret', message: `${why} and ITS SECRET IS NEW: ${old}` }]
}
