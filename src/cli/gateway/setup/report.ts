/** Says in words what the setup did or would do. Secrets are not shown: only whether two secrets are the same. */

import { lineDiff } from '../../../app/line-diff.ts'
import type { SetupPlan } from '../../../app/setup/plan.ts'
import type { Present, SetupFile } from '../../../app/setup/present.ts'
import { fingerprint } from '../../../core/secrets/mask.ts'

const fileOrder: readonly SetupFile[] = ['env', 'config', 'schema']

/** Returns the lines of the files that would be written. */
export const preview = ({ changes, env }: SetupPlan): readonly string[] =>
  changes.flatMap(({ name, file, before, after }) => {
    if (name === 'schema') return [`${file}: the schema, for editors`]
    if (name === 'env')
      return [
        `${file} (0600):`,
        ...env.map(({ name, value, isSecret }) => `+ ${name}=${isSecret ? `**** (fingerprint ${fingerprint(value)})` : value}`),
      ]
    return [`${file}${before === undefined ? '' : ', changed'}:`, ...changedLines(before ?? '', after)]
  })

const changedLines = (before: string, after: string): readonly string[] =>
  lineDiff(before, after).flatMap(({ lines }) =>
    lines.flatMap(({ kind, text }) => (kind === 'same' ? [] : [`${kind === 'added' ? '+' : '-'} ${text}`])),
  )

/** Returns what was done, one line for each file. */
export const outcome = ({ changes, port, secret }: SetupPlan, { files }: Present): readonly string[] => {
  if (changes.length === 0) return ['no change']
  const did = (name: SetupFile): string => (changes.some((change) => change.name === name) ? 'wrote' : 'kept ')
  const about: { readonly [name in SetupFile]: string } = { env: ` (0600; port ${port}; secret ${secret})`, config: '', schema: '' }
  return fileOrder.map((name) => `${did(name)}    ${files[name]}${about[name]}`)
}
