/** The route editor: the text of a route, and beside it what the route would do. */

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../ask.ts'
import { Failure, Notices, useAsked } from '../parts.tsx'
import { may } from '../rights.ts'
import { currentAddress, go } from '../router.ts'
import { shown, time } from '../words.ts'
import type { Known } from './complete.ts'
import { Findings } from './findings.tsx'
import { bestOf, PayloadChoice } from './payload-choice.tsx'
import { type Choice, type EditedRoute, editedRoute, type Opened, useKeptDraft, usePreview } from './route-state.ts'
import { SavePanel } from './save-panel.tsx'
import { openTextEditor, type TextEditor } from './text-editor.ts'
import { Verdicts } from './verdicts.tsx'

/** What the address says of the route, besides its name. */
const askedRoute = (name: string) => {
  const { query } = currentAddress.value
  const source = query.get('source')
  const is_new = query.has('new')
  const [clone, like] = [query.get('clone'), query.get('like')]
  return {
    name,
    ...(source === 'config' || source === 'subscription' ? { source: source as Opened['source'] } : {}),
    ...(is_new ? { is_new } : {}),
    ...(clone ? { clone } : {}),
    ...(like ? { like } : {}),
  }
}

export const RouteEditorScreen = ({ name }: { readonly name: string }): JSX.Element => {
  const [notices, setNotices] = useState<readonly string[]>([])
  const of = askedRoute(name)
  const { answer, failure, isAsking, again } = useAsked(JSON.stringify(of), (signal) => ask('routeText', of, signal))
  /** The text that is edited on, where the file was changed by others. */
  const [text, setText] = useState<string>()
  const reopen = (edited?: string): void => {
    setText(edited)
    again()
  }
  if (failure) return <Failure failure={failure} again={again} />
  if (!answer || isAsking) return <p class="quiet">Reading…</p>
  const opened = text === undefined ? answer : { ...answer, to: text, kept: null }
  return (
    <section aria-labelledby="title">
      <header class="bar">
        <h1 id="title">
          {shown(name)}{' '}
          <span class="quiet">{opened.is_new ? 'a new route' : opened.source === 'subscription' ? 'a subscription' : ''}</span>
        </h1>
        <span class="quiet">{shown(opened.file)}</span>
      </header>
      <Notices notices={notices} />
      <EditedRoutePane
        key={`${opened.from}\n${opened.to}`}
        opened={opened}
        reopen={reopen}
        saved={(said) => {
          setNotices(said)
          if (opened.is_new) go(`/routes/${encodeURIComponent(name)}/edit`, true)
          reopen()
        }}
      />
    </section>
  )
}

type PaneProps = {
  readonly opened: Opened
  readonly reopen: (text?: string) => void
  readonly saved: (notices: readonly string[]) => void
}

const nothingKnown: Known = { schema: {}, names: { verify: [], events: [], deliver: [], profile: [], skills: [] }, values: [] }

/** Reads what completions offer, once for a route and for each payload. */
const useKnown = (edited: EditedRoute, payload: Choice | undefined): { readonly current: Known } => {
  const known = useRef<Known>(nothingKnown)
  const { name } = edited
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are read once for each route
  useEffect(() => {
    ask('routeNames', edited).then(
      ({ names, schema }) => {
        known.current = { ...known.current, names, schema }
      },
      () => {},
    )
  }, [name])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a payload is named by its two members
  useEffect(() => {
    if (payload)
      ask('payload', { route: name, payload }).then(
        ({ values }) => {
          known.current = { ...known.current, values }
        },
        () => {},
      )
  }, [name, payload?.from, payload?.id])
  return known
}

const EditedRoutePane = ({ opened, reopen, saved }: PaneProps): JSX.Element => {
  const [text, setText] = useState(opened.to)
  const [chosen, setChosen] = useState<Choice>()
  const [isSaving, setSaving] = useState(false)
  const edited = editedRoute(opened, text)
  const rows = useAsked(`${opened.name} ${may('payloads')}`, async (signal) =>
    may('payloads') ? (await ask('payloads', { route: opened.name }, signal)).payloads : [],
  )
  const payload = chosen ?? bestOf(rows.answer ?? [])
  const known = useKnown(edited, payload)
  const { preview, failure, isOld } = usePreview(edited, payload)
  const notKept = useKeptDraft(edited)
  const editor = useRef<TextEditor | undefined>(undefined)
  const host = useRef<HTMLDivElement>(null)
  const mayChange = may('operate')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is opened once
  useEffect(() => {
    if (!host.current) return
    const opening = openTextEditor(host.current, {
      label: `YAML of ${shown(opened.name)}`,
      text: opened.to,
      isReadOnly: !mayChange,
      known: () => known.current,
      onChange: (next) => {
        setText(next)
        setSaving(false)
      },
      onSave: () => setSaving(true),
    })
    editor.current = opening
    return () => opening.close()
  }, [])
  useEffect(() => {
    if (preview && !isOld) editor.current?.show(preview.findings)
  }, [preview, isOld])
  const fix = (title: string): void => {
    ask('fixRoute', { ...edited, fix: title }).then(
      (fixed) => editor.current?.replace(fixed.text),
      () => {},
    )
  }
  const drop = (): void => {
    ask('dropDraft', { name: opened.name, source: opened.source }).then(
      () => reopen(),
      () => {},
    )
  }
  return (
    <>
      {opened.kept && (
        <p class="panel" role="status">
          These are changes that were left unsaved ({time(new Date(opened.kept.at).toISOString())}
          {opened.kept.note && `; ${shown(opened.kept.note)}`}).{' '}
          {mayChange && (
            <button type="button" onClick={drop}>
              Drop them
            </button>
          )}
        </p>
      )}
      <div class="route-editor">
        <div>
          <div ref={host} data-typing />
          <p class="quiet">
            {mayChange
              ? 'Ctrl-Space completes, Ctrl-Z takes back, Ctrl-S saves. Escape and then Tab leaves the text. Stars stand for a secret of the file.'
              : 'Changing the text takes the right "operate".'}
          </p>
          {notKept && <Failure failure={notKept} />}
          {mayChange && !isSaving && (
            <div class="actions">
              <button type="button" class="primary" onClick={() => setSaving(true)}>
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
          {preview && <Findings preview={preview} goTo={(place) => editor.current?.goTo(place)} fix={mayChange ? fix : undefined} />}
          {may('payloads') && rows.answer && <PayloadChoice rows={rows.answer} chosen={payload} choose={setChosen} />}
          {rows.failure && <Failure failure={rows.failure} again={rows.again} />}
          {preview && may('payloads') && <Verdicts preview={preview} />}
        </div>
      </div>
    </>
  )
}
