/** Serves operations on a real control socket. They answer as a test wants, and keep the questions that they were asked. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { RunningGateway } from '../../src/datadir/running-gateway.ts'
import type { ControlAnswers, ReloadResult, Status, TailLine } from '../../src/generated/control.ts'
import { listenControl } from '../../src/http/control/server.ts'
import { controlSocket } from '../../src/http/control/socket-path.ts'
import type { TailLines } from '../../src/serve/tails.ts'

type Asked = readonly [name: string, question?: unknown]
export type FakeOperations = RunningGateway & { readonly asked: Asked[] }

type Row = { readonly example: unknown; readonly isStream?: true }
const schema = new URL('../../schema/control.schema.json', import.meta.url)
const rows: { readonly [name: string]: Row } = JSON.parse(readFileSync(schema, 'utf8'))['x-operations']

/** Returns the answer that the table of operations has as an example. */
export const exampleOf = <Name extends keyof ControlAnswers>(name: Name): ControlAnswers[Name] =>
  rows[name]?.example as ControlAnswers[Name]

export const status: Status = exampleOf('status')
export const noChanges: ReloadResult['changes'] = exampleOf('reload').changes

/** Makes a stream that gives these lines, and then nothing until its reader leaves it. */
const tailOf = (lines: readonly TailLine[]): TailLines => {
  const waiting = [...lines]
  let leave = (): void => {}
  const left = new Promise<IteratorResult<TailLine, undefined>>((resolve) => {
    leave = () => resolve({ done: true, value: undefined })
  })
  return {
    async next() {
      const value = waiting.shift()
      return value ? { done: false, value } : left
    },
    async return() {
      leave()
      return left
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Makes operations. Each answers with the example of the table unless `own` has another, and a stream has no lines. */
export const fakeOperations = (own: Partial<RunningGateway> = {}): FakeOperations => {
  const asked: Asked[] = []
  const operations = Object.entries(rows).map(([name, { example, isStream }]) => {
    const run = (own as { readonly [name: string]: (question: unknown) => unknown })[name]
    const answer = run ?? (() => (isStream ? tailOf([]) : example))
    return [
      name,
      async (question: unknown) => {
        asked.push([name, question])
        return answer(question)
      },
    ]
  })
  return { ...(Object.fromEntries(operations) as RunningGateway), asked }
}

/** Makes a folder whose path is short enough for a socket. The folder is removed with its test. */
export const shortDir = (t: Test): string => {
  const dir = mkdtempSync(join(tmpdir(), 'hg-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Serves the operations on the control socket of a data directory, as a gateway that reads the `config.yaml` of that directory. */
export const serveOperations = async (t: Test, dataDir: string, operations: RunningGateway): Promise<void> => {
  const log = Object.assign(() => {}, { writes: () => true })
  const served = { ...operations, servedFile: async () => ({ config: join(dataDir, 'config.yaml') }) }
  const control = await listenControl({ path: controlSocket(dataDir), operations: served, log })
  t.teardown(() => control.close())
}
