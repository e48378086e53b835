/** `cron list`: prints the scheduled jobs, one a line, each with the time of its next run. */

import type { JsonObject } from '../../core/json.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type ListedJob, listJobs } from '../../operate/jobs/job-list.ts'
import { aligned, cellText } from '../shell/columns.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'

export type CronListOptions = ProfileOption & { readonly all?: boolean }

export const cronList = async (options: CronListOptions, cli: Cli): Promise<number> => {
  const { all = false } = options
  const { workspace } = cli
  const { jobs, notices } = await listJobs(workspace, gatewayAt(workspace), options)
  note(cli, ...notices)
  if (jobs.length === 0) note(cli, `no jobs yet: ${workspace.self} cron create <name> --schedule '0 6 * * *' --prompt '...'`)
  const rows = jobs.map((listed) => jobCells(listed, all))
  const head = ['ID', 'NAME', ...(all ? ['PROFILE'] : []), 'STATE', 'SCHEDULE', 'ZONE', 'NEXT', 'DELIVER', 'SOURCE']
  const lines = aligned(cli.io.isTty && rows.length > 0 ? [head, ...rows] : rows)
  const { dim } = paintWith(cli.io.colour)
  const text = lines.map((line, i) => `${cli.io.isTty && i === 0 ? dim(line) : line}\n`).join('')
  return answer(cli, { kind: 'cron.list', data: { jobs: jobs.map(({ job }) => job) }, text })
}

/** The words in place of the next run, for a job with a single time that is past. */
const pastWords = { over: 'never again', missed: 'only if missed' }

const jobStateText = ({ state, running_since }: JsonObject): string => {
  if (running_since === null) return String(state)
  return `${state === 'active' ? '' : `${state}, `}running since ${running_since}`
}

const jobCells = ({ job, past }: ListedJob, all: boolean): string[] => {
  const { id, name, profile, schedule, timezone, next_run, deliver, source } = job
  const cells = [
    id,
    name,
    ...(all ? [profile] : []),
    jobStateText(job),
    schedule,
    timezone,
    past ? pastWords[past] : next_run,
    deliver,
    source,
  ]
  return cells.map(cellText)
}
