/** The answers about routes and about the targets that they deliver to. */

import { readBreakers, resetBreakers } from '../../app/targets/breakers.ts'
import { readTargets } from '../../app/targets/targets.ts'
import { readStageTally, stagesOfRoute } from '../../app/trace/stage-tally.ts'
import type { ConsoleQuestions } from '../../generated/console.ts'
import type { SignIn } from '../access/sign-ins.ts'
import type { Surroundings } from './asked.ts'

export const routeAnswers = ({ workspace, gateway, service, audit }: Surroundings) => ({
  async routes() {
    const [{ rows, problem }, tally] = await Promise.all([service.home({}), readStageTally(workspace)])
    return {
      /** How many of the latest events the counts of the stages are of. */
      counted: tally.events,
      problem: problem ?? null,
      routes: rows.map((row) => {
        const counts = tally.routes[row.name] ?? []
        const ended = counts.map(({ stage }) => stage)
        const stages = stagesOfRoute(row.spec, ended).map((stage) => ({ stage, ends: counts.filter((each) => each.stage === stage) }))
        return { ...row, stages }
      }),
    }
  },
  async targets({ profile: named }: ConsoleQuestions['targets']) {
    const { profile, targets, notices } = await readTargets(workspace, named)
    return {
      profile,
      targets: targets.map(({ name, state, missing, ways, home, isPlugin }) => ({
        name,
        state,
        missing,
        ways,
        home: home ?? null,
        isPlugin,
      })),
      /** `null` where no gateway runs, which alone knows which targets are down. */
      breakers: (await readBreakers(gateway)) ?? null,
      notices,
    }
  },
  resetBreaker: ({ target, address }: ConsoleQuestions['resetBreaker'], signIn: SignIn) =>
    audit.of({ by: signIn.name, action: 'reset_breaker', on: { target, ...(address === undefined ? {} : { address }) } }, async () => ({
      addresses: await resetBreakers(gateway, target, address),
    })),
})
