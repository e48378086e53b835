/** Reads the files of routes that a `config.yaml` includes. */

import { realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Diagnostic, diagnostic, type SourceRange } from '../../core/diagnostic.ts'
import { codeOf, messageOf } from '../../core/fault.ts'
import { isObject, type Json } from '../../core/json.ts'
import { checkRoutesFile } from '../../generated/validators.js'
import { maxFileBytes, namesDigest } from '../file-digests.ts'
import type { FileKind } from '../file-kind.ts'
import { type CheckedData, checkedData, checkedRest, type FileReadings, takeReading } from '../files.ts'
import { definition } from '../schema-walk.ts'
import type { References } from '../secrets/reference.ts'
import { isBroken } from '../shape.ts'
import { type GivenTexts, readSource, type Source, type SourceReading } from '../yaml/source.ts'
import { filesMatching, isPattern, leadsOut, maxFiles } from './find-files.ts'
import { type RoutesPart, routesPart } from './routes-part.ts'

const routesFile: FileKind = {
  called: 'map of routes',
  check: checkRoutesFile,
  schema: definition('RoutesFile'),
  routePointer: /^\/routes\/([^/]+)/,
  // An empty value under `routes` counts as routes: nothing in it could be a secret of another file.
  hasContent: ({ routes = null }) => routes === null || (isObject(routes) && holdsMaps(Object.values(routes))),
}

const holdsMaps = (members: readonly Json[]): boolean => members.length === 0 || members.some(isObject)

export type IncludeOptions = {
  /** The file whose `include` and `include_links_to` count, as it was read. `bad`: the pointers of its broken values. */
  readonly main: {
    readonly source?: Source | undefined
    readonly bad: ReadonlySet<string>
    readonly data: { readonly include?: unknown; readonly include_links_to?: unknown }
  }
  readonly from: References
  /** Texts to read in place of those of files. */
  readonly texts?: GivenTexts | undefined
  /** The path of a further file to include, before the others. */
  readonly also?: string | undefined
}

/** A file to read. `place`: where `include` names it. */
type NamedFile = { readonly file: string; readonly place?: SourceRange | undefined }

/**
 * Reads the included files in the order of the paths under `include`, and the files of one pattern by name. A file that is named twice is
 * read once. WH012 reports a pattern without a file, WH003 what cannot be read or is too much, WH014 a link out of the folder of `main`.
 */
export const readIncluded = ({ main, from, texts, also }: IncludeOptions, into: FileReadings): RoutesPart[] => {
  const refuse = (message: string, place: SourceRange | undefined, help: string): [] => {
    into.diagnostics.push(diagnostic('WH003', message, { ...(place ? { place } : {}), help }))
    return []
  }
  const named = onceEach([...(also === undefined ? [] : [{ file: also }]), ...namedFiles(main, into)], main.source?.file)
  const fewer = 'put several routes into one file'
  if (named.length > maxFiles) return refuse(`more than ${maxFiles} files are included: none was read`, named.at(-1)?.place, fewer)
  const parts: RoutesPart[] = []
  let size = 0
  for (const each of named) {
    const reading = readNamed(each, texts)
    const { source, rest, text } = reading
    takeReading(each.file, routesFile, reading, into)
    size += text?.length ?? 0
    if (size > maxFileBytes) return refuse(`the included files have more than ${maxFileBytes} bytes`, each.place, 'include fewer files')
    const checked = source ? { ...checkedData(source, routesFile, from, into), source } : checkedRest(rest, routesFile, () => from, into)
    if (checked) parts.push(partOf(checked))
  }
  return parts
}

const partOf = ({ source, data, bad, found }: CheckedData & { readonly source: Source }): RoutesPart => {
  const raw = isObject(source.data) && isObject(source.data.routes) ? source.data.routes : {}
  return routesPart(data.routes, { raw, place: source.place, base: ['routes'], bad, found, included: source.file })
}

/** Returns the files that `include` names. The digest of a pattern is a digest of the names that it finds. */
const namedFiles = (
  { source, bad, data: { include, include_links_to: linksTo } }: IncludeOptions['main'],
  into: FileReadings,
): NamedFile[] => {
  if (!source || !Array.isArray(include)) return []
  const folder = dirname(source.file)
  const roots = [folder, ...(Array.isArray(linksTo) ? linksTo : [])].flatMap((each) => (typeof each === 'string' ? realPath(each) : []))
  return include.flatMap((written: unknown, i): NamedFile[] => {
    if (typeof written !== 'string' || isBroken(['include', i], bad)) return []
    const place = source.place(['include', i])
    const path = resolve(folder, written)
    const report = (code: 'WH003' | 'WH012' | 'WH014', message: string, help: string): NamedFile[] => {
      into.diagnostics.push(diagnostic(code, message, { place, pointer: `/include/${i}`, help }))
      return []
    }
    const inside = (file: string): NamedFile[] => {
      const link = [dirname(file), file].find((each) => leadsOut(each, roots))
      return link === undefined ? [{ file, place }] : report('WH014', `${link} is a link to no file in ${folder}`, linkHelp)
    }
    if (!isPattern(path)) return inside(path)
    // A pattern whose folder is a link out of the roots finds nothing: even the names of files there are not shown.
    if (leadsOut(dirname(path), roots)) return report('WH014', `${dirname(path)} is a link to no folder in ${folder}`, linkHelp)
    try {
      const files = filesMatching(path)
      into.digests.set(path, namesDigest(files))
      if (files.length === 0) return report('WH012', `${written} finds no file`, 'a name must end in .yaml, .yml or .json')
      return files.flatMap(inside)
    } catch (error) {
      return report('WH003', `cannot read ${dirname(path)}: ${messageOf(error)}`, 'check its permissions')
    }
  })
}

const linkHelp = 'put the files themselves there, or name the folder that the link leads to under include_links_to'

/** Leaves out each file that was named before, under whichever name, and the file that includes them. */
const onceEach = (named: readonly NamedFile[], main: string | undefined): NamedFile[] => {
  const seen = new Set(main === undefined ? [] : [realPath(main)])
  return named.filter(({ file }) => {
    const real = realPath(file)
    const isNew = !seen.has(real)
    seen.add(real)
    return isNew
  })
}

/** Returns the path without links; for a file that is not there the path itself. */
const realPath = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

const readNamed = ({ file, place }: NamedFile, texts: GivenTexts | undefined): SourceReading => {
  const given = texts?.get(file)
  const problem = given === undefined ? whyUnreadable(file) : undefined
  const refused = ([message, help]: readonly [string, string]): { readonly diagnostics: Diagnostic[] } => ({
    diagnostics: [diagnostic('WH003', message, { ...(place ? { place } : {}), help })],
  })
  if (problem) return refused(problem)
  const reading = readSource(file, given)
  const isGone = reading.text === undefined && reading.diagnostics.length === 0
  return isGone ? refused(missing(file)) : reading
}

const missing = (file: string): readonly [string, string] => [`${file} does not exist`, 'mend the path under include, or remove it']

/** Returns why a file must not be read, and the way out. Reading a pipe that nobody writes to would last for ever. */
const whyUnreadable = (file: string): readonly [message: string, help: string] | undefined => {
  try {
    const stat = statSync(file)
    if (stat.isFile()) return undefined
    if (stat.isDirectory()) return [`${file} is a folder`, 'to include its files, put /*.yaml behind it']
    return [`${file} is no regular file`, 'put a regular file in its place']
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return missing(file)
    return [`cannot read ${file}: ${messageOf(error)}`, 'check its path and permissions']
  }
}

/** Whether a file that can be read has routes at its top, as an included file has, and not the sections of a `config.yaml`. */
export const isRoutesFile = (file: string): boolean => {
  if (whyUnreadable(file)) return false
  const data = readSource(file).source?.data
  return isObject(data) && Object.hasOwn(data, 'routes') && !Object.hasOwn(data, 'platforms')
}
