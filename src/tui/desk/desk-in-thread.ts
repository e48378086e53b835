/** A desk in a thread of its own, so that typing never waits for it. */

import type { Desk, Question } from '../../app/editor/desk.ts'
import type { Workspace } from '../../app/workspace.ts'
import { exit, Fault } from '../../core/fault.ts'
import { startThread } from '../../process/start-thread.ts'
import type { Answered, Asked } from './thread.ts'

type Waiting = { readonly resolve: (answer: never) => void; readonly reject: (error: Fault) => void }

export type ThreadedDesk = { readonly desk: Desk; close(): Promise<void> }

/** Every question is rejected with a Fault when the thread ends. */
export const openDeskInThread = (workspace: Workspace): ThreadedDesk => {
  const worker = startThread('editor', { ...workspace, env: { ...workspace.env } }, { stdout: true, stderr: true })
  const waiting = new Map<number, Waiting>()
  let last = 0
  let over: Fault | undefined
  const end = (why: string): void => {
    over = new Fault('editor', `the editor's worker ended: ${why}`, { exitCode: exit.internal })
    for (const { reject } of waiting.values()) reject(over)
    waiting.clear()
  }
  worker.on('message', (answered: Answered) => {
    const asked = waiting.get(answered.id)
    waiting.delete(answered.id)
    if ('answer' in answered) asked?.resolve(answered.answer as never)
    else asked?.reject(new Fault('editor', answered.failed.message, { exitCode: exit.no, ...some(answered.failed.hint) }))
  })
  worker.on('error', (error) => end(error.message))
  worker.on('exit', () => end('it stopped'))
  const ask = (question: Question): Promise<never> =>
    new Promise((resolve, reject) => {
      if (over) return reject(over)
      last += 1
      waiting.set(last, { resolve, reject })
      worker.postMessage({ id: last, question } satisfies Asked)
    })
  const desk = new Proxy({} as Desk, { get: (_, name) => (of: Question['of']) => ask({ ask: name, of } as Question) })
  return { desk, close: async () => void (await worker.terminate()) }
}

const some = (hint: string | undefined): { readonly hint?: string } => (hint === undefined ? {} : { hint })
