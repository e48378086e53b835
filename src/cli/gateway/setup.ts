/** `gateway setup --yes`: writes `.env`, the schema for editors, and a first `config.yaml` where there is none. */

import { setUp } from '../../app/setup.ts'
import { usage } from '../../core/fault.ts'
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

export const gatewaySetup = async (options: SetupOptions, cli: Cli): Promise<number> => {
  const { host, port, secretFile, generateSecret } = options
  const { self } = cli.workspace
  if (!options.yes) {
    const why = cli.io.ask ? 'the wizard is not built in this version' : 'nobody is at the terminal to answer'
    throw usage(`${why}: pass --yes`, `${self} gateway setup --yes [--host H] [--port N] [--secret-file F]`)
  }
  if (secretFile !== undefined && generateSecret) throw usage('give one of --secret-file and --generate-secret')
  const supplied = secretFile === undefined ? undefined : await readSecret({ secretFile }, cli.io)
  const done = await setUp(cli.workspace, { host, port, secret: supplied, generateSecret })
  const { files, isConfigNew, secret, warnings } = done
  const next = [`next     ${self} webhook subscribe hello --prompt 'Hello {name}'`, `         ${self} gateway run`]
  const lines = [
    `wrote    ${files.env} (0600; port ${done.port}; secret ${secret})`,
    `${isConfigNew ? 'wrote' : 'kept '}    ${files.config}`,
    `wrote    ${files.schema}`,
    ...(cli.quiet ? [] : next),
  ]
  const data = { ...files, config_written: isConfigNew, port: Number(done.port), secret }
  return answer(cli, { kind: 'gateway.setup', data, text: `${lines.join('\n')}\n`, warnings })
}
