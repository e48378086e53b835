/** Reads the agent's file as one order of starts and ends over all replicas: each line of it is one write at its end. */

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

/** Returns the runs that began while `limit` others ran. */
export const beyond = (turns: readonly Turn[], limit: number): string[] => {
  const running = new Set<string>()
  return turns.flatMap(({ kind, life, id }) => {
    const name = `${life} ${id}`
    if (kind === 'end') running.delete(name)
    else running.add(name)
    return running.size > limit ? [id] : []
  })
}

/** Returns the ids that come for the first time after one with a higher number. */
export const orderOf = (ids: readonly string[], numberOf: (id: string) => number): string[] => {
  let highest = Number.NEGATIVE_INFINITY
  return [...new Set(ids)].filter((id) => {
    const number = numberOf(id)
    const isLate = number < highest
    highest = Math.max(highest, number)
    return isLate
  })
}
