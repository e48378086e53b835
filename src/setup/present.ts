/**
 * Reads the present setup, once. The wizard offers the present settings as answers, and changes only the settings that are answered
 * differently.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readEnvFile } from '../config/env.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { refuseOdd } from '../config/writing/replace-file.ts'
import { textOfFile } from '../config/writing/replace-text.ts'
import { parseSource } from '../config/yaml/source.ts'
import type { Path } from '../core/diagnostic.ts'
import { type Json, valueAt } from '../core/json.ts'
import type { GatewayFinder } from '../datadir/running-gateway.ts'
import { configFile, type Workspace } from '../datadir/workspace.ts'
import { schemaFile } from '../edit/schema/schemas.ts'
import type { Status } from '../generated/control.ts'

export type SetupFile = 'env' | 'config' | 'schema'

export type Present = {
  readonly workspace: Workspace
  readonly files: { readonly [name in SetupFile]: string }
  /** The text of each file; `undefined` where the file does not exist. */
  readonly texts: { readonly [name in SetupFile]: string | undefined }
  /** The variables in the file `.env` alone. */
  readonly env: { readonly [name: string]: string }
  /** The data of `config.yaml`, in which `${NAME}` and `file:` are not resolved. An empty map where there is no file, or it is no YAML. */
  readonly data: Json
  /** `config.yaml` and `.env` as the gateway reads them, without the variables of the adapter in this process's environment. */
  readonly loaded: Loaded
  /** The status of the running gateway; `undefined` where no gateway runs. */
  readonly status: Status | undefined
}

/** Reads the present setup. Throws a Fault when a file cannot be read, or is not a file that may be changed. */
export const readPresent = async (workspace: Workspace, gateway: GatewayFinder): Promise<Present> => {
  const { dataDir } = workspace
  const files = { env: join(dataDir, '.env'), config: configFile(workspace), schema: join(dataDir, schemaFile) }
  const texts = { env: readTextIfPresent(files.env), config: readTextIfPresent(files.config), schema: readTextIfPresent(files.schema) }
  const env = Object.fromEntries(Object.entries(workspace.env).filter(([name]) => !name.startsWith('WEBHOOK_')))
  return {
    workspace,
    files,
    texts,
    env: readEnvFile(files.env).env,
    data: (texts.config === undefined ? undefined : parseSource(files.config, texts.config).source?.data) ?? {},
    loaded: loadConfig({
      ...workspace,
      env,
      ...(texts.config === undefined ? { configFile: undefined } : { texts: new Map([[files.config, texts.config]]) }),
    }),
    status: await (await gateway.find())?.status(),
  }
}

const readTextIfPresent = (file: string): string | undefined => {
  refuseOdd(file)
  return existsSync(file) ? textOfFile(file) : undefined
}

export const configValue = ({ data }: Pick<Present, 'data'>, path: Path): Json | undefined => valueAt(data, path)

/** Returns the path of a setting of the adapter in `config.yaml`, whether it is set or not. */
export const adapterPath = ({ data }: Pick<Present, 'data'>, key: string): Path => {
  const direct = ['platforms', 'webhook', key]
  const extra = ['platforms', 'webhook', 'extra', key]
  return configValue({ data }, extra) === undefined && configValue({ data }, direct) !== undefined ? direct : extra
}
