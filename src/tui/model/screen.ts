/** A screen of the editor: its own state, what an action does to it, and what all screens share. Pure: what must be done outside is a command. */

import type { OpenedRoute, RouteDraft } from '../../app/editor/draft/route-draft.ts'
import type { Answer, Home, Payload, Preview, Question } from '../../app/editor/service.ts'
import type { Path } from '../../core/diagnostic.ts'
import type { TailLine } from '../../generated/control.ts'
import type { ActionName, Keymap } from './actions.ts'
import type { ListArea } from './list.ts'
import type { Room, Size } from './room.ts'

export type Options = {
  readonly dataDir: string
  /** Its routes alone are shown; absent: all are. */
  readonly profile?: string | undefined
  /** How the user calls the program, for hints. */
  readonly self: string
  /** Nothing may be written, sent or switched. */
  readonly readOnly: boolean
  readonly keymap: Keymap
}

export type Notice = { readonly tone: 'ok' | 'warn' | 'bad'; readonly text: string }

/** What all screens share. */
export type World = {
  readonly options: Options
  readonly size: Size
  readonly home?: Home
  /** The route that is open. */
  readonly draft?: RouteDraft | undefined
  /** Changes of other routes that wait to be saved, the one that was touched last first. */
  readonly pending?: readonly RouteDraft[]
  readonly payload?: Payload | undefined
  /** The latest that is known; of an older state of the draft while a newer one is asked for. */
  readonly preview?: Preview | undefined
  /** Counts the states of draft and payload. */
  readonly revision: number
  readonly notice?: Notice
}

/** The state of one screen. Its kind names it in the registry. */
export type Screen = { readonly kind: ScreenKind }

export type ScreenKind =
  | 'home'
  | 'route'
  | 'filters'
  | 'prompt'
  | 'deliver'
  | 'tests'
  | 'payload'
  | 'live'
  | 'trace'
  | 'save'
  | 'help'
  | 'pick'
  | 'entry'
  | 'choose'

/** What the session must do outside of the model. */
export type Command =
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'copy'; readonly text: string }
  /** Opens the file of a route in the user's editor, at the line of a setting. */
  | { readonly kind: 'edit-route'; readonly opened: OpenedRoute; readonly path: Path }
  /** Opens a file in the user's editor, at a line. The routes are read again when that editor ends. */
  | { readonly kind: 'edit-file'; readonly file: string; readonly line: number }
  /** A text in the user's editor; it comes back as `returned` under the id. */
  | { readonly kind: 'edit-text'; readonly id: string; readonly text: string }
  | { readonly kind: 'watch'; readonly route?: string }
  | { readonly kind: 'unwatch' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'redraw' }
  | { readonly kind: 'quit' }

/** What an input changes. Without members it changes nothing. */
export type Update<S extends Screen = Screen> = {
  readonly screen?: S
  /** `back` takes the screen away, with what it gives to the one below. */
  readonly go?:
    | { readonly push: Screen }
    | { readonly replace: Screen }
    | { readonly back: true; readonly returns?: Returned }
    /** Home, or to the one screen above it that is given. */
    | { readonly home: true; readonly above?: Screen }
  readonly world?: Partial<Pick<World, 'draft' | 'pending' | 'payload' | 'notice' | 'home'>>
  readonly commands?: readonly Command[]
}

/** What a screen gives to the one below it: a text that was entered, a row that was picked. */
export type Returned = { readonly id: string; readonly value: string }

/** What reaches a screen from outside: an answer of the service, a line of the live view, or what the screen above it gave back. */
export type Message =
  | Answer
  | { readonly type: 'traffic'; readonly line: TailLine }
  | { readonly type: 'watching'; readonly state: 'open' | 'ended'; readonly why?: string }
  | { readonly type: 'copied' }
  | ({ readonly type: 'returned' } & Returned)

export type ScreenModel<S extends Screen = Screen> = {
  readonly title: (screen: S, world: World) => string
  /** The actions that count on it; the first ones are shown as hints. Those that count everywhere need not be named. */
  readonly actions: (screen: S, world: World) => readonly ActionName[]
  /** What enter does, in a word for the hints; absent: it opens. */
  readonly enter?: string | ((screen: S, world: World) => string)
  readonly onAction: (screen: S, action: ActionName, world: World) => Update<S>
  /** While it takes text, letters are text and no actions; in `lines` enter is text, too. */
  readonly takes?: (screen: S, world: World) => 'text' | 'lines' | undefined
  /** Characters that were typed or pasted. */
  readonly type?: (screen: S, text: string, world: World) => Update<S>
  /** A key that types nothing, where no action has it: of a text that is being written. */
  readonly press?: (screen: S, key: string, world: World) => Update<S>
  readonly onMessage?: (screen: S, message: Message, world: World) => Update<S>
  /** Its rows as sentences, for the line mode of screen readers; where there are any it has a cursor. */
  readonly rows?: (screen: S, world: World) => readonly string[]
  readonly point?: (screen: S, row: number) => S
  /** Where the list stands that the cursor is in: a click there chooses a row. */
  readonly list?: (screen: S, world: World, room: Room) => ListArea | undefined
  /** What the number of a row does in the line mode, once the cursor is on it; absent: it opens the row. */
  readonly numberDoes?: (screen: S) => ActionName
  /** The row that the cursor is on; absent: `cursor`. */
  readonly rowAt?: (screen: S) => number
  /** The same screen with all that is folded shown, to be searched. */
  readonly unfold?: (screen: S) => S
  /** Sentences that the line mode says after the rows. */
  readonly said?: (screen: S, world: World) => readonly string[]
  /** Its panes by name, in order, and which of them is shown: words of the line mode. */
  readonly panes?: (screen: S) => { readonly names: readonly string[]; readonly at: number }
}

/** Says why nothing was done. */
export const warned = (text: string): Update<never> => ({ world: { notice: { tone: 'warn', text } } })

/** Keeps the type of a screen's state where its model is written. */
export const screenModel = <S extends Screen>(model: ScreenModel<S>): ScreenModel<S> => model
