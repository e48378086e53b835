/**
 * Shows a payload as a tree. Beside each value stands the path by which filters and prompts name the value, as a link to the events with
 * the same value.
 */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { digitsOf } from '../../app/json-text.ts'
import { isObject, type Json } from '../../core/json.ts'
import { addressOf } from './router.ts'
import { shown } from './words.ts'

/** The number of members of a list or map that are shown at first, and that each press of the button adds. */
const step = 100

const typeOf = (value: Json): string => (Array.isArray(value) ? `list of ${value.length}` : `map of ${Object.keys(value as object).length}`)

/** Whether a path can have the name as it is. No filter can name a member with any other name (rules: Paths). */
const isPlain = (name: string): boolean => /^[^.{}[\]\s]+$/.test(name)

type Member = { readonly name: string; readonly value: Json; readonly path: string | undefined; readonly depth: number }

/** `root`: the first part of the paths, `payload`. */
export const PayloadTree = ({ value, root }: { readonly value: Json; readonly root: string }): JSX.Element => (
  <ul class="tree" aria-label="payload">
    <Node name={root} value={value} path={root} depth={0} />
  </ul>
)

const Node = ({ name, value, path, depth }: Member): JSX.Element => {
  const [isOpen, setOpen] = useState(depth < 2)
  const [count, setCount] = useState(step)
  if (typeof value !== 'object' || value === null) return <Leaf name={name} value={value} path={path} />
  // A payload may have a hundred thousand members, or as many levels, so only members of open lists and maps are drawn.
  const members = isOpen ? membersOf(value) : []
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="name">{shown(name)}</span> <span class="quiet">{typeOf(value)}</span>
        </summary>
        {isOpen && (
          <ul>
            {members.slice(0, count).map(([member, inner]) => (
              <Node
                key={member}
                name={member}
                value={inner}
                path={path !== undefined && isPlain(member) ? `${path}.${member}` : undefined}
                depth={depth + 1}
              />
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

const membersOf = (value: Json): readonly (readonly [string, Json])[] =>
  Array.isArray(value) ? value.map((inner, i) => [String(i), inner] as const) : isObject(value) ? Object.entries(value) : []

const Leaf = ({ name, value, path }: Omit<Member, 'depth'>): JSX.Element => {
  const digits = digitsOf(value)
  const text = digits ?? String(value)
  return (
    <li class="leaf">
      <span class="name">{shown(name)}</span> <code class="value">{shown(digits ?? JSON.stringify(value), 2_000)}</code>
      {path !== undefined && text.length <= 200 && (
        <a class="path" href={addressOf('/events', { field: `${path}=${text}` })} title="events with this value">
          {shown(path)}
        </a>
      )}
    </li>
  )
}
