/**
 * `cron pause|resume <job>`: pauses a job, or lets a paused job run again. Neither its schedule nor an event starts a paused job. A run
 * that has begun goes on.
 */

import { pauseJob } from '../../operate/jobs/pause-job.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { inForce } from '../shell/in-force.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export const cronPause = async (reference: string, paused: boolean, options: ProfileOption, cli: Cli): Promise<number> => {
  const { id, profile, changed, warnings, notices } = await pauseJob(cli.workspace, reference, paused, options)
  note(cli, ...notices)
  const word = paused ? 'paused' : 'resumed'
  const text = changed ? `${word.padEnd(8)} ${id}\n` : `no change: ${id} is ${paused ? 'paused already' : 'not paused'}\n`
  return answer(cli, {
    kind: `cron.${paused ? 'pause' : 'resume'}`,
    data: { id, profile, paused, changed, others: await inForce(cli) },
    text,
    warnings,
  })
}
