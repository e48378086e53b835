/**
 * What a screen of the editor is: its state (`Screen`), its behaviour (`ScreenModel`), and the state that all screens share (`World`). All
 * functions of a model are pure: a task outside of the model is given back as a `Command`. The line mode, which says screens as sentences
 * for screen readers, uses the same models.
 */

import type { Path } from '../../core/diagnostic.ts'
import type { ActionName, Keymap } from '../../edit/actions.ts'
import type { OpenedRoute, RouteDraft } from '../../edit/draft/route-draft.ts'
import type { Home, Payload, Preview } from '../../edit/service.ts'
import type { ServiceAnswer, ServiceQuestion } from '../../edit/service-messages.ts'
import type { TailLine } from '../../generated/control.ts'
import type { ListArea } from './list.ts'
import type { Room, Size } from './room.ts'

export type EditorOptions = {
  readonly dataDir: string
  /** The profile whose routes are shown; `undefined` for the routes of all profiles. */
  readonly profile?: string | undefined
  /** The command with which the user calls the program, for hints. */
  readonly self: string
  /** The editor must not write anything, send anything, or switch routes on or off. */
  readonly readOnly: boolean
  readonly keymap: Keymap
}

export type Notice = { readonly tone: 'ok' | 'warn' | 'bad'; readonly text: string }

/** The state that all screens share. */
export type World = {
  readonly options: EditorOptions
  readonly size: Size
  readonly home?: Home
  /** The route that is open. */
  readonly draft?: RouteDraft | undefined
  /** The drafts of other routes that wait to be saved, the draft that was changed last first. */
  readonly pending?: readonly RouteDraft[]
  readonly payload?: Payload | undefined
  /** The latest known preview. It is about an older state of the draft while a newer preview is awaited. */
  readonly preview?: Preview | undefined
  /** Counts up at each change of the draft or the payload, so that a preview names the state that it is about. */
  readonly revision: number
  readonly notice?: Notice
}

/**
 * The state of the screens, by their kind. Each kind is added where its state is declared (`declare module`), and the compiler asks
 * src/tui/screens/index.ts for its model and its view.
 */
// biome-ignore lint/suspicious/noEmptyInterface: its members stand beside the states
export interface Screens {}
export type ScreenKind = keyof Screens

export type Screen = { readonly kind: ScreenKind }

/**
 * A task that a screen's model gives back, because the functions of a model are pure. The loop of the editor (src/tui/session.ts) does it.
 */
export type Command =
  | { readonly kind: 'ask'; readonly question: ServiceQuestion }
  | { readonly kind: 'copy'; readonly text: string }
  /** Opens the file of a route in the user's editor, at the line of a setting. */
  | { readonly kind: 'edit-route'; readonly opened: OpenedRoute; readonly path: Path }
  /** Opens a file in the user's editor, at a line. The routes are read again when that editor ends. */
  | { readonly kind: 'edit-file'; readonly file: string; readonly line: number }
  /** Opens a text in the user's editor. The edited text comes back as `returned` under the id. */
  | { readonly kind: 'edit-text'; readonly id: string; readonly text: string }
  /** Follows the traffic of a route, or of all routes, until `unwatch`. */
  | { readonly kind: 'watch'; readonly route?: string }
  | { readonly kind: 'unwatch' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'redraw' }
  | { readonly kind: 'quit' }

/** The changes that an input makes. An empty update changes nothing. */
export type ScreenUpdate<S extends Screen = Screen> = {
  readonly screen?: S
  /** Another screen to go to. `back` removes the screen, and gives `returns` to the screen below. */
  readonly go?:
    | { readonly push: Screen }
    | { readonly replace: Screen }
    | { readonly back: true; readonly returns?: Returned }
    /** Goes home, or to the screen `above` right above home. */
    | { readonly home: true; readonly above?: Screen }
  readonly world?: Partial<Pick<World, 'draft' | 'pending' | 'payload' | 'notice' | 'home'>>
  readonly commands?: readonly Command[]
}

/** The result that a screen gives to the screen below: a text that was entered, or a row that was picked. */
export type Returned = { readonly id: string; readonly value: string }

/** A message to a screen: an answer of the service, news of the live view, the end of a copy, or the result of the screen above. */
export type Message =
  | ServiceAnswer
  | { readonly type: 'traffic'; readonly line: TailLine }
  | { readonly type: 'watching'; readonly state: 'open' | 'ended'; readonly why?: string }
  | { readonly type: 'copied'; readonly isCut: boolean }
  | ({ readonly type: 'returned' } & Returned)

/**
 * The behaviour of all screens of one kind. Each function takes the state of the screen, and most take the shared state. They are methods,
 * because the compiler lets a model with methods for one kind of screen stand among the models of all kinds.
 */
export type ScreenModel<S extends Screen = Screen> = {
  title(screen: S, world: World): string
  /** The actions of the screen; the first of them are shown as hints. Actions that every screen has need not be named. */
  actions(screen: S, world: World): readonly ActionName[]
  /** Returns what enter does, in a word for the hints. A model without this function: "open". */
  enter?(screen: S, world: World): string
  onAction(screen: S, action: ActionName, world: World): ScreenUpdate<S>
  /** Whether the screen takes text now. While it does, letters are text and not actions; with `lines`, enter is text, too. */
  takes?(screen: S, world: World): 'text' | 'lines' | undefined
  /** Takes characters that were typed or pasted. */
  type?(screen: S, text: string, world: World): ScreenUpdate<S>
  /** Takes a key that types nothing and is not an action, such as a key that edits a text. */
  press?(screen: S, key: string, world: World): ScreenUpdate<S>
  onMessage?(screen: S, message: Message, world: World): ScreenUpdate<S>
  /** Returns the rows as sentences, for the line mode of screen readers. A screen with rows has a cursor. */
  rows?(screen: S, world: World): readonly string[]
  /** Puts the cursor on a row, counted from 0. */
  point?(screen: S, row: number): S
  /** Returns the place of the list that has the cursor. A click in that list chooses a row. */
  list?(screen: S, world: World, room: Room): ListArea | undefined
  /**
   * The action that is done when the user of the line mode types the number of a row. The cursor is on that row then. `undefined`: "open".
   */
  numberDoes?(screen: S): ActionName
  /** Returns the row of the cursor. A screen whose model lacks this function has the row as its member `cursor`. */
  rowAt?(screen: S): number
  /** Returns the screen with all folded rows shown, to search them. */
  unfold?(screen: S): S
  /** Returns the sentences that the line mode says after the rows. */
  said?(screen: S, world: World): readonly string[]
  /** Returns the names of the panes in order, and the place of the pane that is shown. In the line mode, a typed name shows its pane. */
  panes?(screen: S): { readonly names: readonly string[]; readonly at: number }
}

/** Returns an update that says why nothing was done. */
export const warned = (text: string): ScreenUpdate<never> => ({ world: { notice: { tone: 'warn', text } } })

/** Returns the model as it is. The call exists for the compiler: it gives the functions of the model the type of its screen. */
export const screenModel = <S extends Screen>(model: ScreenModel<S>): ScreenModel<S> => model
