/** Sends a short text to a target of a draft, to try it. The draft's settings for the target are filled in from the chosen payload. */

import { exit, Fault } from '../core/fault.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { isTemplate } from '../expr/placeholder.ts'
import { wholeSettings } from '../operate/targets/route-deliveries.ts'
import { prepareTargetTest, sendTargetTest } from '../operate/targets/test-target.ts'
import { writtenTargets } from '../parts/written-targets.ts'
import type { DraftTexts } from './draft/draft-text.ts'
import type { RouteDraft } from './draft/route-draft.ts'
import { loadDraft, parsedDraft, tracePayload } from './preview.ts'
import type { PayloadChoice, Tested } from './service.ts'

export type TargetTestRequest = { readonly draft: RouteDraft; readonly target: string; readonly payload?: PayloadChoice }

const text = 'This is a test message from headgate.'

/**
 * Sends the text, and returns what the target says. Throws a Fault: the route or its settings for the target are not valid, or a setting
 * has no value in the payload.
 */
export const sendDraftTargetTest = async (workspace: Workspace, textOf: DraftTexts, request: TargetTestRequest): Promise<Tested> => {
  const { target } = request
  const { extra, profile } = await settingsFor(workspace, textOf, request)
  const test = await prepareTargetTest(workspace, { target, extra, profile })
  if (!test.ok) throw test.fault ?? unsent(test.diagnostics[0]?.message ?? test.outcome)
  const { sent, notices } = await sendTargetTest(test, text)
  if (!sent.ok) return { ok: false, message: `${target}: ${sent.why}` }
  return { ok: true, message: [`sent to ${target}`, sent.detail, ...notices].filter(Boolean).join(': ') }
}

const unsent = (why: string): Fault => new Fault('unsent', `nothing was sent: ${why}`, { exitCode: exit.no })

const settingsFor = async (
  workspace: Workspace,
  textOf: DraftTexts,
  { draft, target, payload }: TargetTestRequest,
): Promise<{ readonly extra: JsonObject; readonly profile: string }> => {
  const made = textOf(draft)
  if (!made.ok) throw unsent(made.why)
  const { source, loaded, catalogue } = await loadDraft(workspace, draft.opened, parsedDraft(draft.opened, made))
  if (!source) throw unsent('the route is not valid as it is now')
  const all = writtenTargets(source.spec)
  const place = all.findIndex((each) => each.target === target)
  const written = all[place]
  if (!written) throw unsent(`the route does not deliver to ${target}`)
  if (!hasTemplate(written.extra)) return { extra: written.extra, profile: source.profile }
  const { extra, untraced } = await tracePayload(workspace, source, loaded, catalogue, payload)
  const filled = Array.isArray(extra) ? extra[place] : extra
  if (!isObject(filled)) throw unsent(untraced ?? 'its settings have templates, and nothing is known to fill in')
  const whole = wholeSettings(written, filled, catalogue.targets.get(target)?.withheld)
  const unfilled = Object.keys(whole).find((key) => isTemplate(whole[key]))
  if (unfilled !== undefined) throw unsent(`deliver_extra.${unfilled} has no value on this payload`)
  return { extra: whole, profile: source.profile }
}

const hasTemplate = (extra: JsonObject): boolean =>
  Object.values(extra).some((value) => isTemplate(value) || (isObject(value) && hasTemplate(value)))
