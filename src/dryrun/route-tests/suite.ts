/** Finds and reads tests: in files of tests, and under `tests` of routes in a configuration. */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { RouteSource } from '../../config/config.ts'
import { type FileKind, otherKind, textToShow, toldOf } from '../../config/file-kind.ts'
import { leadsOut } from '../../config/include/find-files.ts'
import { includedFiles } from '../../config/include/included-files.ts'
import { isRoutesFile } from '../../config/include/read-included.ts'
import { definition } from '../../config/schema-walk.ts'
import { checkShape } from '../../config/shape.ts'
import { readSource, type Source } from '../../config/yaml/source.ts'
import { type Diagnostic, diagnostic, type Path, pointerOf, type SourceRange } from '../../core/diagnostic.ts'
import { usage } from '../../core/fault.ts'
import type { Json } from '../../core/json.ts'
import { testFileForm } from '../../core/names.ts'
import { nearest } from '../../core/text.ts'
import { filesBelow } from '../../datadir/files-below.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { RouteTest, RouteTests } from '../../generated/config.ts'
import { checkTests } from '../../generated/validators.js'
import { withSecret } from '../trace/dry-plan.ts'
import { configBeside, createTestSetups, isSubscriptions, subscriptionsBeside, type TestSetup, type TestSetups } from './test-setup.ts'

/**
 * A test that can run. `source`: the route that gets its events. `place`: where the name of the test stands. `runScripts`: whether the real
 * script of the route runs.
 */
export type TestCase = {
  readonly spec: RouteTest
  readonly source: RouteSource
  readonly setup: TestSetup
  readonly place: SourceRange
  readonly runScripts: boolean
}

/** The tests of one file. */
export type Suite = {
  readonly file: string
  readonly cases: readonly TestCase[]
  /** The Diagnostics of the file. A test with a mistake is not among the cases. */
  readonly diagnostics: readonly Diagnostic[]
  /** The text of the file under its path, for the display of findings. */
  readonly texts: ReadonlyMap<string, string>
}

const testSearch = { depth: 6, isWanted: (name: string) => testFileForm.test(name), without: new Set(['node_modules', 'state', '.git']) }

/** Reads tests. `paths`: files of tests, configurations and folders; empty: the data directory. Throws a usage Fault for a missing path. */
export const readSuites = async (workspace: Workspace, paths: readonly string[]): Promise<readonly Suite[]> => {
  const setups = createTestSetups(workspace)
  const suites: Suite[] = []
  const read = paths.length > 0 ? paths.flatMap((path) => testedAt(path, setups.home)) : testedIn(workspace.dataDir)
  for (const each of read) {
    suites.push(isTestFile(each.file) ? await readTestFile(each.file, setups) : await readRouteTests(each, setups))
  }
  return suites
}

/** A file of tests, or a file with routes and the configuration that it belongs to. */
type TestedFile = { readonly file: string; readonly config: string }

/**
 * Returns the files with tests that a path names. `home`: the configuration that a file of routes belongs to where the path names that file
 * alone.
 */
const testedAt = (path: string, home: string): readonly TestedFile[] => {
  const file = resolve(path)
  if (!existsSync(file)) throw usage(`no such path: ${path}`)
  if (statSync(file).isDirectory()) return testedIn(file)
  if (isSubscriptions(file)) return [{ file, config: configBeside(file) }]
  return [{ file, config: !isTestFile(file) && isRoutesFile(file) ? home : file }]
}

/** Returns the files of tests in a folder and below, each folder sorted by name; none where there is no such folder. */
export const testFilesIn = (folder: string): readonly string[] =>
  existsSync(folder) && statSync(folder).isDirectory() ? filesBelow(folder, testSearch) : []

/**
 * Returns the files of a folder's configuration and its subscriptions, where they exist, and the files of tests in the folder and below.
 */
const testedIn = (folder: string): readonly TestedFile[] => {
  const config = join(folder, 'config.yaml')
  const files = [config, ...includedFiles(config).files, subscriptionsBeside(config)].filter((file) => existsSync(file))
  return [...files, ...testFilesIn(folder)].map((file) => ({ file, config }))
}

/** Whether the path names a file of tests, such as `github.webhook-test.yaml`. */
export const isTestFile = (file: string): boolean => testFileForm.test(basename(file))

const topOfFile = (file: string): SourceRange => ({ file, line: 1, column: 1, endLine: 1, endColumn: 1 })

const testFile: FileKind = { called: 'file of tests', check: checkTests, schema: definition('RouteTests'), routePointer: /$^/ }

/**
 * Returns the finding for a file of tests that is a link out of its folder and of the configuration's folder: no text of the file is shown.
 */
const linkOut = (file: string, { home }: TestSetups): Diagnostic | undefined => {
  const roots = [dirname(file), dirname(home)].filter((folder) => existsSync(folder))
  const isOut = leadsOut(
    file,
    roots.map((folder) => realpathSync(folder)),
  )
  const help = 'put the file itself there'
  return isOut ? diagnostic('WH014', `${file} is a link to no file in ${dirname(file)}`, { place: topOfFile(file), help }) : undefined
}

const readTestFile = async (file: string, setups: TestSetups): Promise<Suite> => {
  const out = linkOut(file, setups)
  if (out) return { file, cases: [], diagnostics: [startsAnyway(out)], texts: new Map([[file, '']]) }
  const reading = readSource(file)
  const { source, text } = reading
  const texts = new Map(text === undefined ? [] : [[file, textToShow(testFile, reading)]])
  const other = source && otherKind(testFile, source)
  const diagnostics = other ? [other] : toldOf(testFile, reading)
  if (!source || diagnostics.length > 0) return { file, cases: [], diagnostics: diagnostics.map(startsAnyway), texts }
  const shape = checkShape(checkTests, definition('RouteTests'), source.data, source)
  if (shape.length > 0) return { file, cases: [], diagnostics: shape.map(startsAnyway), texts }
  const { routes, run_scripts: runScripts = false, tests } = source.data as unknown as RouteTests
  const configFile = routes === undefined ? setups.home : resolve(dirname(file), routes)
  if (!existsSync(configFile) && !(routes === undefined && existsSync(subscriptionsBeside(configFile)))) {
    const place = routes === undefined ? topOfFile(file) : source.place(['routes'])
    const missing = diagnostic('WH003', `there is no ${configFile}`, {
      place,
      pointer: '/routes',
      help: 'name the configuration in "routes"',
    })
    return { file, cases: [], diagnostics: [startsAnyway(missing)], texts }
  }
  const setup = await setups.of(configFile)
  const read = tests.map((spec, i) => caseOf(spec, ['tests', i], { source, setup, runScripts }))
  return {
    file,
    cases: read.flatMap((each) => ('spec' in each ? each : [])),
    diagnostics: read.flatMap((each) => ('spec' in each ? [] : each)),
    texts,
  }
}

type TestFileContext = { readonly source: Source; readonly setup: TestSetup; readonly runScripts: boolean }

/** Returns the test as a case, or a Diagnostic where its route is missing, unknown or not valid. */
const caseOf = (spec: RouteTest, base: Path, { source, setup, runScripts }: TestFileContext): TestCase | Diagnostic => {
  const place = source.place([...base, 'name'])
  if (spec.route === undefined) {
    return testProblem('WH104', '"route" is missing', [...base, 'name'], source, 'name the route that gets the events')
  }
  const found = setup.routes.get(spec.route)
  if (found) return { spec, source: withSecret(found), setup, place, runScripts }
  const at: Path = [...base, 'route']
  if (setup.invalid.has(spec.route))
    return testProblem('WH103', `the route "${spec.route}" is not valid as it is now`, at, source, 'headgate validate')
  const near = nearest(spec.route, setup.routes.keys())
  const [unread] = setup.unread
  const help = unread ? unread.message : near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'headgate webhook list --all'
  return testProblem('WH103', `there is no route "${spec.route}"`, at, source, help)
}

const testProblem = (code: 'WH103' | 'WH104', message: string, path: Path, source: Source, help: string): Diagnostic =>
  startsAnyway(diagnostic(code, message, { place: source.place(path), pointer: pointerOf(path), help }))

/** Returns the Diagnostic as one that does not stop the start of a gateway: no mistake in a test may do that. */
const startsAnyway = (each: Diagnostic): Diagnostic => ({ ...each, stopsStart: false })

/** Returns the mistakes of shape in the tests that stand beside a route. */
export const checkRouteTests = (source: RouteSource): readonly Diagnostic[] => {
  const { tests } = source.spec
  if (tests === undefined) return []
  const shape = checkShape(checkTests, definition('RouteTests'), { tests } as unknown as Json, { place: placeBelow(source) }, source.base)
  return shape.map((each) => startsAnyway({ ...each, route: source.name }))
}

/** Returns a function that finds places in the route's file, for paths that begin with the base of the route. */
const placeBelow =
  ({ base, place }: RouteSource): Source['place'] =>
  (path, of) =>
    place([...base, ...path.slice(base.length)], of)

/** Reads the tests that stand beside their routes, in a file of a configuration or in the subscriptions file. */
const readRouteTests = async ({ file, config }: TestedFile, setups: TestSetups): Promise<Suite> => {
  const setup = await setups.of(config)
  const text = setup.texts.get(file) ?? readSource(file).text
  const findings = setup.unread.filter(({ place }) => place === undefined || place.file === file)
  const cases: TestCase[] = []
  for (const source of setup.routes.values()) {
    if (source.place(source.base).file !== file) continue
    const shape = checkRouteTests(source)
    findings.push(...shape)
    if (shape.length > 0) continue
    const place = (i: number): SourceRange => source.place([...source.base, 'tests', i, 'name'])
    const tests = source.spec.tests ?? []
    cases.push(...tests.map((spec, i) => ({ spec, source: withSecret(source), setup, place: place(i), runScripts: false })))
  }
  findings.push(...[...setup.invalid.values()].filter((each) => each.place(each.base).file === file).flatMap(testsLeftOut))
  return { file, cases, diagnostics: findings, texts: new Map(text === undefined ? [] : [[file, text]]) }
}

/** Says that the tests beside a route do not run because the route is not valid; nothing where it has none. */
const testsLeftOut = (source: RouteSource): readonly Diagnostic[] => {
  const { name: route, base, spec } = source
  if (spec.tests === undefined) return []
  const path = [...base, 'tests']
  const found = { place: source.place(path, 'key'), pointer: pointerOf(path), route, help: 'headgate validate says what is wrong with it' }
  return [startsAnyway(diagnostic('WH103', `the tests of the route "${route}" do not run: the route is not valid as it is now`, found))]
}
