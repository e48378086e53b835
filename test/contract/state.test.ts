/** No module keeps state of its own: what changes belongs to a gateway, a configuration or a call, and ends with it. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../src', import.meta.url))

/** The variables that may hold state, each with the reason. */
const allowed: { readonly [place: string]: string } = {
  'datadir/mask-lines/guess-secrets.ts boundedValue': 'a pattern, whose place is set before each use',
  'process/start-thread.ts fromSources': 'the bundle of a thread, made from sources only',
  'console/pages/ask.ts hasSignedOut': 'whether the user of a page has signed out',
  'console/pages/ask.ts isSignedIn': 'whether a browser is signed in, in its page',
  'console/pages/bulk.tsx jobs': 'the bulk jobs as a page looked at them last, at most 20',
  'console/pages/live/live.tsx list': 'what a page has seen arrive, at most 200 rows',
  'console/pages/router.ts currentAddress': 'the address of a page',
  'config/schema-walk.ts patterns': 'made from patterns of schemas alone: the bundled one, and those of plugins, which Node keeps as well',
  'config/schema-walk.ts keywordAnswers': 'answers about nodes of schemas, gone with their nodes',
  'config/thread/thread.ts sources': 'a thread that ends with its one configuration',
  'core/exact-json.ts exactByCopy': 'the exact list or map of a copy, gone with the copy',
  'core/exact-json.ts looseReadings': 'a reading of an event for JSONata, gone with the event',
  'core/exact-json.ts readings': 'a second reading of an event, gone with the event',
  'core/written-digits.ts digitsIn': 'how numbers in a file are written, gone with the values of the file',
  'expr/jsonata/jsonata.ts builtIns': 'functions of the library that are guarded in place, once',
  'expr/jsonata/jsonata.ts library': 'the library, which Node keeps as well',
  'expr/jsonata/operators.ts charges': 'what is looked at in a syntax tree, gone with its nodes',
  'expr/named-lists.ts open': 'the lists of a few data directories as their files had them, read again after a change',
  'expr/path-parts.ts quotedPart': 'a pattern, whose place is set before each use',
  'expr/path.ts getters': 'at most 1,000 functions made from their paths alone',
  'expr/regex/linear-regexp.ts compiled': 'the engine of a literal, gone with the literal',
  'expr/regex/literals.ts plainText': 'a pattern, whose place is set before each use',
  'expr/expression-input.ts inputsByEvent': 'what an expression sees of an event, gone with the event',
  'expr/turn.ts stepsLeft': 'the steps of walks in the turn of that loop',
  'expr/turn.ts turnBegan': 'the turn of the event loop, of which a thread has one',
  'expr/turn.ts waiting': 'who waits for a turn of that loop',
  'parts/body/xml/read-xml.ts library': 'the library, which Node keeps as well',
  'parts/body/multipart/header-value.ts firstWord': 'a pattern, whose place is set before each use',
  'parts/body/multipart/header-value.ts parameter': 'a pattern, whose place is set before each use',
  'parts/stages/json.ts collectedHeaders': 'made from a list of schemes, gone with the list',
  'parts/schemes/described/algorithm.ts longText': 'a long text while it is checked, wiped after each',
  'parts/schemes/described/algorithm.ts checksInPool': 'who waits for that buffer, and for a thread of the process',
  'node-internals/hmac-key.ts inner': 'what a hash is taken of, wiped after each',
  'node-internals/hmac-key.ts outer': 'what a hash is taken of, wiped after each',
  'plan/plugins/plugin-module.ts failures': 'Node remembers that an address failed until the process ends',
  'process/group.ts running': 'children, which must not outlive the process',
  'process/strays.ts isSweeping': 'the search for what children left behind',
  'process/strays.ts last': 'the search for what children left behind',
  'process/strays.ts living': 'the search for what children left behind',
  'process/strays.ts isSweepWanted': 'the search for what children left behind',
  'tui/model/characters.ts loaded': 'tables of the language, which Node keeps as well',
  'tui/view/span.tsx Colour': 'a key of React, under which each frame says whether there are colours',
  'store/sqlite/durable-database.ts noHeader': 'zeros to be written, never written to',
  'editor-thread/service-thread.ts service': 'a thread that ends with its editor',
}

const changing: ReadonlySet<string> = new Set('set add delete clear push pop shift unshift splice sort reverse fill copyWithin'.split(' '))
/** The classes whose objects are no state by themselves: they never change, or a call of a method in `changing` shows that they do. */
const values: ReadonlySet<string> = new Set([
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'RegExp',
  'URL',
  'TextDecoder',
  'TextEncoder',
  'Intl.Segmenter',
])

const isChange = (name: ts.Identifier): boolean => {
  let at: ts.Node = name
  while (ts.isPropertyAccessExpression(at.parent) || ts.isElementAccessExpression(at.parent)) {
    if (at.parent.expression !== at) return false
    at = at.parent
    const method = ts.isPropertyAccessExpression(at) ? at.name.text : ''
    if (changing.has(method) && ts.isCallExpression(at.parent) && at.parent.expression === at) return true
  }
  const { parent } = at
  if (at === name) return false
  if (ts.isBinaryExpression(parent)) {
    const { kind } = parent.operatorToken
    return parent.left === at && kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
  }
  return (
    ts.isDeleteExpression(parent) ||
    ts.isPostfixUnaryExpression(parent) ||
    (ts.isPrefixUnaryExpression(parent) &&
      parent.operator !== ts.SyntaxKind.ExclamationToken &&
      parent.operator !== ts.SyntaxKind.MinusToken)
  )
}

/**
 * Whether a module makes something with a life of its own when it is loaded: something opened or created, or an object of a class of ours.
 */
const lives = (node: ts.Node): boolean => {
  if (ts.isFunctionLike(node)) return false
  if (ts.isNewExpression(node) && !values.has(node.expression.getText())) return true
  // An empty buffer does not change, so it is no state.
  if (ts.isCallExpression(node) && /^Buffer\.alloc/.test(node.expression.getText()) && node.arguments[0]?.getText() !== '0') return true
  if (ts.isCallExpression(node) && /^(?:create(?!Require$)|open|start|listen)[A-Z]/.test(node.expression.getText())) return true
  return ts.forEachChild(node, lives) === true
}

/** Returns the names at the top level of a file that hold state. */
const stateOf = (file: ts.SourceFile, checker: ts.TypeChecker): string[] => {
  const found = new Set<string>()
  const top = new Map<ts.Symbol, string>()
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue
    const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0
    for (const { name, initializer } of statement.declarationList.declarations) {
      const symbol = checker.getSymbolAtLocation(name)
      if (symbol) top.set(symbol, name.getText())
      if (!isConst || (initializer && lives(initializer))) found.add(name.getText())
    }
  }
  const look = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isChange(node)) {
      const symbol = checker.getSymbolAtLocation(node)
      const name = symbol && top.get(symbol)
      if (name !== undefined) found.add(name)
    }
    ts.forEachChild(node, look)
  }
  look(file)
  return [...found]
}

/** Nothing is imported or looked up: each file is judged on its own. */
const filesOf = (sources: ReadonlyMap<string, string>): ts.Program => {
  const host = ts.createCompilerHost({})
  const getSourceFile: typeof host.getSourceFile = (name) => {
    const text = sources.get(name)
    return text === undefined ? undefined : ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true)
  }
  const options = { noResolve: true, noLib: true, types: [], target: ts.ScriptTarget.ES2023 }
  return ts.createProgram([...sources.keys()], options, { ...host, getSourceFile })
}

const statesIn = (sources: ReadonlyMap<string, string>): string[] => {
  const program = filesOf(sources)
  const checker = program.getTypeChecker()
  const files = program.getSourceFiles().filter(({ fileName }) => sources.has(fileName))
  return files.flatMap((file) => stateOf(file, checker).map((name) => `${file.fileName} ${name}`)).sort()
}

t.test('what changes at the level of a module is on a list, with its reason', async (t) => {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.startsWith('generated'),
  )
  t.ok(names.length > 200)
  t.same(statesIn(new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]))), Object.keys(allowed).sort())
})

t.test('the check finds state, and lets constants pass', async (t) => {
  const state = {
    'let.ts': 'let seen = 0',
    'map.ts': 'const known = new Map()\nexport const f = (k) => known.set(k, 1)',
    'deep.ts': 'const box = { list: [] }\nexport const f = (x) => box.list.push(x)',
    'member.ts': 'const box = { at: 0 }\nexport const f = () => { box.at += 1 }',
    'count.ts': 'const box = { at: 0 }\nexport const f = () => box.at++',
    'gone.ts': 'const box = { at: 0 }\nexport const f = () => { delete box.at }',
    'made.ts': 'export const store = openMemory({})',
    'below.ts': 'export const effects = { store: createStore() }',
    'class.ts': 'export const worker = new Worker()',
  }
  const constant = {
    'a.ts': "const names = new Set(['x'])\nexport const has = (name) => names.has(name)",
    'b.ts': 'const known = 1\nexport const f = () => { const known = new Map(); known.set(1, known) }',
    'c.ts': 'const list = [1]\nexport const f = () => [...list].sort()\nexport const require = createRequire(import.meta.url)',
    'd.ts': 'export const make = () => new Worker(openMemory())',
  }
  const found = statesIn(new Map(Object.entries({ ...state, ...constant }))).map((place) => place.split(' ')[0])
  t.same(found, Object.keys(state).sort())
})
