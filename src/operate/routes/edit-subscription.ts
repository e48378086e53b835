/**
 * Turns a subscription into a text that a person edits, and the text back into an entry. The text hides secrets. The entry is checked
 * before it is saved.
 */

import { parseSource } from '../../config/yaml/source.ts'
import type { Path } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { equalJson, isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { equalWritten, keepDigits } from '../../core/written-digits.ts'
import { changeEntries } from '../../datadir/entries/change-entries.ts'
import { misplacedMask } from '../../datadir/mask-lines/hidden-secrets.ts'
import { type Refusal, refusal } from '../../datadir/refusal.ts'
import { subscriptionsFile } from '../../datadir/routes.ts'
import { differing, entrySecrets, newSecret, profileOf, utcNow } from '../../datadir/subscription-record.ts'
import { type Warning, warningOf, warningWithHelp } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { dumpWritten } from '../../datadir/yaml-text.ts'
import { withDryEffects } from '../../dryrun/trace/dry-effects.ts'
import { quietBook } from '../../plan/check.ts'
import { containsMask, maskJson } from '../../secrets/mask.ts'
import { hasSameReceiver, otherReceiver } from '../../secrets/receiver.ts'
import { findSubscription } from './change-subscription.ts'
import { checkEntry, type SubscriptionContext } from './check-subscription.ts'
import { entryDiff } from './entry-diff.ts'

export type SubscriptionDraft = {
  readonly name: string
  /** The stored entry at the time it was read. */
  readonly entry: JsonObject
  /** The entry as YAML, with its secrets masked. */
  readonly text: string
}

/** Reads a subscription as a draft. Throws a Fault where there is no such subscription, or where its entry is not a map. */
export const readSubscriptionDraft = (workspace: Workspace, asked: string): SubscriptionDraft => {
  const { name, entry } = findSubscription(workspace, asked)
  if (!isObject(entry)) {
    const hint = `start clean: ${workspace.self} webhook subscribe ${name} --replace`
    throw new Fault('conflict', `the stored entry "${name}" is not a map`, { exitCode: exit.conflict, hint })
  }
  const head = `# Subscription ${name}. A secret is shown as *** and a fingerprint: leave it so to keep it, or write another one in its place.\n`
  return { name, entry, text: `${head}${dumpWritten(maskJson(entry), { lineWidth: -1, noRefs: true })}` }
}

export type SavedSubscription = {
  readonly ok: true
  readonly changed: readonly string[]
  /** The secret that was made because the subscription moved to another profile, to be shown once; `undefined` where none was made. */
  readonly newSecret: string | undefined
  readonly warnings: readonly Warning[]
}

/**
 * Saves the text in place of the entry. Returns a Refusal for a text that would not be served. Throws a Fault for a change that no edit may
 * make, and (exit 6) when somebody changed the entry after the draft was read.
 */
export const saveDraft = async (
  served: SubscriptionContext,
  draft: SubscriptionDraft,
  file: string,
  text: string,
): Promise<SavedSubscription | Refusal> => {
  const { name } = draft
  const outcome = `nothing was saved: "${name}" would not be served like this`
  const { source, diagnostics: slips } = parseSource(file, text)
  const errors = slips.filter(({ severity }) => severity === 'error')
  if (!source || errors.length > 0) return refusal(outcome, errors, { texts: new Map([[file, text]]) })
  const { entry, changed, made } = editedEntry(draft, source.data)
  if (changed.length === 0) return { ok: true, changed, newSecret: undefined, warnings: [] }
  const { diagnostics, likely } = await withDryEffects(async (effects) =>
    checkEntry(name, entry, served, { ...effects, jobs: quietBook(served.config, served.catalogue) }),
  )
  if (diagnostics.some(({ severity }) => severity === 'error')) return refusal(outcome, diagnostics)
  await changeEntries(served.workspace, subscriptionsFile(served.workspace), (entries) => {
    const present = own(entries, name) ?? null
    if (!equalWritten(present, draft.entry)) throw changedMeanwhile(draft, present, served.workspace)
    return { entries: { ...entries, [name]: { ...entry, updated_at: utcNow() } }, result: undefined }
  })
  return { ok: true, changed, newSecret: made, warnings: [...diagnostics.map(warningOf), ...likely.map(warningWithHelp)] }
}

/** Returns the Fault for an entry that was changed after the draft was read. Its hint shows these changes, key by key. */
const changedMeanwhile = ({ name, entry }: SubscriptionDraft, present: Json, { self }: Workspace): Fault => {
  const lines = isObject(present) ? entryDiff(entry, present) : []
  const look = `look at it: ${self} webhook show ${name}`
  return new Fault('conflict', `"${name}" was changed or removed meanwhile: nothing was saved`, {
    exitCode: exit.conflict,
    hint: isObject(present) ? [...lines, look].join('\n') : look,
  })
}

/**
 * Returns the entry that the edited text means. `data`: the parsed text. `changed`: the names of the fields that differ from the stored
 * entry. `made`: the new secret, where the edit moves the subscription to another profile with an old secret. Throws a Fault for a text
 * that is no map, for a mask that `unmasked` refuses, and for a change that no edit may make.
 */
export const editedEntry = (
  { name, entry: before }: SubscriptionDraft,
  data: Json,
): { readonly entry: JsonObject; readonly changed: readonly string[]; readonly made: string | undefined } => {
  if (!isObject(data)) throw new Fault('not_a_map', 'the text is not a map of settings', { exitCode: exit.no })
  const shown = maskJson(before)
  const entry = unmasked(data, { value: before, shown, was: [], is: [] }, { shown, edited: data }) as JsonObject
  // The program writes the time stamps, so a changed time stamp is put back.
  for (const stamp of ['created_at', 'updated_at']) {
    if (before[stamp] === undefined) delete entry[stamp]
    else entry[stamp] = before[stamp]
  }
  if (!equalJson(own(entry, 'toolsets') ?? null, own(before, 'toolsets') ?? null)) {
    const hint = 'toolsets are set by hand, in the file of subscriptions or in config.yaml'
    throw new Fault('toolsets', `no command changes the toolsets of "${name}"`, { exitCode: exit.no, hint })
  }
  // After a move to another profile, senders that hold the old secret must be refused (rules: Subscriptions 4).
  const moved = profileOf(entry) !== profileOf(before)
  const keepsOld = entrySecrets(entry).some((secret) => entrySecrets(before).includes(secret))
  const made = moved && keepsOld ? newSecret() : undefined
  if (made !== undefined) {
    delete entry.secrets
    delete entry.overlap
    entry.secret = made
  }
  return { entry, changed: differing(before, entry), made }
}

/** A value of the entry before the edit, the value that the draft showed in its place, and its paths before and after the edit. */
type MaskedValue = { readonly value: Json | undefined; readonly shown: Json | undefined; readonly was: Path; readonly is: Path }
/** The entry as the draft showed it, and as it was edited. */
type Edit = { readonly shown: Json; readonly edited: Json }

/**
 * Returns the edited data with hidden values in place of their masks. A mask stands for the value at the same place alone, or in a member
 * of a list that moved within its list. Throws a Fault for any other mask.
 */
const unmasked = (written: Json, place: MaskedValue, edit: Edit): Json => {
  if (typeof written === 'string' && containsMask(written)) {
    const isSame = written === place.shown
    if (isSame && place.value !== undefined && hasSameReceiver(edit.shown, edit.edited, place.was, place.is)) return place.value
    throw new Fault('masked', `"${written}": ${isSame ? otherReceiver : misplacedMask}`, {
      exitCode: exit.no,
      hint: 'look at the text before the edit',
    })
  }
  if (Array.isArray(written)) {
    const shown = Array.isArray(place.shown) ? place.shown : []
    // Two members that are shown alike may hide different values, so each of them stays where it is.
    const placeOf = (item: Json, i: number): number => {
      const [at = i, ...others] = shown.flatMap((each, k) => (equalJson(each, item) ? [k] : []))
      return others.length === 0 ? at : i
    }
    return keepDigits(
      written,
      written.map((item, i) => unmasked(item, memberBelow(place, placeOf(item, i), i), edit)),
    )
  }
  if (!isObject(written)) return written
  return keepDigits(
    written,
    Object.fromEntries(Object.entries(written).map(([key, item]) => [key, unmasked(item, memberBelow(place, key, key), edit)])),
  )
}

const memberBelow = ({ value, shown, was, is }: MaskedValue, key: string | number, now: string | number): MaskedValue => ({
  value: member(value, key),
  shown: member(shown, key),
  was: [...was, key],
  is: [...is, now],
})

const member = (value: Json | undefined, key: string | number): Json | undefined => {
  if (Array.isArray(value)) return value[Number(key)]
  return isObject(value) ? own(value, String(key)) : undefined
}
