/** Keys of a route that do nothing where they stand, and the prompt that is not there. */

import { writtenTargets } from '../../parts/destination.ts'
import type { Subject } from './subject.ts'

export const reviewIdleKeys = ({ spec, say }: Subject): void => {
  const idle = (key: string, needs: string): void => {
    say('WH210', [key], `"${key}" has no effect without ${needs}`, { help: `remove it, or add ${needs}`, of: 'key' })
  }
  if (spec.cron_job_running !== undefined && spec.cron_job === undefined) idle('cron_job_running', '"cron_job"')
  if (spec.script_timeout_seconds !== undefined && spec.script === undefined) idle('script_timeout_seconds', '"script"')
  if (spec.deliver_mode !== undefined && spec.cron_job === undefined && !Array.isArray(spec.deliver))
    idle('deliver_mode', 'a list of targets in "deliver"')
}

/** A reply to nobody is no matter; a message that others read is. */
export const reviewPrompt = ({ spec, catalogue, say }: Subject): void => {
  if (spec.prompt || spec.cron_job !== undefined) return
  const targets = writtenTargets(spec).map(({ target }) => target)
  if (targets.every((target) => catalogue.targets.get(target)?.internal)) return
  const what = spec.deliver_only ? `${targets.join(', ')} gets` : 'the agent is asked nothing but'
  say(
    'WH506',
    spec.prompt === undefined ? [] : ['prompt'],
    `there is no prompt: ${what} the whole payload as JSON, cut at 4000 characters`,
    {
      help: 'write a prompt that says what to do, with {dotted.path} for what the payload brings',
      of: 'key',
    },
  )
}
