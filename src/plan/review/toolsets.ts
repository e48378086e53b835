/** Tools with which a stranger's text could do more than be read (rules: Agents 6). */

import { placeholders } from '../../expr/placeholder.ts'
import { defaults } from '../../generated/defaults.ts'
import { toolsetNames } from '../toolsets.ts'
import { anyOf, type Subject } from './subject.ts'

const narrow: ReadonlySet<string> = new Set(defaults.platform_toolsets.webhook)

/** Fields in which anybody can write what they like. */
const free = /(?:^|\.)(?:title|body|message|text|description|comment|note|content|name|__raw__)$/

/** Further toolsets beside text that anybody may have written: instructions in it could be followed with them. */
export const reviewToolsets = ({ spec, config, catalogue, say }: Subject): void => {
  if (spec.deliver_only || spec.cron_job !== undefined) return
  const known = toolsetNames(config, catalogue.toolsets)
  const wide = (spec.toolsets ?? config.tools.ofRuns).filter((name) => known.has(name) && !narrow.has(name))
  if (wide.length === 0) return
  const written = spec.prompt ? placeholders(spec.prompt).filter((path) => free.test(path)) : ['the whole payload']
  if (written.length === 0) return
  const what = spec.prompt ? written.map((path) => `{${path}}`).join(', ') : 'the whole payload'
  say(
    'WH216',
    spec.toolsets ? ['toolsets'] : spec.prompt ? ['prompt'] : [],
    `the agent has ${anyOf(wide)} and reads ${what}, which strangers may write`,
    {
      help: 'name the fields that it needs in the prompt, or leave the toolset to routes whose senders you trust; agent.untrusted stays fence',
      of: 'key',
    },
  )
}
