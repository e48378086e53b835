/** Screens that stand above any other: a list to pick from, a line to fill in, a question, help. They give back what was chosen. */

import type { RouteDraft } from '../../app/editor/draft/route-draft.ts'
import type { SavePlan } from '../../app/editor/service.ts'
import { type ActionName, actions, type Keymap } from './actions.ts'
import { changedDrafts, type Drafts, withOpen } from './pending.ts'
import { type Command, type Screen, type Update, warned } from './screen.ts'
import { type TextField, textField } from './text-field.ts'

export type PickRow = { readonly value: string; readonly title: string; readonly detail?: string }

/** A list that is narrowed by typing. `free`: what was typed counts although no row has it. */
export type PickScreen = Screen & {
  readonly kind: 'pick'
  readonly id: string
  readonly title: string
  readonly all: readonly PickRow[]
  readonly search: TextField
  readonly cursor: number
  readonly free: boolean
  /** Present where several rows may be picked: space marks a row, and the answer is a JSON list of the values of marked rows. */
  readonly marks?: Marks
}

/** `all`: the values of the rows that are marked, in the order of marking. */
export type Marks = {
  readonly all: readonly string[]
  /** The user has set or taken away a mark. Until then enter picks the row of the cursor beside the marked rows. */
  readonly isTouched: boolean
  /** Until a mark is set or taken away, enter picks the row of the cursor instead of the marked rows. */
  readonly isUsuallyAlone: boolean
}

/** One line of text. A secret is shown as stars. */
export type EntryScreen = Screen & {
  readonly kind: 'entry'
  readonly id: string
  readonly title: string
  readonly help?: string
  readonly field: TextField
  readonly isSecret: boolean
  /** What the text must be. */
  readonly form: 'text' | 'number' | 'name'
  /** Names that a new one must not be. */
  readonly taken?: readonly string[]
}

export type Choice = { readonly value: string; readonly title: string }

/** A question with a few answers; escape gives none. */
export type ChooseScreen = Screen & {
  readonly kind: 'choose'
  readonly id: string
  readonly question: string
  readonly choices: readonly Choice[]
  readonly cursor: number
}

export type HelpScreen = Screen & {
  readonly kind: 'help'
  readonly actions: readonly ActionName[]
  readonly search: TextField
  readonly cursor: number
}

/**
 * The diff and the findings. `then`: what is done once it is saved; before the end, and with `all`, the changes of every other route are
 * shown and saved in turn. With `diff` nothing can be.
 */
export type SaveScreen = Screen & {
  readonly kind: 'save'
  readonly then: 'stay' | 'home' | 'all' | 'quit'
  readonly look: 'save' | 'diff'
  readonly cursor: number
  /** A plan or the end of saving is waited for. */
  readonly isBusy: boolean
  readonly plan?: SavePlan
  /** The user wants the changes in the file as it is now. */
  readonly onto?: 'current'
}

/** `now`: what is chosen already: the cursor stands on it, so that enter changes nothing. */
export const pick = (id: string, title: string, rows: readonly PickRow[], free = false, now?: string): PickScreen => {
  const isOffered = now === undefined || rows.some(({ value }) => value === now)
  const all = isOffered ? rows : [{ value: now, title: now, detail: 'as it is' }, ...rows]
  return {
    kind: 'pick',
    id,
    title,
    all,
    search: textField(),
    cursor: Math.max(
      0,
      all.findIndex(({ value }) => value === now),
    ),
    free,
  }
}

/** The row of a list of marks that stands for none: where nothing is marked the cursor is on it. */
export const noMark: PickRow = { value: '', title: 'not set', detail: 'leaves it so' }

/** A list of which several rows may be picked; those of `marked` are, and come first. */
export const pickSeveral = (
  id: string,
  title: string,
  rows: readonly PickRow[],
  { marked, isUsuallyAlone = false }: { readonly marked: readonly string[]; readonly isUsuallyAlone?: boolean },
): PickScreen => {
  const none = marked.length === 0 ? [noMark] : []
  const first = marked.map((value) => rows.find((row) => row.value === value) ?? { value, title: value })
  const others = rows.filter(({ value }) => !marked.includes(value))
  return { ...pick(id, title, [...none, ...first, ...others], true), marks: { all: marked, isTouched: false, isUsuallyAlone } }
}

export const entry = (
  id: string,
  title: string,
  more: Partial<Pick<EntryScreen, 'help' | 'isSecret' | 'form' | 'taken'>> & { readonly text?: string } = {},
): EntryScreen => {
  const { text = '', isSecret = false, form = 'text', help, taken } = more
  return {
    kind: 'entry',
    id,
    title,
    field: textField(text),
    isSecret,
    form,
    ...(help === undefined ? {} : { help }),
    ...(taken ? { taken } : {}),
  }
}

/** `first`: the choice on which the cursor stands. */
export const choose = (id: string, question: string, choices: readonly Choice[], first = 0): ChooseScreen => ({
  kind: 'choose',
  id,
  question,
  choices,
  cursor: first,
})

const saveScreen = (then: SaveScreen['then'], look: SaveScreen['look'] = 'save'): SaveScreen => ({
  kind: 'save',
  then,
  look,
  cursor: 0,
  isBusy: true,
})

const planned = (draft: RouteDraft): Command => ({ kind: 'ask', question: { ask: 'plan', of: { draft } } })

/** Opens the screen and asks for the plan that it shows: of the route that is open, or else of the one that was touched last. */
export const openSave = (drafts: Drafts, then: SaveScreen['then'], look?: SaveScreen['look']): Update<never> => {
  const draft = (then === 'stay' ? drafts.draft : undefined) ?? changedDrafts(drafts)[0]
  if (!draft) return warned('nothing was changed')
  return { world: withOpen(drafts, draft), go: { push: saveScreen(then, look) }, commands: [planned(draft)] }
}

/** In the place of the screen that is shown: the same for the changes of the next route. */
export const saveNext = (draft: RouteDraft, pending: readonly RouteDraft[], then: SaveScreen['then']): Update<never> => ({
  world: { draft, pending, payload: undefined },
  go: { home: true, above: saveScreen(then) },
  commands: [planned(draft)],
})

export const helpOn = (known: readonly ActionName[]): HelpScreen => ({ kind: 'help', actions: known, search: textField(), cursor: 0 })

export const paletteId = 'palette'

export const paletteOf = (known: readonly ActionName[], keymap: Keymap): PickScreen =>
  pick(
    paletteId,
    'every action by its name',
    known.filter((name) => name !== 'palette').map((name) => ({ value: name, title: actions[name].title, detail: keymap[name].join(' ') })),
  )

export const quitId = 'quit'

export const leaveChoices: readonly Choice[] = [
  { value: 'save', title: 'Save' },
  { value: 'discard', title: 'Discard' },
  { value: 'cancel', title: 'Cancel' },
]

export const quitQuestion = (routes: readonly string[]): ChooseScreen => {
  const named = routes.map((route) => `"${route}"`)
  const who = named.length > 3 ? `${named.length} routes` : named.join(', ')
  return choose(quitId, `${who} ${named.length > 1 ? 'have' : 'has'} changes that are not saved`, leaveChoices, 2)
}

export const isQuitQuestion = (screen: Screen): boolean => screen.kind === 'choose' && (screen as ChooseScreen).id === quitId
