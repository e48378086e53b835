/** Sets up a data directory: `.env` with port and secret, the schema for editors, and a first `config.yaml` where there is none. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dump } from 'js-yaml'
import { present } from '../config/adapter.ts'
import { editDotEnv } from '../config/edit-dot-env.ts'
import { readEnvFile } from '../config/env.ts'
import { refuseOdd, replaceFile } from '../config/replace-file.ts'
import { diskFault } from '../core/disk-fault.ts'
import { defaults } from '../generated/defaults.ts'
import { newSecret } from './routes/subscription-record.ts'
import { withModeline } from './schema/modeline.ts'
import { bundleText, schemaFile } from './schema/schemas.ts'
import type { Warning } from './warning.ts'
import type { Workspace } from './workspace.ts'

export type SetupWish = {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly secret?: string | undefined
  /** Makes a new secret even where a secret is set. */
  readonly generateSecret?: boolean | undefined
}

export type SetUp = {
  readonly files: { readonly env: string; readonly config: string; readonly schema: string }
  /** `false`: there was a `config.yaml`, and it was kept. */
  readonly isConfigNew: boolean
  readonly port: string
  readonly secret: 'supplied' | 'generated' | 'kept'
  readonly warnings: readonly Warning[]
}

/** Throws a Fault when a file cannot be written, or `.env` is not a file that may be changed. */
export const setUp = async ({ dataDir }: Workspace, wish: SetupWish): Promise<SetUp> => {
  const { host } = wish
  const files = { env: join(dataDir, '.env'), config: join(dataDir, 'config.yaml'), schema: join(dataDir, schemaFile) }
  const { port, secret } = await writeEnv(files.env, wish)
  await write(files.schema, bundleText())
  const isConfigNew = !existsSync(files.config)
  if (isConfigNew) await write(files.config, firstConfig(host ?? defaults.webhook.host))
  const byHand = !isConfigNew && host !== undefined
  const warnings = byHand
    ? [{ code: 'not_changed', message: `config.yaml is there already: set platforms.webhook.extra.host: ${host} by hand` }]
    : []
  return { files, isConfigNew, port, secret, warnings }
}

const write = (file: string, text: string): Promise<void> =>
  replaceFile(file, text).catch((error) => {
    throw diskFault('write', file, error)
  })

/** Keeps an existing secret unless the wish gives or asks for a new one. */
const writeEnv = async (file: string, { port, secret: supplied, generateSecret }: SetupWish): Promise<Pick<SetUp, 'port' | 'secret'>> => {
  refuseOdd(file)
  const { env: before } = readEnvFile(file)
  const made = supplied === undefined && (generateSecret === true || !present(before.WEBHOOK_SECRET))
  const secret = supplied ?? (made ? newSecret() : undefined)
  const values = {
    WEBHOOK_ENABLED: 'true',
    WEBHOOK_PORT: port === undefined ? before.WEBHOOK_PORT || String(defaults.webhook.port) : String(port),
    ...(secret === undefined ? {} : { WEBHOOK_SECRET: secret }),
  }
  await write(file, editDotEnv(existsSync(file) ? readFileSync(file, 'utf8') : '', before, values))
  return { port: values.WEBHOOK_PORT, secret: supplied !== undefined ? 'supplied' : made ? 'generated' : 'kept' }
}

/** The first line names the schema, so that editors complete and check the file without further settings. */
const firstConfig = (host: string): string =>
  withModeline(
    `# Port and global secret are in .env beside this file.
${dump({ platforms: { webhook: { enabled: true, extra: { host } } } })}      # routes:
      #   pr-review:
      #     events: [pull_request]
      #     prompt: 'Review "{pull_request.title}" in {repository.full_name}.'
`,
    `./${schemaFile}`,
    'yaml-language-server',
  )
