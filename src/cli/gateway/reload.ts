/** `gateway reload`: the running gateway reads its files again. When it refuses them, it keeps its configuration; exit 1. */

import { readFileSync } from 'node:fs'
import { findingsOf } from '../../app/validate/findings.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { exit } from '../../core/fault.ts'
import { printable, someOf } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { count, itemsOf } from '../shell/findings.ts'
import { frames } from '../shell/frame.ts'
import { answer, type Cli } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'

export const gatewayReload = async ({ force }: { readonly force?: boolean }, cli: Cli): Promise<number> => {
  const gateway = await gatewayAt(cli.workspace).need()
  const { ok, diagnostics, restart, changes } = await gateway.reload({ force: force === true })
  const { diagnostics: found, errors, warnings } = findingsOf(diagnostics)
  const texts = textsOf(found)
  const outcome = ok ? 'reloaded' : 'not reloaded: the configuration before it serves on'
  const text = [
    found.length > 0 ? `${frames(found, texts, paintWith(cli.io.colour))}\n` : '',
    `${outcome} (${count(errors, 'error')}, ${count(warnings, 'warning')})\n`,
    ...(ok ? Object.entries(changes).map(([what, names]) => namesLine(what, names)) : []),
    ...restart.map((setting) => `needs a restart: ${printable(setting)}\n`),
  ].join('')
  return answer(cli, {
    kind: 'gateway.reload',
    data: {
      reloaded: ok,
      diagnostics: itemsOf(found, texts),
      restart: [...restart],
      added: [...changes.added],
      changed: [...changes.changed],
      removed: [...changes.removed],
    },
    text,
    exitCode: ok ? exit.ok : exit.no,
  })
}

const namesLine = (what: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `${what} ${count(names.length, 'route')}: ${printable(someOf(names))}\n`

/** The present texts of the files that have problems, for code frames. */
const textsOf = (found: readonly Diagnostic[]): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  for (const file of new Set(found.flatMap(({ place }) => (place ? [place.file] : [])))) {
    try {
      texts.set(file, readFileSync(file, 'utf8'))
    } catch {} // Without its file's text a problem is shown with its place alone.
  }
  return texts
}
