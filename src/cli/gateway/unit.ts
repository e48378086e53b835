/** `gateway unit`: prints a unit for systemd, and says on stderr where to put the unit. */

import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { lastWordsMs } from '../../operate/gateway/stop.ts'
import { serviceUnit, socketUnit } from '../../operate/gateway/systemd-units.ts'
import { answer, type Cli, homepage, note } from '../shell/output.ts'

/**
 * `strict`: with the narrowest rights, and under a user that systemd makes. `user`: under this user instead. `socket`: the unit of the
 * socket, in place of that of the service.
 */
export type UnitOptions = { readonly strict?: boolean; readonly user?: string; readonly socket?: boolean }

/** The names of users that systemd takes without a warning (https://systemd.io/USER_NAMES). */
const userName = /^[A-Za-z_][\w-]{0,30}$/

export const gatewayUnit = async (options: UnitOptions, cli: Cli): Promise<number> => {
  const { dataDir } = cli.workspace
  const loaded = loadConfig(cli.workspace)
  const { user, strict } = options
  if (user !== undefined && !userName.test(user)) throw usage(`--user is no name of a user: ${printable(user, 64)}`)
  const isSystem = process.getuid?.() === 0 || strict === true || user !== undefined
  const text = options.socket ? socketText(dataDir, loaded) : serviceText(options, isSystem, loaded, cli)
  const [folder, systemctl] = isSystem ? ['/etc/systemd/system', 'systemctl'] : ['~/.config/systemd/user', 'systemctl --user']
  const name = options.socket ? 'headgate.socket' : 'headgate.service'
  note(cli, `put it into ${folder}/${name}, then: ${systemctl} daemon-reload && ${systemctl} enable --now ${name}`)
  if (options.socket) note(cli, 'stop a running headgate.service first: two cannot open one port')
  else if (!isSystem) note(cli, 'loginctl enable-linger keeps it running while you are not logged in')
  else if (user !== undefined) note(cli, `the user ${user} must exist${strict ? '' : ` and own ${dataDir}`}`)
  else if (!strict) note(cli, 'it runs as root; --user NAME takes a user that owns the data directory')
  return answer(cli, { kind: 'gateway.unit', data: { unit: text }, text })
}

const serviceText = (
  { strict, user }: UnitOptions,
  isSystem: boolean,
  { config, sources }: Loaded,
  { workspace: { dataDir } }: Cli,
): string => {
  const program = [process.execPath, resolve(process.argv[1] ?? 'headgate')]
  return serviceUnit({
    dataDir,
    command: [...program, '--data-dir', dataDir, 'gateway', 'run', '--log-format', 'json'],
    stopSeconds: Math.ceil((config.drainMs + lastWordsMs) / 1_000),
    credentials: credentialsIn(JSON.stringify(sources.map(({ data }) => data))),
    wantedBy: isSystem ? 'multi-user.target' : 'default.target',
    stateDirectory: strict ? stateDirectoryOf(dataDir) : undefined,
    user,
    homepage,
  })
}

/** Returns the names of the credentials in JSON with references: `"credential:webhook"` or `file:${CREDENTIALS_DIRECTORY}/webhook`. */
const credentialsIn = (json: string): readonly string[] => [
  ...new Set([...json.matchAll(/"credential:([\w.@+-]+)"|\$\{CREDENTIALS_DIRECTORY\}\/([\w.@+-]+)/g)].map(([, a, b]) => a ?? b ?? '')),
]

/** Returns the name of the folder below /var/lib. Throws a Fault for a data directory elsewhere: only there systemd gives it to its user. */
const stateDirectoryOf = (dataDir: string): string => {
  const name = /^\/var\/lib\/([^/].*)$/.exec(dataDir)?.[1]
  if (name === undefined)
    throw usage(
      `--strict needs a data directory below /var/lib, not ${dataDir}`,
      'headgate gateway unit --strict --data-dir /var/lib/headgate',
    )
  return name
}

const socketText = (dataDir: string, { config: { host, port } }: Loaded): string => {
  const address = host === 'localhost' ? '127.0.0.1' : host
  const wrong = isIP(address) === 0 ? `host: ${host} is no IP address` : port === 0 ? 'port: 0 is another one at each start' : undefined
  if (wrong === undefined) return socketUnit({ dataDir, host: address, port })
  throw new Fault('socket_unit', `systemd cannot hold the port: ${wrong}`, {
    exitCode: exit.no,
    hint: 'set platforms.webhook.extra.host and port',
  })
}
