/**
 * The gate `choose_agent` says which agent an event's run is for: the one that the route names, or the first of its list whose condition
 * holds (rules: Agents 11). A run of the default agent has no name.
 */

import type { Outcome } from '../../core/outcome.ts'
import type { Event } from '../../core/request.ts'
import { thenAll } from '../../expr/template.ts'
import { compileFirstRow } from '../first-row.ts'
import { agentRows, defaultAgent } from '../named-agents.ts'
import type { StagePart } from './stage.ts'

export const chooseAgent: StagePart = {
  name: 'choose_agent',
  compile(route, kit) {
    if (route.agent === undefined || route.deliver_only || route.cron_job !== undefined) return {}
    const rows = agentRows(route.agent)
    const firstRow = compileFirstRow('agent', rows, kit)
    const { onlooker } = kit.effects
    return {
      onEvent: kit.expressions.around((event) =>
        thenAll([firstRow(event)], ([row = -1]): Event | Outcome => {
          if (typeof row !== 'number') return row
          const { use } = rows[row] ?? { use: defaultAgent }
          if (rows.length > 1) onlooker?.noted(`the agent is "${use}": ${row < 0 ? 'no row of agent holds' : `agent[${row}] holds`}`)
          return use === defaultAgent ? event : { ...event, agent: use }
        }),
      ),
    }
  },
}
