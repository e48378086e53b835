/**
 * Checks whether machine, files and programs are fit for the gateway. The checks change nothing. Of the database of a store that belongs to
 * one gateway, they read only the head. Except for the server of a shared store, other machines are asked only with `online`.
 */

import { loadConfig } from '../../config/load.ts'
import { type Check, type CheckInput, fail, ok, runCheck, warn } from '../../datadir/check.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { featureChecks } from '../../features/features.ts'
import type { Status } from '../../generated/control.ts'
import { checkListenAddress } from '../machine/address.ts'
import { checkFiles, checkFolder } from '../machine/files.ts'
import { checkClock, checkNode } from '../machine/machine.ts'
import { validate } from '../validate/validate.ts'
import { checkCertificates } from './certificates.ts'
import { checkLists } from './lists.ts'
import { checkOnline } from './online.ts'
import { checkPrograms } from './programs.ts'
import { checkRedactions } from './redactions.ts'
import { checkRefused } from './refused.ts'
import { checkReplicas } from './replicas.ts'
import { checkRunning } from './running.ts'
import { checkStore } from './store.ts'
import { checkTargets } from './targets.ts'

/** The checks, and how many of them have each result. */
export type Examined = { readonly checks: readonly Check[]; readonly summary: { readonly [result in Check['result']]: number } }

export type ExamineOptions = {
  /** The user named the data directory, so a missing directory is a mistake. */
  readonly asked: boolean
  /** Whether the hosts of targets get a request, too. */
  readonly online: boolean
}

/** Runs all checks, one after the other. A problem that a check finds is in its result, and is never thrown. */
export const examine = async (workspace: Workspace, gateway: GatewayFinder, { asked, online }: ExamineOptions): Promise<Examined> => {
  const input: CheckInput = { workspace, loaded: loadConfig(workspace), status: undefined }
  const checks: Check[] = [checkNode()]
  const look = async (name: string, check: (input: CheckInput) => Promise<readonly Check[]> | readonly Check[]): Promise<void> => {
    // A file that cannot be read makes several checks fail with the same message. The message is reported once.
    const isNews = ({ message }: Check): boolean => !checks.some((each) => each.result === 'fail' && each.message === message)
    checks.push(...(await runCheck(name, () => check({ ...input, status }))).filter(isNews))
  }
  let status: Status | undefined
  await look('gateway', async () => {
    status = await (await gateway.find())?.status()
    return status?.stopping ? [warn('gateway', `it is stopping (process ${status.pid})`, 'wait until it has ended')] : []
  })
  await look('data directory', checkFolder)
  await look('files', checkFiles)
  await look('configuration', ({ workspace: { self } }) => checkConfiguration(workspace, asked, self))
  await look('port', checkListenAddress)
  await look('certificates', checkCertificates)
  await look('store', checkStore)
  await look('replicas', checkReplicas)
  await look('running gateway', checkRunning)
  await look('refused posts', checkRefused)
  await look('redactions', checkRedactions)
  await look('lists', checkLists)
  for (const { name, check } of featureChecks) await look(name, (input) => check(input, online))
  await look('programs', checkPrograms)
  await look('targets', checkTargets)
  if (online) await look('online', checkOnline)
  await look('clock', checkClock)
  const count = (result: Check['result']): number => checks.filter((check) => check.result === result).length
  return { checks, summary: { ok: count('ok'), warn: count('warn'), fail: count('fail') } }
}

const checkConfiguration = async (workspace: Workspace, asked: boolean, self: string): Promise<readonly Check[]> => {
  const name = 'configuration'
  const { errors, warnings, routes } = await validate(workspace, { paths: [], asked })
  const counts = `${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`
  if (errors > 0) return [fail(name, counts, `${self} validate`)]
  if (warnings > 0) return [warn(name, counts, `${self} validate`)]
  return [ok(name, `no findings in ${routes.length} ${routes.length === 1 ? 'route' : 'routes'}`)]
}
