/**
 * `gateway reload`: makes the running gateway read its files again. A gateway that refuses the files keeps its configuration, and then the
 * exit code is 1.
 */

import { exit } from '../../core/fault.ts'
import { printable, someOf } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type ReloadAsked, reloadGateway } from '../../operate/gateway/reload.ts'
import { count, findingItems } from '../shell/findings.ts'
import { frames } from '../shell/frame.ts'
import { answer, type Cli } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'

export const gatewayReload = async (options: ReloadAsked, cli: Cli): Promise<number> => {
  const { ok, findings, texts, restart, changes } = await reloadGateway(gatewayAt(cli.workspace), options)
  const { diagnostics: found, errors, warnings } = findings
  const { sections = [], ...routes } = changes
  const outcome = outcomes[options.dryRun === true ? 'dryRun' : 'reload'][ok ? 'ok' : 'refused']
  const text = [
    found.length > 0 ? `${frames(found, texts, paintWith(cli.io.colour))}\n` : '',
    `${outcome} (${count(errors, 'error')}, ${count(warnings, 'warning')})\n`,
    ...(ok ? [...Object.entries(routes).map(([what, names]) => namesLine(what, names)), sectionsLine(sections)] : []),
    ...restart.map((setting) => `needs a restart: ${printable(setting)}\n`),
  ].join('')
  return answer(cli, {
    kind: 'gateway.reload',
    data: {
      reloaded: ok && options.dryRun !== true,
      ...(options.dryRun === true ? { would_reload: ok } : {}),
      diagnostics: findingItems(found, texts),
      restart: [...restart],
      added: [...changes.added],
      changed: [...changes.changed],
      removed: [...changes.removed],
      sections: [...sections],
    },
    text,
    exitCode: ok ? exit.ok : exit.no,
  })
}

const outcomes = {
  reload: { ok: 'reloaded', refused: 'not reloaded: the configuration before it serves on' },
  dryRun: { ok: 'a reload would take the files over', refused: 'a reload would be refused' },
}

/** Says which sections outside of the routes changed; empty if there are none. */
const sectionsLine = (names: readonly string[]): string => (names.length === 0 ? '' : `changed: ${printable(someOf(names))}\n`)

/** Says which routes were added, changed or removed; empty if there are none. */
const namesLine = (what: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `${what} ${count(names.length, 'route')}: ${printable(someOf(names))}\n`
