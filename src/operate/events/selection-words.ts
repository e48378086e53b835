/** Refuses outcomes, routes and jobs in the user's criteria that can select no event, so that a slip does not look like an empty list. */

import { unreadIn } from '../../config/load.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { outcomeNames } from '../../core/outcome-table.ts'
import { nearest } from '../../core/text.ts'
import { readRoutes, unknownRoute } from '../../datadir/routes.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { stages } from '../../parts/stages/index.ts'
import { readJobs, unknownJob } from '../jobs/jobs.ts'
import { states } from './event-selection.ts'

/**
 * The stages that are not in the list of stage parts: a request that ends there has not reached its plan, or has passed the gates of its
 * plan.
 */
const otherStages = ['body_size', 'route', 'dispatch', 'internal']

/**
 * Throws a Fault for an outcome that does not exist (`ignord`), and for a stage behind the colon that does not exist (`ignored:filtrs`).
 */
export const checkOutcomes = (words: readonly string[] = []): void => {
  const stageNames = [...stages.map(({ name }) => name), ...otherStages]
  for (const word of words) {
    const [outcome = '', stage] = word.split(':')
    if (isState(outcome))
      throw usage(`--outcome: ${outcome} is the state of a run, not how its request ended`, `--state ${outcome} (headgate events list)`)
    if (!outcomeNames.includes(outcome)) throw unknownWord('outcome', outcome, outcomeNames)
    if (stage !== undefined && !stageNames.includes(stage)) throw unknownWord('stage', stage, stageNames)
  }
}

/** Whether a word is a state of runs, and no outcome. */
const isState = (word: string): boolean => states.some((state) => state === word) && !outcomeNames.includes(word)

const unknownWord = (what: string, word: string, known: readonly string[]): Fault =>
  new Fault('usage', `--outcome: there is no ${what} "${word}"`, {
    exitCode: exit.usage,
    suggest: nearest(word, known),
    hint: `one of ${known.join(', ')}`,
  })

type SourceCriteria = { readonly route?: string; readonly job?: string }

/**
 * Throws a Fault (exit 5) for a route or a job that no file has. Where a file cannot be read, nothing is thrown, because that file may have
 * the route or job.
 */
export const checkSources = async (workspace: Workspace, { route, job }: SourceCriteria): Promise<void> => {
  if (route !== undefined) {
    const known = await unlessBroken(() => readRoutes(workspace))
    const names = known?.routes.map(({ name }) => name) ?? []
    if (known && unreadIn(known.loaded).length === 0 && !names.includes(route))
      throw unknownRoute(route, names, `${workspace.self} webhook list --all`)
  }
  if (job !== undefined) {
    const known = await unlessBroken(() => readJobs(workspace, { all: true }))
    if (known && unreadIn(known.loaded).length === 0 && !known.jobs.some(({ id }) => id === job))
      throw unknownJob(job, known.jobs, workspace.self)
  }
}

const unlessBroken = async <T>(read: () => T | Promise<T>): Promise<T | undefined> => {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
