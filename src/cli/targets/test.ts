/** `targets test <name>`: sends a real message and prints what came back; exit 1 when it failed. */

import { defaultText, prepareTargetTest, sendTargetTest } from '../../app/targets/test-target.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import type { Sent } from '../../parts/targets/target.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { readText } from '../shell/input.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { refuse } from '../shell/refuse.ts'
import { readExtra } from '../webhook/subscribe-options.ts'

export type TargetsTestOptions = ProfileOption & {
  readonly to?: string
  readonly extra?: readonly string[]
  readonly text?: string
  readonly yes?: boolean
}

export const targetsTest = async (asked: string, options: TargetsTestOptions, cli: Cli): Promise<number> => {
  const test = await prepareTargetTest(cli.workspace, { target: asked, extra: extraOf(options), profile: options.profile })
  if (!test.ok) return refuse(cli, test)
  const { target, profile, obstacle } = test
  const text = obstacle === undefined ? await confirmed(target, options, cli) : ''
  const { sent, notices } = await sendTargetTest(test, text)
  note(cli, ...notices)
  return report(target, profile, sent, cli)
}

const extraOf = ({ extra, to }: TargetsTestOptions): JsonObject =>
  readExtra({ ...(extra ? { deliverExtra: extra } : {}), ...(to === undefined ? {} : { deliverChatId: to }) }, '--extra') ?? {}

/** The text to send, once the user has confirmed it. Throws a Fault otherwise. */
const confirmed = async (target: string, { to, text, yes = false }: TargetsTestOptions, { io }: Cli): Promise<string> => {
  const said = text === undefined ? defaultText : await readText('--text', text, io)
  if (yes) return said
  if (!io.ask) throw usage('nothing was sent: this needs --yes where nobody can be asked')
  const question = `send a real message to ${target}${to === undefined ? '' : ` (${printable(to, 100)})`}? [y/N] `
  if (/^y(es)?$/i.test((await io.ask(question)).trim())) return said
  throw new Fault('cancelled', 'nothing was sent', { exitCode: exit.cancelled })
}

const report = (target: string, profile: string, sent: Sent, cli: Cli): number => {
  const about = { target, profile, sent: sent.ok }
  if (sent.ok) {
    const detail = sent.detail ?? null
    const text = `sent     ${target}${detail === null ? '' : `: ${printable(detail)}`}\n`
    return answer(cli, { kind: 'targets.test', data: { ...about, detail }, text })
  }
  const again = sent.repeatable ? 'may be tried again' : 'another try would not help, or could post twice'
  const wait = sent.retryAfterMs === undefined ? '' : `, in ${Math.ceil(sent.retryAfterMs / 1000)} s`
  return answer(cli, {
    kind: 'targets.test',
    data: { ...about, error: sent.why, repeatable: sent.repeatable, retry_after_ms: sent.retryAfterMs ?? null },
    text: `failed   ${target}: ${printable(sent.why)}\n         ${again}${wait}\n`,
    exitCode: exit.no,
  })
}
