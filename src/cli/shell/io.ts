/** Everything that a command may use of its process. Tests give a command an Io of their own. */

import { createInterface, type Interface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import type { Env } from '../../config/env.ts'
import { exit, Fault } from '../../core/fault.ts'
import { editorOf } from './editor.ts'

export type TerminalStreams = { readonly input: Readable; readonly output: Writable }

export type Io = {
  readonly stdout: (text: string) => void
  /** Writes bytes to stdout as they are. */
  readonly bytes: (data: Uint8Array) => void
  readonly stderr: (text: string) => void
  /** Resolves when the reader of stdout has taken so much of the text that more may be written. */
  readonly drained: () => Promise<void>
  /**
   * Resolves when a command that goes on must end: after Ctrl-C or SIGTERM (`cancelled`), or when nobody reads stdout any more (`gone`).
   */
  readonly stopped: () => Promise<'cancelled' | 'gone'>
  /** Reads standard input to its end, as text. */
  readonly stdin: () => Promise<string>
  /** Reads standard input to its end. */
  readonly stdinBytes: () => Promise<Buffer>
  /** Asks the user at the terminal; absent where there is no terminal. Throws a Fault after Ctrl-C or Ctrl-D. */
  readonly ask?: (question: string) => Promise<string>
  /** Asks as `ask` does, but does not show the typed text. */
  readonly askSecret?: (question: string) => Promise<string>
  /** The streams of the terminal, for longer dialogues; absent where there is no terminal. */
  readonly terminal?: TerminalStreams
  /**
   * Opens a file in the user's editor, at a line, and waits for the end of the editor; absent where there is no terminal. Throws a Fault
   * when the editor fails.
   */
  readonly edit?: (file: string, line?: number) => Promise<void>
  readonly env: Env
  /** Whether stdout is a terminal. */
  readonly isTty: boolean
  readonly colour: boolean
}

export const processIo = (): Io => {
  const { stdin, stdout, stderr, env } = process
  const isTty = stdout.isTTY === true
  const write = writer(stdout)
  return {
    stdout: write,
    bytes: write,
    stderr: writer(stderr),
    drained: () => whenDrained(stdout),
    stopped: () => whenStopped(stdout),
    stdin: () => text(stdin),
    stdinBytes: () => buffer(stdin),
    ...(stdin.isTTY === true && stderr.isTTY === true
      ? { ask: askOver(stdin, stderr), askSecret: askSecretOver(stdin, stderr), terminal: { input: stdin, output: stderr } }
      : {}),
    ...(stdin.isTTY === true && isTty ? { edit: editorOf(env) } : {}),
    env,
    isTty,
    colour: wantsColour(env, isTty),
  }
}

/**
 * Returns a function that writes to a stream. After the stream's reader has closed the pipe (`| head`), further text is dropped without an
 * error.
 */
const writer = (stream: NodeJS.WriteStream): ((data: string | Uint8Array) => void) => {
  let open = true
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') open = false
  })
  return (data) => {
    if (open) stream.write(data)
  }
}

const whenDrained = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (!stream.writableNeedDrain) return resolve()
    for (const event of ['drain', 'error', 'close']) stream.once(event, () => resolve())
  })

const whenStopped = (stream: NodeJS.WriteStream): Promise<'cancelled' | 'gone'> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve('cancelled'))
    stream.once('error', () => resolve('gone'))
  })

/** Returns the Fault that ends a command after Ctrl-C or Ctrl-D at a question. */
export const cancelledFault = (): Fault => new Fault('cancelled', 'cancelled: nothing was done', { exitCode: exit.cancelled })

/** Returns a function that asks over the streams. It throws a Fault when the user presses Ctrl-C or Ctrl-D. */
export const askOver =
  (input: Readable, output: Writable) =>
  (question: string): Promise<string> =>
    answerOn(createInterface({ input, output }), question, output)

/** Returns a function that asks as `askOver` does, but does not show the typed text. */
const askSecretOver =
  (input: Readable, output: Writable) =>
  async (question: string): Promise<string> => {
    // Node edits a line only on a terminal, so the output pretends to be one. The text that Node draws goes nowhere.
    const nowhere = Object.assign(new Writable({ write: (_, __, done) => done() }), { isTTY: true })
    const terminal = createInterface({ input, output: nowhere })
    // The question is written only now, because before the interface exists the terminal shows typed text.
    output.write(question)
    try {
      return await answerOn(terminal, '', output)
    } finally {
      output.write('\n')
    }
  }

const answerOn = async (terminal: Interface, question: string, output: Writable): Promise<string> => {
  try {
    return await terminal.question(question)
  } catch {
    // `question` rejects only after Ctrl-C or Ctrl-D.
    output.write('\n')
    throw cancelledFault()
  } finally {
    terminal.close()
  }
}

/** Whether to use colour. A terminal gets colour, unless the environment decides otherwise (no-color.org, force-color.org, CLICOLOR). */
export const wantsColour = (env: Env, isTty: boolean): boolean => {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true
  return isTty && env.TERM !== 'dumb' && env.CLICOLOR !== '0'
}
