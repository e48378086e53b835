/**
 * The mode of a route: what happens to an event. The first row of the form shows the mode. No single key of the route has it, so a change
 * of the mode sets and removes several keys.
 */

import type { Json } from '../../../core/json.ts'
import type { ActionName } from '../../../edit/actions.ts'
import { change, type RouteDraft } from '../../../edit/draft/route-draft.ts'
import { type Mode, modeOf } from '../../../edit/form.ts'
import { chooseScreen } from '../../model/overlays.ts'
import { type ScreenUpdate, warned } from '../../model/screen.ts'

const modeActions: ReadonlySet<ActionName> = new Set(['toggle', 'left', 'right'])
export const modeId = 'mode'

/** Handles a key on the row of the mode: enter asks for the mode, and space and arrows go to the next or the previous mode. */
export const onModeRow = (mode: Mode, action: ActionName, draft: RouteDraft): ScreenUpdate<never> => {
  const choices = modes.map((each) => ({ value: each, title: `${each}: ${modeMeanings[each]}` }))
  if (action === 'open') return { go: { push: chooseScreen(modeId, 'what becomes of an event?', choices, modes.indexOf(mode)) } }
  if (!modeActions.has(action)) return {}
  const by = action === 'left' ? modes.length - 1 : 1
  return withMode(draft, modes[(modes.indexOf(mode) + by) % modes.length] ?? 'agent')
}

const modes: readonly Mode[] = ['agent', 'direct', 'job', 'dispatch']
const modeMeanings: { readonly [mode in Mode]: string } = {
  agent: 'an agent is asked, and its reply is delivered',
  direct: 'the prompt itself is delivered',
  job: 'a scheduled job is started',
  dispatch: 'other routes take it',
}

/** The key that a mode sets, and what is still to be done. */
const modeKeys: { readonly [mode in Exclude<Mode, 'agent'>]: { readonly key: string; readonly value: Json; readonly text?: string } } = {
  direct: { key: 'deliver_only', value: true },
  job: { key: 'cron_job', value: 'job-name', text: 'name the scheduled job in its field' },
  dispatch: { key: 'dispatch', value: [{ to: 'route-name' }], text: 'name the routes in their field' },
}

/**
 * Changes the mode. A mode that a written key excludes is refused, so that the user cannot enter a pair of keys with which no gateway
 * starts.
 */
export const withMode = (draft: RouteDraft, next: Mode): ScreenUpdate<never> => {
  const { spec } = draft
  if (next === modeOf(spec)) return {}
  const without = (key: string) => (spec[key] === undefined ? [] : [{ kind: 'remove', path: [key] } as const])
  const cleared = ['deliver_only', 'cron_job', 'dispatch'].flatMap(without)
  if (next === 'agent') return { world: { draft: change(draft, 'mode agent', cleared) } }
  const rival = ['coalesce', next === 'dispatch' ? 'rate_limit' : 'concurrency'].find((key) => spec[key] !== undefined)
  if (rival !== undefined) return warned(`${rival} does not go with mode ${next}: delete it first`)
  const { key, value, text } = modeKeys[next]
  const world = { draft: change(draft, `mode ${next}`, [...cleared, { kind: 'set', path: [key], value }]) }
  return { world: text === undefined ? world : { ...world, notice: { tone: 'warn', text } } }
}
