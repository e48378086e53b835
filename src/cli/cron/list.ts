/** `cron list`: one job a line, with the time of its next run. */

import { describeJob, type KnownJob, readKnownJobs } from '../../app/jobs/jobs.ts'
import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { pastTime } from '../../plan/job-time.ts'
import { aligned } from '../shell/columns.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { askRunning } from './running.ts'

export type CronListOptions = ProfileOption & { readonly all?: boolean }

export const cronList = async (options: CronListOptions, cli: Cli): Promise<number> => {
  const { all = false } = options
  const { jobs, notices } = await readKnownJobs(cli.workspace, options)
  note(cli, ...notices)
  const running = await askRunning(cli)
  const now = Date.now()
  const found = jobs.map((known) => ({ job: describeJob(known, running, now), instead: insteadOfNext(known, now) }))
  if (found.length === 0) note(cli, `no jobs yet: ${cli.workspace.self} cron create <name> --schedule '0 6 * * *' --prompt '...'`)
  const rows = found.map(({ job, instead }) => rowOf(job, instead, all))
  const head = ['ID', 'NAME', ...(all ? ['PROFILE'] : []), 'STATE', 'SCHEDULE', 'ZONE', 'NEXT', 'DELIVER', 'SOURCE']
  const lines = aligned(cli.io.isTty && rows.length > 0 ? [head, ...rows] : rows)
  const { dim } = paintWith(cli.io.colour)
  const text = lines.map((line, i) => `${cli.io.isTty && i === 0 ? dim(line) : line}\n`).join('')
  return answer(cli, { kind: 'cron.list', data: { jobs: found.map(({ job }) => job) }, text })
}

const cell = (value: unknown): string => printable(String(value ?? ''), 200) || '-'

/** What the list shows in place of a next run, for a job whose one time is past. */
const insteadOfNext = ({ job }: KnownJob, now: number): string | undefined => {
  const past = job && pastTime(job, now)
  return past && (past.isOver ? 'never again' : 'only if missed')
}

const stateOf = ({ state, running_since }: JsonObject): string => {
  if (running_since === null) return String(state)
  return `${state === 'active' ? '' : `${state}, `}running since ${running_since}`
}

const rowOf = (job: JsonObject, instead: string | undefined, all: boolean): string[] => {
  const { id, name, profile, schedule, timezone, next_run, deliver, source } = job
  const cells = [id, name, ...(all ? [profile] : []), stateOf(job), schedule, timezone, instead ?? next_run, deliver, source]
  return cells.map(cell)
}
