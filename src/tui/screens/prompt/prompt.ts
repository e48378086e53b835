/**
 * The prompt screen: the template, beside its expansion (the template filled in from the payload). All writing between the opening and the
 * end of this screen is one step of the draft, so one undo takes all of it back.
 */

import { change, type RouteDraft } from '../../../edit/draft/route-draft.ts'
import type { PayloadValue } from '../../../edit/service.ts'
import { placeholderPath } from '../../../expr/placeholder.ts'
import { movedCursor } from '../../model/list.ts'
import { rowsThatFit } from '../../model/narrowing.ts'
import { type Screen, type ScreenUpdate, screenModel, type World } from '../../model/screen.ts'
import { editField, type TextField, textField, typeInto } from '../../model/text-field.ts'
import { promptSentences } from '../trace/trace-said.ts'
import { promptLayout } from './layout.ts'

declare module '../../model/screen.ts' {
  interface Screens {
    readonly prompt: PromptScreen
  }
}

export type PromptScreen = Screen & {
  readonly kind: 'prompt'
  readonly field: TextField
  /** The draft as it was when the screen was opened. */
  readonly before: RouteDraft
  readonly cursor: number
  /** The paths of the payload that are offered for a placeholder that has no closing brace yet; `undefined` if no paths are offered. */
  readonly completion?: Completion | undefined
  /** The offset of the open brace for which the user closed the list of paths; `undefined` if no list was closed. */
  readonly closedAt?: number | undefined
}

export const openPrompt = (draft: RouteDraft, world: World): PromptScreen => {
  const { prompt } = draft.spec
  return withCompletion({ kind: 'prompt', field: textField(typeof prompt === 'string' ? prompt : ''), before: draft, cursor: 0 }, world)
}

/** `at`: the offset of the open brace. */
type Completion = { readonly at: number; readonly rows: readonly PayloadValue[] }

const maxRows = 200

/** Returns the paths that fit the text between an open brace and the cursor. */
const completionOf = ({ field: { text, cursor }, closedAt }: PromptScreen, { payload }: World): Completion | undefined => {
  const open = /\{([^{}\s]*)$/.exec(text.slice(0, cursor))
  if (!open || !payload || open.index === closedAt) return undefined
  const [, search = ''] = open
  const named = payload.values.flatMap((value) => {
    const path = placeholderPath(value.path)
    return path === undefined ? [] : [{ ...value, path }]
  })
  const rows = rowsThatFit(named, search, ({ path }) => path).slice(0, maxRows)
  return rows.length > 0 ? { at: open.index, rows } : undefined
}

/** Sets the list of paths. The list is made once for each state of the text, because a payload may have thousands of paths. */
const withCompletion = (screen: PromptScreen, world: World): PromptScreen => ({ ...screen, completion: completionOf(screen, world) })

const title = 'prompt'

export const promptModel = screenModel<PromptScreen>({
  title: (_, { draft }) => `prompt of ${draft?.opened.name ?? ''}`,
  enter: () => 'take',
  actions: (screen, world) => {
    if (world.options.readOnly) return ['back']
    return screen.completion ? ['open', 'nextPane', 'back', 'up', 'down', 'editText'] : ['back', 'editText']
  },
  takes: ({ completion }, { options }) => (options.readOnly ? undefined : completion ? 'text' : 'lines'),
  type: (screen, text, world) => withPromptText(screen, typeInto(screen.field, text, true), world),
  press: (screen, key, world) => withPromptText(screen, editField(screen.field, key), world),
  onAction(screen, action, world) {
    const { completion } = screen
    if (action === 'editText') return { commands: [{ kind: 'edit-text', id: title, text: screen.field.text }] }
    if (!completion) return { go: { back: true } }
    if (action === 'back') return { screen: { ...screen, closedAt: completion.at, completion: undefined } }
    if (action === 'up' || action === 'down')
      return { screen: { ...screen, cursor: movedCursor(screen.cursor, action, completion.rows.length) } }
    return withPathInserted(screen, completion, world)
  },
  rows: ({ field, completion }) =>
    completion
      ? completion.rows.map(({ path, shown }) => `${path}: ${shown}`)
      : [...promptLines(field).map((each) => each || 'an empty line'), 'a new line'],
  point: (screen, row) => (screen.completion ? { ...screen, cursor: row } : { ...screen, field: atLine(screen.field, row) }),
  list: (screen, _, room) => (screen.completion ? promptLayout(screen, room).paths : undefined),
  said: (_, { preview }) => promptSentences(preview),
  onMessage(screen, message, world) {
    if (message.type === 'payload') return { screen: withCompletion(screen, world) }
    return message.type === 'returned' && message.id === title
      ? withPromptText(screen, textField(withoutAddedLineEnd(message.value, screen.field.text)), world)
      : {}
  },
})

/** Returns a text that came back from `$EDITOR`, without the line end that editors add to a last line that had none before. */
const withoutAddedLineEnd = (text: string, before: string): string => (before.endsWith('\n') ? text : text.replace(/\n$/, ''))

const promptLines = ({ text }: TextField): readonly string[] => text.replace(/\n$/, '').split('\n')

/** Puts the cursor at the end of the line number `row`. The row behind the last line begins a new line. */
const atLine = (field: TextField, row: number): TextField => {
  const lines = promptLines(field)
  if (row < lines.length) return { ...field, cursor: lines.slice(0, row + 1).join('\n').length }
  const before = `${lines.join('\n')}\n`
  return { text: field.text.endsWith('\n') ? `${before}\n` : before, cursor: before.length }
}

/**
 * Puts a new text into the draft. Each change begins from the draft as it was when the screen was opened, so all writing together is one
 * step.
 */
const withPromptText = (screen: PromptScreen, field: TextField, world: World): ScreenUpdate<PromptScreen> => {
  const isSame = field.text === screen.field.text
  const next = withCompletion({ ...screen, field, cursor: 0, closedAt: isSame ? screen.closedAt : undefined }, world)
  if (isSame) return { screen: next }
  const { before } = screen
  const path = ['prompt']
  const edit = field.text === '' ? ({ kind: 'remove', path } as const) : ({ kind: 'set', path, value: field.text } as const)
  return { screen: next, world: { draft: change(before, title, [edit]) } }
}

/** Replaces the placeholder that has no closing brace yet by a placeholder of the path that is chosen in the list of paths. */
const withPathInserted = (screen: PromptScreen, { at, rows }: Completion, world: World): ScreenUpdate<PromptScreen> => {
  const { field, cursor } = screen
  const row = rows[cursor]
  if (!row) return {}
  const head = `${field.text.slice(0, at)}{${row.path}}`
  const rest = field.text.slice(field.cursor)
  return withPromptText(screen, { text: head + (rest.startsWith('}') ? rest.slice(1) : rest), cursor: head.length }, world)
}
