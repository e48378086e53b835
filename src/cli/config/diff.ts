/** `config diff`: compares what the running gateway serves, or another data directory, with the files. Exit 1 when they differ. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exit, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import type { Hunk } from '../../datadir/line-diff.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { compareWithFolder, compareWithGateway } from '../../operate/config/compare-config.ts'
import { findingItems } from '../shell/findings.ts'
import { frames } from '../shell/frame.ts'
import { answer, type Cli } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { refuseUnusable } from '../shell/refuse.ts'
import { hunkText } from '../validate/unified-diff.ts'

export type ConfigDiffOptions = { readonly against?: string }

export const configDiff = async ({ against }: ConfigDiffOptions, cli: Cli): Promise<number> =>
  against === undefined ? diffWithGateway(cli) : diffWithFolder(against, cli)

const diffWithGateway = async (cli: Cli): Promise<number> => {
  const { ok, findings, texts, restart, hunks } = await compareWithGateway(gatewayAt(cli.workspace))
  const found = findings.diagnostics.filter(({ severity }) => severity === 'error')
  const lines = [
    found.length > 0 ? `${frames(found, texts, paintWith(cli.io.colour))}\n` : '',
    diffText(hunks, ['the running gateway', 'the files'], cli),
    ok ? '' : 'a reload would be refused\n',
    ...restart.map((setting) => `needs a restart: ${printable(setting)}\n`),
  ]
  const data = { differs: hunks.length > 0 || restart.length > 0 || !ok, would_reload: ok, restart: [...restart], hunks: hunkItems(hunks) }
  return answer(cli, {
    kind: 'config.diff',
    data: { ...data, diagnostics: findingItems(found, texts) },
    text: lines.join(''),
    exitCode: data.differs ? exit.no : exit.ok,
  })
}

const diffWithFolder = async (folder: string, cli: Cli): Promise<number> => {
  const file = join(folder, 'config.yaml')
  if (!existsSync(file)) throw usage(`there is no ${file}`, 'name a data directory')
  const { hunks, problems, texts } = compareWithFolder(cli.workspace, folder)
  if (!hunks) return refuseUnusable(cli, problems, texts)
  const text = diffText(hunks, [folder, cli.workspace.dataDir], cli)
  const differs = hunks.length > 0
  return answer(cli, { kind: 'config.diff', data: { differs, hunks: hunkItems(hunks) }, text, exitCode: differs ? exit.no : exit.ok })
}

const diffText = (hunks: readonly Hunk[], [before, after]: readonly [string, string], { io }: Cli): string => {
  const paint = paintWith(io.colour)
  const head = paint.bold(`--- ${printable(before)}\n+++ ${printable(after)}`)
  return hunks.length === 0 ? '' : `${head}\n${hunks.map((hunk) => hunkText(hunk, paint)).join('')}`
}

const hunkItems = (hunks: readonly Hunk[]) => hunks.map(({ head, lines }) => ({ head, lines: lines.map((line) => ({ ...line })) }))
