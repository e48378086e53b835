/**
 * Shows how saving would change the file, and saves. Where the route was changed in the file meanwhile, the user decides which change
 * counts.
 */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ConsoleAnswers } from '../../answers/answers.ts'
import { ask, may } from '../ask.ts'
import { Diff } from '../diff.tsx'
import { asNoAnswer, Failure, useAsked } from '../parts.tsx'
import { shown } from '../words.ts'
import { FindingList } from './findings.tsx'
import type { EditedRoute } from './route-state.ts'

type Plan = ConsoleAnswers['routePlan']

type SavePanelProps = {
  readonly edited: EditedRoute
  readonly saved: (notices: readonly string[]) => void
  /** Opens the route again from the file as it is now. `keepsText`: the text of the editor stays, as a change of this file. */
  readonly reopen: (keepsText: boolean) => void
  readonly close: () => void
}

export const SavePanel = ({ edited, saved, reopen, close }: SavePanelProps): JSX.Element => {
  const [onto, setOnto] = useState<'current'>()
  const of = { ...edited, ...(onto ? { onto } : {}) }
  const { answer: plan, failure, isAsking, again } = useAsked(JSON.stringify(of), (signal) => ask('routePlan', of, signal))
  const [refused, setRefused] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const write = async (despiteErrors: boolean): Promise<void> => {
    setBusy(true)
    try {
      const done = await ask('saveRoute', { ...of, despite_errors: despiteErrors })
      if (done.ok) return saved(done.notices)
      setRefused(done.message)
      again()
    } catch (error) {
      setRefused(asNoAnswer(error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section class="panel" aria-labelledby="save">
      <header class="bar">
        <h2 id="save">Save</h2>
        <button type="button" onClick={close}>
          Go on editing
        </button>
      </header>
      {failure && <Failure failure={failure} again={again} />}
      {refused !== undefined && (
        <p class="failure" role="alert">
          {shown(refused, 2_000)}
        </p>
      )}
      {!plan && !failure && <p class="quiet">Checking what would be written…</p>}
      {plan && !isAsking && (
        <>
          {plan.conflict && <Conflict plan={plan} merge={() => setOnto('current')} reopen={reopen} />}
          <PlanFindings plan={plan} />
          {plan.diff.length > 0 && <h3>{plan.conflict ? 'Your changes' : `What changes in ${shown(plan.file)}`}</h3>}
          <Diff hunks={plan.diff} label="what would change in the file" />
          {!plan.conflict && <Write plan={plan} isBusy={isBusy} write={(despiteErrors) => void write(despiteErrors)} />}
        </>
      )}
    </section>
  )
}

const Conflict = ({
  plan: { file, conflict, refused },
  merge,
  reopen,
}: { readonly plan: Plan; readonly merge: () => void } & Pick<SavePanelProps, 'reopen'>): JSX.Element => (
  <div role="alert">
    <p class="bad">{shown(file)} was changed since it was opened. Changed in the file:</p>
    <Diff hunks={conflict ?? []} label="what changed in the file meanwhile" />
    <div class="actions">
      <button type="button" onClick={() => reopen(false)}>
        Reload: take the file as it is now, without your changes
      </button>
      {refused === undefined ? (
        <button type="button" onClick={merge}>
          Keep mine: put your changes into the file as it is now, and show them
        </button>
      ) : (
        <button type="button" onClick={() => reopen(true)}>
          Keep your text: edit it as a change of the file as it is now
        </button>
      )}
    </div>
  </div>
)

const PlanFindings = ({ plan: { findings, refused, stops } }: { readonly plan: Plan }): JSX.Element => (
  <>
    {refused !== undefined && <p class="bad">It cannot be put into the file: {shown(refused, 2_000)}</p>}
    {stops && <p class="bad">A gateway would not serve this: it is not written before these errors are mended.</p>}
    <FindingList findings={findings} />
  </>
)

const Write = ({
  plan: { file, diff, findings, refused, stops },
  isBusy,
  write,
}: {
  readonly plan: Plan
  readonly isBusy: boolean
  readonly write: (despiteErrors: boolean) => void
}): JSX.Element | null => {
  if (refused !== undefined || stops) return null
  if (diff.length === 0) return <p class="quiet">Nothing is different.</p>
  if (!may('operate')) return <p class="quiet">Saving takes the right "operate".</p>
  const hasErrors = findings.some(({ severity }) => severity === 'error')
  return (
    <button type="button" class="primary" disabled={isBusy} onClick={() => write(hasErrors)}>
      {hasErrors ? 'Save although there are errors' : 'Save'}: write {shown(file)}
    </button>
  )
}
