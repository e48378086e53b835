/** Finds agents that read a stranger's text and have tools that such a text could misuse (WH216; rules: Agents 6). */

import { placeholders } from '../../expr/placeholder.ts'
import { defaults } from '../../generated/defaults.ts'
import { agentNames } from '../../parts/named-agents.ts'
import { toolsetNames } from '../toolsets.ts'
import { eitherOf, type Subject } from './subject.ts'

const harmlessToolsets: ReadonlySet<string> = new Set(defaults.platform_toolsets.webhook)

const freeTextKeys =
  'title|body|message|text|subject|summary|description|comment|note|content|name|branch|ref|query|issue|pull_request|commits|head_commit|object_attributes|script_output|__raw__'
/**
 * Matches the path of a field in which strangers can write free text, or that contains such a field, and an expression that names such a
 * field anywhere.
 */
const freeTextPath = new RegExp(`^=.*\\b(?:${freeTextKeys})\\b|(?:^|\\.)(?:${freeTextKeys})$`, 's')

/**
 * Reports toolsets other than the default ones for an agent that reads a stranger's text: with these tools the agent could follow
 * instructions in the text.
 */
export const reviewToolsets = ({ spec, profile, config, catalogue, jobs, say }: Subject): void => {
  if (spec.deliver_only) return
  const { cron_job: job } = spec
  const owner = job === undefined ? spec : jobs().find(profile.name, job)[0]?.spec
  const allToolsets = toolsetNames(config, catalogue.toolsets)
  const ofAgents = agentNames(owner?.agent).flatMap((name) => config.agents.get(name)?.toolsets ?? config.tools.ofRuns)
  const wide = [...new Set(owner?.toolsets ?? ofAgents)].filter((name) => allToolsets.has(name) && !harmlessToolsets.has(name))
  if (wide.length === 0) return
  const written = spec.prompt ? placeholders(spec.prompt).filter((path) => freeTextPath.test(path)) : ['']
  if (written.length === 0) return
  const foreignText = spec.prompt ? written.map((path) => `{${path}}`).join(', ') : 'the whole payload'
  say(
    'WH216',
    job === undefined ? (spec.toolsets ? ['toolsets'] : spec.prompt ? ['prompt'] : []) : ['cron_job'],
    `the agent${job === undefined ? '' : ` of the job "${job}"`} has ${eitherOf(wide)} and reads ${foreignText}, which strangers may write`,
    {
      help: 'name the fields that it needs in the prompt, or leave the toolset to routes whose senders you trust; keep agent.untrusted: fence',
      of: 'key',
    },
  )
}
