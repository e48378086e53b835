/** The signature schemes that a configuration describes, and the mistakes in their descriptions. */

import type { Config } from '../config/config.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { describedScheme } from '../parts/schemes/described/described.ts'
import { problemsIn } from '../parts/schemes/described/description.ts'
import type { Scheme } from '../parts/schemes/scheme.ts'

/** Compiles the descriptions under `signature_schemes` to schemes by name. WH313 reports a mistake in a description, WH210 a key that nothing reads. */
export const ownSchemes = ({
  schemes: { named, place },
}: Pick<Config, 'schemes'>): { readonly schemes: ReadonlyMap<string, Scheme>; readonly diagnostics: readonly Diagnostic[] } => {
  const schemes = new Map<string, Scheme>()
  const diagnostics: Diagnostic[] = []
  for (const [name, description] of Object.entries(named)) {
    schemes.set(name, describedScheme(name, description))
    for (const { code, path, message, help } of problemsIn(description)) {
      const at = ['signature_schemes', name, ...path]
      diagnostics.push(
        diagnostic(code, `signature_schemes.${name}: ${message}`, {
          help,
          pointer: pointerOf(at),
          ...(place ? { place: place(at) } : {}),
        }),
      )
    }
  }
  return { schemes, diagnostics }
}
