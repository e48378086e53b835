/** Says which agents a route or job may use, and what it changes of them, by its key `agent`. */

import type { Path } from '../core/diagnostic.ts'
import { isObject, type Json } from '../core/json.ts'
import type { Route, RouteAgent } from '../generated/config.ts'

/** The name of the agent that the section `agent` describes. */
export const defaultAgent = 'default'

/** Returns the place of an agent's settings in `config.yaml`. */
export const agentPath = (name: string): Path => (name === defaultAgent ? ['agent'] : ['agents', name])

/** Returns the settings of the default agent, which every configuration has. */
export const defaultAgentOf = <T>({ agents }: { readonly agents: ReadonlyMap<string, T> }): T => agents.get(defaultAgent) as T

type Written = Route['agent']

/** A row of a route's `agent`: the agent `use` has the runs of the events for which `when` holds. Without `when` it has all others. */
export type AgentRow = Exclude<Extract<Written, readonly unknown[]>[number], string>

/**
 * Returns the rows of `agent`, of which the first that holds counts. Without a row that holds, the default agent has the run. A row whose shape is
 * wrong, which has been reported, is left out.
 */
export const agentRows = (written: Written): readonly AgentRow[] => (Array.isArray(written) ? written : [written ?? {}]).flatMap(rowOf)

const rowOf = (row: unknown): readonly AgentRow[] => {
  if (typeof row === 'string') return [{ use: row }]
  if (!isMap(row)) return []
  const { use = defaultAgent, when } = row
  return typeof use === 'string' ? [{ use, ...(when === undefined ? {} : { when: when as NonNullable<AgentRow['when']> }) }] : []
}

const isMap = (value: unknown): value is { readonly [key: string]: unknown } => isObject(value as Json)

/** Returns the names of the agents that a route or job may use, each once. */
export const agentNames = (written: Written): readonly string[] => {
  const rows = agentRows(written)
  const others = rows.every(({ when }) => when !== undefined) ? [defaultAgent] : []
  return [...new Set([...rows.map(({ use }) => use), ...others])]
}

/** Returns what a route changes of its agent. */
export const agentOverrides = (written: Written): Omit<RouteAgent, 'use'> => {
  if (typeof written === 'string' || Array.isArray(written) || !isMap(written)) return {}
  const { use: _, ...overrides } = written
  return overrides
}
