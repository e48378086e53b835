/** Renders what is made of the declaration of metrics: docs/metrics.md, and the Grafana dashboard in examples/observability/. */

import { type MetricDeclaration, type MetricKey, metrics } from '../src/observe/metrics/declaration.ts'

const banner = '<!-- Generated from src/observe/metrics/declaration.ts by `npm run gen`. Do not edit. -->'

const kinds = { counter: 'counter', gauge: 'gauge', histogram: 'histogram' } as const

/** Renders the page with all metrics. */
export const renderMetrics = (): string =>
  [
    '# Metrics',
    '',
    banner,
    '',
    "What a scrape of `/metrics` returns ([observability.md](observability.md) says how to switch it on). Beside these, Prometheus' usual metrics of a Node process are there (`process_…`, `nodejs_…`).",
    'Labels come from the configuration and from closed lists, never from a request. A metric has at most 1,000 series: the rest is counted in a series whose labels are all `other`, and the log says so once.',
    '',
    '| metric | kind | labels | meaning |',
    '|---|---|---|---|',
    ...Object.values(metrics as { readonly [key: string]: MetricDeclaration }).map(
      ({ name, kind, labels, help }) => `| \`${name}\` | ${kinds[kind]} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
    ),
  ].join('\n')

type Panel = { readonly title: string; readonly unit: string; readonly queries: readonly (readonly [legend: string, expr: string])[] }
type Row = { readonly title: string; readonly panels: readonly Panel[] }

const nameOf = (key: MetricKey): string => metrics[key].name
const rate = (key: MetricKey, ...by: readonly string[]): string => `sum by (${by.join(', ')}) (rate(${nameOf(key)}[$__rate_interval]))`
const total = (key: MetricKey, ...by: readonly string[]): string => `sum by (${by.join(', ')}) (${nameOf(key)})`
const p99 = (key: MetricKey, ...by: readonly string[]): string =>
  `histogram_quantile(0.99, sum by (${['le', ...by].join(', ')}) (rate(${nameOf(key)}_bucket[$__rate_interval])))`
const legend = (...labels: readonly string[]): string => labels.map((label) => `{{${label}}}`).join(' ')

const rows: readonly Row[] = [
  {
    title: 'Requests',
    panels: [
      { title: 'Requests by outcome', unit: 'reqps', queries: [[legend('outcome'), rate('requests', 'outcome')]] },
      { title: 'Requests by route', unit: 'reqps', queries: [[legend('route'), rate('requests', 'route')]] },
      { title: 'Answer, 99th percentile', unit: 's', queries: [[legend('route'), p99('requestSeconds', 'route')]] },
      { title: 'Bodies', unit: 'Bps', queries: [[legend('route'), rate('bodyBytes', 'route')]] },
      { title: 'Lookups', unit: 'ops', queries: [[legend('lookup', 'result'), rate('lookups', 'lookup', 'result')]] },
    ],
  },
  {
    title: 'Work',
    panels: [
      {
        title: 'Waiting',
        unit: 'short',
        queries: [
          ['runs', `max(${nameOf('waitingRuns')})`],
          ['in lanes', `max(${nameOf('lanedRuns')})`],
          ['groups', `max(${nameOf('groups')})`],
          ['dead', `max(${nameOf('deadRuns')})`],
        ],
      },
      { title: 'Age of the oldest run', unit: 's', queries: [['oldest', `max(${nameOf('oldestSeconds')})`]] },
      { title: 'Attempts by result', unit: 'ops', queries: [[legend('result'), rate('attempts', 'result')]] },
      {
        title: 'Attempt and wait, 99th percentile',
        unit: 's',
        queries: [
          ['attempt', p99('attemptSeconds')],
          ['wait', p99('runWaitSeconds')],
        ],
      },
    ],
  },
  {
    title: 'Targets',
    panels: [
      { title: 'Deliveries', unit: 'ops', queries: [[legend('target', 'result'), rate('deliveries', 'target', 'result')]] },
      { title: 'Delivery, 99th percentile', unit: 's', queries: [[legend('target'), p99('deliverySeconds', 'target')]] },
      { title: 'Open breakers', unit: 'short', queries: [[legend('target', 'address'), total('breakers', 'target', 'address')]] },
    ],
  },
  {
    title: 'Models and tools',
    panels: [
      { title: 'Calls of models', unit: 'ops', queries: [[legend('model', 'result'), rate('modelCalls', 'model', 'result')]] },
      { title: 'Tokens', unit: 'short', queries: [[legend('model', 'direction'), rate('tokens', 'model', 'direction')]] },
      { title: 'Cost a second', unit: 'short', queries: [[legend('route'), rate('cost', 'route')]] },
      { title: 'Calls of tools', unit: 'ops', queries: [[legend('tool', 'result'), rate('toolCalls', 'tool', 'result')]] },
    ],
  },
  {
    title: 'Process',
    panels: [
      {
        title: 'Commits',
        unit: 'ops',
        queries: [
          ['commits', rate('commits', 'result')],
          ['calls', `sum(rate(${nameOf('commitCalls')}[$__rate_interval]))`],
        ],
      },
      { title: 'Commit, 99th percentile', unit: 's', queries: [['commit', p99('commitSeconds')]] },
      {
        title: 'Event loop, part of the time',
        unit: 'percentunit',
        queries: [['{{instance}}', `rate(${nameOf('loopSeconds')}[$__rate_interval])`]],
      },
      { title: 'Memory', unit: 'bytes', queries: [['{{instance}}', 'process_resident_memory_bytes{job=~"headgate.*"}']] },
      { title: 'Connections', unit: 'short', queries: [['{{instance}}', nameOf('connections')]] },
      { title: 'Ready', unit: 'short', queries: [['{{instance}}', nameOf('ready')]] },
    ],
  },
]

const columns = 24
const panelHeight = 8

const panelOf = ({ title, unit, queries }: Panel, id: number, x: number, y: number, w: number) => ({
  id,
  type: 'timeseries',
  title,
  datasource: { type: 'prometheus', uid: '${datasource}' },
  gridPos: { x, y, w, h: panelHeight },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
  targets: queries.map(([legendFormat, expr], i) => ({ refId: String.fromCharCode(65 + i), expr, legendFormat })),
})

/** Renders the dashboard, as Grafana imports it. */
export const renderDashboard = (): string => {
  let id = 0
  let y = 0
  const panels = rows.flatMap((row) => {
    const head = { id: ++id, type: 'row', title: row.title, collapsed: false, panels: [], gridPos: { x: 0, y, w: columns, h: 1 } }
    const width = Math.floor(columns / Math.min(row.panels.length, 4))
    const perLine = columns / width
    const all = row.panels.map((panel, i) =>
      panelOf(panel, ++id, (i % perLine) * width, y + 1 + Math.floor(i / perLine) * panelHeight, width),
    )
    y += 1 + Math.ceil(row.panels.length / perLine) * panelHeight
    return [head, ...all]
  })
  const datasource = { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }
  const dashboard = {
    uid: 'headgate',
    title: 'headgate',
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [datasource] },
    panels,
  }
  return `${JSON.stringify(dashboard, null, 1)}\n`
}
