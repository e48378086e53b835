/** `validate --watch`: checks again when a checked file has changed, until Ctrl-C. */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ToValidate, Validated } from '../../check/validate/validate.ts'
import { jobsFileName } from '../../config/jobs.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import { exit, usage } from '../../core/fault.ts'
import { configFile } from '../../datadir/workspace.ts'
import { type Cli, note } from '../shell/output.ts'
import { runOnChange } from '../shell/run-on-change.ts'
import type { ValidateOptions } from './options.ts'
import type { Output } from './outputs.ts'

/** One check: its exit code, and the files that it read. */
export type CheckResult = { readonly exitCode: number } & Pick<Validated, 'looked'>

/** The formats whose reports may follow each other on stdout. A report in any other format is one document. */
const lineFormats: ReadonlySet<string> = new Set(['pretty', 'concise', 'jsonl', 'github', 'tap'])

/** Throws a usage Fault for options that do not go with `--watch`, such as a report that is one document. */
export const refuseUnwatchable = (paths: readonly string[], outputs: readonly Output[], options: ValidateOptions): void => {
  const document = outputs.find(({ format, file }) => file === undefined && !lineFormats.has(format))
  if (document) {
    const hint = `use one of ${[...lineFormats].join(', ')}, or give it a file: --format ${document.format}=<file>`
    throw usage(`--watch: a report as ${document.format} is one document`, hint)
  }
  if (paths.includes('-')) throw usage('--watch: standard input does not change')
  const writes = (['fix', 'diff', 'writeBaseline'] as const).find((key) => options[key])
  if (writes) throw usage(`--watch only looks: leave --${writes === 'writeBaseline' ? 'write-baseline' : writes} out`)
}

/**
 * Checks at once, and again after each change. Returns the exit code of the last check after Ctrl-C, and 0 when nobody reads the output any
 * more. Throws the Fault of the first check.
 */
export const validateOnChange = async (check: () => Promise<CheckResult>, wanted: ToValidate, cli: Cli): Promise<number> => {
  const { dataDir } = cli.workspace
  let last: number | undefined
  const run = async (): Promise<readonly string[]> => {
    if (last !== undefined) note(cli, `--- ${new Date().toTimeString().slice(0, 8)}`)
    const { exitCode, looked } = await check()
    last = exitCode
    return looked
  }
  const beside = ['.env', subscriptionsFileName, jobsFileName].map((name) => join(dataDir, name))
  const home = [configFile(cli.workspace), ...beside]
  const samples = (wanted.samples ?? []).map((path) => resolve(path)).filter((path) => existsSync(path))
  const paths = [
    ...(wanted.paths.length > 0 ? wanted.paths : home),
    ...(wanted.configFile === undefined ? [] : [wanted.configFile]),
    ...samples,
  ]
  const ended = await runOnChange({ paths, run }, cli)
  return ended === exit.cancelled ? (last ?? ended) : ended
}
