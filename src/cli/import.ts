/**
 * `import adnanh|hermes <file>`: turns routes of another program into configuration, which is printed, written to a file, or put into the
 * data directory. Exit 0 when everything was carried over, 1 when something was left out or the result has errors.
 */

import { shownFile, shownPlace } from '../core/diagnostic.ts'
import { exit, usage } from '../core/fault.ts'
import type { JsonObject } from '../core/json.ts'
import { printable } from '../core/text.ts'
import { type EnvLine, envLineText } from '../setup/import/env-lines.ts'
import { type ImportDone, type ImportRequest, importRoutes } from '../setup/import/import-routes.ts'
import type { LeftOut } from '../setup/import/imported.ts'
import { count, findingItems } from './shell/findings.ts'
import { answer, type Cli } from './shell/output.ts'
import { paintWith } from './shell/paint.ts'
import { printDiagnostics } from './shell/refuse.ts'

export type ImportOptions = { readonly out?: string; readonly force?: boolean; readonly into?: boolean; readonly reveal?: boolean }

export const importFrom = async (from: ImportRequest['from'], file: string, options: ImportOptions, cli: Cli): Promise<number> => {
  const { out, force = false, into = false, reveal = false } = options
  if (into && out !== undefined) throw usage('give one of --out and --into')
  if (force && out === undefined) throw usage('--force goes with --out')
  const to = into ? 'data directory' : out === undefined ? undefined : { file: out, force }
  const done = await importRoutes(cli.workspace, { from, file, ...(to === undefined ? {} : { to }) })
  const { imported, findings, text, wrote } = done
  const isWhole = imported.leftOut.length === 0 && findings.errors === 0
  if (!cli.json) printNotes(cli, done, reveal)
  return answer(cli, {
    kind: `import.${from}`,
    data: {
      routes: imported.routes.map(({ name }) => name),
      wrote: [...wrote],
      config: wrote.length > 0 ? null : text,
      left_out: imported.leftOut.map(leftOutItem),
      env: imported.env.map((line) => envItem(line, reveal)),
      diagnostics: findingItems(findings.diagnostics, findings.texts),
    },
    text: wrote.length > 0 ? wrote.map((each) => `wrote    ${printable(each)}\n`).join('') : text,
    exitCode: isWhole ? exit.ok : exit.no,
  })
}

const leftOutItem = ({ place, route, what, reason, todo, acceptsMore }: LeftOut): JsonObject => ({
  file: shownFile(place.file),
  line: place.line,
  column: place.column,
  route: route ?? null,
  what,
  reason,
  todo,
  switched_off: acceptsMore,
})

const envItem = ({ name, value, from }: EnvLine, reveal: boolean): JsonObject => ({
  name,
  value: value === undefined || !reveal ? null : value,
  from,
})

const printNotes = ({ io, quiet }: Cli, { imported, findings, wrote }: ImportDone, reveal: boolean): void => {
  const { dim, warning } = paintWith(io.colour)
  const { leftOut, env, routes } = imported
  for (const { place, route, what, reason, todo } of leftOut) {
    const where = [...(route === undefined ? [] : [`route ${route}`]), ...(what === '' ? [] : [what])].join(', ')
    io.stderr(`${warning('left out')} ${dim(printable(shownPlace(place)))} ${printable(`${where}: ${reason}`)}\n`)
    io.stderr(`   = help    ${printable(todo)}\n`)
  }
  printDiagnostics(findings.diagnostics, findings.texts, io)
  const wanted = env.filter(({ from }) => from !== 'kept')
  if (wanted.length > 0) {
    const done = wrote.some((file) => file.endsWith('.env')) ? 'in .env' : 'for .env'
    io.stderr(`${done}${reveal ? '' : ' (--reveal shows the values)'}:\n${wanted.map((line) => `  ${envText(line, reveal)}\n`).join('')}`)
  }
  if (!quiet) io.stderr(`${count(routes.length, 'route')}, ${leftOut.length} left out, ${count(findings.errors, 'error')}\n`)
}

const envText = ({ name, value, from }: EnvLine, reveal: boolean): string => {
  if (value === undefined) return `${name}=   # copy its value: the source only refers to it`
  if (!reveal) return `${name}=***${from === 'generated' ? '   # new: give it to the sender' : ''}`
  return printable(envLineText(name, value) ?? `# ${name} cannot stand in .env: keep it in a file, and write file:/path as the secret`)
}
