/** `cron remove <job>`: deletes a job that was made at run time. On a terminal the command asks first. */

import { exit, Fault } from '../../core/fault.ts'
import { quoted } from '../../core/text.ts'
import { findRemovable, removeJob } from '../../operate/jobs/remove-job.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { inForce } from '../shell/in-force.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export type CronRemoveOptions = ProfileOption & { readonly yes?: boolean }

export const cronRemove = async (reference: string, options: CronRemoveOptions, cli: Cli): Promise<number> => {
  const removable = await findRemovable(cli.workspace, reference, options)
  note(cli, ...removable.notices)
  const { id, profile } = removable.known
  const routes = [...removable.routes]
  const used = routes.length > 0 ? ` that ${routes.join(', ')} ${routes.length === 1 ? 'starts' : 'start'}` : ''
  if (!options.yes && cli.io.ask && !/^y(es)?$/i.test((await cli.io.ask(`remove job "${id}"${used}? [y/N] `)).trim())) {
    throw new Fault('cancelled', 'nothing was removed', { exitCode: exit.cancelled })
  }
  const warnings = await removeJob(removable, cli.workspace)
  const undo = `cp ${quoted(`${removable.file}.bak`)} ${quoted(removable.file)}`
  const text = `removed  ${id}\n${cli.quiet ? '' : `undo     ${undo}\n`}`
  return answer(cli, { kind: 'cron.remove', data: { id, profile: profile.name, routes, undo, others: await inForce(cli) }, text, warnings })
}
