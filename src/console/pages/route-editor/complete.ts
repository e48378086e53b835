/**
 * Completes keys and values while the user types a route: from the schema, from the names that the configuration knows, and from the chosen
 * payload.
 */

import { type Completion, type CompletionContext, type CompletionResult, pickedCompletion } from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import { isObject, type JsonObject } from '../../../core/json.ts'
import { placeholderPath } from '../../../expr/placeholder.ts'
import type { ConsoleAnswers } from '../../answers/answers.ts'
import { shown } from '../words.ts'
import { type RouteSchema, schemaNodes } from './schema-nodes.ts'
import { type YamlPath, yamlPlaceAt } from './yaml-place.ts'

/** The sources of completions and explanations. */
export type EditorContext = {
  readonly schema: RouteSchema
  readonly names: ConsoleAnswers['routeNames']['names']
  /** The values of the chosen payload. */
  readonly values: ConsoleAnswers['payload']['values']
}

/** Makes the source of completions for the text editor. `known` is called at each completion. */
export const completeRoute =
  (known: () => EditorContext) =>
  ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const text = state.doc.toString()
    const { path, kind, typed, from } = yamlPlaceAt(text, pos)
    const placeholder = /\{([\w.[\]-]*)$/.exec(typed)
    if (kind === 'value' && placeholder && isTemplate(path))
      return { from: pos - (placeholder[1] ?? '').length, options: pathOptions(known(), '}'), validFor: /^[\w.[\]-]*$/ }
    const isBegun = typed.trim() !== ''
    if (!explicit && !isBegun && kind === 'key') return null
    if (!/^[\w.$/-]*$/.test(typed)) return null
    const options = kind === 'key' ? [...keyOptions(known(), path), ...valueOptions(known(), path)] : valueOptions(known(), path)
    return options.length > 0 ? { from, options, validFor: /^[\w.$/-]*$/ } : null
  }

/** Keys whose texts are no templates. */
const plainKeys: ReadonlySet<unknown> = new Set(['description', 'field', 'verify', 'events', 'secret', 'profile', 'agent', 'skills'])
const isTemplate = (path: YamlPath): boolean => path.length > 0 && path[0] !== 'filters' && !path.some((key) => plainKeys.has(key))

const keyOptions = ({ schema }: EditorContext, path: YamlPath): readonly Completion[] =>
  schemaNodes(schema, path).flatMap(({ properties }) =>
    isObject(properties)
      ? Object.entries(properties).map(([key, node]) => ({
          label: key,
          type: 'property',
          apply: `${key}: `,
          ...infoOf(isObject(node) ? descriptionOf(schema, path, key, node) : ''),
        }))
      : [],
  )

const descriptionOf = (schema: RouteSchema, path: YamlPath, key: string, node: JsonObject): string =>
  String(node.description ?? schemaNodes(schema, [...path, key]).find(({ description }) => description)?.description ?? '')

const infoOf = (info: string): { readonly info?: string } => (info === '' ? {} : { info })

const valueOptions = (known: EditorContext, path: YamlPath): readonly Completion[] => {
  const [first, ...others] = path
  const isName = others.length === 0 || others.every((key) => typeof key === 'number' || key === 'target' || key === 'use')
  const names = isName && typeof first === 'string' && first in known.names ? known.names[first as keyof EditorContext['names']] : []
  const nodes = schemaNodes(known.schema, path)
  return [
    ...names.map(({ name, detail }) => ({ label: name, type: 'constant', ...infoOf(shown(detail)) })),
    ...(nodes.some((node) => node['x-path'] === 'field') ? pathOptions(known, '') : []),
    ...nodes.flatMap((node) => enumOptions(node, names.length > 0)),
  ]
}

/**
 * Returns the values that the schema allows, as completions. `isNamed`: the values are offered as names already, each with a description.
 */
const enumOptions = ({ enum: values, enumDescriptions, type }: JsonObject, isNamed: boolean): readonly Completion[] => {
  if (Array.isArray(values) && !isNamed)
    return values.map((value, i) => ({
      label: String(value),
      type: 'enum',
      ...infoOf(Array.isArray(enumDescriptions) ? String(enumDescriptions[i] ?? '') : ''),
    }))
  return type === 'boolean' ? [true, false].map((value) => ({ label: String(value), type: 'keyword' })) : []
}

/**
 * Returns the paths of the chosen payload as completions. `end`: the text that must stand behind a completed path: `}` in a placeholder.
 */
const pathOptions = ({ values }: EditorContext, end: '' | '}'): readonly Completion[] =>
  values.flatMap(({ path, shown: value }) => {
    // A path that begins with a quote stands in double quotes in YAML.
    const label = end === '}' ? placeholderPath(path) : path.startsWith("'") ? JSON.stringify(path) : path
    return label === undefined ? [] : [{ label, type: 'variable', detail: shown(value, 40), apply: insertBefore(end) }]
  })

const insertBefore =
  (end: string) =>
  (view: EditorView, completion: Completion, from: number, to: number): void => {
    const behind = view.state.sliceDoc(to, to + end.length) === end ? to + end.length : to
    view.dispatch({
      changes: { from, to: behind, insert: completion.label + end },
      selection: { anchor: from + completion.label.length + end.length },
      annotations: pickedCompletion.of(completion),
    })
  }
