/**
 * `gateway setup`: asks what to set up, or takes the answers from options. Then it writes `.env`, `config.yaml` and the schema for editors,
 * and starts the gateway where that was asked for.
 */

import { exit, usage } from '../../../core/fault.ts'
import { gatewayAt } from '../../../http/control/client.ts'
import { askQuestions } from '../../../setup/conduct.ts'
import { planSetup, type SetupPlan } from '../../../setup/plan.ts'
import { readPresent } from '../../../setup/present.ts'
import { type SetupDraft, yesNo } from '../../../setup/question.ts'
import { refuseReadOnlyFiles, writeSetup } from '../../../setup/write-setup.ts'
import { cancelledFault } from '../../shell/io.ts'
import { answer, type Cli } from '../../shell/output.ts'
import { nextSteps } from './next-steps.ts'
import { answersGiven, type SetupOptions } from './options.ts'
import { noninteractivePrompter, type Prompter } from './prompter.ts'
import { doneLines, plannedLines } from './report.ts'

const withoutAsking = '[--host H] [--port N] [--secret-file F] [--route PROVIDER] [--runner NAME] [--target NAME]'

export const gatewaySetup = async (options: SetupOptions, cli: Cli): Promise<number> => {
  const { self } = cli.workspace
  if (!options.yes && (!cli.io.terminal || cli.json)) {
    const why = cli.json ? 'with --json nobody is asked' : 'nobody is at the terminal to answer'
    throw usage(`${why}: pass --yes`, `${self} gateway setup --yes ${withoutAsking}`)
  }
  if (options.start && cli.json) throw usage('--start prints the log of the gateway, so it does not go with --json')
  const given = await answersGiven(options, cli.io)
  const present = await readPresent(cli.workspace, gatewayAt(cli.workspace))
  if (!options.yes) refuseReadOnlyFiles(present)
  const stop = new AbortController()
  const prompter = options.yes ? noninteractivePrompter(cli) : await terminalPrompter(options, cli, stop)
  let draft: SetupDraft
  let plan: SetupPlan
  try {
    draft = await askQuestions({ present, answers: {}, given }, prompter, stop.signal)
    plan = planSetup(draft)
    await confirmWriting(plan, prompter)
  } finally {
    prompter.close()
  }
  await writeSetup(plan)
  const code = answerSetup(plan, draft, cli)
  if (draft.answers.start !== 'yes') return code
  const { startGateway } = await import('./start.ts')
  return startGateway(draft, cli)
}

/**
 * Returns the prompter for this terminal. A signal to stop breaks off an open question. Throws a usage Fault where
 * there is no terminal.
 */
const terminalPrompter = async ({ screenReader }: SetupOptions, { io }: Cli, stop: AbortController): Promise<Prompter> => {
  if (!io.terminal) throw usage('nobody is at the terminal to answer: pass --yes')
  void io.stopped().then(() => stop.abort(cancelledFault()))
  if (screenReader || io.env.TERM === 'dumb') return (await import('./plain.ts')).plainPrompter(io.terminal, stop.signal)
  return (await import('./menus.ts')).menuPrompter(io.terminal, io.colour, stop.signal)
}

const writeQuestion = yesNo({ id: 'write', flag: '--yes', text: 'Write this?', initial: 'yes' })

const confirmWriting = async (plan: SetupPlan, prompter: Prompter): Promise<void> => {
  if (plan.changes.length === 0) return
  prompter.show('This is written:', plannedLines(plan))
  if ((await prompter.ask(writeQuestion)) !== 'yes') throw cancelledFault()
}

const answerSetup = (plan: SetupPlan, draft: SetupDraft, cli: Cli): number => {
  const { present } = draft
  const { changes, byHand, port, secret } = plan
  const warnings = [
    ...plan.warnings,
    ...byHand.map(({ path, lines, why }) => ({
      code: 'not_changed',
      message: `config.yaml is kept as it is there: set ${path.join('.')} by hand (${why})`,
      help: lines.trimEnd(),
    })),
  ]
  const lines = [...doneLines(plan, present), ...(cli.quiet ? [] : nextSteps(draft, cli))]
  const data = {
    ...present.files,
    config_written: present.texts.config === undefined,
    changed: changes.map(({ name }) => name),
    by_hand: byHand.map(({ lines }) => lines),
    port: Number(port),
    secret,
  }
  answer(cli, { kind: 'gateway.setup', data, text: `${lines.join('\n')}\n`, warnings })
  return exit.ok
}
