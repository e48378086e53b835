/** `cron show <job>`: one whole job with its secrets masked, its next runs, and what keeps it from running. */

import { dump } from 'js-yaml'
import { describeJob, findJob, readKnownJobs } from '../../app/jobs/jobs.ts'
import { warningOf } from '../../app/warning.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { maskJson } from '../../core/secrets/mask.ts'
import { printable } from '../../core/text.ts'
import { zonedIso } from '../../expr/schedule.ts'
import { pastTime } from '../../plan/job-time.ts'
import type { ScheduledJob } from '../../plan/jobs.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { askRunning } from './running.ts'

const shownRuns = 3

export const cronShow = async (reference: string, options: ProfileOption, cli: Cli): Promise<number> => {
  const jobs = await readKnownJobs(cli.workspace, options)
  note(cli, ...jobs.notices)
  const known = findJob(jobs, reference, cli.workspace)
  const fields = maskJson(known.written)
  const now = Date.now()
  const nextRuns = known.state === 'active' && known.job ? runsOf(known.job, now) : []
  const described = describeJob(known, await askRunning(cli), now)
  const data: JsonObject = { ...described, next_runs: nextRuns, fields }
  const { id, profile, source, state, running, running_since, running_event } = described as { [name: string]: Json }
  const past = known.job && pastTime(known.job, now)
  const head = {
    ...{ id, profile, source, state },
    ...(running === true ? { running_since, running_event } : {}),
    next_runs: past ? `its time is past; ${past.outlook}` : nextRuns,
  }
  const text = dump({ ...head, ...(isObject(fields) ? fields : { written: fields }) }, { lineWidth: -1, noRefs: true })
  return answer(cli, {
    kind: 'cron.show',
    data,
    text: text
      .trimEnd()
      .split('\n')
      .map((line) => `${printable(line, 8192)}\n`)
      .join(''),
    warnings: known.problems.map(warningOf),
  })
}

const runsOf = ({ schedule, spec }: ScheduledJob, now: number): string[] => {
  const runs: string[] = []
  for (let at = schedule.next(now); at !== undefined && runs.length < shownRuns; at = schedule.next(at))
    runs.push(zonedIso(at, spec.timezone))
  return runs
}
