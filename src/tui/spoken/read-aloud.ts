/** Runs the editor in lines: it prints sentences, and reads words and numbers. No borders, no colours, no screen of its own. */

import type { Readable, Writable } from 'node:stream'
import type { Options } from '../model/screen.ts'
import type { State } from '../model/state.ts'
import { homeScreen } from '../screens/home/home.ts'
import { openSession, type Surroundings } from '../session.ts'
import { type Ended, endedBy, watchEndings } from '../terminal/endings.ts'
import { readLines } from './lines.ts'
import { meaningOf, takesSecret, tell } from './spoken.ts'

export type Around = Pick<Surroundings, 'service' | 'watch' | 'editFile' | 'editText'>

const previewDelayMs = 80
const keepDelayMs = 1_000
/** Wide, so that no row is left out for want of room. */
const size = { columns: 200, rows: 60 }

/** As `runEditor`. At the end of the input what is not saved is kept as a draft. */
export const readAloud = async (
  {
    options,
    route,
    input,
    output,
  }: { readonly options: Options; readonly route?: string | undefined; readonly input: Readable; readonly output: Writable },
  around: Around,
): Promise<Ended> => {
  const say = (lines: readonly string[]): void => void output.write(lines.map((each) => `${each}\n`).join(''))
  const first: State = { world: { options, size, revision: 0 }, screens: [homeScreen] }
  let told: State | undefined
  let isAway = false
  const endings = watchEndings(() => !isAway)
  const lines = readLines(input, output, {
    line: (typed) =>
      session.typed(() => {
        const meant = meaningOf(typed, session.state())
        if ('say' in meant) say(meant.say)
        else for (const each of meant.inputs) session.input(each)
      }),
    end: () => session.typed(() => session.input({ kind: 'end' })),
  })
  /** What is typed is for the program that was started. */
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
      // Before it is said that nothing is shown: who listens types at once.
      lines.hide(takesSecret(state))
      say(tell(told, state))
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
  return endedBy(ending, kept)
}
