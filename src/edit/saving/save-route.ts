/**
 * Saves a draft. A file is replaced only if it still has the text that was read from it, and never by a text that would stop the start of a
 * gateway. Where another file is named (`as`), the text goes into that new file unchecked.
 */

import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { refuseOdd } from '../../config/writing/replace-file.ts'
import { replaceText, textOfFile } from '../../config/writing/replace-text.ts'
import { exit, Fault } from '../../core/fault.ts'
import { quoted } from '../../core/text.ts'
import { followSentences, takeEntries } from '../../datadir/entries/in-force.ts'
import { hasStars } from '../../datadir/mask-lines/hidden-secrets.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { removeSubscription } from '../../operate/routes/change-subscription.ts'
import { readSubscriptionContext } from '../../operate/routes/check-subscription.ts'
import { readSubscriptionDraft, saveDraft } from '../../operate/routes/edit-subscription.ts'
import { openConfigured, openSubscription } from '../draft/open-route.ts'
import { isRemoved, type OpenedRoute, type RouteDraft } from '../draft/route-draft.ts'
import { typedPath } from '../payload/payload-choice.ts'
import { parsedDraft } from '../preview.ts'
import type { Saved, SaveRequest } from '../service.ts'
import { type DraftContext, type PreparedSave, prepareSave } from './plan-save.ts'
import { reloadAfterSave } from './reload-gateway.ts'

type Refused = Extract<Saved, { ok: false }>

/**
 * Saves a draft, or returns why it was not saved. Throws a Fault when a file cannot be read or written, when the file `as` is there
 * already, and when a subscription is refused at the moment of writing.
 */
export const saveRoute = async (draftContext: DraftContext, finder: GatewayFinder, request: SaveRequest): Promise<Saved> => {
  const { workspace } = draftContext
  const { draft, as } = request
  if (as !== undefined) return saveAs(draftContext, { ...request, as })
  const prepared = await prepareSave(draftContext, request)
  const obstacle = obstacleTo(prepared, request)
  if (obstacle) return obstacle
  try {
    const { source, file } = draft.opened
    const { notices, ...written } = await writeRoute(workspace, draft, prepared)
    const told =
      source === 'config'
        ? await reloadAfterSave(workspace, finder)
        : ['every request sees it from now on', ...followSentences(await takeEntries(workspace, finder))]
    return { ok: true, ...written, notices: [`saved ${basename(file)}`, ...notices, ...told] }
  } catch (error) {
    // On a conflict, somebody else changed the file after the plan was made. A new plan shows the change.
    if (!(error instanceof Fault && error.code === 'conflict')) throw error
    return refusedFor('conflict', await prepareSave(draftContext, { draft }), error.message)
  }
}

/** Returns why the prepared draft must not be saved; `undefined` where nothing prevents it. */
const obstacleTo = (prepared: PreparedSave, { despiteErrors }: SaveRequest): Refused | undefined => {
  const { conflict, refused, stops, findings, file } = prepared.plan
  const [first] = findings.filter(({ severity, stopsStart }) => (stops ? stopsStart || severity === 'error' : severity === 'error'))
  const firstFinding = first ? `${first.code} ${first.message}` : ''
  if (conflict) return refusedFor('conflict', prepared, `${file} was changed since it was opened: nothing was written`)
  if (refused !== undefined) return refusedFor('refused', prepared, refused)
  if (stops) return refusedFor('stops', prepared, `a gateway would not serve this: ${firstFinding}`)
  return first && !despiteErrors ? refusedFor('errors', prepared, firstFinding) : undefined
}

const refusedFor = (why: Refused['why'], { plan }: PreparedSave, message: string): Refused => ({ ok: false, why, plan, message })

type Written = Pick<Extract<Saved, { ok: true }>, 'opened' | 'isDeleted' | 'notices'>

const writeRoute = async (workspace: Workspace, draft: RouteDraft, { before, after }: PreparedSave): Promise<Written> => {
  const { source, file, name, base } = draft.opened
  if (isRemoved(draft)) {
    if (source === 'config') await replaceText(file, before, after, true)
    else await removeSubscription(workspace, unchangedSubscription(workspace, name, before))
    return {
      opened: { ...draft.opened, text: after },
      isDeleted: true,
      notices: [`deleted "${name}"; undo: cp ${quoted(`${file}.bak`)} ${quoted(file)}`],
    }
  }
  if (source === 'subscription') return writeSubscription(workspace, { file, name }, { before, after })
  if (before !== after) await replaceText(file, before, after)
  return { opened: openConfigured(file, name, base, after), notices: [] }
}

const writeSubscription = async (
  workspace: Workspace,
  { file, name }: Pick<OpenedRoute, 'file' | 'name'>,
  { before, after }: Pick<PreparedSave, 'before' | 'after'>,
): Promise<Written> => {
  const draft = unchangedSubscription(workspace, name, before)
  const served = await readSubscriptionContext(workspace)
  const saved = served.ok ? await saveDraft(served, draft, file, after) : served
  if (!saved.ok) throw new Fault('refused', `${saved.outcome}: ${saved.diagnostics[0]?.message ?? ''}`, { exitCode: exit.no })
  const secretNotices = saved.newSecret === undefined ? [] : [`IT HAS A NEW SECRET: ${workspace.self} webhook secret ${name} --reveal`]
  return { opened: openSubscription(workspace, name), notices: secretNotices }
}

/** Returns the stored subscription. Throws a Fault when the subscription's text is no longer `text`, from which the plan was made. */
const unchangedSubscription = (workspace: Workspace, name: string, text: string): ReturnType<typeof readSubscriptionDraft> => {
  const draft = readSubscriptionDraft(workspace, name)
  if (draft.text === text) return draft
  throw new Fault('conflict', `"${name}" was changed meanwhile: nothing was saved`, { exitCode: exit.conflict })
}

/** Writes the whole text with the draft to another file, and opens the route again as its own file has it. */
const saveAs = async ({ workspace, textOf }: DraftContext, { draft, as }: SaveRequest & { readonly as: string }): Promise<Saved> => {
  const { opened } = draft
  const file = typedPath(as)
  const made = textOf(draft)
  if (!made.ok) throw new Fault('refused', made.why, { exitCode: exit.no })
  if (hasStars(made.text) && parsedDraft(opened, made).data === undefined)
    throw new Fault('refused', 'the text is no YAML, so its secrets cannot be put back', { exitCode: exit.no })
  refuseOdd(file)
  if (existsSync(file)) throw new Fault('exists', `${file} is there already`, { exitCode: exit.conflict, hint: 'give another name' })
  await replaceText(file, '', made.text)
  return { ok: true, opened: openedAgain(workspace, opened), notices: [`wrote ${file}`, `${basename(opened.file)} is shown as it is now`] }
}

const openedAgain = (workspace: Workspace, opened: OpenedRoute): OpenedRoute => {
  const { source, file, name, base } = opened
  if (source === 'subscription') return openSubscription(workspace, name)
  return opened.isNew ? { ...opened, text: textOfFile(file) } : openConfigured(file, name, base)
}
