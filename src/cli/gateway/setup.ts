/** `gateway setup --yes`: `.env` with port and secret, a `config.yaml` to begin with, the schema for the editor; keeps what is there. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dump } from 'js-yaml'
import { newSecret } from '../../app/subscription-record.ts'
import type { Warning } from '../../app/warning.ts'
import { parseDotEnv } from '../../config/dot-env.ts'
import { type Env, readEnvFile } from '../../config/env.ts'
import { refuseOdd, replaceFile } from '../../config/replace-file.ts'
import { present } from '../../config/webhook.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { usage } from '../../core/fault.ts'
import { schema } from '../../generated/schema.ts'
import { readSecret } from '../shell/input.ts'
import { answer, type Cli } from '../shell/output.ts'

export type SetupOptions = {
  readonly yes?: boolean
  readonly enable?: boolean
  readonly host?: string
  readonly port?: number
  readonly secretFile?: string
  readonly generateSecret?: boolean
}

type Files = { readonly env: string; readonly config: string; readonly schema: string }

export const gatewaySetup = async (options: SetupOptions, cli: Cli): Promise<number> => {
  if (!options.yes) {
    const why = cli.io.ask ? 'the wizard is not built in this version' : 'nobody is at the terminal to answer'
    throw usage(`${why}: pass --yes`, `${cli.workspace.self} gateway setup --yes [--host H] [--port N] [--secret-file F]`)
  }
  const files: Files = {
    env: join(cli.workspace.dataDir, '.env'),
    config: join(cli.workspace.dataDir, 'config.yaml'),
    schema: join(cli.workspace.dataDir, 'headgate.schema.json'),
  }
  const { port, secret } = await writeEnv(files.env, options, cli)
  await write(files.schema, `${JSON.stringify(schema, null, 2)}\n`)
  const isNew = !existsSync(files.config)
  if (isNew) await write(files.config, firstConfig(files.schema, options.host ?? '127.0.0.1'))
  const byHand = !isNew && options.host !== undefined
  const warnings: Warning[] = byHand
    ? [{ code: 'not_changed', message: `config.yaml is there already: set platforms.webhook.extra.host: ${options.host} by hand` }]
    : []
  const next = [
    `next     ${cli.workspace.self} webhook subscribe hello --prompt 'Hello {name}'`,
    `         ${cli.workspace.self} gateway run`,
  ]
  const lines = [
    `wrote    ${files.env} (0600; port ${port}; secret ${secret})`,
    `${isNew ? 'wrote' : 'kept '}    ${files.config}`,
    `wrote    ${files.schema}`,
    ...(cli.quiet ? [] : next),
  ]
  const data = { ...files, config_written: isNew, port: Number(port), secret }
  return answer(cli, { kind: 'gateway.setup', data, text: `${lines.join('\n')}\n`, warnings })
}

type SecretFrom = 'supplied' | 'generated' | 'kept'

const write = (file: string, text: string): Promise<void> =>
  replaceFile(file, text).catch((error) => {
    throw diskFault('write', file, error)
  })

/** An existing secret is never replaced unless that was asked for. */
const writeEnv = async (file: string, options: SetupOptions, cli: Cli): Promise<{ port: string; secret: SecretFrom }> => {
  const { secretFile, generateSecret, port } = options
  if (secretFile !== undefined && generateSecret) throw usage('give one of --secret-file and --generate-secret')
  const supplied = secretFile === undefined ? undefined : await readSecret({ secretFile }, cli.io)
  refuseOdd(file)
  const { env: before } = readEnvFile(file)
  const made = supplied === undefined && (generateSecret === true || !present(before.WEBHOOK_SECRET))
  const secret = supplied ?? (made ? newSecret() : undefined)
  const values = {
    WEBHOOK_ENABLED: 'true',
    WEBHOOK_PORT: port === undefined ? before.WEBHOOK_PORT || '8644' : String(port),
    ...(secret === undefined ? {} : { WEBHOOK_SECRET: secret }),
  }
  await write(file, withValues(existsSync(file) ? readFileSync(file, 'utf8') : '', before, values))
  return { port: values.WEBHOOK_PORT, secret: supplied !== undefined ? 'supplied' : made ? 'generated' : 'kept' }
}

/** The modeline names the schema, so that an editor completes and checks without a plug-in. */
const firstConfig = (schemaFile: string, host: string): string => `# yaml-language-server: $schema=${schemaFile}
# Port and global secret are in .env beside this file.
${dump({ platforms: { webhook: { enabled: true, extra: { host } } } })}      # routes:
      #   pr-review:
      #     events: [pull_request]
      #     prompt: 'Review "{pull_request.title}" in {repository.full_name}.'
`

/** The text of a `.env` with these values set and every other line kept. */
const withValues = (text: string, before: Env, values: { readonly [name: string]: string }): string => {
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  const changed = Object.entries(values).filter(([name, value]) => before[name] !== value)
  const next = changed.reduce((lines, [name, value]) => withValue(lines, name, envLine(name, value)), start)
  const { env: after } = parseDotEnv(next)
  const wrong = [...new Set([...Object.keys(before), ...Object.keys(values)])].find(
    (name) => after[name] !== (values[name] ?? before[name]),
  )
  if (wrong !== undefined) throw usage(`.env cannot be changed safely: ${wrong} would not read back`, 'set the values by hand')
  return next
}

/** The line takes the place of the first one of its name; further ones would win over it, so they go. */
const withValue = (text: string, name: string, line: string): string => {
  const old = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*\\n`, 'gm')
  const first = text.search(old)
  if (first < 0) return `${text}${line}`
  return text.slice(0, first) + line + text.slice(first).replace(old, '')
}

/** A line that shells, systemd, docker and the gateway read alike. Throws where the value has no such spelling. */
const envLine = (name: string, value: string): string => {
  const line = `${name}=${value}`
  const { env, oddities } = parseDotEnv(line)
  if (env[name] === value && oddities.length === 0) return `${line}\n`
  throw usage(
    `.env cannot hold this ${name}: a shell, systemd and docker would not read it alike`,
    'use a value of letters, digits and -_.:/+=@%,# or keep it in a file and set platforms.webhook.extra.secret: file:/path in config.yaml',
  )
}
