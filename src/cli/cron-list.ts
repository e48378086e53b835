/** `cron list`: one job a line, with the time of its next run. */

import type { JsonObject } from '../core/json.ts'
import { printable } from '../core/text.ts'
import { aligned } from './columns.ts'
import { describeJob, type ProfileOption, readKnownJobs } from './cron-jobs.ts'
import { answer, type Cli, note } from './output.ts'
import { paintWith } from './paint.ts'

export type CronListOptions = ProfileOption & { readonly all?: boolean }

export const cronList = async (options: CronListOptions, cli: Cli): Promise<number> => {
  const { all = false } = options
  const { jobs } = await readKnownJobs(cli, options)
  const found = jobs.map((known) => describeJob(known))
  if (found.length === 0) note(cli, `no jobs yet: ${cli.self} cron create <name> --schedule '0 6 * * *' --prompt '...'`)
  const rows = found.map((job) => rowOf(job, all))
  const head = ['ID', 'NAME', ...(all ? ['PROFILE'] : []), 'STATE', 'SCHEDULE', 'ZONE', 'NEXT', 'DELIVER', 'SOURCE']
  const lines = aligned(cli.io.isTty && rows.length > 0 ? [head, ...rows] : rows)
  const { dim } = paintWith(cli.io.colour)
  const text = lines.map((line, i) => `${cli.io.isTty && i === 0 ? dim(line) : line}\n`).join('')
  return answer(cli, { kind: 'cron.list', data: { jobs: found }, text })
}

const cell = (value: unknown): string => printable(String(value ?? ''), 200) || '-'

const rowOf = ({ id, name, profile, state, schedule, timezone, next_run, deliver, source }: JsonObject, all: boolean): string[] => [
  cell(id),
  cell(name),
  ...(all ? [cell(profile)] : []),
  cell(state),
  cell(schedule),
  cell(timezone),
  cell(next_run),
  cell(deliver),
  cell(source),
]
