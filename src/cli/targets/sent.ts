/** What the commands that send test messages share: the question before a real message goes out, and the report about the sending. */

import { exit, Fault, usage } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import type { Sent } from '../../parts/targets/target.ts'
import type { Cli } from '../shell/output.ts'

/** Asks before a real message goes out, unless `yes` is set. Throws a Fault where the user does not agree, or nobody can be asked. */
export const confirmSending = async (where: string, yes: boolean, { io }: Cli): Promise<void> => {
  if (yes) return
  if (!io.ask) throw usage('nothing was sent: this needs --yes where nobody can be asked')
  if (/^y(es)?$/i.test((await io.ask(`send a real message to ${printable(where, 300)}? [y/N] `)).trim())) return
  throw new Fault('cancelled', 'nothing was sent', { exitCode: exit.cancelled })
}

/** Returns the result of a sending for people: one line, and after a failure a second line that says whether another try may help. */
export const sentText = (target: string, sent: Sent): string => {
  if (sent.ok) return `sent     ${target}${sent.detail === undefined ? '' : `: ${printable(sent.detail)}`}\n`
  const again = sent.repeatable ? 'may be tried again' : 'another try would not help, or could post twice'
  const wait = sent.retryAfterMs === undefined ? '' : `, in ${Math.ceil(sent.retryAfterMs / 1000)} s`
  return `failed   ${target}: ${printable(sent.why)}\n         ${again}${wait}\n`
}

/** Returns the result of a sending for programs. */
export const describeSent = (target: string, profile: string, sent: Sent): JsonObject => {
  const about = { target, profile, sent: sent.ok }
  if (sent.ok) return { ...about, detail: sent.detail ?? null }
  return { ...about, error: sent.why, repeatable: sent.repeatable, retry_after_ms: sent.retryAfterMs ?? null }
}
