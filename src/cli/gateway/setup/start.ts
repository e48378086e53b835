/** Runs the gateway after the setup. Where the user wants it, a first event is sent once the gateway listens. */

import { Fault, messageOf } from '../../../core/fault.ts'
import type { SetupDraft } from '../../../setup/question.ts'
import { providerIn } from '../../../setup/route-questions.ts'
import { type Cli, printFaultOf } from '../../shell/output.ts'
import { webhookTest } from '../../webhook/test.ts'
import { gatewayRun } from '../run.ts'

/** Runs the gateway until it is stopped, and returns its exit code. */
export const startGateway = (draft: SetupDraft, cli: Cli): Promise<number> => {
  const ready = (url: string): void => void sendFirst(url, draft, cli)
  return gatewayRun({ workspace: cli.workspace, ...(draft.answers.first === 'yes' ? { ready } : {}) }, cli.io)
}

/** Sends the first event. A failure is printed, and the gateway goes on. */
const sendFirst = async (url: string, draft: SetupDraft, cli: Cli): Promise<void> => {
  const provider = providerIn(draft)
  if (!provider) return
  const name = draft.answers['route.name'] ?? ''
  try {
    await webhookTest(name, { sample: provider.sample, url: `${url}/webhooks/${name}`, wait: true }, cli)
  } catch (error) {
    await printFaultOf(error instanceof Fault ? error : new Fault('internal', messageOf(error), { exitCode: 3 }), cli)
  }
}
