/**
 * `validate [paths...]`: prints everything that is wrong, at once. Exit 0 when clean, 1 with findings, 2 for a mistake in the call, 3 for
 * a report that cannot be written.
 */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseCodes } from '../../app/validate/codes.ts'
import type { Fixed } from '../../app/validate/fixes.ts'
import { checkAndMend } from '../../app/validate/mend.ts'
import type { ToValidate, Validated } from '../../app/validate/validate.ts'
import { exit, usage } from '../../core/fault.ts'
import { shownPlace } from '../../core/shown-place.ts'
import { printable } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { quoted } from '../../process/quoted.ts'
import type { FindingsReport } from '../reports/report.ts'
import { count } from '../shell/findings.ts'
import { type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import type { ValidateOptions } from './options.ts'
import { type Output, outputsOf, writeReports } from './outputs.ts'
import { unifiedDiff } from './unified-diff.ts'
import { type Round, refuseUnwatchable, watching } from './watch.ts'

export const validate = async (written: readonly string[], options: ValidateOptions, cli: Cli): Promise<number> => {
  const { paths: named, codes } = fixOf(written, options)
  const { paths, changed } = changedOf(named, options)
  const outputs = outputsOf(options.format ?? [], cli.json, cli.io.env)
  // Options that are refused are refused before anybody types on standard input.
  refuseMixed(paths, outputs, options, cli)
  if (options.watch) refuseUnwatchable(paths, outputs, options)
  const wanted = { ...(await wantedOf(paths, options, cli)), changed }
  const check = () => checkOnce({ wanted, outputs, codes, options, cli })
  return options.watch ? watching(check, wanted, cli) : (await check()).exitCode
}

type Call = {
  readonly wanted: ToValidate
  readonly outputs: readonly Output[]
  /** The codes of the findings to fix; `undefined` where nothing is fixed. */
  readonly codes: readonly string[] | undefined
  readonly options: ValidateOptions
  readonly cli: Cli
}

const checkOnce = async ({ wanted, outputs, codes, options, cli }: Call): Promise<Round> => {
  const started = performance.now()
  const { validated: left, fixed } = await checkAndMend(cli.workspace, wanted, { codes, isDry: options.diff === true })
  const report = reportOf(left, wanted.paths, options, cli, performance.now() - started)
  const toWrite = options.diff ? outputs.filter(({ file }) => file !== undefined) : outputs
  await writeReports(toWrite, report, cli.io)
  if (options.diff && fixed) cli.io.stdout(unifiedDiff(fixed.files, report.paint))
  if (fixed) tell(fixed, options.diff === true, cli)
  if (left.samples) tellSamples(left.samples, left.routes, cli)
  const isClean = left.errors === 0 && (left.warnings === 0 || !report.denyWarnings)
  return { exitCode: isClean ? exit.ok : exit.no, looked: left.looked }
}

/** Returns the paths, and the codes to fix; `undefined` where nothing is fixed. A word behind `--fix` that is no code is a path. */
const fixOf = (
  written: readonly string[],
  { fix, diff }: ValidateOptions,
): { readonly paths: readonly string[]; readonly codes?: readonly string[] } => {
  if (fix === undefined) return diff ? { paths: written, codes: [] } : { paths: written }
  const given = fix === true ? [] : fix
  const isCode = (text: string): boolean => /^wh\d*$/i.test(text)
  const codes = parseCodes('--fix', given.filter(isCode))
  return { paths: [...given.filter((text) => !isCode(text)), ...written], codes }
}

/** Returns the paths and the commit to compare with. A word behind `--changed` that is an existing path is a path, otherwise a commit. */
const changedOf = (
  paths: readonly string[],
  { changed }: ValidateOptions,
): { readonly paths: readonly string[]; readonly changed: string | undefined } => {
  if (changed === undefined) return { paths, changed }
  return changed === true || existsSync(changed)
    ? { paths: changed === true ? paths : [changed, ...paths], changed: 'HEAD' }
    : { paths, changed }
}

const wantedOf = async (paths: readonly string[], options: ValidateOptions, cli: Cli): Promise<ToValidate> => {
  const { baseline, writeBaseline = false, select, ignore } = options
  if (writeBaseline && baseline === undefined) throw usage('--write-baseline needs --baseline <file>')
  if (options.env && options.refs === false) throw usage('--env looks at what --no-refs leaves out: give one of them')
  return {
    paths,
    configFile: options.config,
    asked: cli.asked,
    withoutEnv: options.env === false,
    withoutRefs: options.refs === false,
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
    fallbackFile: join(workspace.dataDir, 'config.yaml'),
    folder: workspace.dataDir,
    call: [workspace.self, 'validate', ...paths.map(quoted)].join(' '),
    denyWarnings,
    paint: paintWith(io.colour),
    // The duration is left out where no terminal reads the text, so that the same files give the same text.
    ...(io.isTty ? { ms: Math.round(ms) } : {}),
  }
}

/** Says on stderr which samples were used, and which routes can take none of them. */
const tellSamples = (samples: NonNullable<Validated['samples']>, routes: Validated['routes'], cli: Cli): void => {
  const used = samples.filter((each) => each.routes.length > 0)
  const names = used.map(({ name }) => printable(name)).join(', ')
  note(cli, `used ${used.length} of ${count(samples.length, 'sample')}${names === '' ? '' : `: ${names}`}`)
  const reached = new Set(used.flatMap((each) => each.routes))
  const without = [...new Set(routes.map(({ name }) => name))].filter((name) => !reached.has(name))
  if (without.length > 0) note(cli, `no sample is an event of ${without.map((name) => printable(name)).join(', ')}`)
}

/** Says on stderr which findings were fixed, and which were not. */
const tell = ({ files, mended, refused }: Fixed, dry: boolean, cli: Cli): void => {
  note(cli, `${dry ? 'would mend' : 'mended'} ${count(mended.length, 'finding')} in ${count(files.length, 'file')}`)
  for (const { finding, why } of refused) {
    const where = finding.place ? `${printable(shownPlace(finding.place))}: ` : ''
    note(cli, `not mended: ${where}${finding.code}: ${why}`)
  }
}
