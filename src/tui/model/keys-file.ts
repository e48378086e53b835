/** Reads the user's keys from `<data_dir>/keys.yaml`, which maps the name of an action to a key or a list of keys. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, type Json } from '../../core/json.ts'
import { nearest } from '../../core/text.ts'
import { actions, defaultKeymap, type Keymap } from '../../edit/actions.ts'

/**
 * Resolves to the default keys, with the keys of the file in their place; without a file, to the default keys. Rejects with a Fault that
 * names the line of a mistake: of YAML, of an unknown action, or of a text that is no key.
 */
export const readKeymap = async (dataDir: string): Promise<Keymap> => {
  const file = join(dataDir, 'keys.yaml')
  if (!existsSync(file)) return defaultKeymap
  // The YAML reader is loaded only if there is a file, because loading takes time.
  const { parseSource } = await import('../../config/yaml/source.ts')
  const { source, diagnostics } = parseSource(file, readText(file))
  const wrong = (line: number, message: string, suggest: readonly string[] = []): Fault =>
    new Fault('keys', `${file}:${line}: ${message}`, { exitCode: exit.no, suggest, hint: 'docs/terminal-editor.md lists the actions' })
  const [problem] = diagnostics
  if (!source || problem) throw wrong(problem?.place?.line ?? 1, problem?.message ?? 'it cannot be read')
  if (!isObject(source.data)) throw wrong(1, 'it is not a map of actions and keys')
  const changed = Object.entries(source.data).map(([name, written]) => {
    const { line } = source.place([name], 'key')
    if (!Object.hasOwn(actions, name)) throw wrong(line, `there is no action "${name}"`, nearest(name, Object.keys(actions)))
    const keys = keysWritten(written)
    if (!keys) throw wrong(line, `"${name}" needs a key, or a list of keys`)
    return [name, keys]
  })
  return { ...defaultKeymap, ...Object.fromEntries(changed) }
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw diskFault('read', file, error)
  }
}

const keysWritten = (written: Json): readonly string[] | undefined => {
  const keys = Array.isArray(written) ? written : [written]
  const isKey = (key: Json): key is string => typeof key === 'string' && /^(?:\^[a-z]|\S|[a-z+]{2,12})$/.test(key)
  return keys.length > 0 && keys.length <= 8 && keys.every(isKey) ? keys : undefined
}
