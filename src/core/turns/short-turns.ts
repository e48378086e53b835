/** Delays the costly work of strangers: each turn of the event loop does a little of it, so that other requests are served in between. */

/** The time of a turn. The last step that it begins may exceed it. */
const sliceMs = 4
/** The most waiting works and the most bytes that they hold, of all clients and of one client. */
const maxWaiting = 256
const maxWaitingOfOne = 32
const maxBytes = 33_554_432
const maxBytesOfOne = 8_388_608

export interface ShortTurns {
  /** Whether one more work of this client may wait with the bytes that it holds. */
  hasRoom(client: string, bytes: number): boolean
  /** Does the work in one of the next turns, and rejects with its error. A work of several steps does each further step with `then`. */
  run<T>(client: string, bytes: number, work: (then: NextStep) => T | Promise<T>): Promise<T>
}

/** Does a further step, in the same turn if there is time. */
export type NextStep = <T>(step: () => T | Promise<T>) => Promise<T>

type WaitingWork = { count: number; bytes: number }

export const createShortTurns = (): ShortTurns => {
  const waiting: (() => void)[] = []
  const waitingOf = new Map<string, WaitingWork>()
  let bytesOfAll = 0
  let isBegun = false

  const hold = (client: string, bytes: number): (() => void) => {
    const own = waitingOf.get(client) ?? { count: 0, bytes: 0 }
    waitingOf.set(client, own)
    own.count++
    own.bytes += bytes
    bytesOfAll += bytes
    return () => {
      own.count--
      own.bytes -= bytes
      bytesOfAll -= bytes
      if (own.count === 0) waitingOf.delete(client)
    }
  }
  const turn = (): void => {
    const until = performance.now() + sliceMs
    do waiting.shift()?.()
    while (waiting.length > 0 && performance.now() < until)
    isBegun = waiting.length > 0
    if (isBegun) setImmediate(turn)
  }
  const begin = (): void => {
    if (!isBegun) setImmediate(turn)
    isBegun = true
  }
  // A work that has begun ends before another begins, because it holds the bytes of a body.
  const then: NextStep = (step) =>
    new Promise((resolve, reject) => {
      waiting.unshift(() => settleStep(step, resolve, reject))
      begin()
    })
  return {
    hasRoom(client, bytes) {
      const own = waitingOf.get(client) ?? { count: 0, bytes: 0 }
      const isOneTooMany = waiting.length >= maxWaiting || own.count >= maxWaitingOfOne
      return !isOneTooMany && bytesOfAll + bytes <= maxBytes && own.bytes + bytes <= maxBytesOfOne
    },
    run: (client, bytes, work) =>
      new Promise((resolve, reject) => {
        const release = hold(client, bytes)
        waiting.push(() => {
          release()
          settleStep(() => work(then), resolve, reject)
        })
        begin()
      }),
  }
}

/** Hands the error of a step to whoever waits for the step. Thrown here, it would end the process. */
const settleStep = <T>(step: () => T, resolve: (made: T) => void, reject: (error: unknown) => void): void => {
  try {
    resolve(step())
  } catch (error) {
    reject(error)
  }
}
