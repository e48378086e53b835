/** Narrows the result of a check to one file. */

import type { Checked } from '../../plan/check.ts'

/** Returns what a check found in one file. */
export const onlyFile = (checked: Checked, path: string): Checked => ({
  ...checked,
  diagnostics: checked.diagnostics.filter(({ place }) => place?.file === path),
  routes: checked.routes.filter(({ file }) => file === path),
  files: 1,
  texts: new Map([...checked.texts].filter(([file]) => file === path)),
  sources: checked.sources.filter(({ route }) => route.included === path),
  jobs: [],
})
