/** `config show`: prints the configuration of all its files as one YAML, with secrets masked. */

import { carryDigits } from '../../core/carried-numbers.ts'
import { configText } from '../../datadir/masked-config.ts'
import { showConfig } from '../../operate/config/show-config.ts'
import { answer, type Cli } from '../shell/output.ts'
import { refuseUnusable } from '../shell/refuse.ts'

export type ConfigShowOptions = { readonly resolved?: boolean }

export const configShow = async ({ resolved = false }: ConfigShowOptions, cli: Cli): Promise<number> => {
  const { config, problems, texts } = showConfig(cli.workspace, { resolved })
  if (!config) return refuseUnusable(cli, problems, texts)
  return answer(cli, { kind: 'config.show', data: { config: carryDigits(config) }, text: configText(config) })
}
