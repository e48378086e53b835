/** Operations behind a real control socket. They answer as a test wants, and keep what they were asked. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Operations, Status } from '../../src/app/live/operations.ts'
import type { Reloaded } from '../../src/app/live/reload.ts'
import type { TailLine, TailLines } from '../../src/app/live/tails.ts'
import { listenControl } from '../../src/http/control/server.ts'
import { controlSocket } from '../../src/http/control/socket-path.ts'

export type Asked = readonly [name: string, ...args: unknown[]]
export type FakeOperations = Operations & { readonly asked: Asked[] }

export const status: Status = {
  pid: 4711,
  url: 'http://127.0.0.1:8644',
  started_at: '2026-03-01T12:00:00.000Z',
  reloaded_at: null,
  reload_failed: null,
  need_restart: [],
  changed_files: [],
  routes: 3,
  jobs: 1,
  backlog: 2,
  refused: { rate_limited: 3, bad_signature: 1 },
  stopping: false,
}

export const noChanges: Reloaded['changes'] = { added: [], changed: [], removed: [] }

/** A stream of these lines, and then nothing until it is left. */
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

export const fakeOperations = (own: Partial<Operations> = {}): FakeOperations => {
  const asked: Asked[] = []
  const operations: Operations = {
    status: async () => status,
    reload: async () => ({ ok: true, diagnostics: [], restart: [], changes: noChanges }),
    standings: async () => [],
    retry: async () => true,
    replay: async () => ({ found: true, event_id: 'e-new', status: 202, outcome: 'accepted', stage: 'agent' }),
    startJob: async (_profile, job) => ({ started: true, event_id: 'e-job', job }),
    runningJobs: () => [],
    sessions: async () => [],
    conversation: async () => null,
    stop: () => {},
    tail: async () => tailOf([]),
    ...own,
  }
  const kept = Object.entries(operations).map(([name, run]) => [
    name,
    (...args: unknown[]) => {
      asked.push([name, ...args])
      return (run as (...args: unknown[]) => unknown)(...args)
    },
  ])
  return { ...(Object.fromEntries(kept) as Operations), asked }
}

/** A folder whose path is short enough for a socket; it ends with its test. */
export const shortDir = (t: Test): string => {
  const dir = mkdtempSync(join(tmpdir(), 'hg-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Serves the operations on the control socket of a data directory. */
export const serveOperations = async (t: Test, dataDir: string, operations: Operations): Promise<void> => {
  const log = Object.assign(() => {}, { writes: () => true })
  const control = await listenControl({ path: controlSocket(dataDir), operations, log })
  t.teardown(() => control.close())
}
