/** `cron pause|resume <job>`: stops a job from running and lets it run again. */

import { findJob, readKnownJobs } from '../../app/jobs/jobs.ts'
import { pauseJob } from '../../app/jobs/pause-job.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export const cronPause = async (reference: string, paused: boolean, options: ProfileOption, cli: Cli): Promise<number> => {
  const jobs = await readKnownJobs(cli.workspace, options)
  note(cli, ...jobs.notices)
  const known = findJob(jobs, reference, cli.workspace)
  const { changed, warnings } = await pauseJob(known, paused)
  const { id, profile } = known
  const word = paused ? 'paused' : 'resumed'
  const text = changed ? `${word.padEnd(8)} ${id}\n` : `no change: ${id} is ${paused ? 'paused already' : 'not paused'}\n`
  return answer(cli, { kind: `cron.${paused ? 'pause' : 'resume'}`, data: { id, profile: profile.name, paused, changed }, text, warnings })
}
