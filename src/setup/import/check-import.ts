/** Checks imported routes with the loader and compiler of the server, and takes out what loader or compiler refuses. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Validated, validate } from '../../check/validate/validate.ts'
import type { Diagnostic, Path } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { EnvLine } from './env-lines.ts'
import type { Imported, ImportedRoute, LeftOut } from './imported.ts'

/** The most rounds of a check. Each round takes out all that is refused, and the next round finds what depended on the removed keys. */
const maxRounds = 20

/** The codes of findings about secrets. Such a finding takes nothing out, because only the user can mend a secret. */
const secretCodes: ReadonlySet<string> = new Set(['WH201', 'WH205', 'WH305', 'WH307', 'WH309'])

/** Keys that can be taken out without the route accepting more requests. */
const harmlessKeys: ReadonlySet<string> = new Set([
  'skills',
  'toolsets',
  'mirror_to_session',
  'session',
  'description',
  'deliver',
  'deliver_extra',
])

/** The import without what is refused, its text, and the findings about this text. */
export type CheckedImport = { readonly imported: Imported; readonly text: string; readonly findings: Validated }

/**
 * Checks an import, round by round, until nothing more can be taken out, or for 20 rounds. Findings that only the user can mend, such as
 * those about secrets, stay. `render` makes the text to check. The findings name the file as `shownAs`.
 */
export const checkImport = async (
  workspace: Workspace,
  first: Imported,
  render: (imported: Imported) => string,
  shownAs: string,
): Promise<CheckedImport> => {
  let imported = first
  for (let round = 1; ; round++) {
    const text = render(imported)
    const findings = await validateText(workspace, text, first.env, shownAs)
    const next = round < maxRounds ? withoutRefused(imported, findings.diagnostics) : undefined
    if (!next) return { imported, text, findings }
    imported = next
  }
}

const validateText = async (workspace: Workspace, text: string, lines: readonly EnvLine[], shownAs: string): Promise<Validated> => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-import-'))
  const file = join(folder, 'config.yaml')
  try {
    writeFileSync(file, text, { mode: 0o600 })
    // The value of some variables is known to the user alone. The check needs a value, so these variables get one here.
    const values = Object.fromEntries(lines.map(({ name, value = 'not known here' }) => [name, value]))
    const found = await validate({ ...workspace, env: { ...workspace.env, ...values } }, { paths: [file], asked: false })
    const texts = new Map([...found.texts].map(([name, each]) => [name === file ? shownAs : name, each]))
    const diagnostics = found.diagnostics.map((each) =>
      each.place?.file === file ? { ...each, place: { ...each.place, file: shownAs } } : each,
    )
    return { ...found, diagnostics, texts }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type RefusedRoute = { readonly path: Path; readonly diagnostic: Diagnostic }

/** Returns the import without the refused keys and routes; `undefined` when nothing is refused. */
const withoutRefused = (imported: Imported, diagnostics: readonly Diagnostic[]): Imported | undefined => {
  const refused = diagnostics.flatMap((diagnostic): RefusedRoute[] => {
    const path = pathBelowExtra(diagnostic.pointer)
    return diagnostic.stopsStart && !secretCodes.has(diagnostic.code) && path ? [{ path, diagnostic }] : []
  })
  const leftOut: LeftOut[] = []
  const routes = imported.routes.flatMap((route): ImportedRoute[] => {
    const found = refused.filter(({ path }) => path[0] === 'routes' && path[1] === route.name)
    leftOut.push(...found.map((each) => leftOutOf(route, each)))
    if (found.some(({ path }) => path.length === 2)) return []
    return [found.length > 0 ? { ...route, spec: withoutKeys(route.spec, found) } : route]
  })
  return leftOut.length > 0 ? { ...imported, routes, leftOut: [...imported.leftOut, ...withoutRepeats(leftOut)] } : undefined
}

/**
 * Returns the path of a finding below `platforms.webhook.extra`, where `renderConfig` writes the routes; `undefined` for any other finding,
 * which takes nothing out.
 */
const pathBelowExtra = (pointer: string): Path | undefined => {
  const inside = /^\/platforms\/webhook\/(?:extra\/)?(.+)/.exec(pointer)?.[1]
  return inside?.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const refusedKey = ({ path }: RefusedRoute): Path =>
  path[2] === 'filters' && path[3] !== undefined ? ['filters', Number(path[3])] : path.slice(2, 3)

const leftOutOf = (route: ImportedRoute, each: RefusedRoute): LeftOut => {
  const { code, message, help } = each.diagnostic
  const keys = refusedKey(each)
  return {
    place: route.at(keys),
    route: route.name,
    what: keys.join('.'),
    reason: `${message} (${code})`,
    todo: help ?? 'see docs/reference.md',
    acceptsMore: code !== 'WH101' && !harmlessKeys.has(String(keys[0])),
  }
}

const withoutKeys = (spec: JsonObject, refused: readonly RefusedRoute[]): JsonObject => {
  const gone = new Set(refused.map((each) => refusedKey(each).join('.')))
  const kept = Object.entries(spec).filter(([key]) => !gone.has(key))
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      key === 'filters' && Array.isArray(value) ? value.filter((_, i) => !gone.has(`filters.${i}`)) : value,
    ]),
  )
}

const withoutRepeats = (found: readonly LeftOut[]): LeftOut[] =>
  found.filter((each, i) => found.findIndex(({ route, what }) => route === each.route && what === each.what) === i)
