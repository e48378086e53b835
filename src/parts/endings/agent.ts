/**
 * The ending of a route that asks an agent about each event: the event becomes a run. The run is committed to the store before the sender
 * is answered, and a worker asks the agent after the answer.
 */

import { claimOf, holdMsOf } from '../claim.ts'
import type { EndingPart } from './ending.ts'
import { acceptAgent, agentRun, routeMembers } from './kit/accept.ts'
import { compileLane } from './kit/lane.ts'
import { compileMessage } from './kit/message.ts'
import { compileSession } from './kit/session.ts'

export const agent: EndingPart = {
  name: 'agent',
  mode: 'agent',
  fits: (route) =>
    route.deliver_only !== true && route.cron_job === undefined && route.coalesce === undefined && route.dispatch === undefined,
  compile(route, kit) {
    const { render } = compileMessage(route, kit)
    const laneOf = compileLane(route, kit)
    const sessionOf = compileSession(route, kit)
    const [holdMs, members] = [holdMsOf(route), routeMembers(route)]
    return (event) => {
      const message = render(event)
      const [session, lane] = [sessionOf?.(event), laneOf?.(event)]
      // Without JSONata, session and lane, as on most routes, the run is made without waiting: a wait would keep the event in memory.
      if (!(message instanceof Promise || session || lane))
        return acceptAgent(agentRun(event, message, undefined, members), claimOf(event, holdMs), kit.effects)
      return Promise.all([message, session, lane]).then(([message, session, lane]) =>
        acceptAgent(agentRun(event, message, session, members), claimOf(event, holdMs), kit.effects, lane),
      )
    }
  },
}
