/** Accepts an agent run: the event is committed before the answer, the agent starts after it. */

import type { EndingPart } from './ending.ts'
import { acceptAgent, agentRun } from './kit/accept.ts'
import { compileLane } from './kit/lane.ts'
import { compileMessage } from './kit/message.ts'

export const agent: EndingPart = {
  name: 'agent',
  fits: (route) => route.deliver_only !== true && route.cron_job === undefined && route.coalesce === undefined,
  compile(route, kit) {
    const { render } = compileMessage(route, kit)
    const lane = compileLane(route, kit)
    return async (opened) => acceptAgent(opened, agentRun(opened, await render(opened)), kit.effects, await lane(opened))
  },
}
