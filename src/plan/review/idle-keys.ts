/** Finds keys of a route that have no effect, and a missing prompt. */

import { writtenTargets } from '../../parts/destination.ts'
import { verifyNames } from '../../parts/verify-names.ts'
import { checkedWith } from '../route-schemes.ts'
import type { Subject } from './subject.ts'

export const reviewIdleKeys = (subject: Subject): void => {
  const { spec, say } = subject
  const idle = (key: string, needs: string): void => {
    say('WH210', [key], `"${key}" has no effect without ${needs}`, { help: `remove it, or add ${needs}`, of: 'key' })
  }
  if (spec.cron_job_running !== undefined && spec.cron_job === undefined) idle('cron_job_running', '"cron_job"')
  if (spec.script_timeout_seconds !== undefined && spec.script === undefined) idle('script_timeout_seconds', '"script"')
  if (spec.payload_mismatch !== undefined && spec.payload_schema === undefined) idle('payload_mismatch', '"payload_schema"')
  if (spec.deliver_mode !== undefined && spec.cron_job === undefined && !Array.isArray(spec.deliver))
    idle('deliver_mode', 'a list of targets in "deliver"')
  reviewKept(subject)
}

/**
 * Reports a `keep_refused` without effect: no payloads are kept at all, or a scheme of the route forbids it, because its requests have a
 * secret in them or are signed only in part.
 */
const reviewKept = ({ spec, route, catalogue, config, say }: Subject): void => {
  if (spec.keep_refused === undefined) return
  const idle = (why: string, help: string): void => say('WH210', ['keep_refused'], why, { help, of: 'key' })
  if (!config.storage.retention.payloads)
    idle('"keep_refused" has no effect: storage.retention.payloads is false', 'remove it, or let payloads be kept')
  if ((spec.redact ?? config.adapter.redact) !== undefined)
    idle('"keep_refused" has no effect: fields are redacted, and a later check would need them', 'remove it, or "redact"')
  const schemes = verifyNames(spec).length === 0 ? [] : checkedWith(route, catalogue)
  const unkept = schemes.filter(({ signatureIn }) => !signatureIn).map(({ title }) => title)
  if (unkept.length > 0)
    idle(
      `"keep_refused" keeps nothing of ${unkept.join(' and ')}: its requests have a secret in them, or are signed only in part`,
      'remove it; look for redelivery at the sender',
    )
}

/**
 * Reports a missing prompt, unless the route starts a job, or all its targets are internal, so that their texts reach only whoever runs the
 * gateway.
 */
export const reviewPrompt = ({ spec, catalogue, say }: Subject): void => {
  if (spec.prompt || spec.cron_job !== undefined) return
  const targets = writtenTargets(spec).map(({ target }) => target)
  if (targets.every((target) => catalogue.targets.get(target)?.internal)) return
  const receives = spec.deliver_only ? `${targets.join(', ')} gets` : 'the agent is asked nothing but'
  say(
    'WH506',
    spec.prompt === undefined ? [] : ['prompt'],
    `there is no prompt: ${receives} the whole payload as JSON, cut at 4000 characters`,
    {
      help: 'write a prompt that says what to do, with {dotted.path} for what the payload brings',
      of: 'key',
    },
  )
}
