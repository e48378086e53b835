/** A desk in a thread of its own, so that typing never waits for it. */

import type { Worker } from 'node:worker_threads'
import type { Desk, Question } from '../../app/editor/desk.ts'
import type { Workspace } from '../../app/workspace.ts'
import { exit, Fault } from '../../core/fault.ts'
import { startThread } from '../../process/start-thread.ts'
import type { Answered, Asked, DeskData } from './thread.ts'

type Waiting = { readonly resolve: (answer: never) => void; readonly reject: (error: Fault) => void }

export type ThreadedDesk = { readonly desk: Desk; close(): Promise<void> }

/** `profile`: of its routes alone. The thread is started by the first question. When it ends its questions are rejected with a Fault, and the next one starts another. */
export const openDeskInThread = (workspace: Workspace, profile?: string): ThreadedDesk => {
  const waiting = new Map<number, Waiting>()
  let last = 0
  let worker: Worker | undefined
  const end = (why: string): void => {
    worker = undefined
    const over = new Fault('editor', `the editor's worker ended: ${why}`, { exitCode: exit.internal })
    for (const { reject } of waiting.values()) reject(over)
    waiting.clear()
  }
  const start = (): Worker => {
    const data: DeskData = { workspace: { ...workspace, env: { ...workspace.env } }, profile }
    const started = startThread('editor', data, { stdout: true, stderr: true })
    started.on('message', (answered: Answered) => {
      const asked = waiting.get(answered.id)
      waiting.delete(answered.id)
      if ('answer' in answered) asked?.resolve(answered.answer as never)
      else asked?.reject(new Fault('editor', answered.failed.message, { exitCode: exit.no, ...some(answered.failed.hint) }))
    })
    started.on('error', (error) => end(error.message))
    started.on('exit', () => {
      if (worker === started) end('it stopped')
    })
    return started
  }
  const ask = (question: Question): Promise<never> =>
    new Promise((resolve, reject) => {
      worker ??= start()
      last += 1
      waiting.set(last, { resolve, reject })
      worker.postMessage({ id: last, question } satisfies Asked)
    })
  const desk = new Proxy({} as Desk, { get: (_, name) => (of: Question['of']) => ask({ ask: name, of } as Question) })
  return { desk, close: async () => void (await worker?.terminate()) }
}

const some = (hint: string | undefined): { readonly hint?: string } => (hint === undefined ? {} : { hint })
