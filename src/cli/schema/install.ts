/** `schema install`: writes the JSON Schema beside `config.yaml`, and the line or setting by which editors find the schema. */

import { installSchema } from '../../edit/schema/install.ts'
import type { ModelineForm } from '../../edit/schema/modeline.ts'
import { answer, type Cli } from '../shell/output.ts'

export type InstallOptions = { readonly modeline?: boolean; readonly jetbrains?: boolean; readonly vscode?: boolean }

/** Installs the schema. Without an option, writes the line at the top of `config.yaml` that most editors read (the modeline). */
export const schemaInstall = async ({ modeline, jetbrains, vscode = false }: InstallOptions, cli: Cli): Promise<number> => {
  const asked: ModelineForm[] = [...(modeline ? ['yaml-language-server' as const] : []), ...(jetbrains ? ['jetbrains' as const] : [])]
  const modelines: ModelineForm[] = asked.length === 0 && !vscode ? ['yaml-language-server'] : asked
  const files = await installSchema(cli.workspace, { modelines, vscode })
  const text = files.map(({ file, did }) => `${did.padEnd(8)} ${file}\n`).join('')
  return answer(cli, { kind: 'schema.install', data: { files: [...files] }, text })
}
