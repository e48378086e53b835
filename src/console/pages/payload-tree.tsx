/**
 * Shows a payload as a tree. Beside each value stands the path by which filters name the value, as a link to the events with the same
 * value.
 */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ExactNumber } from '../../core/exact-number.ts'
import { type ExactJson, isObject, own } from '../../core/json.ts'
import { pageAddress } from './router.ts'
import { shown } from './words.ts'

/** The number of members of a list or map that are shown at first, and that each press of the button adds. */
const step = 100

const typeOf = (value: ExactJson): string =>
  Array.isArray(value) ? `list of ${value.length}` : `map of ${Object.keys(value as object).length}`

/**
 * Whether a link can have the name in its path. Paths are split at dots, so no filter can name a member with a dot in it (rules: Filters
 * 3), and in the address the value follows the first `=`.
 */
const isPlain = (name: string): boolean => /^[^.=]+$/.test(name)

const root = 'payload'

/** The fields of filters that are not in the payload. */
const isOutside = (name: string): boolean => name === 'event' || name === 'event_type' || name === 'headers'

/** Returns the path of a member of the payload itself. Where the payload has a map `payload`, `payload.` begins in that map. */
const pathAtTop = (payload: ExactJson, name: string): string | undefined => {
  const isWrapped = isObject(payload) && isObject(own(payload, root) ?? null)
  if (!isWrapped) return `${root}.${name}`
  return isOutside(name) ? undefined : name
}

type Member = { readonly name: string; readonly value: ExactJson; readonly path: string | undefined; readonly depth: number }

export const PayloadTree = ({ value }: { readonly value: ExactJson }): JSX.Element => (
  <ul class="tree" aria-label="payload">
    <Node name={root} value={value} path={root} depth={0} />
  </ul>
)

const Node = ({ name, value, path, depth }: Member): JSX.Element => {
  const [isOpen, setOpen] = useState(depth < 2)
  const [count, setCount] = useState(step)
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return <Leaf name={name} value={value} path={path} />
  // A payload may have a hundred thousand members, or as many levels, so only members of open lists and maps are drawn.
  const members = isOpen ? membersOf(value) : []
  const pathOf = (member: string): string | undefined => {
    if (path === undefined || !isPlain(member)) return undefined
    return depth === 0 ? pathAtTop(value, member) : `${path}.${member}`
  }
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="name">{shown(name)}</span> <span class="quiet">{typeOf(value)}</span>
        </summary>
        {isOpen && (
          <ul>
            {members.slice(0, count).map(([member, inner]) => (
              <Node key={member} name={member} value={inner} path={pathOf(member)} depth={depth + 1} />
            ))}
            {members.length > count && (
              <li>
                <button type="button" onClick={() => setCount(count + step)}>
                  {members.length - count} more
                </button>
              </li>
            )}
          </ul>
        )}
      </details>
    </li>
  )
}

const membersOf = (value: ExactJson): readonly (readonly [string, ExactJson])[] =>
  Array.isArray(value) ? value.map((inner, i) => [String(i), inner] as const) : isObject(value) ? Object.entries(value) : []

const Leaf = ({ name, value, path }: Omit<Member, 'depth'>): JSX.Element => {
  const text = String(value)
  return (
    <li class="leaf">
      <span class="name">{shown(name)}</span>{' '}
      <code class="value">{shown(value instanceof ExactNumber ? text : JSON.stringify(value), 2_000)}</code>
      {path !== undefined && text.length <= 200 && (
        <a class="path" href={pageAddress('/events', { field: `${path}=${text}` })} title="events with this value">
          {shown(path)}
        </a>
      )}
    </li>
  )
}
