/**
 * Puts chunks that are loaded together into one file. esbuild makes a chunk for the code that each set of entries shares, and each lazy
 * import is an entry. So one command would load a hundred files, and Node takes longer to find and link them than they take to run.
 */

import { posix } from 'node:path'
import type { BuildResult, Metafile, Plugin } from 'esbuild'

/** The result of a build: a bundle in chunks, which is in memory and not written. */
export type Chunks = BuildResult<{ metafile: true; write: false }>
/** The sources that one start of the program loads: its entry, and the sources that the entry imports lazily. */
export type Start = readonly string[]

type Outputs = Metafile['outputs']

/** Returns these files, and all files that they import statically. */
const loadedWith = (outputs: Outputs, files: readonly string[]): ReadonlySet<string> => {
  const seen = new Set(files)
  for (const file of seen)
    for (const { path, kind, external } of outputs[file]?.imports ?? []) if (kind === 'import-statement' && !external) seen.add(path)
  return seen
}

/** Returns the shared chunks that the starts load, each with the name of its group. Chunks that the same starts load are one group. */
const groupsOf = (outputs: Outputs, starts: readonly Start[]): ReadonlyMap<string, string> => {
  const entries = new Map(Object.entries(outputs).map(([file, { entryPoint }]) => [entryPoint, file]))
  const fileOf = (source: string): string => {
    const file = entries.get(source)
    if (file === undefined) throw new Error(`${source} is no entry of the bundle`)
    return file
  }
  const loads = starts.map((sources) => loadedWith(outputs, sources.map(fileOf)))
  const shared = Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === undefined)
  const named = shared.map((file) => [file, loads.map((files) => Number(files.has(file))).join('')] as const)
  return new Map(named.filter(([, name]) => name.includes('1')))
}

/**
 * Prepares the text of a chunk for the second build. esbuild's comments with the names of files are written as comments of licences,
 * because esbuild keeps only these. The text becomes ASCII, because V8 takes longer to read any other text.
 */
const prepared = (text: string): string =>
  text
    .replace(/^ *\/\/ ((?:src|node_modules)\/.*)$/gm, '//! $1')
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const imports = (paths: Iterable<string>): string => [...paths].map((path) => `import ${JSON.stringify(path)};`).join('')

/**
 * Returns the plugin for a second build of the chunks. A file that imports one chunk of a group imports the whole group first, so that
 * esbuild puts the group into one chunk.
 */
export const merged = ({ outputFiles, metafile: { outputs } }: Chunks, root: string, starts: readonly Start[]): Plugin => ({
  name: 'merge-chunks',
  setup: ({ onResolve, onLoad }) => {
    const groups = groupsOf(outputs, starts)
    const texts = new Map(outputFiles.map(({ path, text }) => [posix.relative(root, path), prepared(text)]))
    onResolve({ filter: /^(\.|dist\/|group:)/ }, ({ path, importer }) =>
      path.startsWith('group:')
        ? { path, namespace: 'group' }
        : {
            path: importer.startsWith('dist/') && path.startsWith('.') ? posix.join(posix.dirname(importer), path) : path,
            namespace: 'chunk',
          },
    )
    onLoad({ filter: /^/, namespace: 'chunk' }, ({ path }) => {
      const used = outputs[path]?.imports.filter(({ kind }) => kind === 'import-statement').map((each) => groups.get(each.path)) ?? []
      const others = new Set(used.filter((name) => name !== undefined && name !== groups.get(path)))
      return { contents: `${imports([...others].map((name) => `group:${name}`))}${texts.get(path)}` }
    })
    onLoad({ filter: /^/, namespace: 'group' }, ({ path }) => {
      const files = [...groups].filter(([, name]) => path === `group:${name}`)
      return { contents: imports(files.map(([file]) => file)) }
    })
  },
})
