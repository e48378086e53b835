/** Sends one question to the control socket of a data directory. `client.ts` makes typed operations of such questions, which commands call. */

import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { inTime } from '../../core/calls/call-server.ts'
import { readText } from '../../core/calls/read-bounded.ts'
import { requestByNode } from '../../core/calls/request-by-node.ts'
import { codeOf, exit, Fault, messageOf } from '../../core/fault.ts'
import { isObject, type Json } from '../../core/json.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { servingPid } from './pid-record.ts'
import { connectError, controlSocket, isShortEnough, openShortPath } from './socket-path.ts'

/** What a command knows of the gateway that it asks: its data directory, and how the operator calls this program (`self`), for hints. */
export type Asker = Pick<Workspace, 'dataDir' | 'self'>
type Method = 'GET' | 'POST'

const timeoutMs = 30_000
const maxAnswerBytes = 67_108_864

/**
 * Returns the gateway's answer. Throws a Fault when no gateway can be asked (exit 4), and when the gateway does not answer, refuses or
 * fails.
 */
export const askGateway = async (asker: Asker, method: Method, path: string, body?: Json): Promise<Json> => {
  const answer = await tryGateway(asker, method, path, body)
  if (answer === undefined) throw unreachableFault(asker)
  return answer
}

/** Returns a Fault that says why no gateway can be asked, and what to do. */
export const unreachableFault = ({ dataDir, self }: Asker): Fault => {
  const socket = controlSocket(dataDir)
  const tooLong = existsSync(socket) && !isShortEnough(socket)
  const pid = tooLong ? undefined : servingPid(dataDir)
  if (pid !== undefined) {
    const hint = 'it makes the socket again within seconds: try again'
    return new Fault('unreachable', `the gateway on ${dataDir} runs (process ${pid}), but nobody answers on its control socket`, {
      exitCode: exit.unreachable,
      hint,
    })
  }
  return new Fault('unreachable', `no gateway ${tooLong ? 'can be reached' : 'is running'} on ${dataDir}`, {
    exitCode: exit.unreachable,
    hint: tooLong ? 'the path is too long for a socket: run this from a folder near it' : `start it: ${self} gateway run`,
  })
}

/**
 * Whether a process listens on the control socket. `false` also where the socket's path is too long for the kernel. `true` also where the
 * attempt to connect fails in another way: the next question then fails with the reason.
 */
export const isListening = async ({ dataDir }: Asker): Promise<boolean> => {
  const path = controlSocket(dataDir)
  if (!isShortEnough(path)) return false
  const code = await connectError(path)
  return code === undefined || !notListeningCodes.has(code)
}

/**
 * Returns the gateway's answer; `undefined` when no process listens on the control socket, or the socket's path is too long for the kernel.
 * Throws a Fault when the gateway does not answer, refuses or fails.
 */
export const tryGateway = async (asker: Asker, method: Method, path: string, body?: Json): Promise<Json | undefined> => {
  const answer = await sendQuestion(asker, { method, path, body }, timeoutMs, async (answer) => ({
    status: answer.statusCode ?? 0,
    text: await readText(answer, maxAnswerBytes),
  }))
  return answer && jsonAnswer(answer)
}

/** Returns the JSON of an answer with status 200. Throws a Fault for every other status, and for a text that is not JSON. */
export const jsonAnswer = ({ status, text }: HttpAnswer): Json => {
  const answer = parseAnswer(text)
  if (status === 200) return answer
  const reason = isObject(answer) && typeof answer.error === 'string' ? answer.error : `status ${status}`
  if (status === 503) throw new Fault('unavailable', `the gateway cannot do it now: ${reason}`, { exitCode: exit.no })
  if (status < 500) throw new Fault('refused', `the gateway refused: ${reason}`, { exitCode: exit.no })
  throw new Fault('gateway_fault', `the gateway failed: ${reason}`, { exitCode: exit.internal })
}

const parseAnswer = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    throw new Fault('gateway_fault', 'the gateway gave an answer that is not JSON', { exitCode: exit.internal })
  }
}

type HttpAnswer = { readonly status: number; readonly text: string }
type Question = { readonly method: Method; readonly path: string; readonly body: Json | undefined }

/** The error codes for a socket on which no process listens: the socket does not exist, or a dead process left it. */
const notListeningCodes = new Set(['ENOENT', 'ECONNREFUSED'])

/**
 * Sends a question, and resolves to what `read` makes of its answer; `undefined` when no process listens on the control socket, or the
 * socket's path is too long for the kernel. Throws a Fault when no answer comes, and when `read` fails.
 */
export const sendQuestion = async <T>(
  { dataDir }: Pick<Asker, 'dataDir'>,
  { method, path, body }: Question,
  timeoutMs: number,
  read: (answer: IncomingMessage) => T | Promise<T>,
): Promise<T | undefined> => {
  const short = openShortPath(controlSocket(dataDir))
  if (!short) return undefined
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }
  const ask = async (signal: AbortSignal): Promise<T> =>
    read(await requestByNode(new URL('http://localhost'), { socketPath: short.path, method, path, headers, signal }, text))
  try {
    return await inTime({ timeoutMs }, ask)
  } catch (error) {
    if (notListeningCodes.has(String(codeOf(error)))) return undefined
    throw new Fault('unreachable', `the gateway does not answer: ${messageOf(error)}`, { exitCode: exit.unreachable })
  } finally {
    short.close()
  }
}
