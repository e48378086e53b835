/**
 * `validate [paths...]`: prints everything that is wrong, at once. Exit 0 when clean, 1 with errors (with
 * `--deny-warnings` also with warnings), 2 for a mistake in the call, 3 for a report that cannot be written.
 */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseCodes } from '../../check/validate/codes.ts'
import type { Fixed } from '../../check/validate/fixes.ts'
import { checkAndMend } from '../../check/validate/mend.ts'
import type { ToValidate, Validated } from '../../check/validate/validate.ts'
import { isStopping, shownPlace } from '../../core/diagnostic.ts'
import { exit, usage } from '../../core/fault.ts'
import { printable, quoted } from '../../core/text.ts'
import { configFile } from '../../datadir/workspace.ts'
import { gatewayAt } from '../../http/control/client.ts'
import type { FindingsReport } from '../reports/report.ts'
import { count } from '../shell/findings.ts'
import { type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import type { ValidateOptions } from './options.ts'
import { type Output, outputsOf, writeReports } from './outputs.ts'
import { unifiedDiff } from './unified-diff.ts'
import { type CheckResult, refuseUnwatchable, validateOnChange } from './watch.ts'

export const validateFiles = async (written: readonly string[], options: ValidateOptions, cli: Cli): Promise<number> => {
  const { paths: named, codes } = splitFixOption(written, options)
  const { paths, changed } = splitChangedOption(named, options)
  const outputs = outputsOf(options.format ?? [], cli.json, cli.io.env)
  // Options that do not go together are refused before standard input is read, because the user may be typing there.
  refuseMixed(paths, outputs, options, cli)
  if (options.watch) refuseUnwatchable(paths, outputs, options)
  const wanted = { ...(await readWanted(paths, options, cli)), changed }
  const check = () => checkOnce({ wanted, outputs, codes, options, cli })
  return options.watch ? validateOnChange(check, wanted, cli) : (await check()).exitCode
}

/** What one check needs. */
type CheckCall = {
  readonly wanted: ToValidate
  readonly outputs: readonly Output[]
  /** The codes of the findings to fix: an empty list for all safe fixes, `undefined` for no fix. */
  readonly codes: readonly string[] | undefined
  readonly options: ValidateOptions
  readonly cli: Cli
}

const checkOnce = async ({ wanted, outputs, codes, options, cli }: CheckCall): Promise<CheckResult> => {
  const started = performance.now()
  const { validated: left, fixed } = await checkAndMend(cli.workspace, wanted, { codes, isDry: options.diff === true })
  const report = reportOf(left, wanted.paths, options, cli, performance.now() - started)
  const toWrite = options.diff ? outputs.filter(({ file }) => file !== undefined) : outputs
  await writeReports(toWrite, report, cli.io)
  if (options.diff && fixed) cli.io.stdout(unifiedDiff(fixed.files, report.paint))
  if (fixed) tellFixes(fixed, options.diff === true, cli)
  if (left.samples) tellSamples(left, cli)
  const isClean = left.errors === 0 && (left.warnings === 0 || !report.denyWarnings)
  return { exitCode: isClean ? exit.ok : exit.no, looked: left.looked }
}

/**
 * Returns the paths to check, and the codes of findings to fix: an empty list means all safe fixes, and `undefined` means no fix. A word
 * behind `--fix` that is no code is a path.
 */
const splitFixOption = (
  written: readonly string[],
  { fix, diff }: ValidateOptions,
): { readonly paths: readonly string[]; readonly codes?: readonly string[] } => {
  if (fix === undefined) return diff ? { paths: written, codes: [] } : { paths: written }
  const given = fix === true ? [] : fix
  const isCode = (text: string): boolean => /^wh\d*$/i.test(text)
  const codes = parseCodes('--fix', given.filter(isCode))
  return { paths: [...given.filter((text) => !isCode(text)), ...written], codes }
}

/**
 * Returns the paths to check, and the commit to compare with; `undefined` without `--changed`. A word behind `--changed` is a path where
 * such a file exists, and a commit otherwise.
 */
const splitChangedOption = (
  paths: readonly string[],
  { changed }: ValidateOptions,
): { readonly paths: readonly string[]; readonly changed: string | undefined } => {
  if (changed === undefined) return { paths, changed }
  return changed === true || existsSync(changed)
    ? { paths: changed === true ? paths : [changed, ...paths], changed: 'HEAD' }
    : { paths, changed }
}

const readWanted = async (paths: readonly string[], options: ValidateOptions, cli: Cli): Promise<ToValidate> => {
  const { baseline, writeBaseline = false, select, ignore } = options
  if (writeBaseline && baseline === undefined) throw usage('--write-baseline needs --baseline <file>')
  if (options.runProviders && options.env === false) throw usage('--run-providers needs the environment: leave --no-env out')
  if (options.env && options.refs === false) throw usage('--env looks at what --no-refs leaves out: give one of them')
  return {
    paths,
    configFile: options.config,
    asked: cli.asked,
    withoutEnv: options.env === false,
    withoutRefs: options.refs === false,
    runProviders: options.runProviders === true,
    ...(options.sample ? { samples: options.sample } : {}),
    ...(options.env ? { machine: gatewayAt } : {}),
    ...(paths.includes('-') ? { stdin: await cli.io.stdin() } : {}),
    ...(baseline === undefined ? {} : { baseline: { file: resolve(baseline), write: writeBaseline } }),
    codes: {
      ...(select ? { select: parseCodes('--select', select) } : {}),
      ...(ignore ? { ignore: parseCodes('--ignore', ignore) } : {}),
    },
  }
}

/** Throws a usage Fault for options that do not go together. */
const refuseMixed = (
  paths: readonly string[],
  outputs: readonly Output[],
  { fix, diff, changed, writeBaseline, format = [] }: ValidateOptions,
  cli: Cli,
): void => {
  if (diff && (cli.json || format.length > outputs.filter(({ file }) => file !== undefined).length))
    throw usage('--diff prints a diff: give the report a file, --format name=<file>')
  if (changed !== undefined && (paths.includes('-') || writeBaseline))
    throw usage(`--changed asks git for files: leave ${writeBaseline ? '--write-baseline' : 'standard input'} out`)
  if (fix !== undefined && !diff && paths.includes('-'))
    throw usage('--fix cannot write standard input', '--diff shows what it would change')
}

const reportOf = (
  validated: Validated,
  paths: readonly string[],
  { max, denyWarnings = false }: ValidateOptions,
  cli: Cli,
  ms: number,
): FindingsReport => {
  const { workspace, io } = cli
  const shown = validated.diagnostics.slice(0, max)
  return {
    ...validated,
    diagnostics: shown,
    withheld: validated.diagnostics.length - shown.length,
    fallbackFile: configFile(workspace),
    folder: workspace.dataDir,
    call: [workspace.self, 'validate', ...paths.map(quoted)].join(' '),
    denyWarnings,
    paint: paintWith(io.colour),
    // The duration is left out where no terminal reads the text, so that the same files give the same text.
    ...(io.isTty ? { ms: Math.round(ms) } : {}),
  }
}

/** Says on stderr which samples were used, which routes accept none of the samples, and which do not compile. */
const tellSamples = ({ samples = [], routes, diagnostics }: Validated, cli: Cli): void => {
  const used = samples.filter((each) => each.routes.length > 0)
  const names = used.map(({ name }) => printable(name)).join(', ')
  note(cli, `used ${used.length} of ${count(samples.length, 'sample')}${names === '' ? '' : `: ${names}`}`)
  const reached = new Set(used.flatMap((each) => each.routes))
  const without = [...new Set(routes.map(({ name }) => name))].filter((name) => !reached.has(name))
  const broken = new Set(diagnostics.flatMap(({ route, code }) => (route !== undefined && isStopping(code) ? route : [])))
  const listed = (isBroken: boolean): string => without.flatMap((name) => (broken.has(name) === isBroken ? printable(name) : [])).join(', ')
  const [whole, failed] = [listed(false), listed(true)]
  if (whole !== '') note(cli, `no sample is an event of ${whole}`)
  if (failed !== '') note(cli, `not compiled, so no sample is taken: ${failed} (mend the errors first)`)
}

/** Says on stderr how many findings were fixed, and which fixes could not be applied. */
const tellFixes = ({ files, mended, refused }: Fixed, dry: boolean, cli: Cli): void => {
  note(cli, `${dry ? 'would mend' : 'mended'} ${count(mended.length, 'finding')} in ${count(files.length, 'file')}`)
  for (const { finding, why } of refused) {
    const where = finding.place ? `${printable(shownPlace(finding.place))}: ` : ''
    note(cli, `not mended: ${where}${finding.code}: ${why}`)
  }
}
