/** The thread in which the desk works, because a trace or a check of many routes takes longer than a key may wait. */

import { parentPort, workerData } from 'node:worker_threads'
import { createDesk } from '../../app/editor/create-desk.ts'
import type { Question } from '../../app/editor/desk.ts'
import type { Workspace } from '../../app/workspace.ts'
import { Fault, messageOf } from '../../core/fault.ts'
import { gatewayAt } from '../../http/control/client.ts'

export type DeskData = { readonly workspace: Workspace; readonly profile: string | undefined }
export type Asked = { readonly id: number; readonly question: Question }
export type Answered =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failed: { readonly message: string; readonly hint?: string } }

const port = parentPort
if (port === null) throw new Error('this file is the entry of a worker thread')

const { workspace, profile } = workerData as DeskData
const desk = createDesk(workspace, gatewayAt(workspace), profile)

const answerTo = async ({ id, question }: Asked): Promise<Answered> => {
  try {
    return { id, answer: await (desk[question.ask] as (of: Question['of']) => Promise<unknown>)(question.of) }
  } catch (error) {
    const hint = error instanceof Fault ? error.hint : undefined
    return { id, failed: { message: messageOf(error), ...(hint === undefined ? {} : { hint }) } }
  }
}

/** An answer that cannot be passed on is a failed one, and not the end of the thread. */
const pass = (answered: Answered): void => {
  try {
    port.postMessage(answered)
  } catch (error) {
    port.postMessage({ id: answered.id, failed: { message: messageOf(error) } } satisfies Answered)
  }
}

port.on('message', (asked: Asked) => void answerTo(asked).then(pass))
