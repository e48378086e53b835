/** The editor service in a thread of its own, for the terminal editor and the browser console: neither stands still while it works. */

import type { Worker } from 'node:worker_threads'
import { exit, Fault } from '../core/fault.ts'
import type { Workspace } from '../datadir/workspace.ts'
import type { EditorService } from '../edit/service.ts'
import type { ServiceQuestion } from '../edit/service-messages.ts'
import { startThread } from '../process/start-thread.ts'
import type { ServiceThreadRequest, ThreadData, ThreadReply } from './service-thread.ts'

const editorThread = { built: './editor-thread.js', source: new URL('./service-thread.ts', import.meta.url) }

type Waiting = { readonly resolve: (answer: never) => void; readonly reject: (error: Fault) => void }

/** The service, and the function that ends its thread. */
export type ThreadedService = { readonly service: EditorService; close(): Promise<void> }

/**
 * Opens the service. With `profile`, the service knows the routes of that profile only. The first question starts the thread. When the
 * thread ends, questions without an answer are rejected with a Fault, and the next question starts another thread.
 */
export const openServiceInThread = (workspace: Workspace, profile?: string): ThreadedService => {
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
    const data: ThreadData = { workspace: { ...workspace, env: { ...workspace.env } }, profile }
    const started = startThread(editorThread, data, { stdout: true, stderr: true })
    started.on('message', (reply: ThreadReply) => {
      const request = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('answer' in reply) request?.resolve(reply.answer as never)
      else request?.reject(new Fault('editor', reply.failed.message, { exitCode: exit.no, ...asHint(reply.failed.hint) }))
    })
    started.on('error', (error) => end(error.message))
    started.on('exit', () => {
      if (worker === started) end('it stopped')
    })
    return started
  }
  const ask = (question: ServiceQuestion): Promise<never> =>
    new Promise((resolve, reject) => {
      worker ??= start()
      last += 1
      waiting.set(last, { resolve, reject })
      worker.postMessage({ id: last, question } satisfies ServiceThreadRequest)
    })
  const service = new Proxy({} as EditorService, {
    get: (_, name) => (of: ServiceQuestion['of']) => ask({ ask: name, of } as ServiceQuestion),
  })
  return { service, close: async () => void (await worker?.terminate()) }
}

const asHint = (hint: string | undefined): { readonly hint?: string } => (hint === undefined ? {} : { hint })
