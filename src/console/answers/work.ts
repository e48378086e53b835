/** The answers about work: bulk jobs, scheduled jobs, the backlog, alerts and sessions; and about the lists that decide what becomes work. */

import { minuteMs } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import { followSentences, takeEntries } from '../../datadir/entries/in-force.ts'
import { listAlerts } from '../../features/alerts/ask-alerts.ts'
import type { ConsoleQuestions } from '../../generated/console.ts'
import { checkOutcomes } from '../../operate/events/selection-words.ts'
import { listJobs } from '../../operate/jobs/job-list.ts'
import { pauseJob } from '../../operate/jobs/pause-job.ts'
import { runJob } from '../../operate/jobs/run-job.ts'
import { addToList, type ChangedList, readList, readLists, removeFromList } from '../../operate/lists.ts'
import { describeSession, listSessions } from '../../operate/sessions.ts'
import type { SignIn } from '../access/sign-ins.ts'
import { type BulkWork, createBulk } from '../bulk/bulk.ts'
import { type AnswerSurroundings, needSearchRight } from './surroundings.ts'

type Asked<Name extends keyof ConsoleQuestions> = ConsoleQuestions[Name]

const maxSessions = 200
/** The most values of a list that are shown. */
const maxShownValues = 200

export const workAnswers = ({ workspace, gateway, audit, clock }: AnswerSurroundings) => {
  const bulk = createBulk(workspace, gateway, clock)
  /**
   * Begins a bulk job. The answer does not wait for the end of the job, which goes on without a browser. The list of bulk jobs and the
   * audit say how the job ended.
   */
  const begin = ({ job, bySource, run }: BulkWork, signIn: SignIn): { readonly started: true } => {
    const { id, action, count, done: before } = job
    const on = { job: id, count: count - before, sources: bySource.map((each) => ({ ...each })) }
    void audit
      .of({ by: signIn.name, action: `bulk_${action}`, on }, run, ({ done, failed, error, isStopped }) => ({
        done: done - before,
        failed: failed - job.failed,
        stopped: isStopped,
        error,
      }))
      .catch((error) => bulk.fail(id, messageOf(error)))
    return { started: true }
  }
  const setPaused = async ({ profile, job }: Asked<'pauseJob'>, paused: boolean) => {
    const done = await pauseJob(workspace, job, paused, { profile })
    return { ...done, notices: [...done.notices, ...followSentences(await takeEntries(workspace, gateway))] }
  }
  const changeList = async (change: Promise<ChangedList>) => {
    const done = await change
    return { ...done, notices: followSentences(await takeEntries(workspace, gateway)) }
  }
  return {
    async lists() {
      const status = await (await gateway.find())?.status()
      /** `fetched`: the lists at web addresses; `null` where no gateway runs, so that nobody fetches them. */
      return { kept: readLists(workspace), fetched: status ? (status.lists ?? []) : null }
    },
    async list({ name, text = '' }: Asked<'list'>) {
      const found = readList(workspace, name).filter(({ value }) => value.includes(text))
      return { values: found.slice(0, maxShownValues), more: found.length > maxShownValues }
    },
    addToList: ({ name, values, for_minutes: minutes }: Asked<'addToList'>) =>
      changeList(addToList(workspace, name, values, minutes === undefined ? undefined : minutes * minuteMs)),
    removeFromList: ({ name, values }: Asked<'removeFromList'>) => changeList(removeFromList(workspace, name, values)),
    async bulkPlan({ action, ...criteria }: Asked<'bulkPlan'>, signIn: SignIn) {
      needSearchRight(signIn, criteria)
      checkOutcomes(criteria.outcome)
      return bulk.plan(action, criteria)
    },
    bulkStart: async ({ plan }: Asked<'bulkStart'>, signIn: SignIn) => begin(bulk.take(plan), signIn),
    bulkResume: async ({ job }: Asked<'bulkResume'>, signIn: SignIn) => begin(bulk.resume(job), signIn),
    bulkStop: async ({ job }: Asked<'bulkStop'>) => ({ stopped: bulk.stop(job).id }),
    bulkJobs: async () => ({ jobs: bulk.jobs() }),
    async work() {
      const running = await gateway.find()
      const [{ jobs, notices }, alerts, backlog] = await Promise.all([
        listJobs(workspace, gateway, { all: true }),
        listAlerts(workspace, gateway),
        running?.backlog(),
      ])
      return {
        jobs: jobs.map(({ job }) => job),
        notices,
        /** `null` where no gateway runs. */
        backlog: backlog ?? null,
        /** `null` where the alerts are not known, because no gateway runs, and where the gateway has no alerts. */
        firing: (alerts.ok && alerts.alerts?.firing) || null,
      }
    },
    async sessions() {
      const { sessions, more } = await listSessions(gateway, {}, maxSessions)
      return { sessions: sessions.map(describeSession), more }
    },
    startJob: ({ profile, job }: Asked<'startJob'>) => runJob(workspace, gateway, profile, job),
    pauseJob: (of: Asked<'pauseJob'>) => setPaused(of, true),
    resumeJob: (of: Asked<'resumeJob'>) => setPaused(of, false),
  }
}
