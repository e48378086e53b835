/**
 * The outputs of `validate`, each a format and a file or stdout. `--format name[=file]` asks for one, and may be given several times.
 */

import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { replaceFile } from '../../config/writing/replace-file.ts'
import { exit, Fault, messageOf, usage } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'
import { type FormatName, formats } from '../reports/index.ts'
import type { FindingsReport } from '../reports/report.ts'
import type { Io } from '../shell/io.ts'

/** `file`: the absolute path of the file to write; `undefined` for stdout. */
export type Output = { readonly format: FormatName; readonly file?: string }

const formatNames: readonly string[] = [...Object.keys(formats), 'auto']
const isFormat = (name: string): name is FormatName => Object.hasOwn(formats, name)

/**
 * Returns the outputs that the options ask for. Exactly one output is stdout, except with `auto`. Throws a usage Fault for formats that
 * are unknown, or that do not go together.
 */
export const outputsOf = (written: readonly string[], json: boolean, env: Io['env']): readonly Output[] => {
  const outputs = written.flatMap((text) => outputOf(text, env))
  const onStdout = outputs.filter(({ file }) => file === undefined)
  const [, second] = onStdout
  if (second && !written.includes('auto'))
    throw usage(`two formats for standard output`, `give one of them a file: --format ${second.format}=<file>`)
  if (json && onStdout.some(({ format }) => format !== 'json')) throw usage('--json and another --format, both for standard output')
  return onStdout.length > 0 ? outputs : [{ format: json ? 'json' : 'pretty' }, ...outputs]
}

const outputOf = (text: string, env: Io['env']): readonly Output[] => {
  const [name = '', ...rest] = text.split('=')
  const file = rest.length > 0 ? rest.join('=') : undefined
  if (file === '') throw usage(`--format ${name}= needs a file after =`)
  const to = file === undefined ? {} : { file: resolve(file) }
  if (isFormat(name)) return [{ format: name, ...to }]
  if (name !== 'auto')
    throw new Fault('usage', `there is no format "${name}"`, {
      exitCode: exit.usage,
      suggest: nearest(name, formatNames),
      hint: formatNames.join(', '),
    })
  return env.GITHUB_ACTIONS === 'true' && file === undefined ? [{ format: 'pretty' }, { format: 'github' }] : [{ format: 'pretty', ...to }]
}

/** Writes the report to each output. A file is replaced as a whole. Throws a Fault for a file that cannot be written. */
export const writeReports = async (outputs: readonly Output[], report: FindingsReport, io: Pick<Io, 'stdout'>): Promise<void> => {
  for (const { format, file } of outputs) {
    const render = await formats[format]()
    if (file === undefined) io.stdout(render(report))
    else await writeReport(file, render(report))
  }
}

const writeReport = async (file: string, text: string): Promise<void> => {
  // A missing folder is a mistake of the user, so it is not made.
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw usage(`cannot write the report ${file}: there is no folder ${dirname(file)}`)
  try {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644
    await replaceFile(file, text, mode & 0o777)
  } catch (error) {
    throw new Fault('cannot_write', `cannot write the report ${file}: ${messageOf(error)}`, { exitCode: exit.internal })
  }
}
