/** The floors of the program (design, section 3): a file imports from floors below it and from its own folder; types count. */
const floors = [
  ['src/core/'],
  ['src/generated/'],
  ['src/store/ports.ts'],
  ['src/expr/'],
  ['src/parts/'],
  ['src/config/'],
  ['src/plan/'],
  ['src/engine/'],
  ['src/store/'],
  ['src/work/'],
  ['src/http/', 'src/tui/'],
  ['src/log.ts', 'src/gateway.ts', 'src/app.ts'],
  ['src/cli/'],
  ['src/main.ts'],
]
const at = (paths) => paths.map((path) => `^${path.replaceAll('.', '\\.')}`).join('|')
const upward = floors.slice(0, -1).map((paths, i) => ({
  name: `floor-${i}`,
  severity: 'error',
  comment: `${paths.join(', ')} may not look up`,
  from: { path: at(paths), ...(paths[0] === 'src/store/' ? { pathNot: '^src/store/ports\\.ts' } : {}) },
  to: { path: at(floors.slice(i + 1).flat()), pathNot: `${at(paths)}|^src/store/ports\\.ts` },
}))

module.exports = {
  forbidden: [
    ...upward,
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-part-imports-a-part',
      severity: 'error',
      comment: 'a part imports contracts and the kit of its family; it looks others up in what it is handed, and registries are for the composition root',
      from: { path: '^src/parts/(stages|endings|operators|schemes|runners|targets)/(?!index\\.ts)' },
      to: {
        path: '^src/parts/(stages|endings|operators|schemes|runners|targets)/',
        pathNot: '/(stage|ending|operator|scheme|runner|target)\\.ts$',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
}
