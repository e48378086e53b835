/** Starts an agent run for an event. The run is committed before the sender is answered, and the agent starts after the answer. */

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
    return (event) => {
      // Most routes need not wait here. Waiting would keep the event in memory.
      const message = render(event)
      const [itsSession, itsLane] = [session?.(event), lane?.(event)]
      if (!(message instanceof Promise || itsSession || itsLane)) return acceptAgent(agentRun(event, message, undefined), kit.effects)
      return Promise.all([message, itsSession, itsLane]).then(([message, itsSession, itsLane]) =>
        acceptAgent(agentRun(event, message, itsSession), kit.effects, itsLane),
      )
    }
  },
}
