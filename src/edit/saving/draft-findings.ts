/** Finds what is wrong with a draft: returns all findings about its route, and those findings about anything else that the draft adds. */

import { fingerprintOf } from '../../check/validate/baseline.ts'
import { validate } from '../../check/validate/validate.ts'
import { isUnknown } from '../../config/env.ts'
import { parseSource } from '../../config/yaml/source.ts'
import { type Diagnostic, isOutside } from '../../core/diagnostic.ts'
import { Fault } from '../../core/fault.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { withDryEffects } from '../../dryrun/trace/dry-effects.ts'
import { checkEntry, readSubscriptionContext } from '../../operate/routes/check-subscription.ts'
import { editedEntry, type SubscriptionDraft } from '../../operate/routes/edit-subscription.ts'
import { quietBook } from '../../plan/check.ts'

/** The change of a file of the configuration: `config.yaml`, or a file that it includes. */
type FileChange = { readonly file: string; readonly before: string; readonly after: string }

/** Checks the text after a change. Returns the findings that the text before does not have, and all findings about `route`. */
export type ConfigFindings = (change: FileChange, route?: string) => Promise<readonly Diagnostic[]>

/** Returns the findings without those about files beside the configuration, where the check does not know the environment (`isBlind`). */
export const seenBy = ({ env }: Workspace, found: readonly Diagnostic[]): readonly Diagnostic[] =>
  isUnknown(env) ? found.filter(({ code }) => !isOutside(code)) : found

/**
 * Makes the function that checks a text. It remembers the findings of the last text `before`: while a user edits, each new draft is
 * compared with the same saved text.
 */
export const createConfigFindings = (workspace: Workspace): ConfigFindings => {
  let last: { readonly file: string; readonly text: string; readonly known: ReadonlySet<string> } | undefined
  const isBlind = isUnknown(workspace.env)
  const check = async (file: string, text: string): Promise<readonly Diagnostic[]> =>
    (await validate(workspace, { paths: [], asked: false, withoutRefs: isBlind, texts: new Map([[file, text]]) })).diagnostics
  const keyOf = (each: Diagnostic): string => fingerprintOf(each, workspace.dataDir)
  const knownIn = async (file: string, text: string): Promise<ReadonlySet<string>> => {
    if (last?.file !== file || last.text !== text) last = { file, text, known: new Set((await check(file, text)).map(keyOf)) }
    return last.known
  }
  return async ({ file, before, after }, route) => {
    const known = await knownIn(file, before)
    return (await check(file, after)).filter((each) => (route !== undefined && each.route === route) || !known.has(keyOf(each)))
  }
}

/**
 * Returns the findings about a subscription whose text is `text`. Throws a Fault when the configuration cannot be read, or when the change
 * is not allowed.
 */
export const subscriptionFindings = async (
  workspace: Workspace,
  draft: SubscriptionDraft,
  text: string,
): Promise<readonly Diagnostic[]> => {
  const { source, diagnostics: slips } = parseSource(draft.name, text)
  if (!source) return slips
  const { entry } = editedEntry(draft, source.data)
  const served = await readSubscriptionContext(workspace)
  if (!served.ok) throw new Fault('unreadable', `${served.outcome}: ${served.diagnostics[0]?.message ?? ''}`, { exitCode: 78 })
  return withDryEffects(async (effects) => {
    const jobs = quietBook(served.config, served.catalogue)
    const { diagnostics, likely } = checkEntry(draft.name, entry, served, { ...effects, jobs })
    return seenBy(workspace, [...diagnostics, ...likely])
  })
}
