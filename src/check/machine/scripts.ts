/** Checks whether the interpreters of scripts can read the scripts. No script is run. */

import { join } from 'node:path'
import { type Config, defaultProfile, type RouteSource } from '../../config/config.ts'
import { pointerOf } from '../../core/diagnostic.ts'
import { type Check, fail, ok } from '../../datadir/check.ts'
import { searchPathOf } from '../../process/find-program.ts'
import { checkSyntax } from '../../process/script.ts'

/**
 * Returns a check for each script that routes name. A script gets no check here where it is missing or must not run, or its interpreter is
 * missing or takes too long.
 */
export const checkScripts = async (routes: readonly RouteSource[], config: Config): Promise<readonly Check[]> => {
  const env = config.profiles.get(defaultProfile)?.env ?? {}
  const checks: Check[] = []
  const seen = new Set<string>()
  for (const route of routes) {
    const { script } = route.spec
    const folder = join(config.profiles.get(route.profile)?.dir ?? config.dataDir, 'scripts')
    if (script === undefined || seen.has(join(folder, script))) continue
    seen.add(join(folder, script))
    const syntax = await checkSyntax(folder, script, { ...env, PATH: searchPathOf(env) })
    if (syntax) checks.push(checkOf(script, route, syntax))
  }
  return checks
}

const checkOf = (script: string, { name: route, base, place }: RouteSource, { wrong }: { readonly wrong?: string }): Check => {
  const name = `script ${script}`
  if (wrong === undefined) return ok(name, 'its interpreter can read it')
  const path = [...base, 'script']
  const message = `the script ${JSON.stringify(script)} cannot be read: ${wrong}`
  return fail(name, message, 'mend it: until then every event of its routes is ignored', {
    code: 'WH604',
    route,
    pointer: pointerOf(path),
    place: place(path),
  })
}
