/** `cron show <job>`: prints one whole job with its secrets masked, its next runs, and what keeps the job from running. */

import { dump } from 'js-yaml'
import { isObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { readJobDetail } from '../../operate/jobs/job-detail.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export const cronShow = async (reference: string, options: ProfileOption, cli: Cli): Promise<number> => {
  const { workspace } = cli
  const { job, fields, nextRuns, outlook, warnings, notices } = await readJobDetail(workspace, gatewayAt(workspace), reference, options)
  note(cli, ...notices)
  const { id, profile, source, state, running, running_since, running_event } = job
  const head = {
    ...{ id, profile, source, state },
    ...(running === true ? { running_since, running_event } : {}),
    next_runs: outlook === undefined ? [...nextRuns] : `its time is past; ${outlook}`,
  }
  const text = dump({ ...head, ...(isObject(fields) ? fields : { written: fields }) }, { lineWidth: -1, noRefs: true })
  return answer(cli, {
    kind: 'cron.show',
    data: { ...job, next_runs: [...nextRuns], fields },
    text: text
      .trimEnd()
      .split('\n')
      .map((line) => `${printable(line, 8192)}\n`)
      .join(''),
    warnings,
  })
}
