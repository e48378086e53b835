/** Plans the saving of a draft: makes the diff, and finds what would be wrong with the saved file. Nothing is written. */

import { textOfFile } from '../../config/writing/replace-text.ts'
import { Fault, messageOf } from '../../core/fault.ts'
import { lineDiff } from '../../datadir/line-diff.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { readSubscriptionDraft } from '../../operate/routes/edit-subscription.ts'
import type { DraftTexts } from '../draft/draft-text.ts'
import { isRemoved, type OpenedRoute, type RouteDraft } from '../draft/route-draft.ts'
import { otherTextThan } from '../draft/route-text.ts'
import { maskOfDraft } from '../preview.ts'
import type { PlanRequest, SavePlan } from '../service.ts'
import { type ConfigFindings, subscriptionFindings } from './draft-findings.ts'
import { rebaseOnFile } from './rebase-on-file.ts'

/** A plan for saving a draft, and the texts that saving compares and writes. */
export type PreparedSave = {
  readonly plan: SavePlan
  /** `before`: the text that the file must still have when the draft is saved. `after`: the text that replaces it. */
  readonly before: string
  readonly after: string
}

/** What planning and saving need. `textOf` makes the text of a draft. `configFindings` checks the text of a draft of a configured route. */
export type DraftContext = { readonly workspace: Workspace; readonly textOf: DraftTexts; readonly configFindings: ConfigFindings }

/** Plans the saving of a draft. Where the draft cannot be saved, the plan says why. Throws a Fault when the file cannot be read. */
export const prepareSave = async (draftContext: DraftContext, { draft, onto }: PlanRequest): Promise<PreparedSave> => {
  const { workspace, textOf } = draftContext
  const { opened } = draft
  const { file } = opened
  const present = presentText(workspace, opened)
  const isStale = present !== opened.text
  const changesOfOthers = isStale ? { conflict: lineDiff(opened.text, present) } : changesOfText(draft)
  const target = isStale && onto === 'current' ? rebaseOnFile(draft, present) : draft
  const refused = (why: string): PreparedSave => ({
    plan: { file, diff: [], findings: [], stops: false, refused: why, ...changesOfOthers },
    before: present,
    after: present,
  })
  if ('why' in target) return refused(target.why)
  const made = textOf(target)
  if (!made.ok) return refused(made.why)
  const { text: before } = target.opened
  try {
    const findings = await findingsOf(draftContext, target, made.text)
    const stops = findings.some(({ severity, stopsStart }) => stopsStart || (severity === 'error' && opened.source === 'subscription'))
    const plan = { diff: lineDiff(before, made.text), findings, ...(onto === 'current' ? {} : changesOfOthers) }
    const masked = isRemoved(target) ? plan : (await maskOfDraft(workspace, textOf, target))(plan)
    return { plan: { file, stops, ...masked }, before, after: made.text }
  } catch (error) {
    if (error instanceof Fault) return refused(messageOf(error))
    throw error
  }
}

/** Returns what others changed in the route's text since the user saw it, where the draft changes that text. */
const changesOfText = ({ opened, past }: RouteDraft): Pick<SavePlan, 'conflict'> => {
  const text = past.find((step) => step.text)?.text
  const now = text && otherTextThan(text, opened)
  return text && now !== undefined ? { conflict: lineDiff(text.from, now) } : {}
}

const findingsOf = async ({ workspace, configFindings }: DraftContext, draft: RouteDraft, text: string): ReturnType<ConfigFindings> => {
  const { opened } = draft
  if (opened.source === 'config') return configFindings({ file: opened.file, before: opened.text, after: text }, opened.name)
  return isRemoved(draft) ? [] : subscriptionFindings(workspace, readSubscriptionDraft(workspace, opened.name), text)
}

/** Returns the present text that has the route; empty for a subscription that has been removed meanwhile. */
const presentText = (workspace: Workspace, { source, file, name }: OpenedRoute): string => {
  if (source === 'config') return textOfFile(file)
  try {
    return readSubscriptionDraft(workspace, name).text
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return ''
    throw error
  }
}
