/**
 * The entry of the thread in which the editor service works: answers each question that the main thread posts. A trace, or a check of many
 * routes, takes longer than a key press may wait.
 */

import { parentPort, workerData } from 'node:worker_threads'
import { Fault, messageOf } from '../core/fault.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { createEditorService } from '../edit/create-service.ts'
import type { ServiceQuestion } from '../edit/service-messages.ts'
import { gatewayAt } from '../http/control/client.ts'

/** What the thread gets at its start: where the routes are, and the profile whose routes it knows; `undefined` for all profiles. */
export type ThreadData = { readonly workspace: Workspace; readonly profile: string | undefined }
/** A question of the main thread. The reply to it has the same id. */
export type ServiceThreadRequest = { readonly id: number; readonly question: ServiceQuestion }
export type ThreadReply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failed: { readonly message: string; readonly hint?: string } }

const port = parentPort
if (port === null) throw new Error('this file is the entry of a worker thread')

const { workspace, profile } = workerData as ThreadData
const service = createEditorService(workspace, gatewayAt(workspace), profile)

const replyTo = async ({ id, question }: ServiceThreadRequest): Promise<ThreadReply> => {
  try {
    return { id, answer: await (service[question.ask] as (of: ServiceQuestion['of']) => Promise<unknown>)(question.of) }
  } catch (error) {
    const hint = error instanceof Fault ? error.hint : undefined
    return { id, failed: { message: messageOf(error), ...(hint === undefined ? {} : { hint }) } }
  }
}

/** Sends a reply to the main thread. An answer that cannot be sent is replaced by a failure, so that the thread goes on. */
const postReply = (reply: ThreadReply): void => {
  try {
    port.postMessage(reply)
  } catch (error) {
    port.postMessage({ id: reply.id, failed: { message: messageOf(error) } } satisfies ThreadReply)
  }
}

port.on('message', (request: ServiceThreadRequest) => void replyTo(request).then(postReply))
