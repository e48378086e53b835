/** Changes settings in an existing `config.yaml`. A change that could do harm is left to the user. */

import { dump } from 'js-yaml'
import { editYaml } from '../config/yaml/edit/edit.ts'
import type { Path } from '../core/diagnostic.ts'
import type { Json } from '../core/json.ts'
import type { Write } from './question.ts'

/** Lines that the user must write into `config.yaml`, and the reason. */
export type ManualEdit = { readonly path: Path; readonly lines: string; readonly why: string }

type Setting = Extract<Write, { to: 'config' }>

/**
 * Returns the changed text, and the changes that are left to the user. Each setting is changed by itself, so that a setting that cannot be
 * changed does not keep the other settings from their change.
 */
export const editConfig = (
  before: string,
  settings: readonly Setting[],
): { readonly text: string; readonly byHand: readonly ManualEdit[] } => {
  const byHand: ManualEdit[] = []
  let text = before
  for (const { path, value } of settings) {
    const edited = editYaml(text, { kind: 'set', path, value })
    if (edited.ok) text = edited.text
    else byHand.push({ path, lines: settingYaml(path, value), why: edited.why })
  }
  return { text, byHand }
}

/** Returns the lines of a file that has only the setting. */
const settingYaml = (path: Path, value: Json): string =>
  dump(
    path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value),
    { lineWidth: -1, noRefs: true },
  )
