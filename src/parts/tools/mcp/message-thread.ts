/** The program of the thread that reads one long message of an MCP server (`long-messages.ts`). */

import { parentPort, workerData } from 'node:worker_threads'
import type { LongMessage } from './long-messages.ts'
import { readMessages } from './read-messages.ts'

const { pieces, allow } = workerData as LongMessage

parentPort?.postMessage(readMessages(Buffer.concat(pieces).toString(), allow))
