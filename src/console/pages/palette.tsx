/**
 * The palette, which Ctrl-K or ⌘K opens: the user types a part of a name, and the palette does an action of the screen, or goes to a
 * screen, to the events of a route or to an event.
 */

import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from './ask.ts'
import { go, pageAddress } from './router.ts'
import { shown } from './words.ts'

export type PalettePlace = { readonly name: string; readonly to: string }
/** An action that the present screen offers. */
export type ScreenAction = { readonly name: string; readonly run: () => void }
/** The actions of the present screen. The screen sets them. */
export const screenActions = signal<readonly ScreenAction[]>([])

/** An action of the screen, or a place. */
type Entry = PalettePlace | ScreenAction

const maxShown = 12

/** Returns the entries that a text may mean: those whose name has all words of the text, and the event whose id the text may be. */
const entriesFor = (text: string, entries: readonly Entry[]): readonly Entry[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = entries.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
  const id = /^[0-9a-f-]{6,36}$/i.test(text.trim())
    ? [{ name: `event ${text.trim()}`, to: `/events/${encodeURIComponent(text.trim())}` }]
    : []
  return [...found, ...id].slice(0, maxShown)
}

export const Palette = ({ screens }: { readonly screens: readonly PalettePlace[] }): JSX.Element => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [routes, setRoutes] = useState<readonly PalettePlace[]>([])
  const [chosen, setChosen] = useState(0)
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setText('')
      setChosen(0)
      dialog.current?.showModal()
      ask('routes', {}).then(
        (answer) =>
          setRoutes(answer.routes.map(({ name }) => ({ name: `events of ${name}`, to: pageAddress('/events', { route: name }) }))),
        () => {},
      )
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  const found = entriesFor(text, [...screenActions.value, ...screens, ...routes])
  const take = (entry: Entry | undefined): void => {
    dialog.current?.close()
    if (entry && 'run' in entry) entry.run()
    else if (entry) go(entry.to)
  }
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || found.length === 0) return
    event.preventDefault()
    setChosen((chosen + step + found.length) % found.length)
  }
  return (
    <dialog ref={dialog} class="palette" aria-label="go to">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault()
          take(found[chosen])
        }}
      >
        <input
          type="search"
          aria-label="screen, route or event"
          placeholder="screen, route, or id of an event"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={move}
        />
        <ul>
          {found.map((entry, i) => (
            <li key={entry.name}>
              <button type="button" aria-current={i === chosen ? 'true' : undefined} onClick={() => take(entry)}>
                {shown(entry.name)}
              </button>
            </li>
          ))}
        </ul>
      </form>
    </dialog>
  )
}
