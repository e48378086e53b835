/**
 * Makes one file of TypeScript declarations for a public module: it collects the declarations that the exports refer to, from all files, as
 * they are written.
 */

import { relative } from 'node:path'
import ts from 'typescript'

type Declared = ts.TypeAliasDeclaration | ts.InterfaceDeclaration | ts.VariableDeclaration | ts.ClassDeclaration

const isDeclared = (node: ts.Node): node is Declared =>
  ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isVariableDeclaration(node) || ts.isClassDeclaration(node)

/** Returns the text of the file. Throws where two declarations have one name, and for a kind of declaration that it does not know. */
export const rollUp = (root: string, entry: string): string => {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram([`${root}/${entry}`], options)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(`${root}/${entry}`)
  const module = source && checker.getSymbolAtLocation(source)
  if (!source || !module) throw new Error(`${entry} exports nothing`)
  const exported = checker.getExportsOfModule(module)
  const { declarations, outside } = collect(exported, program, root)
  const isPublic = new Set(exported.map(({ name }) => name))
  return [
    `/** The types of \`headgate/plugin\`, rolled up from ${entry}. */`,
    '/// <reference types="node" />',
    ...[...outside].map(([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}'`),
    ...[...declarations].map(([name, node]) => declarationOf(name, node, isPublic.has(name), checker)),
    // Without this empty export, every declaration of the file would be exported.
    'export {}\n',
  ].join('\n\n')
}

type Collected = {
  /** The declarations by their names. */
  readonly declarations: ReadonlyMap<string, Declared>
  /** The types that come from Node or a package, by the module. They stay imports. */
  readonly outside: ReadonlyMap<string, ReadonlySet<string>>
}

/** Collects the declarations of these symbols, and the declarations of all types that these refer to. */
const collect = (exported: readonly ts.Symbol[], program: ts.Program, root: string): Collected => {
  const checker = program.getTypeChecker()
  const declarations = new Map<string, Declared>()
  const outside = new Map<string, Set<string>>()
  const take = (symbol: ts.Symbol): void => {
    const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const node = real.declarations?.[0]
    if (!node || ts.isTypeParameterDeclaration(node)) return
    const file = node.getSourceFile()
    if (program.isSourceFileDefaultLibrary(file) || file.fileName.includes('/node_modules/')) return
    if (declarations.get(real.name) === node) return
    if (!isDeclared(node)) throw new Error(`${real.name} (${relative(root, file.fileName)}): neither a type nor a constant`)
    if (declarations.has(real.name)) throw new Error(`two declarations are called ${real.name}: rename one of them`)
    declarations.set(real.name, node)
    if (!isComputed(node)) typesIn(node)
  }
  /** Follows the names of types below a node. */
  const typesIn = (node: ts.Node): void => {
    const names = ts.isVariableDeclaration(node) ? signatureOf(node) : [node]
    const visit = (at: ts.Node): void => {
      if (ts.isTypeReferenceNode(at) || ts.isExpressionWithTypeArguments(at)) {
        const name = ts.isTypeReferenceNode(at) ? at.typeName : at.expression
        const symbol = checker.getSymbolAtLocation(name)
        if (symbol) noteImport(symbol)
        if (symbol) take(symbol)
      }
      ts.forEachChild(at, visit)
    }
    for (const each of names) visit(each)
  }
  const noteImport = (symbol: ts.Symbol): void => {
    const specifier = symbol.declarations?.find(ts.isImportSpecifier)
    const from = specifier?.parent.parent.parent.moduleSpecifier
    if (!specifier || !from || !ts.isStringLiteral(from) || from.text.startsWith('.')) return
    outside.set(from.text, (outside.get(from.text) ?? new Set()).add(specifier.name.text))
  }
  for (const symbol of exported) take(symbol)
  return { declarations, outside }
}

/**
 * Whether a declaration is a type that is derived from another with `keyof`, for example from a constant. The file gets the result instead.
 */
const isComputed = (node: Declared): boolean => ts.isTypeAliasDeclaration(node) && ts.isTypeOperatorNode(node.type)

/** Returns the types of parameters and result of a function that is a constant. */
const signatureOf = ({ name, initializer }: ts.VariableDeclaration): readonly ts.Node[] => {
  if (!initializer || !ts.isArrowFunction(initializer) || !initializer.type)
    throw new Error(`${name.getText()}: its types are not written out`)
  return [...initializer.parameters.flatMap(({ type }) => type ?? []), initializer.type]
}

const inFull = ts.TypeFormatFlags.InTypeAlias | ts.TypeFormatFlags.NoTruncation

const declarationOf = (name: string, node: Declared, isPublic: boolean, checker: ts.TypeChecker): string => {
  const head = `${commentOf(ts.isVariableDeclaration(node) ? node.parent.parent : node)}${isPublic ? 'export ' : ''}`
  if (ts.isVariableDeclaration(node)) return `${head}declare const ${name}: ${typeTextOf(node)}`
  if (ts.isClassDeclaration(node)) return `${head}interface ${name} {\n${membersOf(node).join('\n')}\n}`
  if (isComputed(node)) return `${head}type ${name} = ${checker.typeToString(checker.getTypeAtLocation(node), undefined, inFull)}`
  return `${head}${node.getText().replace(/^export /, '')}`
}

/** Returns what others see of the instances of a class. A plugin is given them, and makes none. */
const membersOf = ({ members }: ts.ClassDeclaration): readonly string[] =>
  members
    .filter((member) => ts.isGetAccessor(member) || ts.isMethodDeclaration(member))
    .map((member) => {
      const [name, type] = [member.name.getText(), member.type?.getText()]
      const written = member.parameters.map((one) => one.getText()).join(', ')
      const comment = commentOf(member).replace(/^(?=.)/, '  ')
      return `${comment}  ${ts.isGetAccessor(member) ? `readonly ${name}` : `${name}(${written})`}: ${type}`
    })

const typeTextOf = ({ initializer }: ts.VariableDeclaration): string => {
  const { parameters, type } = initializer as ts.ArrowFunction
  const written = parameters.map((one) => `${one.name.getText()}${one.initializer ? '?' : ''}: ${one.type?.getText()}`)
  return `(${written.join(', ')}) => ${type?.getText()}`
}

/** Returns the comment of a declaration. A comment with an empty line after it is about the file, so it is left out. */
const commentOf = (node: ts.Node): string => {
  const { text } = node.getSourceFile()
  const [last] = (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).slice(-1)
  const isIts = last !== undefined && text.startsWith('/**', last.pos) && !text.slice(last.end, node.getStart()).includes('\n\n')
  return isIts ? `${text.slice(last.pos, last.end)}\n` : ''
}
