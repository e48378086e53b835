/** The floors of the program (docs/architecture.md): a file imports from floors below it and from its own folder; types count. */
const floors = [
  ['src/core/'],
  ['src/generated/', 'src/node-internals/'],
  ['src/store/ports.ts', 'src/process/', 'src/expr/'],
  ['src/parts/'],
  ['src/plugin/'],
  ['src/config/'],
  ['src/plan/'],
  ['src/engine/', 'src/store/', 'src/journal/'],
  ['src/runs/', 'src/schedule/'],
  ['src/app/'],
  ['src/http/'],
  ['src/gateway/'],
  ['src/cli/', 'src/tui/'],
  ['src/main.ts'],
]
const at = (paths) => paths.map((path) => `^${path.replaceAll('.', '\\.')}`).join('|')
const upward = floors.slice(0, -1).map((paths, i) => ({
  name: `floor-${i}`,
  severity: 'error',
  comment: `${paths.join(', ')} may not look up`,
  from: { path: at(paths), ...(paths.includes('src/store/') ? { pathNot: '^src/store/ports\\.ts' } : {}) },
  to: { path: at(floors.slice(i + 1).flat()), pathNot: `${at(paths)}|^src/store/ports\\.ts` },
}))

const families = '^src/parts/(stages|endings|operators|schemes|runners|targets|tools)/'

module.exports = {
  forbidden: [
    ...upward,
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-part-imports-a-part',
      severity: 'error',
      comment: 'a part imports contracts, and the kit of its own family; registries are for the composition root',
      from: { path: families, pathNot: '/index\\.ts$' },
      to: { path: families, pathNot: '/(stage|ending|operator|scheme|runner|target|tool)\\.ts$|/kit/' },
    },
    {
      name: 'no-kit-of-another-family',
      severity: 'error',
      comment: "a family's kit holds what only its parts share",
      from: { path: families },
      to: { path: `${families}kit/`, pathNot: '^src/parts/$1/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
}
