/** The store's side of its thread: starts it, sends it one batch at a time, and knows when it has ended. */

import type { Worker } from 'node:worker_threads'
import { Fault, messageOf, StoreFault } from '../../core/fault.ts'
import { startThread } from '../../process/start-thread.ts'
import type { Batch, Said, ThreadStart } from './messages.ts'

type Asked = { readonly resolve: (said: Said) => void; readonly reject: (why: StoreFault) => void }

export class ThreadLink {
  readonly worker: Worker
  /** Resolves when the thread has ended and closed the file. */
  readonly gone: Promise<unknown>
  #asked: Asked | undefined
  #broken: StoreFault | undefined

  constructor(start: ThreadStart) {
    this.worker = startThread('store', start)
    this.gone = new Promise((resolve) => this.worker.once('exit', resolve))
    this.worker.on('message', (said: Said) => this.#hear(said))
    this.worker.on('error', (thrown) => this.#break(new StoreFault(`the store's thread failed: ${messageOf(thrown)}`)))
    this.worker.on('exit', () => this.#break(new StoreFault("the store's thread ended")))
  }

  /** Whether the thread can still be asked. */
  get works(): boolean {
    return this.#broken === undefined
  }

  /** Waits until the database is open, and gives the backlog. Throws a Fault when it cannot be opened. */
  async opened(): Promise<number> {
    const said = await this.#next()
    if (said.kind === 'ready') return said.backlog
    if (said.kind === 'refused') throw new Fault(said.code, said.message, { ...said })
    throw new StoreFault('the store answered out of turn')
  }

  /** Commits a batch. When it throws a StoreFault, the thread has ended or is about to. */
  async ask(batch: Batch): Promise<Extract<Said, { kind: 'done' }>> {
    this.worker.postMessage(batch)
    const said = await this.#next()
    if (said.kind === 'done') return said
    throw new StoreFault('the store answered out of turn')
  }

  async close(): Promise<void> {
    this.worker.postMessage('close')
    await this.gone
  }

  #next(): Promise<Said> {
    return new Promise((resolve, reject) => {
      if (this.#broken === undefined) this.#asked = { resolve, reject }
      else reject(this.#broken)
    })
  }

  #hear(said: Said): void {
    if (said.kind !== 'failed') {
      this.#asked?.resolve(said)
      this.#asked = undefined
    }
    if (said.kind === 'failed' || said.kind === 'refused') this.#break(new StoreFault(said.message))
  }

  #break(why: StoreFault): void {
    this.#broken ??= why
    this.#asked?.reject(this.#broken)
    this.#asked = undefined
  }
}
