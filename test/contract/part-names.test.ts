/** Checks that nobody outside of a part decides by the part's name: what others must know of a part stands in the type of its family. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { endings } from '../../src/parts/endings/index.ts'
import { operators } from '../../src/parts/operators/index.ts'
import { runners } from '../../src/parts/runners/index.ts'
import { presets, schemes } from '../../src/parts/schemes/index.ts'
import { stages } from '../../src/parts/stages/index.ts'
import { targets } from '../../src/parts/targets/index.ts'
import { toolsets } from '../../src/parts/tools/index.ts'
import { stores } from '../../src/store/index.ts'

const root = fileURLToPath(new URL('../../src', import.meta.url))

/** Words that name no part where they stand, each with what they name there. */
const allowed: { readonly [place: string]: string } = {
  'check/doctor/targets.ts missing': 'how a target is connected',
  'edit/targets.ts missing': 'how a target is connected',
  'setup/import/adnanh-rule.ts regex': 'a type of rule of the imported program',
  'cli/reports/index.ts github': 'a format of reports',
  'cli/reports/index.ts gitlab': 'a format of reports',
  'console/access/oidc.ts email': 'a claim of OpenID Connect',
  'console/pages/targets.tsx missing': 'how a target is connected',
  'cli/targets/list.ts missing': 'how a target is connected',
  'config/storage/read-storage.ts postgres': 'the configuration lies below the stores, and only this one has an address',
  'expr/jsonata/as-conditions.ts equals': 'a condition that says what an operator of JSONata says',
  'expr/jsonata/as-conditions.ts in': 'an operator of JSONata',
  'expr/jsonata/operators.ts in': 'an operator of JSONata',
  'expr/jsonata/operators.ts regex': 'a type of node of JSONata',
  'expr/jsonata/rules.ts contains': 'a function of JSONata',
  'expr/jsonata/rules.ts exists': 'a function of JSONata',
  'parts/sender-logs/gitlab.ts gitlab': 'a scheme of the sender whose log the part reads',
  'parts/sender-logs/gitlab.ts standard_webhooks': 'a scheme of the sender whose log the part reads',
  'parts/targets/http.ts missing': 'the name of a variable that is not set',
  'parts/tools/kit/search-providers.ts gt': 'a sign of HTML',
  'parts/tools/kit/search-providers.ts lt': 'a sign of HTML',
  'secrets/secret-place.ts command': 'the key under which settings name a program with its words',
  'tui/model/state.ts line': 'a line that was read',
  'tui/screens/filters/condition-text.ts missing': 'what a trace calls a field that is not there',
  'tui/screens/filters/condition-row-view.tsx missing': 'what a trace calls a field that is not there',
  'tui/terminal/endings.ts signal': 'how an editor is ended',
}

const namesOf = (parts: readonly { readonly name: string }[]): ReadonlySet<string> => new Set(parts.map(({ name }) => name))

/** What variables and keys are called that hold the name of a part, each with the names of the family. */
const families: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['target', new Set(targets.flatMap(({ name, aliases = [] }) => [name, ...aliases]))],
  ['scheme', new Set([...namesOf(schemes), ...presets.flatMap(({ name, aliases = [] }) => [name, ...aliases])])],
  ['runner', namesOf(runners)],
  ['toolset', namesOf(toolsets)],
  ['operator', namesOf(operators)],
  ['store', namesOf(stores)],
  ['stage', namesOf(stages)],
  ['ending', namesOf(endings)],
])

/**
 * The families whose names of parts are keys of a route too, and common words. Such a name counts only beside a variable or key of the
 * family.
 */
const wordy: ReadonlySet<string> = new Set(['stage', 'ending'])

const isNamedAs = (family: string, text: string): boolean =>
  text.toLowerCase().includes(family) || (family === 'stage' && /stopped_?at/i.test(text))

/** Returns the families that have a part of this name. `beside`: the variable or key beside which the name stands. */
const familiesOf = (name: string, beside: string): string[] =>
  [...families].flatMap(([family, names]) => (names.has(name) && (!wordy.has(family) || isNamedAs(family, beside)) ? [family] : []))

const comparisons: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.InKeyword,
])

const isText = (node: ts.Node): node is ts.StringLiteralLike => ts.isStringLiteralLike(node)

/** Returns what a text is compared with, looked up in or given as; `undefined` for a text that decides nothing. */
const besideOf = (node: ts.StringLiteralLike): string | undefined => {
  const { parent } = node
  if (ts.isBinaryExpression(parent) && comparisons.has(parent.operatorToken.kind))
    return (parent.left === node ? parent.right : parent.left).getText()
  if (ts.isCaseClause(parent)) return parent.parent.parent.expression.getText()
  if (ts.isElementAccessExpression(parent)) return parent.expression.getText()
  if (ts.isCallExpression(parent) && ts.isPropertyAccessExpression(parent.expression)) {
    return /^(?:has|get|includes|indexOf|startsWith)$/.test(parent.expression.name.text) ? parent.expression.getText() : undefined
  }
  return undefined
}

/** Returns the names in a list, or in the keys of a map, where several of them are parts of one family. */
const listed = (names: readonly string[]): string[] =>
  [...families].flatMap(([family, known]) => {
    const found = names.filter((name) => known.has(name))
    return found.length > 1 && !wordy.has(family) ? found : []
  })

const keyOf = (property: ts.ObjectLiteralElementLike): string | undefined =>
  property.name && (ts.isIdentifier(property.name) || isText(property.name)) ? property.name.text : undefined

/** Returns the names of parts by which a node decides. */
const namedIn = (node: ts.Node): string[] => {
  if (isText(node)) {
    const beside = besideOf(node)
    return beside !== undefined && familiesOf(node.text, beside).length > 0 ? [node.text] : []
  }
  if (ts.isArrayLiteralExpression(node)) return listed(node.elements.filter(isText).map(({ text }) => text))
  if (ts.isObjectLiteralExpression(node)) return listed(node.properties.flatMap((property) => keyOf(property) ?? []))
  // A setting may name a part: `{ scheme: 'github' }`.
  if (!ts.isPropertyAssignment(node) || !isText(node.initializer)) return []
  const { text } = node.initializer
  return [...families].some(([family, names]) => names.has(text) && keyOf(node) === family) ? [text] : []
}

const namesIn = (sources: { readonly [file: string]: string }): string[] => {
  const found = new Set<string>()
  for (const [file, text] of Object.entries(sources)) {
    const look = (node: ts.Node): void => {
      for (const name of namedIn(node)) found.add(`${file} ${name}`)
      ts.forEachChild(node, look)
    }
    look(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true))
  }
  return [...found].sort()
}

t.test('no part is named outside of its file where something is decided', async (t) => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.startsWith('generated'),
  )
  t.ok(files.length > 200)
  t.same(namesIn(Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))), Object.keys(allowed).sort())
})

t.test('the check finds names, and lets words pass', async (t) => {
  const named = {
    'alias.ts': "const aliases = new Map([['msteams', 'teams']])",
    'in.ts': "const f = (value) => 'regex' in value",
    'key.ts': "const variable = { openai: 'A', anthropic: 'B' }",
    'list.ts': "const compared = ['equals', 'in', 'other']",
    'lookup.ts': "const part = runners.get('echo')",
    'member.ts': "const f = (part) => part['telegram']",
    'not.ts': "if (agent.runner !== 'command') stop()",
    'set.ts': "const breakable = new Set(['regex', 'in_file'])",
    'setting.ts': "const delivery = { target: 'log', extra: {} }",
    'stage.ts': "const f = (event) => event.stage === 'filters'",
    'switch.ts': "switch (kind) { case 'sqlite': break }",
  }
  const words = {
    'call.ts': "mark('log')",
    'format.ts': "if (format === 'json') print()",
    'key.ts': "if (key === 'filters') read(spec.events)",
    'name.ts': "export const log = { name: 'log', title: 'One line' }",
    'path.ts': "const at = ['events', 'script', 0]",
    'type.ts': "type Mode = 'agent' | 'direct'",
  }
  t.same(
    namesIn(named).map((place) => place.split(' ')[0]),
    [
      'alias.ts',
      'alias.ts',
      'in.ts',
      'key.ts',
      'key.ts',
      'list.ts',
      'list.ts',
      'lookup.ts',
      'member.ts',
      'not.ts',
      'set.ts',
      'set.ts',
      'setting.ts',
      'stage.ts',
      'switch.ts',
    ],
  )
  t.same(namesIn(words), [])
})
