/** The store's thread. Only this thread touches the database, so that waiting for the disk never stalls the event loop. */

import { parentPort, workerData } from 'node:worker_threads'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import { openDatabase } from './database.ts'
import { Ledger } from './ledger.ts'
import type { Batch, Said, ThreadStart } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('this file is the entry of a worker thread')

const say = (said: Said): void => port.postMessage(said)

const refusal = (thrown: unknown): Said => {
  const { code, message, exitCode, hint } =
    thrown instanceof Fault ? thrown : new Fault('store_unusable', messageOf(thrown), { exitCode: exit.internal })
  return { kind: 'refused', code, message, exitCode, ...(hint === undefined ? {} : { hint }) }
}

const serve = (ledger: Ledger): void => {
  port.on('message', (message: Batch | 'close') => {
    if (message === 'close') {
      ledger.close()
      port.close()
      return
    }
    try {
      const results = ledger.run(message)
      say({ kind: 'done', results, backlog: ledger.backlog })
    } catch (thrown) {
      // A database handle that failed once is not trusted again. The thread ends, which closes it; the next thread recovers from the log.
      say({ kind: 'failed', message: messageOf(thrown) })
      port.close()
    }
  })
  say({ kind: 'ready', backlog: ledger.backlog })
}

try {
  const start = workerData as ThreadStart
  serve(new Ledger(openDatabase(start.folder, start.durability), start))
} catch (thrown) {
  say(refusal(thrown))
}
