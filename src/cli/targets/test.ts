/** `targets test [name]`: sends a real message to a target and prints the answer of the target. Exit 1 when the delivery failed. */

import { exit, usage } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { defaultText, prepareTargetTest, sendTargetTest } from '../../operate/targets/test-target.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { readTextOption } from '../shell/input.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { printRefusal } from '../shell/refuse.ts'
import { readTargetSettings } from '../webhook/subscribe-options.ts'
import type { ContentOptions } from '../webhook/traced-content.ts'
import { confirmSending, describeSent, sentText } from './sent.ts'

export type TargetsTestOptions = ProfileOption &
  ContentOptions & {
    readonly route?: string
    readonly to?: string
    readonly extra?: readonly string[]
    readonly text?: string
    readonly yes?: boolean
  }

export const targetsTest = async (asked: string | undefined, options: TargetsTestOptions, cli: Cli): Promise<number> => {
  const { route, to, text, yes = false } = options
  if (route !== undefined) {
    refuseOptions(options, ['to', 'extra', 'profile'], '--route takes the settings of the route')
    return (await import('./test-route.ts')).targetsTestRoute(asked, { ...options, route }, cli)
  }
  if (asked === undefined)
    throw usage('which target? give its name, or a route with --route', `look at them: ${cli.workspace.self} targets list`)
  refuseOptions(options, ['sample', 'payload', 'eventId'], 'an event can be given only with --route')
  const test = await prepareTargetTest(cli.workspace, { target: asked, extra: targetSettings(options), profile: options.profile })
  if (!test.ok) return printRefusal(cli, test)
  const { target, profile, obstacle } = test
  const textToSend = text === undefined || obstacle !== undefined ? defaultText : await readTextOption('--text', text, cli.io)
  if (obstacle === undefined) await confirmSending(to === undefined ? target : `${target} (${to})`, yes, cli)
  const { sent, notices } = await sendTargetTest(test, textToSend)
  note(cli, ...notices)
  return answer(cli, {
    kind: 'targets.test',
    data: describeSent(target, profile, sent),
    text: sentText(target, sent),
    exitCode: sent.ok ? exit.ok : exit.no,
  })
}

const refuseOptions = (options: TargetsTestOptions, names: readonly (keyof TargetsTestOptions)[], why: string): void => {
  const given = names.find((name) => options[name] !== undefined)
  if (given !== undefined) throw usage(`--${given === 'eventId' ? 'event-id' : given} cannot be given here: ${why}`)
}

/** Returns the settings of the target that `--extra` and `--to` give. */
const targetSettings = ({ extra, to }: TargetsTestOptions): JsonObject =>
  readTargetSettings({ ...(extra ? { deliverExtra: extra } : {}), ...(to === undefined ? {} : { deliverChatId: to }) }, '--extra') ?? {}
