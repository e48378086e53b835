/**
 * `cron create <name>`: stores a scheduled job. A job that a gateway could not run is refused. A running gateway finds the job when it
 * next reads the file of jobs.
 */

import { defaultProfile } from '../../config/config.ts'
import { printable } from '../../core/text.ts'
import { type CreatedJob, createJob, type NewJob, readJobContext } from '../../operate/jobs/create-job.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { inForce } from '../shell/in-force.ts'
import { readTextOption } from '../shell/input.ts'
import type { Io } from '../shell/io.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { printRefusal } from '../shell/refuse.ts'
import { readTargetSettings } from '../webhook/subscribe-options.ts'

export type CronCreateOptions = ProfileOption & {
  readonly id?: string
  readonly schedule: string
  readonly timezone?: string
  readonly prompt?: string
  readonly agent?: string
  readonly model?: string
  readonly deliver?: string
  readonly deliverChatId?: string
  readonly deliverExtra?: readonly string[]
  readonly description?: string
  readonly disabled?: boolean
}

export const cronCreate = async (name: string, options: CronCreateOptions, cli: Cli): Promise<number> => {
  const ground = await readJobContext(cli.workspace, options.profile)
  if (!ground.ok) return printRefusal(cli, ground)
  note(cli, ...ground.notices)
  const made = await createJob(ground, await readNewJob(name, options, cli.io))
  if (!made.ok) return printRefusal(cli, made)
  note(cli, ...made.notices)
  return answerCreated(made, await inForce(cli), cli)
}

/**
 * Returns the job that the options describe. Reads the file or the standard input that `--prompt` names. Throws a usage Fault for a file
 * that cannot be read, and for a setting of the target without a key.
 */
const readNewJob = async (name: string, options: CronCreateOptions, io: Pick<Io, 'stdin'>): Promise<NewJob> => ({
  id: options.id,
  name,
  description: options.description,
  schedule: options.schedule,
  timezone: options.timezone,
  prompt: options.prompt === undefined ? undefined : await readTextOption('--prompt', options.prompt, io),
  agent: options.agent,
  model: options.model,
  deliver: options.deliver,
  deliver_extra: readTargetSettings(options),
  enabled: options.disabled ? false : undefined,
})

const answerCreated = ({ job, nextRun, warnings }: CreatedJob, others: string[], cli: Cli): number => {
  const { id, name, profile, state, spec } = job
  const tryIt = `${cli.workspace.self} cron run ${id}${profile === defaultProfile ? '' : ` --profile ${profile}`}`
  const more = [`next     ${nextRun ?? `not before it is enabled (${state})`}`, `try      ${tryIt}`]
  const lines = [`created  ${id}`, `name     ${printable(name, 200)}`, ...(cli.quiet ? [] : more)]
  const data = { id, name, profile, state, schedule: spec.schedule, timezone: spec.timezone ?? 'UTC', next_run: nextRun, others }
  return answer(cli, { kind: 'cron.create', data, text: `${lines.join('\n')}\n`, warnings })
}
