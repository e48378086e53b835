/**
 * Says in words what `gateway setup` did or would do. A secret for `.env` is shown as its fingerprint; in the changed lines of
 * `config.yaml`, stars stand in place of secrets.
 */

import { lineDiff } from '../../../datadir/line-diff.ts'
import { maskSecret } from '../../../secrets/mask.ts'
import type { SetupPlan } from '../../../setup/plan.ts'
import type { Present, SetupFile } from '../../../setup/present.ts'

const fileOrder: readonly SetupFile[] = ['env', 'config', 'schema']

/** Returns the lines that say what would be written: for each file its path, and the lines that are added or removed. */
export const plannedLines = ({ changes, env }: SetupPlan): readonly string[] =>
  changes.flatMap(({ name, file, before, after }) => {
    if (name === 'schema') return [`${file}: the schema, for editors`]
    if (name === 'env')
      return [`${file} (0600):`, ...env.map(({ name, value, isSecret }) => `+ ${name}=${isSecret ? maskSecret(value) : value}`)]
    return [`${file}${before === undefined ? '' : ', changed'}:`, ...changedLines(before ?? '', after)]
  })

const changedLines = (before: string, after: string): readonly string[] =>
  lineDiff(before, after).flatMap(({ lines }) =>
    lines.flatMap(({ kind, text }) => (kind === 'same' ? [] : [`${kind === 'added' ? '+' : '-'} ${text}`])),
  )

/** Returns what was done, one line for each file. */
export const doneLines = ({ changes, port, secret }: SetupPlan, { files }: Present): readonly string[] => {
  if (changes.length === 0) return ['no change']
  const did = (name: SetupFile): string => (changes.some((change) => change.name === name) ? 'wrote' : 'kept ')
  const about: { readonly [name in SetupFile]: string } = { env: ` (0600; port ${port}; secret ${secret})`, config: '', schema: '' }
  return fileOrder.map((name) => `${did(name)}    ${files[name]}${about[name]}`)
}
