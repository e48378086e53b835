/** `validate [paths...]`: everything that is wrong, at once; 0 clean, 1 findings, 2 no such path. */

import { validate as findingsIn } from '../app/validate.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { exit } from '../core/fault.ts'
import { shownPlace } from '../core/shown-place.ts'
import { printable } from '../core/text.ts'
import { count, itemOf } from './shell/findings.ts'
import { frames } from './shell/frame.ts'
import { answer, type Cli } from './shell/output.ts'
import { paintWith } from './shell/paint.ts'

export type ValidateOptions = { readonly format?: 'pretty' | 'json' | 'concise'; readonly denyWarnings?: boolean; readonly config?: string }

export const validate = async (paths: readonly string[], options: ValidateOptions, cli: Cli): Promise<number> => {
  const wanted = { paths, configFile: options.config, asked: cli.asked }
  const { diagnostics, errors, warnings, routes, files, texts } = await findingsIn(cli.workspace, wanted)
  const counts = `${count(errors, 'error')}, ${count(warnings, 'warning')} in ${count(routes, 'route')} (${count(files, 'file')})`
  const format = options.format ?? (cli.json ? 'json' : 'pretty')
  const text =
    format === 'concise'
      ? diagnostics.map(conciseLine).join('')
      : `${diagnostics.length > 0 ? `${frames(diagnostics, texts, paintWith(cli.io.colour))}\n` : ''}${counts}\n`
  return answer(
    { ...cli, json: format === 'json' },
    {
      kind: 'validate',
      data: { diagnostics: diagnostics.map((each) => itemOf(each, texts)), summary: { errors, warnings, routes, files } },
      text,
      exitCode: errors > 0 || (warnings > 0 && options.denyWarnings) ? exit.no : exit.ok,
    },
  )
}

const conciseLine = ({ place, code, message, severity, route }: Diagnostic): string =>
  `${place ? `${printable(shownPlace(place))}: ` : ''}${code} ${severity}: ${printable(message)}${route === undefined ? '' : ` (route ${printable(route)})`}\n`
