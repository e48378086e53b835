/** Effects that touch nothing, for plans that are compiled or run only to see the result, as in checks, traces and tests. */

import { type Clock, systemClock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { createShortTurns } from '../../core/turns/short-turns.ts'
import { openStoredList, unavailableList } from '../../expr/named-lists.ts'
import { createInflate } from '../../parts/body/inflate.ts'
import type { Effects } from '../../parts/effects.ts'
import { createPartScopes } from '../../parts/part-scopes.ts'
import type { SenderKeys } from '../../parts/sender-keys.ts'
import type { ScriptJob, ScriptResult } from '../../process/script.ts'
import { createKeptKeys } from '../../serve/kept-keys.ts'
import { createEventRates } from '../../serve/limits/event-rates.ts'
import { createSenderKeys } from '../../serve/sender-keys.ts'
import { openMemory } from '../../store/memory/memory-store.ts'

export const silentLog: Log = Object.assign(() => {}, { writes: () => false })

/** Stands in for a script, and passes the payload on unchanged. The script itself is not run: an operator's program could do anything. */
const noScript = async (_folder: string, { input }: ScriptJob): Promise<ScriptResult> => ({ ok: true, output: input })

const noDownload = async (): Promise<Buffer> => {
  throw new Error('nothing is fetched in a dry run')
}

/** Keys of senders that are never fetched: each fetch fails. */
const noKeys = (clock: Clock): SenderKeys => {
  const kept = createKeptKeys()
  return createSenderKeys({ clock, download: noDownload, kept: () => kept })
}

export const createDryEffects = (clock: Clock = systemClock): Effects => ({
  clock,
  log: silentLog,
  scopes: createPartScopes(clock, silentLog),
  limiter: { wait: () => 0, charge: () => true, chargeFailure: () => true, chargeLateCheck: () => false, hasFailed: () => false },
  rates: (route) => createEventRates(clock, route),
  turns: createShortTurns(),
  inflate: createInflate(),
  jobs: { find: () => [], isRefused: () => false },
  store: openMemory({ clock, maxClaims: 1_000 }),
  script: noScript,
  ownComments: { isAboutOwnComment: () => false },
  download: noDownload,
  keys: noKeys(clock),
  lookup: async () => undefined,
  openList: (spec, dataDir) => ('store' in spec ? openStoredList(dataDir, spec.store) : unavailableList('a dry run fetches no list')),
  send: async () => ({ ok: true, detail: 'dry run' }),
  wake: () => {},
  hasRoom: () => true,
})

/** Runs `use` with dry effects. At the end, closes everything that `use` opened with them. */
export const withDryEffects = async <T>(use: (effects: Effects) => T | Promise<T>): Promise<T> => {
  const effects = createDryEffects()
  try {
    return await use(effects)
  } finally {
    await effects.scopes.close()
  }
}
