/** Changes settings in a `config.yaml` that is there. What cannot be changed without harm is left to the user. */

import { dump } from 'js-yaml'
import { editYaml } from '../../config/yaml/edit/edit.ts'
import type { Path } from '../../core/diagnostic.ts'
import type { Json } from '../../core/json.ts'
import type { Write } from './question.ts'

/** Lines for `config.yaml` that the user must write, and why. */
export type ByHand = { readonly path: Path; readonly lines: string; readonly why: string }

type Setting = Extract<Write, { to: 'config' }>

/** Changes each setting by itself, so that a setting that cannot be changed keeps no other from its change. */
export const editConfig = (before: string, settings: readonly Setting[]): { readonly text: string; readonly byHand: readonly ByHand[] } => {
  const byHand: ByHand[] = []
  let text = before
  for (const { path, value } of settings) {
    const edited = editYaml(text, { kind: 'set', path, value })
    if (edited.ok) text = edited.text
    else byHand.push({ path, lines: linesOf(path, value), why: edited.why })
  }
  return { text, byHand }
}

/** The setting as it stands in a file that has nothing else. */
const linesOf = (path: Path, value: Json): string =>
  dump(
    path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value),
    { lineWidth: -1, noRefs: true },
  )
