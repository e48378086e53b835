/** The save screen: shows what saving would write, saves, and asks what to do if others have changed the file, too (a conflict). */

import type { Diagnostic } from '../../../core/diagnostic.ts'
import type { Hunk } from '../../../datadir/line-diff.ts'
import { draftAfter, type OpenedRoute, type RouteDraft, rebased } from '../../../edit/draft/route-draft.ts'
import type { Saved, SavePlan, SaveRequest } from '../../../edit/service.ts'
import { moveActions, movedCursor } from '../../model/list.ts'
import { chooseScreen, entryScreen, openNextSave, type SaveScreen, type ScreenChoice } from '../../model/overlays.ts'
import { type Command, type Message, type Notice, type ScreenUpdate, screenModel, type World, warned } from '../../model/screen.ts'

type SavedRoute = Extract<Saved, { ok: true }>

/** A line of the screen: a finding, a heading, or a line of the diff. */
export type SaveRow = {
  readonly kind: 'title' | 'head' | 'same' | 'added' | 'removed' | Diagnostic['severity']
  readonly text: string
}

/** Returns the lines of the screen: the findings, what others changed in the file, and what saving would change. */
export const saveRows = ({ findings, diff, conflict }: SavePlan): readonly SaveRow[] => [
  ...findings.map(({ severity, code, message, help }) => ({
    kind: severity,
    text: [`${code} ${message}`, help].filter(Boolean).join(' - '),
  })),
  ...(conflict ? [{ kind: 'title' as const, text: 'changed in the file since it was opened' }, ...hunkRows(conflict)] : []),
  ...(conflict && diff.length > 0 ? [{ kind: 'title' as const, text: 'your changes' }] : []),
  ...hunkRows(diff),
]

const hunkRows = (hunks: readonly Hunk[]): readonly SaveRow[] =>
  hunks.flatMap(({ head, lines }) => [{ kind: 'head', text: head }, ...lines])

const rowsOnScreen = ({ plan }: SaveScreen): readonly SaveRow[] => (plan ? saveRows(plan) : [])

/** Whether the screen only shows the diff, so that nothing can be saved. */
export const isLookOnly = ({ look }: SaveScreen, { options }: World): boolean => look === 'diff' || options.readOnly

export const saveModel = screenModel<SaveScreen>({
  title: ({ look, then }, { draft, pending = [] }) => {
    const more = savesAllRoutes(then) && pending.length > 0 ? `, and ${pending.length} more after it` : ''
    return `${look === 'diff' ? 'what changed in' : 'save'} ${draft?.opened.name ?? ''}${more}`
  },
  enter: () => 'write',
  actions: (screen, world) => [...(isLookOnly(screen, world) ? [] : (['open', 'save', 'saveAnyway'] as const)), ...moveActions, 'back'],
  onAction(screen, action, { draft }) {
    if (moveActions.includes(action))
      return { screen: { ...screen, cursor: movedCursor(screen.cursor, action, rowsOnScreen(screen).length) } }
    // Only this screen handles the answer of the editor service to a saving, so the screen stays until the answer has come.
    if (action === 'back' && screen.isBusy && screen.plan) return warned('it is being written')
    if (action === 'back' || !draft) return { go: { back: true } }
    return saveUpdate(screen, draft, action === 'saveAnyway')
  },
  onMessage: (screen, message, world) => onMessage(screen, message, world),
  // The rows cannot be chosen by number, because opening a row would write the file.
  rows: (screen) => rowsOnScreen(screen).map(rowSentence),
  said: (screen, world) => (screen.plan && !isLookOnly(screen, world) ? [howToSave(screen.plan)] : []),
})

const onMessage = (screen: SaveScreen, message: Message, world: World): ScreenUpdate<SaveScreen> => {
  switch (message.type) {
    case 'plan':
      return withSavePlan({ ...screen, plan: message.answer, isBusy: false, cursor: 0 }, world)
    case 'save':
      if (message.answer.ok) return onSaved(screen, message.of, message.answer, world)
      return {
        world: { notice: warning(message.answer.message) },
        ...withSavePlan({ ...screen, plan: message.answer.plan, isBusy: false }, world),
      }
    case 'failed':
      return message.ask === 'plan' || message.ask === 'save' ? { screen: { ...screen, isBusy: false } } : {}
    case 'returned':
      return world.draft ? onReturned(screen, message.id, message.value, world.draft) : {}
    default:
      return {}
  }
}

const withSavePlan = (screen: SaveScreen, world: World): ScreenUpdate<SaveScreen> => ({
  screen,
  ...(isConflict(screen) && !isLookOnly(screen, world) ? { go: { push: conflictQuestion(screen) } } : {}),
})

const isConflict = ({ plan }: SaveScreen): boolean => plan?.conflict !== undefined

const conflictId = 'conflict'
const saveAsId = 'save-as'

const conflictChoices: readonly ScreenChoice[] = [
  { value: 'reload', title: 'Reload: take the file as it is now, without your changes' },
  { value: 'mine', title: 'Keep mine: put your changes into the file as it is now, and show them' },
  { value: 'as', title: 'Save as: write yours to another file' },
  { value: 'cancel', title: 'Cancel' },
]

/** Asks what to do about a conflict. "Keep mine" is not offered if the file as it is now cannot take the changes (`refused`). */
const conflictQuestion = ({ plan }: SaveScreen) => {
  const open = conflictChoices.filter(({ value }) => value !== 'mine' || plan?.refused === undefined)
  const question = `${plan?.file ?? 'the file'} was changed since it was opened${plan?.refused === undefined ? '' : `: ${plan.refused}`}`
  return chooseScreen(conflictId, question, open, open.length - 1)
}

const onReturned = (screen: SaveScreen, id: string, value: string, draft: RouteDraft): ScreenUpdate<SaveScreen> => {
  const { name, source } = draft.opened
  if (id === saveAsId) return { screen: { ...screen, isBusy: true }, commands: [askSave({ draft, despiteErrors: true, as: value })] }
  if (id !== conflictId) return {}
  switch (value) {
    case 'reload':
      return {
        commands: [
          { kind: 'ask', question: { ask: 'dropDraft', of: { name, source } } },
          { kind: 'ask', question: { ask: 'open', of: { name, source } } },
        ],
      }
    case 'mine':
      return {
        screen: { ...screen, onto: 'current', isBusy: true },
        commands: [{ kind: 'ask', question: { ask: 'plan', of: { draft, onto: 'current' } } }],
      }
    case 'as':
      return {
        go: {
          push: entryScreen(saveAsId, 'the file to write', {
            help: 'it must not be there yet; it holds your changes in the text as you opened it',
          }),
        },
      }
    default:
      return {}
  }
}

const askSave = (of: SaveRequest): Command => ({ kind: 'ask', question: { ask: 'save', of } })

const saveUpdate = (screen: SaveScreen, draft: RouteDraft, despiteErrors: boolean): ScreenUpdate<SaveScreen> => {
  const { plan, isBusy, onto } = screen
  if (isBusy || !plan) return {}
  if (isConflict(screen)) return { go: { push: conflictQuestion(screen) } }
  const why = whyNotWritten(plan, despiteErrors)
  if (why !== undefined) return { world: { notice: warning(why) } }
  return { screen: { ...screen, isBusy: true }, commands: [askSave({ draft, despiteErrors, ...(onto ? { onto } : {}) })] }
}

/** Says why the plan must not be written; `undefined` if it may. `despiteErrors`: the user pressed `W`, which writes in spite of errors. */
const whyNotWritten = ({ refused, stops, findings }: SavePlan, despiteErrors: boolean): string | undefined => {
  if (refused !== undefined) return `nothing is written: ${refused}`
  if (stops) return 'nothing is written: a gateway would not serve this route'
  const hasErrors = findings.some(({ severity }) => severity === 'error')
  return hasErrors && !despiteErrors ? 'there are errors: W writes in spite of them' : undefined
}

/** Says with which word the plan is written in the line mode, or why it is not written. */
const howToSave = (plan: SavePlan): string => {
  if (plan.conflict) return `${plan.file} was changed since it was opened.`
  const why = whyNotWritten(plan, true)
  if (why !== undefined) return `${why}.`
  return whyNotWritten(plan, false) === undefined ? `"save" writes ${plan.file}.` : `It has errors: "save anyway" writes ${plan.file}.`
}

const warning = (text: string): Notice => ({ tone: 'bad', text })

/** Whether the save screen goes on with the changes of the other routes after this route. */
const savesAllRoutes = (then: SaveScreen['then']): boolean => then === 'all' || then === 'quit'

/** Handles the end of saving a route: goes on to the next route, or closes the screen. Undo still leads to what was before the save. */
const onSaved = (
  { then }: SaveScreen,
  of: SaveRequest,
  { opened, notices, isDeleted }: SavedRoute,
  world: World,
): ScreenUpdate<SaveScreen> => {
  const { name, source } = of.draft.opened
  const pending = (world.pending ?? []).map((other) => draftAfterSave(other, of, opened))
  const notice: Notice = { tone: 'ok', text: notices.join('; ') }
  const drop: Command = { kind: 'ask', question: { ask: 'dropDraft', of: { name, source } } }
  const look: Command = { kind: 'ask', question: { ask: 'home', of: {} } }
  const [next, ...others] = pending
  if (savesAllRoutes(then) && next) {
    const update = openNextSave(next, others, then)
    return { ...update, world: { ...update.world, notice }, commands: [drop, look, ...(update.commands ?? [])] }
  }
  const isDone = then !== 'stay' || isDeleted === true
  return {
    world: { draft: isDone ? undefined : draftAfter(of.draft, opened), pending, notice },
    go: isDone ? { home: true } : { back: true },
    commands: [drop, then === 'quit' ? { kind: 'quit' } : look],
  }
}

/**
 * Returns the draft of another route after a route was saved. If both were opened from the same text of the same file, and the changes were
 * put into that text, the other draft is put onto the text that was written.
 */
const draftAfterSave = (other: RouteDraft, { draft: { opened }, onto, as }: SaveRequest, { text }: OpenedRoute): RouteDraft => {
  const isOurs = onto === undefined && as === undefined && opened.source === 'config'
  return isOurs && other.opened.file === opened.file && other.opened.text === opened.text ? rebased(other, { text }) : other
}

const rowWords: { readonly [kind in SaveRow['kind']]: string } = {
  title: '',
  head: 'at ',
  same: 'unchanged: ',
  added: 'added: ',
  removed: 'removed: ',
  error: 'error ',
  warning: 'warning ',
  info: 'note ',
}

const rowSentence = ({ kind, text }: SaveRow): string =>
  `${rowWords[kind]}${kind === 'same' || kind === 'added' || kind === 'removed' ? text.trim() : text}`
