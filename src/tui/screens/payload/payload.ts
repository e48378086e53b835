/**
 * The payload screen, on which the user chooses the payload that a route is tried with: a sample, a recorded event, a file, a pasted text,
 * or the current payload after an edit. Each of these is a group of the screen.
 */

import { jsonProblem } from '../../../core/json-error.ts'
import type { ActionName } from '../../../edit/actions.ts'
import type { RouteDraft } from '../../../edit/draft/route-draft.ts'
import type { Payload, PayloadChoice, PayloadRow } from '../../../edit/service.ts'
import { paneActions, paneAfter } from '../../model/list.ts'
import {
  isNarrowing,
  type Narrowing,
  narrowedByAction,
  narrowedByKey,
  narrowedByText,
  narrowingActions,
  narrowingSaid,
  rowsThatFit,
} from '../../model/narrowing.ts'
import { entryScreen } from '../../model/overlays.ts'
import { type Message, type Screen, type ScreenUpdate, screenModel, type World } from '../../model/screen.ts'
import { editField, maxFieldLength, type TextField, textField, typeInto } from '../../model/text-field.ts'
import { payloadLayout } from './layout.ts'

export const payloadGroups = ['samples', 'recorded', 'file', 'paste', 'edit'] as const
export type PayloadGroup = (typeof payloadGroups)[number]

declare module '../../model/screen.ts' {
  interface Screens {
    readonly payload: PayloadScreen
  }
}

export type PayloadScreen = Screen &
  Narrowing & {
    readonly kind: 'payload'
    readonly route: string
    /** The route is not open yet, so the picked payload goes back to the screen below. */
    readonly isAhead: boolean
    readonly group: PayloadGroup
    /** The samples and recorded events; `undefined` until the editor service has answered. */
    readonly all?: readonly PayloadRow[]
    readonly pasted: TextField
    /** A text from `$EDITOR` that is not JSON. It is kept for the next edit, so that the user does not lose it. */
    readonly edited?: string
  }

export const payloadId = 'payload'
const fileId = 'payload file'
const editId = 'payload edit'

/**
 * Opens the payload screen for the open route. Without `group`, the recorded events are shown if the current payload is one of them, and
 * the samples otherwise.
 */
export const openPayload = (
  { opened: { name } }: RouteDraft,
  { payload }: Pick<World, 'payload'>,
  group?: PayloadGroup,
): ScreenUpdate<never> => openFor(name, group ?? (payload?.choice.from === 'event' ? 'recorded' : 'samples'), false)

/**
 * Opens the payload screen, with its samples, for a route that is not open yet. The picked payload goes to the screen below under
 * `payloadId`, as the JSON of a `PayloadChoice`.
 */
export const openSamples = (route: string): ScreenUpdate<never> => openFor(route, 'samples', true)

const openFor = (route: string, group: PayloadGroup, isAhead: boolean): ScreenUpdate<never> => {
  const push: PayloadScreen = {
    kind: 'payload',
    route,
    isAhead,
    group,
    cursor: 0,
    search: textField(),
    isFinding: false,
    pasted: textField(),
  }
  return { go: { push }, commands: [{ kind: 'ask', question: { ask: 'payloads', of: { route } } }] }
}

/** Whether a group is a list of payloads. Any other group asks the user for a payload. */
export const hasRows = (group: PayloadGroup): group is 'samples' | 'recorded' => group === 'samples' || group === 'recorded'

/** Returns the rows of the group that match the search. */
export const shownPayloadRows = ({ all = [], group, search: { text } }: PayloadScreen): readonly PayloadRow[] =>
  rowsThatFit(
    all.filter((row) => row.group === group),
    text,
    ({ title, detail }) => `${title} ${detail}`,
  )

export const payloadModel = screenModel<PayloadScreen>({
  title: ({ route }) => `payload of ${route}`,
  enter: () => 'choose',
  actions(screen) {
    if (isNarrowing(screen)) return narrowingActions(screen)
    if (screen.group === 'paste') return ['open', 'back', ...paneActions]
    return ['open', ...narrowingActions(screen), ...paneActions, 'left', 'right', 'back']
  },
  takes: (screen) => (isNarrowing(screen) || screen.group === 'paste' ? 'text' : undefined),
  type(screen, text) {
    if (isNarrowing(screen)) return { screen: narrowedByText(screen, text) }
    return screen.pasted.text.length + text.length > maxFieldLength
      ? chooseLongPaste(screen, screen.pasted.text + text)
      : { screen: { ...screen, pasted: typeInto(screen.pasted, text, true) } }
  },
  press(screen, key) {
    const isPasted = screen.group === 'paste' && !isNarrowing(screen)
    return { screen: isPasted ? { ...screen, pasted: editField(screen.pasted, key) } : narrowedByKey(screen, key) }
  },
  onAction: (screen, action, world) => onAction(screen, action, world),
  onMessage: (screen, message, world) => onMessage(screen, message, world),
  rows: (screen) => sentences(screen),
  said: (screen) => (hasRows(screen.group) ? narrowingSaid(screen, shownPayloadRows(screen).length) : []),
  panes: ({ group }) => ({ names: payloadGroups, at: payloadGroups.indexOf(group) }),
  point: (screen, cursor) => ({ ...screen, cursor }),
  list: (screen, _, room) => (hasRows(screen.group) ? payloadLayout(screen.cursor, shownPayloadRows(screen).length, room).list : undefined),
})

const onAction = (screen: PayloadScreen, action: ActionName, world: World): ScreenUpdate<PayloadScreen> => {
  const narrowed = narrowedByAction(screen, action, shownPayloadRows(screen).length)
  if (narrowed) return { screen: narrowed }
  switch (action) {
    case 'back':
      return { go: { back: true } }
    case 'right':
      return toGroup(screen, 'nextPane')
    case 'left':
      return toGroup(screen, 'previousPane')
    case 'open':
      return onEnter(screen, world)
    default:
      return toGroup(screen, action)
  }
}

const toGroup = (screen: PayloadScreen, action: ActionName): ScreenUpdate<PayloadScreen> => ({
  screen: { ...screen, group: paneAfter(payloadGroups, screen.group, action), cursor: 0 },
})

/** Handles enter, which does something else in each group. */
const onEnter = (screen: PayloadScreen, { payload }: World): ScreenUpdate<PayloadScreen> => {
  const row = shownPayloadRows(screen)[screen.cursor]
  switch (screen.group) {
    case 'samples':
    case 'recorded':
      return row ? choosePayload(screen, row.choice) : {}
    case 'file':
      return {
        go: {
          push: entryScreen(fileId, 'the file of the payload', { help: 'a payload, or a sample with its headers; ~ is the home folder' }),
        },
      }
    case 'paste':
      return choosePasted(screen, screen.pasted.text)
    case 'edit':
      if (!payload) return badNotice('no payload is chosen: there is nothing to edit')
      if (payload.isCut) return badNotice('the payload is too large to be edited here: edit it as a file')
      return { commands: [{ kind: 'edit-text', id: editId, text: screen.edited ?? payload.body }] }
  }
}

const badNotice = (text: string): ScreenUpdate<PayloadScreen> => ({ world: { notice: { tone: 'bad', text } } })

const choosePayload = ({ isAhead, route }: PayloadScreen, choice: PayloadChoice): ScreenUpdate<PayloadScreen> =>
  isAhead
    ? { go: { back: true, returns: { id: payloadId, value: JSON.stringify(choice) } } }
    : { go: { back: true }, commands: [{ kind: 'ask', question: { ask: 'payload', of: { choice, route } } }] }

const choosePasted = (screen: PayloadScreen, text: string): ScreenUpdate<PayloadScreen> => {
  if (text.trim() === '') return badNotice('nothing is pasted yet')
  const problem = jsonProblem(text)
  return problem === undefined ? choosePayload(screen, { from: 'text', text }) : badNotice(problem)
}

/** Takes a paste that is too long to be shown. The paste is chosen at once if it is JSON, and dropped otherwise. */
const chooseLongPaste = (screen: PayloadScreen, text: string): ScreenUpdate<PayloadScreen> => {
  const problem = jsonProblem(text)
  if (problem === undefined) return choosePayload(screen, { from: 'text', text })
  return badNotice(`${problem}; the text is too long to be mended here: put it into a file`)
}

const onMessage = (screen: PayloadScreen, message: Message, { payload }: World): ScreenUpdate<PayloadScreen> => {
  if (message.type === 'payloads' && message.of.route === screen.route) return { screen: withRows(screen, message.answer, payload) }
  if (message.type !== 'returned') return {}
  if (message.id === fileId) return message.value.trim() === '' ? {} : choosePayload(screen, { from: 'file', file: message.value })
  return message.id === editId && payload ? chooseEdited(screen, message.value, payload) : {}
}

/** Sets the rows, and puts the cursor on the current payload. */
const withRows = (screen: PayloadScreen, all: readonly PayloadRow[], payload: Payload | undefined): PayloadScreen => {
  const next = { ...screen, all }
  const at = shownPayloadRows(next).findIndex(
    ({ choice }) => payload && !screen.isAhead && JSON.stringify(choice) === JSON.stringify(payload.choice),
  )
  return { ...next, cursor: Math.max(0, at) }
}

/**
 * Chooses an edited text as the payload, with the headers of the payload that was edited. The text must be JSON, unless the payload before
 * the edit was not JSON either, such as a form.
 */
const chooseEdited = (screen: PayloadScreen, text: string, { body, headers }: Payload): ScreenUpdate<PayloadScreen> => {
  const problem = jsonProblem(body) === undefined ? jsonProblem(text) : undefined
  if (problem !== undefined) return { screen: { ...screen, edited: text }, ...badNotice(`${problem}; enter goes on with the text`) }
  return choosePayload(screen, { from: 'text', text, headers })
}

const sentences = (screen: PayloadScreen): readonly string[] => {
  switch (screen.group) {
    case 'samples':
    case 'recorded':
      return shownPayloadRows(screen).map(
        ({ title, detail, fits }) => `${title}, ${detail.replaceAll('  ', ', ')}${fits ? '' : ', not for this route'}`,
      )
    default:
      return [groupHints[screen.group]]
  }
}

/** The text that a group without a list shows. */
export const groupHints: { readonly [group in 'file' | 'paste' | 'edit']: string } = {
  file: 'enter names a file: a payload, or a sample with its headers',
  paste: 'paste JSON here, then enter',
  edit: 'enter opens the current payload in $EDITOR; what is saved there is the payload then',
}
