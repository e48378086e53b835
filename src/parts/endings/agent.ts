/** Starts an agent run for an event: the run is committed before the sender is answered, and the agent starts after the answer. */

import type { EndingPart } from './ending.ts'
import { acceptAgent, agentRun } from './kit/accept.ts'
import { compileLane } from './kit/lane.ts'
import { compileMessage } from './kit/message.ts'
import { compileSession } from './kit/session.ts'

export const agent: EndingPart = {
  name: 'agent',
  mode: 'agent',
  fits: (route) => route.deliver_only !== true && route.cron_job === undefined && route.coalesce === undefined,
  compile(route, kit) {
    const { render } = compileMessage(route, kit)
    const lane = compileLane(route, kit)
    const session = compileSession(route, kit)
    return async (event) => acceptAgent(event, agentRun(event, await render(event), await session(event)), kit.effects, await lane(event))
  },
}
