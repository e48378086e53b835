/** `validate [paths...]`: everything that is wrong, at once; 0 clean, 1 findings, 2 a mistake in the call, 3 a report that cannot be written. */

import { join, resolve } from 'node:path'
import { parseCodes } from '../../app/validate/codes.ts'
import type { Fixed } from '../../app/validate/fixes.ts'
import { mend, planMend } from '../../app/validate/mend.ts'
import { validate as findingsIn, type ToValidate, type Validated } from '../../app/validate/validate.ts'
import { exit, usage } from '../../core/fault.ts'
import { shownPlace } from '../../core/shown-place.ts'
import { printable } from '../../core/text.ts'
import { quoted } from '../../process/quoted.ts'
import type { Report } from '../reports/report.ts'
import { count } from '../shell/findings.ts'
import { type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { type Output, outputsOf, writeReports } from './outputs.ts'
import { unifiedDiff } from './unified-diff.ts'

export type ValidateOptions = {
  readonly format?: readonly string[]
  readonly denyWarnings?: boolean
  readonly select?: readonly string[]
  readonly ignore?: readonly string[]
  readonly max?: number
  /** `true` where it stands without codes. */
  readonly fix?: true | readonly string[]
  readonly diff?: boolean
  readonly baseline?: string
  readonly writeBaseline?: boolean
  /** `false` for `--no-env`. */
  readonly env?: boolean
  readonly refs?: boolean
  readonly config?: string
}

export const validate = async (written: readonly string[], options: ValidateOptions, cli: Cli): Promise<number> => {
  const started = performance.now()
  const { paths, codes } = fixOf(written, options)
  const outputs = outputsOf(options.format ?? [], cli.json, cli.io.env)
  const wanted = await wantedOf(paths, options, cli)
  refuseMixed(paths, outputs, options, cli)
  const found = await findingsIn(cli.workspace, wanted)
  const fixed = codes && planMend(found.diagnostics, found.texts, codes)
  if (fixed && !options.diff) await mend(fixed)
  const left = fixed && !options.diff ? await findingsIn(cli.workspace, wanted) : found
  const report = reportOf(left, paths, options, cli, performance.now() - started)
  const toWrite = options.diff ? outputs.filter(({ file }) => file !== undefined) : outputs
  await writeReports(toWrite, report, cli.io)
  if (options.diff && fixed) cli.io.stdout(unifiedDiff(fixed.files, report.paint))
  if (fixed) tell(fixed, options.diff === true, cli)
  return left.errors > 0 || (left.warnings > 0 && report.denyWarnings) ? exit.no : exit.ok
}

/** The paths, and the codes to fix; `undefined` where nothing is. What follows `--fix` and is no code is a path. */
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

const wantedOf = async (paths: readonly string[], options: ValidateOptions, cli: Cli): Promise<ToValidate> => {
  const { baseline, writeBaseline = false, select, ignore } = options
  if (writeBaseline && baseline === undefined) throw usage('--write-baseline needs --baseline <file>')
  return {
    paths,
    configFile: options.config,
    asked: cli.asked,
    withoutEnv: options.env === false,
    withoutRefs: options.refs === false,
    ...(paths.includes('-') ? { stdin: await cli.io.stdin() } : {}),
    ...(baseline === undefined ? {} : { baseline: { file: resolve(baseline), write: writeBaseline } }),
    codes: {
      ...(select ? { select: parseCodes('--select', select) } : {}),
      ...(ignore ? { ignore: parseCodes('--ignore', ignore) } : {}),
    },
  }
}

const refuseMixed = (paths: readonly string[], outputs: readonly Output[], { fix, diff, format = [] }: ValidateOptions, cli: Cli): void => {
  if (diff && (cli.json || format.length > outputs.filter(({ file }) => file !== undefined).length))
    throw usage('--diff prints a diff: give the report a file, --format name=<file>')
  if (fix !== undefined && !diff && paths.includes('-'))
    throw usage('--fix cannot write standard input', '--diff shows what it would change')
}

const reportOf = (
  found: Validated,
  paths: readonly string[],
  { max, denyWarnings = false }: ValidateOptions,
  cli: Cli,
  ms: number,
): Report => {
  const { workspace, io } = cli
  const shown = found.diagnostics.slice(0, max)
  return {
    ...found,
    diagnostics: shown,
    withheld: found.diagnostics.length - shown.length,
    fallbackFile: join(workspace.dataDir, 'config.yaml'),
    folder: workspace.dataDir,
    call: [workspace.self, 'validate', ...paths.map(quoted)].join(' '),
    denyWarnings,
    paint: paintWith(io.colour),
    // The same files give the same text, but where somebody looks.
    ...(io.isTty ? { ms: Math.round(ms) } : {}),
  }
}

/** What was mended, and what was not, on stderr. */
const tell = ({ files, mended, refused }: Fixed, dry: boolean, cli: Cli): void => {
  note(cli, `${dry ? 'would mend' : 'mended'} ${count(mended.length, 'finding')} in ${count(files.length, 'file')}`)
  for (const { finding, why } of refused) {
    const where = finding.place ? `${printable(shownPlace(finding.place))}: ` : ''
    note(cli, `not mended: ${where}${finding.code}: ${why}`)
  }
}
