/** `cron pause|resume <job>`: pauses a job, so that neither its schedule nor an event starts it, or resumes it. A run under way goes on. */

import { pauseJob } from '../../app/jobs/pause-job.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export const cronPause = async (reference: string, paused: boolean, options: ProfileOption, cli: Cli): Promise<number> => {
  const { id, profile, changed, warnings, notices } = await pauseJob(cli.workspace, reference, paused, options)
  note(cli, ...notices)
  const word = paused ? 'paused' : 'resumed'
  const text = changed ? `${word.padEnd(8)} ${id}\n` : `no change: ${id} is ${paused ? 'paused already' : 'not paused'}\n`
  return answer(cli, { kind: `cron.${paused ? 'pause' : 'resume'}`, data: { id, profile, paused, changed }, text, warnings })
}
