/** Runs a command in a real pseudo-terminal with a screen, presses keys, and reads what a person would see. */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import type { Test } from 'tap'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const timeoutMs = 20_000

/** The codes that keys send. Text that is typed is sent as it is. */
export const keys = {
  enter: '\r',
  escape: '\u001b',
  tab: '\t',
  backTab: '\u001b[Z',
  space: ' ',
  backspace: '\u007f',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  end: '\u001b[F',
  delete: '\u001b[3~',
  pageUp: '\u001b[5~',
  pageDown: '\u001b[6~',
  interrupt: '\u0003',
  endOfFile: '\u0004',
} as const

export type TerminalOptions = {
  readonly columns?: number
  readonly rows?: number
  readonly env?: { readonly [name: string]: string }
  readonly folder?: string
}

export type FakeTerminal = {
  readonly pid: number
  /** Returns the lines of the screen, without spaces at their ends. There are as many lines as the terminal has rows. */
  lines(): string[]
  /**
   * Returns the text of the screen and of what has scrolled away, without the empty lines at the end. A line that the terminal had to wrap
   * is one line.
   */
  text(): string
  /** Returns all that was written so far, with its escape sequences. */
  written(): string
  /** Returns the place of the cursor, counted from 0. */
  cursor(): { readonly line: number; readonly column: number }
  /** Whether the program uses the alternate screen. */
  isAlternate(): boolean
  /**
   * Waits until a text is somewhere on the screen. Rejects with the screen when that takes too long, or when the program ends without the
   * text.
   */
  see(sought: string | RegExp): Promise<void>
  /** Waits until a text is no longer on the screen. */
  gone(sought: string | RegExp): Promise<void>
  /** Sends text or keys as they are. */
  press(...texts: readonly string[]): void
  resize(columns: number, rows: number): void
  kill(signal: NodeJS.Signals): void
  /** Closes the terminal as a user closes its window: nothing can be read or written any more. */
  hangUp(): void
  /** Resolves to the exit code, once all that was written is on the screen. After signal n, the code is `128 + n`, as in shells. */
  readonly exited: Promise<number>
}

/** Runs the built command in a terminal. The process ends with its test. */
export const openHeadgate = (t: Test, args: readonly string[], options?: TerminalOptions): FakeTerminal => {
  if (!existsSync(main)) throw new Error('dist/main.js is not there: npm run build')
  return openTerminal(t, [process.execPath, main, ...args], options)
}

/** Runs a program in a terminal. The environment has HOME, PATH, TERM and what `env` adds. */
export const openTerminal = (t: Test, [program = '', ...args]: readonly string[], options: TerminalOptions = {}): FakeTerminal => {
  const { columns = 80, rows = 24, env = {}, folder = process.cwd() } = options
  const { HOME = '', PATH = '' } = process.env
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5000 })
  const pty = spawn(program, [...args], {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd: folder,
    env: { HOME, PATH, LANG: 'C.UTF-8', ...env },
  })
  let written = ''
  let code: number | undefined
  const looks = new Set<() => void>()
  const changed = (): void => {
    for (const look of [...looks]) look()
  }
  pty.onData((data) => {
    written += data
    screen.write(data, changed)
  })
  // A program may ask its terminal something, such as where the cursor is. The terminal answers.
  screen.onData((answer) => {
    if (code === undefined) pty.write(answer)
  })
  const exited = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode, signal = 0 }) =>
      screen.write('', () => {
        code = signal > 0 ? 128 + signal : exitCode
        resolve(code)
        changed()
      }),
    ),
  )
  t.teardown(async () => {
    if (code === undefined) pty.kill('SIGKILL')
    await exited
    screen.dispose()
  })

  const lines = (): string[] => {
    const { active } = screen.buffer
    return Array.from({ length: screen.rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '')
  }
  const text = (): string => {
    const { active } = screen.buffer
    let whole = ''
    for (let row = 0; row < active.baseY + screen.rows; row += 1) {
      const line = active.getLine(row)
      whole += `${row === 0 || line?.isWrapped ? '' : '\n'}${line?.translateToString(true) ?? ''}`
    }
    return whole.trimEnd()
  }
  const shows = (sought: string | RegExp): boolean => {
    const text = lines().join('\n')
    return typeof sought === 'string' ? text.includes(sought) : sought.test(text)
  }
  const wait = (what: string, holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (then: () => void): void => {
        clearTimeout(late)
        looks.delete(look)
        then()
      }
      const fail = (why: string) => done(() => reject(new Error(`${why}: ${what}\n${lines().join('\n')}`)))
      const look = (): void => {
        if (holds()) done(resolve)
        else if (code !== undefined) fail(`ended with ${code}`)
      }
      const late = setTimeout(() => fail(`not within ${timeoutMs} ms`), timeoutMs)
      looks.add(look)
      look()
    })

  return {
    pid: pty.pid,
    lines,
    text,
    written: () => written,
    cursor: () => ({ line: screen.buffer.active.cursorY, column: screen.buffer.active.cursorX }),
    isAlternate: () => screen.buffer.active.type === 'alternate',
    see: (sought) => wait(`on the screen: ${sought}`, () => shows(sought)),
    gone: (sought) => wait(`not on the screen: ${sought}`, () => !shows(sought)),
    press: (...texts) => {
      for (const text of texts) pty.write(text)
    },
    resize: (columns, rows) => {
      screen.resize(columns, rows)
      pty.resize(columns, rows)
    },
    kill: (signal) => pty.kill(signal),
    // The type of the package leaves this method out.
    hangUp: () => (pty as unknown as { destroy(): void }).destroy(),
    exited,
  }
}
