/**
 * The overlays, which are screens that open above any other screen: a list to pick from, a line to fill in, a question, help, the save
 * screen. Most of them give what the user chose to the screen below, under the `id` with which they were made (`Returned` in screen.ts).
 */

import { type ActionName, actions, type Keymap } from '../../edit/actions.ts'
import type { RouteDraft } from '../../edit/draft/route-draft.ts'
import type { SavePlan } from '../../edit/service.ts'
import type { Narrowing } from './narrowing.ts'
import { changedDrafts, type Drafts, withOpen } from './pending.ts'
import { type Command, type Screen, type ScreenUpdate, warned } from './screen.ts'
import { type TextField, textField } from './text-field.ts'

declare module './screen.ts' {
  interface Screens {
    readonly pick: PickScreen
    readonly entry: EntryScreen
    readonly choose: ChooseScreen
    readonly help: HelpScreen
    readonly save: SaveScreen
  }
}

/** A row to pick. `value`: what the screen below gets. `title` and `detail`: what is shown. */
export type PickRow = { readonly value: string; readonly title: string; readonly detail?: string }

/** A list that is narrowed by typing. `free`: the user may choose a typed text that no row has. */
export type PickScreen = Screen &
  Narrowing & {
    readonly kind: 'pick'
    readonly id: string
    readonly title: string
    readonly all: readonly PickRow[]
    readonly free: boolean
    /** Present if several rows may be picked: space marks a row, and the answer is a JSON list of the values of marked rows. */
    readonly marks?: RowMarks
  }

/** The marks of a list from which several rows may be picked. `all`: the values of the marked rows, in the order of marking. */
export type RowMarks = {
  readonly all: readonly string[]
  /** The user has set or removed a mark. Until then, enter picks the row of the cursor in addition to the marked rows. */
  readonly isTouched: boolean
  /** Until the user sets or removes a mark, enter picks the row of the cursor instead of the marked rows. */
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
  /** What the text must be: anything, a number, or the name of a new route. */
  readonly form: 'text' | 'number' | 'name'
  /** The names that routes have already. A new name must not be one of them. */
  readonly taken?: readonly string[]
}

export type ScreenChoice = { readonly value: string; readonly title: string }

/** A question with a few answers. Escape closes the question without an answer. */
export type ChooseScreen = Screen & {
  readonly kind: 'choose'
  readonly id: string
  readonly question: string
  readonly choices: readonly ScreenChoice[]
  readonly cursor: number
}

/** The help: the keys of `actions`, which are the actions of the screen below. */
export type HelpScreen = Screen &
  Narrowing & {
    readonly kind: 'help'
    readonly actions: readonly ActionName[]
  }

/**
 * The diff and the findings of the open draft. `then`: what follows the saving. With `all` and `quit`, the changes of every other route are
 * shown and saved in turn. With `look` as `diff`, nothing can be saved.
 */
export type SaveScreen = Screen & {
  readonly kind: 'save'
  readonly then: 'stay' | 'home' | 'all' | 'quit'
  readonly look: 'save' | 'diff'
  readonly cursor: number
  /** The screen waits for the save plan (what saving would write), or for the end of saving. */
  readonly isBusy: boolean
  readonly plan?: SavePlan
  /** Present if the file was changed by others after the route was opened, and the user wants the changes put into that changed file. */
  readonly onto?: 'current'
}

/** Makes a list to pick from. `now`: the current choice. The cursor stands on the current choice, so that enter changes nothing. */
export const pickScreen = (id: string, title: string, rows: readonly PickRow[], free = false, now?: string): PickScreen => {
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

/** The first row of a list in which nothing is marked. The cursor stands on this row, so that enter marks nothing. */
export const noMarkRow: PickRow = { value: '', title: 'not set', detail: 'leaves it so' }

/** Makes a list from which several rows may be picked. The rows of `marked` are marked, and come first. */
export const pickSeveralScreen = (
  id: string,
  title: string,
  rows: readonly PickRow[],
  { marked, isUsuallyAlone = false }: { readonly marked: readonly string[]; readonly isUsuallyAlone?: boolean },
): PickScreen => {
  const none = marked.length === 0 ? [noMarkRow] : []
  const first = marked.map((value) => rows.find((row) => row.value === value) ?? { value, title: value })
  const others = rows.filter(({ value }) => !marked.includes(value))
  return { ...pickScreen(id, title, [...none, ...first, ...others], true), marks: { all: marked, isTouched: false, isUsuallyAlone } }
}

/** Makes a line to fill in. `more.text`: the text that stands in the line at first. */
export const entryScreen = (
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

/** Makes a question. `first`: the place of the choice that the cursor stands on. */
export const chooseScreen = (id: string, question: string, choices: readonly ScreenChoice[], first = 0): ChooseScreen => ({
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

const askSavePlan = (draft: RouteDraft): Command => ({ kind: 'ask', question: { ask: 'plan', of: { draft } } })

/** Opens the save screen and asks for its save plan. With `stay`, the open route is saved; otherwise the route that was changed last. */
export const openSave = (drafts: Drafts, then: SaveScreen['then'], look?: SaveScreen['look']): ScreenUpdate<never> => {
  const draft = (then === 'stay' ? drafts.draft : undefined) ?? changedDrafts(drafts)[0]
  if (!draft) return warned('nothing was changed')
  return { world: withOpen(drafts, draft), go: { push: saveScreen(then, look) }, commands: [askSavePlan(draft)] }
}

/**
 * Opens the draft of the next route, closes all screens above home, and shows the save screen of that route there. `pending`: the drafts
 * after that draft.
 */
export const openNextSave = (draft: RouteDraft, pending: readonly RouteDraft[], then: SaveScreen['then']): ScreenUpdate<never> => ({
  world: { draft, pending, payload: undefined },
  go: { home: true, above: saveScreen(then) },
  commands: [askSavePlan(draft)],
})

/** Makes the help for a screen with these actions. */
export const helpScreen = (known: readonly ActionName[]): HelpScreen => ({ kind: 'help', actions: known, search: textField(), cursor: 0 })

export const paletteId = 'palette'

/** Makes the palette: a list to pick from, with every action of the screen below by its title. */
export const paletteScreen = (known: readonly ActionName[], keymap: Keymap): PickScreen =>
  pickScreen(
    paletteId,
    'every action by its name',
    known.filter((name) => name !== 'palette').map((name) => ({ value: name, title: actions[name].title, detail: keymap[name].join(' ') })),
  )

export const quitId = 'quit'

export const leaveChoices: readonly ScreenChoice[] = [
  { value: 'save', title: 'Save' },
  { value: 'discard', title: 'Discard' },
  { value: 'cancel', title: 'Cancel' },
]

/** Asks what to do with the unsaved changes of these routes before the editor quits. */
export const quitQuestion = (routes: readonly string[]): ChooseScreen => {
  const named = routes.map((route) => `"${route}"`)
  const who = named.length > 3 ? `${named.length} routes` : named.join(', ')
  return chooseScreen(quitId, `${who} ${named.length > 1 ? 'have' : 'has'} changes that are not saved`, leaveChoices, 2)
}

export const isQuitQuestion = (screen: Screen): boolean => screen.kind === 'choose' && (screen as ChooseScreen).id === quitId
