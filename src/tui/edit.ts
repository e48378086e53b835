/** Opens the editor on a terminal, and gives the terminal back, however the editor ends. */

import type { ReadStream, WriteStream } from 'node:tty'
import { actionOf } from '../edit/actions.ts'
import { clickedRow } from './model/click.ts'
import type { Size } from './model/room.ts'
import type { EditorOptions } from './model/screen.ts'
import type { EditorState } from './model/state.ts'
import { homeScreen } from './screens/home/home.ts'
import { models } from './screens/index.ts'
import { openSession, type SessionSurroundings } from './session.ts'
import { type EditorEnd, editorEndOf, watchEndings } from './terminal/endings.ts'
import { type KeyReader, readKeys } from './terminal/keys.ts'
import { clipboardSequence, type Modes } from './terminal/modes.ts'
import { onContinued, suspendProcess } from './terminal/suspend.ts'
import { type Terminal, takeTerminal } from './terminal/terminal.ts'

/** How the editor is opened, and on which terminal. `ascii`: the terminal shows ASCII only. */
export type EditorSettings = {
  readonly options: EditorOptions
  /** The route to begin with. */
  readonly route?: string | undefined
  readonly modes: Modes
  readonly colour: boolean
  readonly ascii: boolean
  readonly stdin: ReadStream
  readonly stdout: WriteStream
}

/** What the editor on a terminal needs besides the terminal. */
export type EditorSurroundings = Pick<SessionSurroundings, 'service' | 'watch'> & {
  readonly edit: (file: string, line?: number) => Promise<void>
  /** Opens a text in the user's editor, in a file of its own. Resolves with the edited text. */
  readonly editText: (text: string) => Promise<string>
}

/** The actions that do not wait until a screen has opened. */
const immediateActions = ['interrupt', 'suspend', 'redraw'] as const
const previewDelayMs = 80
const keepDelayMs = 1_000

/**
 * Runs the editor until the user ends it, a signal comes, or the terminal is gone. Resolves to how the editor ended. A mistake of the
 * program is thrown as a Fault after the terminal was given back.
 */
export const runEditor = async (settings: EditorSettings, around: EditorSurroundings): Promise<EditorEnd> => {
  const { stdin, stdout, options, route } = settings
  const sizeOf = (): Size => ({ columns: stdout.columns, rows: stdout.rows })
  const state: EditorState = { world: { options, size: sizeOf(), revision: 0 }, screens: [homeScreen] }
  // The line mode for screen readers loads this module too, and does not need Ink. So Ink is loaded only here.
  const { openCanvas } = await import('./terminal/canvas.tsx')
  const terminal = takeTerminal(stdout, settings.modes)
  const endings = watchEndings(terminal.isOurs, stdin)
  const canvas = openCanvas(stdout, { colour: settings.colour, ascii: settings.ascii }, terminal.isOurs)
  const keys = readKeys(stdin, {
    key(key) {
      const press = (): void => session.input({ kind: 'key', key })
      if (actionOf(key.name, immediateActions, options.keymap)) press()
      else session.typed(press)
    },
    paste: (text) => session.typed(() => session.input({ kind: 'paste', text })),
    click: (cell) =>
      session.typed(() => {
        const row = clickedRow(session.state(), cell, models)
        if (row !== undefined) session.input({ kind: 'point', row })
      }),
  })
  const resize = (): void => {
    session.input({ kind: 'resize', size: sizeOf() })
    canvas.redraw()
  }
  const away = awayFrom(terminal, keys, resize)
  const session = openSession(state, {
    ...around,
    previewDelayMs,
    keepDelayMs,
    draw: (next) => canvas.draw(next),
    redraw: () => canvas.redraw(),
    copy: (text) => stdout.write(clipboardSequence(text)),
    suspend: () => void away(suspendProcess),
    editText: (text) => away(() => around.editText(text)),
    editFile: (file, line) => away(() => around.edit(file, line)),
  })
  // While another process had stopped this process, the shell had the terminal. So the editor sets the modes of the terminal anew.
  const stopListening = onContinued(() => terminal.isOurs() && void away(async () => {}))
  stdout.on('resize', resize)
  canvas.draw(state)
  session.input({ kind: 'start', ...(route === undefined ? {} : { route }) })
  const ending = await Promise.race([session.ended.then(() => undefined), endings.ended])
  stopListening()
  stdout.off('resize', resize)
  keys.close()
  canvas.close()
  terminal.close()
  const kept = await session.close()
  endings.close()
  return editorEndOf(ending, kept)
}

/** Returns a function that gives the terminal back while `work` runs, takes the terminal again, and then calls `back`. */
const awayFrom =
  (terminal: Terminal, keys: KeyReader, back: () => void) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    keys.pause()
    terminal.giveBack()
    try {
      return await work()
    } finally {
      terminal.take()
      keys.resume()
      // The terminal may have another size by now. Only the foreground process gets a signal about a new size.
      process.kill(process.pid, 'SIGWINCH')
      back()
    }
  }
