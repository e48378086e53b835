/** `relay validate`: checks the `relay.yaml` of a data directory. */

import { readRelay } from '../../relay/front/relay-settings.ts'
import { answer, type Cli } from '../shell/output.ts'
import { printDiagnostics, refuseUnusable } from '../shell/refuse.ts'

/** Prints the mistakes and returns 78; without any, names the gateways and returns 0. */
export const relayValidate = (cli: Cli): number => {
  const { settings, diagnostics, texts, file } = readRelay(cli.workspace.dataDir, cli.io.env)
  if (!settings) return refuseUnusable(cli, diagnostics, texts)
  printDiagnostics(diagnostics, texts, cli.io)
  const gateways = [...settings.gateways.keys()]
  return answer(cli, { kind: 'relay.validate', data: { file, gateways }, text: `${file} can be used: ${gateways.join(', ')}\n` })
}
