/**
 * Reads the starts and ends of the agent over all replicas, in one order. The lines of the agent's log have this order, because one write
 * appends each line.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Turn = { readonly kind: 'start' | 'end'; readonly life: string; readonly route: string; readonly id: string }

export const readTurns = (folder: string): Turn[] =>
  readFileSync(join(folder, 'agent.log'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [kind, life = '', route = '', id = ''] = line.split(' ')
      return kind === 'start' || kind === 'end' ? [{ kind, life, route, id }] : []
    })

/** Returns the id of each start or end after which more than `limit` runs are running. */
export const beyond = (turns: readonly Turn[], limit: number): string[] => {
  const running = new Set<string>()
  return turns.flatMap(({ kind, life, id }) => {
    const name = `${life} ${id}`
    if (kind === 'end') running.delete(name)
    else running.add(name)
    return running.size > limit ? [id] : []
  })
}

/** Returns the ids that first appear after an id with a higher number. */
export const orderOf = (ids: readonly string[], numberOf: (id: string) => number): string[] => {
  let highest = Number.NEGATIVE_INFINITY
  return [...new Set(ids)].filter((id) => {
    const number = numberOf(id)
    const isLate = number < highest
    highest = Math.max(highest, number)
    return isLate
  })
}
