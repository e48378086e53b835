/** What is set up today, read once: the wizard shows it, and changes only what is answered otherwise. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readEnvFile } from '../../config/env.ts'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { textOfFile } from '../../config/locked/replace-text.ts'
import { refuseOdd } from '../../config/replace-file.ts'
import { parseSource } from '../../config/yaml/source.ts'
import type { Path } from '../../core/diagnostic.ts'
import { type Json, valueAt } from '../../core/json.ts'
import type { Status } from '../../generated/control.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import { schemaFile } from '../schema/schemas.ts'
import type { Workspace } from '../workspace.ts'

export type SetupFile = 'env' | 'config' | 'schema'

export type Present = {
  readonly workspace: Workspace
  readonly files: { readonly [name in SetupFile]: string }
  /** `undefined`: there is no such file. */
  readonly texts: { readonly [name in SetupFile]: string | undefined }
  /** What `.env` alone has. */
  readonly env: { readonly [name: string]: string }
  /** What `config.yaml` says, references unresolved; an empty map where it cannot be read. */
  readonly data: Json
  /** Both files as the gateway reads them, without the adapter's variables of this process. */
  readonly loaded: Loaded
  readonly status: Status | undefined
}

/** Throws a Fault when a file cannot be read, or is not a file that may be changed. */
export const readPresent = async (workspace: Workspace, gateway: GatewayFinder): Promise<Present> => {
  const { dataDir } = workspace
  const files = { env: join(dataDir, '.env'), config: join(dataDir, 'config.yaml'), schema: join(dataDir, schemaFile) }
  const texts = { env: textOf(files.env), config: textOf(files.config), schema: textOf(files.schema) }
  const env = Object.fromEntries(Object.entries(workspace.env).filter(([name]) => !name.startsWith('WEBHOOK_')))
  return {
    workspace,
    files,
    texts,
    env: readEnvFile(files.env).env,
    data: (texts.config === undefined ? undefined : parseSource(files.config, texts.config).source?.data) ?? {},
    loaded: loadConfig({ dataDir, env, configText: texts.config }),
    status: await (await gateway.find())?.status(),
  }
}

const textOf = (file: string): string | undefined => {
  refuseOdd(file)
  return existsSync(file) ? textOfFile(file) : undefined
}

/** What stands at a path of `config.yaml`; `undefined` where nothing does. */
export const written = ({ data }: Pick<Present, 'data'>, path: Path): Json | undefined => valueAt(data, path)

/** Where a setting of the adapter stands, or would. */
export const adapterPath = ({ data }: Pick<Present, 'data'>, key: string): Path => {
  const direct = ['platforms', 'webhook', key]
  const extra = ['platforms', 'webhook', 'extra', key]
  return written({ data }, extra) === undefined && written({ data }, direct) !== undefined ? direct : extra
}
