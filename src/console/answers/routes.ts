/** The answers about routes and about the targets that they deliver to. */

import type { Refusal } from '../../datadir/refusal.ts'
import { readStageTally, stagesOfRoute } from '../../dryrun/trace/stage-tally.ts'
import { readBreakers, resetBreakers } from '../../features/breaker/breakers.ts'
import type { ConsoleQuestions } from '../../generated/console.ts'
import { readTargets } from '../../operate/targets/targets.ts'
import { defaultText, prepareTargetTest, sendTargetTest } from '../../operate/targets/test-target.ts'
import type { SignIn } from '../access/sign-ins.ts'
import type { AnswerSurroundings } from './surroundings.ts'

const refusalReason = ({ fault, diagnostics: [first], outcome }: Refusal): string => fault?.message ?? first?.message ?? outcome

export const routeAnswers = ({ workspace, gateway, service }: AnswerSurroundings) => ({
  async routes() {
    const [{ rows, problem }, tally] = await Promise.all([service.home({}), readStageTally(workspace)])
    return {
      /** The number of the latest recorded events that the counts of the stages cover. */
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
      /** `null` where no gateway runs, because only a gateway knows which targets are down. */
      breakers: (await readBreakers(gateway)) ?? null,
      notices,
    }
  },
  /**
   * Returns whether a test message can be sent to a target. The text and the settings of the message are those of `headgate targets test`.
   */
  async targetTest({ target, profile }: ConsoleQuestions['targetTest']) {
    const test = await prepareTargetTest(workspace, { target, profile, extra: {} })
    return test.ok ? { obstacle: test.obstacle ?? null, text: defaultText } : { obstacle: refusalReason(test), text: defaultText }
  },
  async testTarget({ target, profile }: ConsoleQuestions['testTarget'], signIn: SignIn) {
    const test = await prepareTargetTest(workspace, { target, profile, extra: {} })
    if (!test.ok) return { ok: false, detail: refusalReason(test) }
    const { sent } = await sendTargetTest(test, defaultText)
    // The answer of the receiver is the text of a stranger, and may quote an event.
    const detail = signIn.rights.has('payloads') ? (sent.ok ? sent.detail : sent.why) : undefined
    return { ok: sent.ok, detail: detail ?? null }
  },
  resetBreaker: async ({ target, address }: ConsoleQuestions['resetBreaker']) => ({
    addresses: await resetBreakers(gateway, target, address),
  }),
})
