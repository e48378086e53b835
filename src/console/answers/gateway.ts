/** The answers about the program, its gateway and this machine. */

import { examine } from '../../check/doctor/doctor.ts'
import { exit, Fault } from '../../core/fault.ts'
import { version } from '../../datadir/version.ts'
import { type GatewayReload, reloadGateway } from '../../operate/gateway/reload.ts'
import { readStatus } from '../../operate/gateway/status.ts'
import type { SignIn } from '../access/sign-ins.ts'
import type { AnswerSurroundings } from './surroundings.ts'

export const gatewayAnswers = ({ workspace, gateway }: AnswerSurroundings) => ({
  async overview(_: unknown, signIn: SignIn) {
    const running = await gateway.find()
    return {
      version,
      dataDir: workspace.dataDir,
      rights: [...signIn.rights],
      /** The name of the user; `null` for a sign-in by a code of the terminal, which names nobody. */
      user: signIn.user.kind === 'code' ? null : signIn.user.name,
      /** `null` where no gateway runs on this data directory. */
      gateway: running ? await running.status() : null,
    }
  },
  async health() {
    const { checks, summary } = await examine(workspace, gateway, { asked: true, online: false })
    const status = await readStatus(gateway, workspace).catch((error) => {
      if (error instanceof Fault && error.exitCode === exit.unreachable) return undefined
      throw error
    })
    return { checks, summary, status: status ?? null }
  },
  previewReload: async () => withFindings(await reloadGateway(gateway, { dryRun: true })),
  reload: async () => withFindings(await reloadGateway(gateway)),
})

const withFindings = ({ findings, texts: _, ...result }: GatewayReload) => ({ ...result, findings: findings.diagnostics })
