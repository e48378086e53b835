/** Writes the units with which systemd runs the gateway: the service, and the socket that systemd holds open over restarts. */

import { exit } from '../../core/fault.ts'

export type ServiceFacts = {
  readonly dataDir: string
  readonly command: readonly string[]
  /** How long systemd waits for the end of the gateway. */
  readonly stopSeconds: number
  /** The names of the credentials that the configuration reads. */
  readonly credentials: readonly string[]
  /** The unit that wants the service, as `multi-user.target`. */
  readonly wantedBy: string
  /** The name below /var/lib for a service that runs with the narrowest rights; else `undefined`. */
  readonly stateDirectory: string | undefined
  /** The user whom the service runs as. `undefined`: systemd makes a user for a service with narrow rights; another runs as root. */
  readonly user: string | undefined
  readonly homepage: string
}

export const serviceUnit = (facts: ServiceFacts): string => `[Unit]
Description=headgate over ${escapePercents(facts.dataDir)}
Documentation=${facts.homepage}
After=network-online.target
Wants=network-online.target

[Service]
# The gateway runs systemd-notify when it listens.
Type=notify
NotifyAccess=all
# A command of the agent that is a relative path is looked for here.
WorkingDirectory=${escapePercents(facts.dataDir)}
ExecStart=${facts.command.map(commandArgument).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=2
# What must not be served will not be served at the next try either.
RestartPreventExitStatus=${exit.disabled} ${exit.config}
KillMode=mixed
TimeoutStopSec=${facts.stopSeconds}
${facts.credentials.map((name) => `LoadCredential=${name}:%E/credstore/${name}\n`).join('')}NoNewPrivileges=yes
PrivateTmp=yes
UMask=0077
${userLine(facts)}${facts.stateDirectory === undefined ? '' : limits(facts.stateDirectory)}
[Install]
WantedBy=${facts.wantedBy}
`

const userLine = ({ user, stateDirectory }: ServiceFacts): string =>
  user !== undefined ? `User=${user}\n` : stateDirectory === undefined ? '' : 'DynamicUser=yes\n'

/** Returns the settings of a service that may do little. They bind scripts and agents, too. */
const limits = (stateDirectory: string): string => `StateDirectory=${escapePercents(stateDirectory)}
StateDirectoryMode=0700
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProcSubset=pid
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateDevices=yes
PrivateMounts=yes
PrivateUsers=yes
LockPersonality=yes
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
# MemoryDenyWriteExecute=yes would end Node, which compiles while it runs.
`

/** Returns the text of a `.socket` unit. `host`: an IP address. */
export const socketUnit = ({
  dataDir,
  host,
  port,
}: {
  readonly dataDir: string
  readonly host: string
  readonly port: number
}): string => `[Unit]
Description=the port of headgate over ${escapePercents(dataDir)}

[Socket]
ListenStream=${host.includes(':') ? `[${host}]` : host}:${port}

[Install]
WantedBy=sockets.target
`

/** Escapes percent signs, which systemd expands in every value. */
const escapePercents = (text: string): string => text.replaceAll('%', '%%')

/** Escapes an argument of a command, in which systemd also expands dollar signs and reads blanks and quotes. */
const commandArgument = (word: string): string => {
  const safe = escapePercents(word).replaceAll('$', '$$$$')
  return /^[\w./:=%$@+,-]+$/.test(safe) ? safe : `"${safe.replace(/["\\]/g, '\\$&')}"`
}
