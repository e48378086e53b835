/** `gateway unit`: prints a unit for systemd, and says on stderr where to put the unit. */

import { resolve } from 'node:path'
import { loadConfig } from '../../config/load.ts'
import { exit } from '../../core/fault.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { homepage } from '../shell/version.ts'

/** The seconds that systemd waits for the end of the gateway beyond the time that the gateway gives its runs (`drainMs`). */
const lastWordsSeconds = 15

export const gatewayUnit = async (cli: Cli): Promise<number> => {
  const { dataDir } = cli.workspace
  const program = [process.execPath, resolve(process.argv[1] ?? 'headgate')]
  const { drainMs } = loadConfig(cli.workspace).config
  const isRoot = process.getuid?.() === 0
  const command = [...program, '--data-dir', dataDir, 'gateway', 'run', '--log-format', 'json']
  const text = unit({
    description: escapePercents(`headgate over ${dataDir}`),
    command: command.map(commandArgument).join(' '),
    folder: escapePercents(dataDir),
    stopSeconds: Math.ceil(drainMs / 1_000) + lastWordsSeconds,
    wantedBy: isRoot ? 'multi-user.target' : 'default.target',
  })
  const [folder, systemctl] = isRoot ? ['/etc/systemd/system', 'systemctl'] : ['~/.config/systemd/user', 'systemctl --user']
  note(
    cli,
    `put it into ${folder}/headgate.service, then: ${systemctl} daemon-reload && ${systemctl} enable --now headgate`,
    isRoot ? 'add User= for a user that owns the data directory' : 'loginctl enable-linger keeps it running while you are not logged in',
  )
  return answer(cli, { kind: 'gateway.unit', data: { unit: text }, text })
}

type UnitFacts = {
  readonly description: string
  readonly command: string
  readonly folder: string
  readonly stopSeconds: number
  readonly wantedBy: string
}

const unit = ({ description, command, folder, stopSeconds, wantedBy }: UnitFacts): string => `[Unit]
Description=${description}
Documentation=${homepage}
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
# A command of the agent that is a relative path is looked for here.
WorkingDirectory=${folder}
ExecStart=${command}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=2
# What must not be served will not be served at the next try either.
RestartPreventExitStatus=${exit.disabled} ${exit.config}
KillMode=mixed
TimeoutStopSec=${stopSeconds}
NoNewPrivileges=yes
PrivateTmp=yes
UMask=0077

[Install]
WantedBy=${wantedBy}
`

/** Escapes percent signs, which systemd expands in every value. */
const escapePercents = (text: string): string => text.replaceAll('%', '%%')

/** Escapes an argument of a command, in which systemd also expands dollar signs and reads blanks and quotes. */
const commandArgument = (word: string): string => {
  const safe = escapePercents(word).replaceAll('$', '$$$$')
  return /^[\w./:=%$@+,-]+$/.test(safe) ? safe : `"${safe.replace(/["\\]/g, '\\$&')}"`
}
