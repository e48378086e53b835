/** The floors of the program (docs/architecture.md): a file imports from floors below it and from its own folder; types count. */
const floors = [
  ['src/core/'],
  ['src/generated/', 'src/node-internals/'],
  ['src/secrets/'],
  ['src/store/ports.ts', 'src/store/shared-records.ts', 'src/process/', 'src/expr/'],
  ['src/parts/'],
  ['src/plugin/'],
  ['src/config/'],
  ['src/plan/'],
  ['src/engine/', 'src/store/', 'src/journal/'],
  ['src/runs/', 'src/schedule/'],
  ['src/datadir/'],
  ['src/features/'],
  ['src/serve/'],
  ['src/dryrun/'],
  ['src/operate/'],
  ['src/check/'],
  ['src/edit/'],
  ['src/setup/'],
  ['src/observe/'],
  ['src/http/'],
  ['src/relay/'],
  ['src/gateway/'],
  ['src/editor-thread/'],
  ['src/tui/', 'src/console/'],
  ['src/cli/'],
  ['src/main.ts'],
]
const at = (paths) => paths.map((path) => `^${path.replaceAll('.', '\\.')}`).join('|')
/** What a store promises stands lower than the stores themselves. */
const contract = at(floors.flat().filter((path) => /^src\/store\/.+/.test(path)))
const without = (paths) => (paths.includes('src/store/') ? { pathNot: contract } : {})
const upward = floors.slice(0, -1).map((paths, i) => ({
  name: `floor-${i}`,
  severity: 'error',
  comment: `${paths.join(', ')} may not look up`,
  from: { path: at(paths), ...without(paths) },
  to: { path: at(floors.slice(i + 1).flat()), pathNot: `${at(paths)}|${contract}` },
}))
const sideways = floors.flatMap((paths) =>
  paths.map((path) => ({
    name: `beside-${path}`,
    severity: 'error',
    comment: `${path} may not look at what stands on its own floor`,
    from: { path: at([path]), ...without([path]) },
    to: { path: at(paths), pathNot: `${at([path])}|${contract}` },
  })),
)

const families = '^src/parts/(stages|endings|operators|schemes|runners|targets|tools|sender-logs)/'
/** What parts of one family share. Of these folders only the kit is closed to the rest of the program. */
const shared = '(kit|described|mcp|outputs)/'
/** What sending takes: targets, and what else sends. */
const delivery = '^src/parts/targets/delivery/'

module.exports = {
  forbidden: [
    ...upward,
    ...sideways,
    { name: 'no-tools-in-the-program', severity: 'error', from: { path: '^src/' }, to: { path: '^(tools|bench|test)/' } },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-part-imports-a-part',
      severity: 'error',
      comment: 'a part imports contracts, and what its own family shares; registries are for the composition root',
      from: { path: families, pathNot: '/index\\.ts$' },
      to: { path: families, pathNot: `/(stage|ending|operator|scheme|preset|runner|target|tool|sender-log)\\.ts$|/${shared}|${delivery}` },
    },
    {
      name: 'no-shared-folder-of-another-family',
      severity: 'error',
      comment: 'what parts of several families share stands beside the families',
      from: { path: families },
      to: { path: families + shared, pathNot: '^src/parts/$1/' },
    },
    {
      name: 'no-kit-from-outside',
      severity: 'error',
      comment:
        "a family's kit holds what only its parts share; what others need stands in src/parts/targets/delivery/ or beside the families",
      from: { path: '^src/', pathNot: families },
      to: { path: `${families}kit/` },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
}
