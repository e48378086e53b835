/** Runs commands in this process, over a data directory of their own. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { runCli } from '../../src/cli/program.ts'
import type { Io } from '../../src/cli/shell/io.ts'
import { newFolder } from './folder.ts'

export type Result = { readonly code: number; readonly out: string; readonly err: string }

export type FakeCli = {
  readonly dir: string
  readonly file: (name: string) => string
  readonly read: (name: string) => string
  readonly write: (name: string, text: string) => void
  /** Returns the entry of this name in the subscriptions file. */
  readonly entry: (name: string) => { [key: string]: unknown }
  readonly run: (...argv: string[]) => Promise<Result>
  readonly runWith: (io: Partial<Io>, ...argv: string[]) => Promise<Result>
}

/** Runs a command over a data directory. */
export const runAt = async (dir: string, argv: readonly string[], io: Partial<Io> = {}): Promise<Result> => {
  const said = { out: '', err: '' }
  const whole: Io = {
    stdout: (text) => {
      said.out += text
    },
    bytes: (data) => {
      said.out += Buffer.from(data).toString('latin1')
    },
    stderr: (text) => {
      said.err += text
    },
    stdin: async () => '',
    stdinBytes: async () => Buffer.alloc(0),
    drained: async () => {},
    stopped: () => new Promise(() => {}),
    env: { HEADGATE_HOME: dir },
    isTty: false,
    colour: false,
    ...io,
  }
  const code = await runCli([...argv], whole)
  return { code, ...said }
}

/** Writes `files` first. Without a `config.yaml` among them, the environment enables the adapter. */
export const fakeCli = (
  t: Test,
  files: { readonly [name: string]: string } = {},
  env: Io['env'] = { WEBHOOK_ENABLED: 'true' },
): FakeCli => {
  const dir = newFolder(t)
  const file = (name: string): string => join(dir, name)
  const read = (name: string): string => readFileSync(file(name), 'utf8')
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(file(name)), { recursive: true })
    // With this mode, as `gateway setup` writes the files, other users can read none of them.
    writeFileSync(file(name), text, { mode: 0o600 })
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const runWith = (io: Partial<Io>, ...argv: string[]): Promise<Result> => runAt(dir, argv, { env: { HEADGATE_HOME: dir, ...env }, ...io })
  return {
    dir,
    file,
    read,
    write,
    entry: (name) => JSON.parse(read('webhook_subscriptions.json'))[name],
    run: (...argv) => runWith({}, ...argv),
    runWith,
  }
}

/** Starts a command that does not end by itself. Returns what the command has printed so far, a function that stops it, and its end. */
export const going = (cli: FakeCli, ...argv: string[]) => {
  const said = { out: '', err: '' }
  let stop = (_why: 'cancelled' | 'gone'): void => {}
  const stopped = new Promise<'cancelled' | 'gone'>((resolve) => {
    stop = resolve
  })
  const io = {
    stdout: (text: string) => {
      said.out += text
    },
    stderr: (text: string) => {
      said.err += text
    },
    stopped: () => stopped,
  }
  return { said, stop, ended: cli.runWith(io, ...argv).then(({ code }) => code) }
}
