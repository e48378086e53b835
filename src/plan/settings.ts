/** Reports keys under `platforms.<name>` that no target reads: most likely a slip. */

import type { Profile } from '../config/config.ts'
import { configSchema, schemaAt } from '../config/schema-walk.ts'
import { mistypedWord, wordFix } from '../config/word-fix.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { nearest, printable } from '../core/text.ts'
import { platformOf, settingNames } from '../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../parts/targets/target.ts'

/**
 * Warns of each key that no target reads in a profile's sections under `platforms`. `targets`: the built-in targets whose sections no
 * plugin's target reads, because such a section may have keys that only the plugin knows. Other sections are not checked.
 */
export const unreadSettings = ({ platforms, place }: Profile, targets: readonly TargetPart[]): Diagnostic[] =>
  Object.entries(platforms).flatMap(([platform, section]) => {
    const readers = targets.filter((part) => platformOf(part) === platform)
    if (readers.length === 0 || !isObject(section)) return []
    const { properties = {} } = schemaAt(configSchema, { platforms: platforms as JsonObject }, ['platforms', platform])
    const described = Object.keys(properties as JsonObject)
    const knownKeys = new Set([
      ...described,
      ...readers.flatMap((part) => (part.settings ?? []).flatMap((setting) => settingNames(setting, part))),
    ])
    return Object.keys(section).flatMap((key) => {
      if (knownKeys.has(key) || key.startsWith('x-')) return []
      const path = ['platforms', platform, key]
      const all = nearest(key, knownKeys)
      const [near] = all
      const at = place?.(path, 'key')
      const slip = mistypedWord(key, all, section)
      const fix = at && slip && wordFix(at, slip)
      return diagnostic('WH706', `nothing reads the setting "${printable(key, 60)}" of ${platform}`, {
        pointer: pointerOf(path),
        help: near === undefined ? `known here: ${described.join(', ')}` : `did you mean "${near}"?`,
        ...(near === undefined ? {} : { suggest: [near] }),
        ...(at ? { place: at } : {}),
        ...(fix ? { fix } : {}),
      })
    })
  })
