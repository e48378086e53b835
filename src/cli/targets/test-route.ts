/**
 * `targets test --route <name>`: sends the text that a route would deliver for an event to the route's own targets; a test message where an
 * agent would write the text. Exit 1 when a delivery failed.
 */

import { exit, Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { withSecrets } from '../../datadir/secrets/with-secrets.ts'
import { deliveriesOfRoute, type RouteDeliveries } from '../../operate/targets/route-deliveries.ts'
import { defaultText, prepareTargetTest, sendTargetTest, type TargetTest } from '../../operate/targets/test-target.ts'
import { targetName } from '../../parts/written-names.ts'
import { readTextOption } from '../shell/input.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { printRefusal } from '../shell/refuse.ts'
import { type ContentOptions, tracedContent } from '../webhook/traced-content.ts'
import { confirmSending, describeSent, sentText } from './sent.ts'

export type RouteTestOptions = ContentOptions & { readonly route: string; readonly text?: string; readonly yes?: boolean }

/**
 * Sends the text and prints the result for each target. `only`: the target that gets the text; `undefined` for all targets of the route.
 */
export const targetsTestRoute = async (only: string | undefined, options: RouteTestOptions, cli: Cli): Promise<number> => {
  const { route, text, yes = false } = options
  const { of } = await tracedContent(options, cli)
  const workspace = await withSecrets(cli.workspace)
  const deliveries = await deliveriesOfRoute(workspace, route, of)
  const tests: TargetTest[] = []
  for (const { target, extra } of chosenDeliveries(deliveries, only)) {
    const test = await prepareTargetTest(workspace, { target, extra, profile: deliveries.profile })
    if (!test.ok) return printRefusal(cli, test)
    tests.push(test)
  }
  const textToSend = text === undefined ? (deliveries.text ?? defaultText) : await readTextOption('--text', text, cli.io)
  const names = tests.map(({ target }) => target).join(', ')
  if (tests.some(({ obstacle }) => obstacle === undefined)) await confirmSending(`${names}, as route ${deliveries.route} would`, yes, cli)
  if (text === undefined && deliveries.text === undefined) note(cli, 'an agent writes the text of this route: a test message stands in')
  const lines: string[] = []
  const results: JsonObject[] = []
  for (const test of tests) {
    const { sent, notices } = await sendTargetTest(test, textToSend)
    note(cli, ...notices)
    lines.push(sentText(test.target, sent))
    results.push(describeSent(test.target, test.profile, sent))
  }
  return answer(cli, {
    kind: 'targets.test',
    data: { route: deliveries.route, text: textToSend, targets: results },
    text: lines.join(''),
    exitCode: results.every(({ sent }) => sent) ? exit.ok : exit.no,
  })
}

const chosenDeliveries = ({ to, route }: RouteDeliveries, only: string | undefined): RouteDeliveries['to'] => {
  if (only === undefined) return to
  const its = to.filter(({ target }) => target === targetName(only))
  if (its.length > 0) return its
  const suggest = [...new Set(to.map(({ target }) => target))]
  throw new Fault('not_found', `the route "${route}" does not deliver to ${only}`, { exitCode: exit.notFound, suggest })
}
