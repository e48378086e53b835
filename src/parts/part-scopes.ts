/** The scopes of what parts open beside their functions: watchers, connections and children, which are closed when nobody uses them. */

import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import type { Log, LogFields } from '../core/log.ts'
import { Scope } from '../core/scope.ts'
import { throwTimeout, within } from '../core/turns/within.ts'

/** The longest wait for a `close`, in milliseconds. */
const closeMs = 5_000

/** All scopes of a gateway, of dry effects, or of a test of a plugin. */
export type PartScopes = {
  /** Makes the scope of one plan, runner or set of plans, or of what targets keep. `about`: the fields that name it in the log. */
  readonly create: (about: LogFields) => Scope
  /** Closes everything that is open, even while it is in use. Resolves when each `close` has ended or was given up. Never rejects. */
  readonly close: () => Promise<void>
}

/** Makes the scopes. A `close` that fails is logged, and holds up nobody. */
export const createPartScopes = (clock: Clock, log: Log): PartScopes => {
  const all = new Scope({ isUnordered: true })
  const create = (about: LogFields): Scope =>
    all.inner({
      isUnordered: true,
      async call(close) {
        try {
          await within(Promise.resolve(close()), closeMs, clock, throwTimeout('it did not end', closeMs))
        } catch (error) {
          log('warn', { ...about, reason: messageOf(error) }, 'what a part had open could not be closed')
        }
      },
    })
  return { create, close: all.close }
}
