/**
 * The line mode of the editor, for screen readers: prints what a screen shows as sentences, and reads lines with words and numbers. It
 * draws no borders, no colours and no screen.
 */

import type { Readable, Writable } from 'node:stream'
import type { EditorOptions } from '../model/screen.ts'
import type { EditorState } from '../model/state.ts'
import { homeScreen } from '../screens/home/home.ts'
import { openSession, type SessionSurroundings } from '../session.ts'
import { type EditorEnd, editorEndOf, watchEndings } from '../terminal/endings.ts'
import { readTypedLines } from './lines.ts'
import { changesSaid, takesSecret, typedMeaning } from './spoken.ts'

/** What the line mode needs besides its input and output. */
export type LineModeSurroundings = Pick<SessionSurroundings, 'service' | 'watch' | 'editFile' | 'editText'>

const previewDelayMs = 80
const keepDelayMs = 1_000
/** The size of terminal that the models get. It is so large that no model leaves out rows for lack of room. */
const size = { columns: 200, rows: 60 }

/**
 * Runs the editor until the user ends it, the input ends, or a signal comes. At the end of the input or at a signal, unsaved changes are
 * kept as a draft. Resolves to how the editor ended. A mistake of the program is thrown as a Fault.
 */
export const runLineMode = async (
  {
    options,
    route,
    input,
    output,
  }: { readonly options: EditorOptions; readonly route?: string | undefined; readonly input: Readable; readonly output: Writable },
  around: LineModeSurroundings,
): Promise<EditorEnd> => {
  const say = (lines: readonly string[]): void => void output.write(lines.map((each) => `${each}\n`).join(''))
  const first: EditorState = { world: { options, size, revision: 0 }, screens: [homeScreen] }
  let told: EditorState | undefined
  let isAway = false
  const endings = watchEndings(() => !isAway)
  const lines = readTypedLines(input, output, {
    line: (typed) =>
      session.typed(() => {
        const meant = typedMeaning(typed, session.state())
        if ('say' in meant) say(meant.say)
        else for (const each of meant.inputs) session.input(each)
      }),
    end: () => session.typed(() => session.input({ kind: 'end' })),
  })
  /** Runs another program. Until it ends, typed text is for that program. */
  const meanwhile = async <T>(work: () => Promise<T>): Promise<T> => {
    isAway = true
    lines.pause()
    try {
      return await work()
    } finally {
      isAway = false
      lines.resume()
    }
  }
  const session = openSession(first, {
    ...around,
    editText: (text) => meanwhile(() => around.editText(text)),
    editFile: (file, line) => meanwhile(() => around.editFile(file, line)),
    previewDelayMs,
    keepDelayMs,
    draw: (state) => {
      // Echo is switched off before the question for a secret is printed, because a listener may type at once.
      lines.hide(takesSecret(state))
      say(changesSaid(told, state))
      told = state
    },
    redraw: () => {},
    suspend: () => {},
    copy: (text) => say([text]),
  })
  session.input({ kind: 'start', ...(route === undefined ? {} : { route }) })
  const ending = await Promise.race([session.ended.then(() => undefined), endings.ended])
  lines.close()
  const kept = await session.close()
  endings.close()
  return editorEndOf(ending, kept)
}
