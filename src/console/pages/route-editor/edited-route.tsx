/** The pane of an edited route: its text, and beside the text the findings and what the route would do with a payload. */

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ask, may, type NoAnswer } from '../ask.ts'
import { asNoAnswer, Failure, useAsked } from '../parts.tsx'
import { shown, time } from '../words.ts'
import { FindingsList } from './findings.tsx'
import { useKnown } from './known.ts'
import { bestOf, PayloadChooser } from './payload-choice.tsx'
import { editedRoute, type Opened, type PreviewPayload, useKeptDraft, usePreview } from './route-state.ts'
import { SavePanel } from './save-panel.tsx'
import { usePaletteActions, useTextEditor } from './use-text-editor.ts'
import { Verdicts } from './verdicts.tsx'

type EditedRoutePaneProps = {
  readonly opened: Opened
  /** Reads the route again. `text`: the text with which the editor goes on; without it, the text of the answer. */
  readonly reopen: (text?: string) => void
  readonly saved: (notices: readonly string[]) => void
}

export const EditedRoutePane = ({ opened, reopen, saved }: EditedRoutePaneProps): JSX.Element => {
  const { name, source } = opened
  const [text, setText] = useState(opened.to)
  const [chosen, setChosen] = useState<PreviewPayload>()
  const [isSaving, setSaving] = useState(false)
  const [refused, setRefused] = useState<NoAnswer>()
  const edited = editedRoute(opened, text)
  const rows = useAsked(`${name} ${may('payloads')}`, async (signal) =>
    may('payloads') ? (await ask('payloads', { route: name }, signal)).payloads : [],
  )
  const payload = chosen ?? bestOf(rows.answer ?? [])
  const known = useKnown(edited, payload)
  const { preview, failure, isOld } = usePreview(edited, payload)
  const notKept = useKeptDraft(edited)
  const mayChange = may('operate')
  const save = (): void => setSaving(true)
  const { host, editor } = useTextEditor({
    label: `YAML of ${shown(name)}`,
    text: opened.to,
    isReadOnly: !mayChange,
    known: () => known.current,
    onChange(next) {
      setText(next)
      setSaving(false)
      setRefused(undefined)
    },
    onSave: save,
  })
  useEffect(() => {
    if (preview && !isOld) editor.current?.show(preview.findings)
  }, [preview, isOld, editor])
  const refuse = (error: unknown): void => setRefused(asNoAnswer(error))
  const fix = (title: string): void =>
    void ask('fixRoute', { ...edited, fix: title }).then((fixed) => editor.current?.replace(fixed.text), refuse)
  const drop = (): void => void ask('dropDraft', { name, source }).then(() => reopen(), refuse)
  const [first] = preview?.fixes ?? []
  usePaletteActions(
    mayChange
      ? {
          save,
          undo: () => editor.current?.undo(),
          redo: () => editor.current?.redo(),
          fix: first === undefined ? undefined : () => fix(first),
        }
      : {},
  )
  return (
    <>
      {opened.kept && <KeptNote kept={opened.kept} drop={mayChange ? drop : undefined} />}
      <div class="route-editor">
        <div>
          <div ref={host} data-typing />
          <p class="quiet">{mayChange ? keysHint : 'Changing the text takes the right "operate".'}</p>
          {notKept && <Failure failure={notKept} />}
          {refused && <Failure failure={refused} />}
          {mayChange && !isSaving && (
            <div class="actions">
              <button type="button" class="primary" onClick={save}>
                Save…
              </button>
              {text !== opened.from && (
                <button type="button" onClick={() => editor.current?.replace(opened.from)}>
                  Take all changes back
                </button>
              )}
            </div>
          )}
          {isSaving && (
            <SavePanel
              edited={edited}
              saved={saved}
              reopen={(keepsText) => (keepsText ? reopen(text) : drop())}
              close={() => setSaving(false)}
            />
          )}
        </div>
        <div aria-busy={isOld}>
          {failure && <Failure failure={failure} />}
          {preview && <FindingsList preview={preview} goTo={(place) => editor.current?.goTo(place)} fix={mayChange ? fix : undefined} />}
          {may('payloads') && rows.answer && <PayloadChooser rows={rows.answer} chosen={payload} choose={setChosen} />}
          {rows.failure && <Failure failure={rows.failure} again={rows.again} />}
          {preview && may('payloads') && <Verdicts preview={preview} />}
        </div>
      </div>
    </>
  )
}

const keysHint =
  'Ctrl-Space completes, Ctrl-Z takes back, Ctrl-S saves. Escape and then Tab leaves the text. Stars stand for a secret of the file.'

/** Shows that the text is a kept draft, and lets the user drop the draft. */
const KeptNote = ({
  kept: { at, note },
  drop,
}: {
  readonly kept: NonNullable<Opened['kept']>
  readonly drop: (() => void) | undefined
}): JSX.Element => (
  <p class="panel" role="status">
    These are changes that were left unsaved ({time(new Date(at).toISOString())}
    {note && `; ${shown(note)}`}).{' '}
    {drop && (
      <button type="button" onClick={drop}>
        Drop them
      </button>
    )}
  </p>
)
