/** The thread that reads one long message of a server. */

import { parentPort, workerData } from 'node:worker_threads'
import { heardIn } from './heard.ts'
import type { LongMessage } from './long-messages.ts'

const { pieces, allow } = workerData as LongMessage

parentPort?.postMessage(heardIn(Buffer.concat(pieces).toString(), allow))
