/**
 * The gate `choose_agent` says which agent an event's run is for: the one that the route names, or the first of its list whose condition
 * holds (rules: Agents 11). A run of the default agent has no name. The gate also adds to the event what that agent asks for.
 */

import type { Outcome } from '../../core/outcome.ts'
import type { MaybePromise } from '../../core/plan.ts'
import type { Event } from '../../core/request.ts'
import { thenAll } from '../../expr/template.ts'
import { compileFirstRow } from '../first-row.ts'
import { compileGiven } from '../given-to-agent.ts'
import { agentNames, agentRows, defaultAgent } from '../named-agents.ts'
import type { StagePart } from './stage.ts'

export const chooseAgent: StagePart = {
  name: 'choose_agent',
  compile(route, kit) {
    if (route.deliver_only || route.cron_job !== undefined || route.dispatch !== undefined) return {}
    const gives = new Map(agentNames(route.agent).map((name) => [name, compileGiven(name, kit)]))
    if (route.agent === undefined && gives.get(defaultAgent) === undefined) return {}
    const rows = agentRows(route.agent)
    const firstRow = compileFirstRow('agent', rows, kit)
    const { onlooker } = kit.effects
    return {
      onEvent: kit.expressions.around((event) =>
        thenAll([firstRow(event)], ([row = -1]): MaybePromise<Event | Outcome> => {
          if (typeof row !== 'number') return row
          const { use } = rows[row] ?? { use: defaultAgent }
          if (rows.length > 1) onlooker?.noted(`the agent is "${use}": ${row < 0 ? 'no row of agent holds' : `agent[${row}] holds`}`)
          const chosen = use === defaultAgent ? event : { ...event, agent: use }
          return gives.get(use)?.(chosen) ?? chosen
        }),
      ),
    }
  },
}
