/** `doctor`: prints one line for each need of the gateway, with a fix where the need is not met; exit 1 when a check fails. */

import { examine } from '../check/doctor/doctor.ts'
import { exit } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import type { Check } from '../datadir/check.ts'
import { gatewayAt } from '../http/control/client.ts'
import { aligned } from './shell/columns.ts'
import { answer, type Cli } from './shell/output.ts'
import { type Paint, paintWith } from './shell/paint.ts'

export type DoctorOptions = { readonly online?: boolean }

/** Prints the checks and how many there are of each result. Returns the exit code. */
export const doctor = async ({ online = false }: DoctorOptions, cli: Cli): Promise<number> => {
  const { checks, summary } = await examine(cli.workspace, gatewayAt(cli.workspace), { asked: cli.asked, online })
  const lines = checkLines(checks, paintWith(cli.io.colour))
  return answer(cli, {
    kind: 'doctor',
    data: {
      checks: checks.map(({ name, result, message, fix = null, about }) => ({ name, result, message, fix, code: about?.code ?? null })),
      summary: { ...summary },
    },
    text: `${lines.join('')}${summary.ok} ok, ${summary.warn} to look at, ${summary.fail} failed\n`,
    exitCode: summary.fail > 0 ? exit.no : exit.ok,
  })
}

const checkLines = (checks: readonly Check[], paint: Paint): string[] => {
  const marks = { ok: 'ok  ', warn: paint.warning('warn'), fail: paint.error('fail') }
  const rows = aligned(checks.map(({ name, message }) => [printable(name), printable(message)]))
  return checks.map(({ result, fix }, i) => {
    const advice = fix === undefined ? '' : `      fix: ${printable(fix)}\n`
    return `${marks[result]}  ${rows[i] ?? ''}\n${advice}`
  })
}
