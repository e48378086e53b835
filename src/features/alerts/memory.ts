/** Keeps the state of alerts over a restart: in a file, or in the database that several gateways share. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { writeWhole } from '../../core/durable-file.ts'
import { messageOf } from '../../core/fault.ts'
import { own } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import { sharedText } from '../../datadir/entries/copied-revision.ts'
import type { Shared } from '../../store/shared.ts'
import { type AlertMessage, type AlertState, emptyState, parseState } from './state.ts'

export interface AlertMemory {
  /** Whether this gateway decides about alerts and sends their messages. The other gateways on a shared store only add their signals. */
  lead(): Promise<boolean>
  /**
   * Lets `change` change the state. Resolves to the state once it is stored, or once storing it has failed, so that only this process has
   * it. Rejects where the shared store fails and this gateway does not lead.
   */
  update(change: (state: AlertState) => void): Promise<AlertState>
}

/** The path of the file below the data directory. */
const alertsFile = join('state', 'alerts.json')

/** Opens the state in the file of a data directory. Where the file cannot be written, only this process has the state. */
export const openFileMemory = async (dataDir: string, log: Log): Promise<AlertMemory> => {
  const file = join(dataDir, alertsFile)
  let text = await readFile(file, 'utf8').catch(() => '')
  let isRefused = false
  const write = async (): Promise<void> => {
    try {
      await writeWhole(file, text)
      isRefused = false
    } catch (error) {
      if (!isRefused) log('warn', { reason: messageOf(error) }, 'the state of alerts could not be kept: a restart may tell them again')
      isRefused = true
    }
  }
  return {
    lead: async () => true,
    async update(change) {
      const state = parseState(text)
      change(state)
      const next = JSON.stringify(state)
      if (next !== text || isRefused) {
        text = next
        await write()
      }
      return state
    },
  }
}

/** The name of the state among the entries of the shared store. */
const entryName = 'alerts'
const task = 'alerts'
/**
 * How long a gateway stays the leader without asking again. When it dies, another gateway takes over within this time and the time between
 * two evaluations.
 */
const leaseMs = 75_000
/** How often a state is changed anew because another gateway has changed it meanwhile. */
const maxTries = 10

type AlertPort = Pick<Shared, 'lead' | 'readEntries' | 'replaceEntries'>

/**
 * Opens the state in the database of a shared store. While the database does not answer, the gateway that sent the last messages goes
 * on alone, so that somebody reports the failed database. Its changes from this time are put into the shared state afterwards.
 */
export const openSharedMemory = (port: AlertPort): AlertMemory => {
  let isLeader = false
  /** The state that was last kept in the database, and the state with the changes that only this process has. */
  let kept = emptyState()
  let known = kept
  const updateShared = async (change: (state: AlertState) => void): Promise<AlertState> => {
    for (let tries = 0; tries < maxTries; tries++) {
      const before = await port.readEntries(entryName)
      const state = before ? parseState(before.text) : emptyState()
      if (known !== kept) putChanges(state, kept, known)
      change(state)
      const after = sharedText(JSON.stringify(state))
      if (before?.revision !== after.revision && !(await port.replaceEntries(entryName, before?.revision, after))) continue
      kept = state
      known = state
      return structuredClone(state)
    }
    throw new Error('the state of alerts was changed by others again and again')
  }
  return {
    async lead() {
      isLeader = await port.lead(task, leaseMs).catch(() => isLeader)
      return isLeader
    },
    async update(change) {
      try {
        return await updateShared(change)
      } catch (error) {
        if (!isLeader) throw error
        if (known === kept) known = structuredClone(kept)
        change(known)
        return structuredClone(known)
      }
    },
  }
}

/**
 * Puts into the shared state what has changed from `before` to `after`. The rest stays as it is there, because another gateway may have
 * become the leader meanwhile, with alerts and messages of its own.
 */
const putChanges = (shared: AlertState, before: AlertState, after: AlertState): void => {
  for (const part of ['firing', 'silentMs', 'muted', 'sentAt', 'lost'] as const) putMembers(shared[part], before[part], after[part])
  const messages = byId(shared.messages)
  putMembers(messages, byId(before.messages), byId(after.messages))
  shared.messages = Object.values(messages)
}

type Members = { [key: string]: unknown }

const putMembers = (shared: Members, before: Members, after: Members): void => {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const value = own(after, key)
    if (isDeepStrictEqual(own(before, key), value)) continue
    if (value === undefined) delete shared[key]
    else shared[key] = value
  }
}

const byId = (messages: readonly AlertMessage[]): { [id: string]: AlertMessage } =>
  Object.fromEntries(messages.map((message) => [message.id, message]))
