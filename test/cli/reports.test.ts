/** The formats of `validate`: each is what its readers expect, says what stops the start, and holds no secret. */

import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { parse as parseYaml } from 'yaml'
import { formats } from '../../src/cli/reports/index.ts'
import { fakeCli } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'

const canary = 'canary-hunter2-hunter2'
/** A route that stops the start, one with a warning, one that is clean; a name that needs escapes. */
const config = `platforms:
  webhook:
    enabled: true
    extra:
      secret: ${canary}
      routes:
        typo: { secret: ${canary}-1, evnts: [push], prompt: p }
        idle: { deliver_only: true, deliver: telegram, agent: { model: m }, prompt: p }
        "odd<&>#name": { secret: ${canary}-2, deliver: 1, prompt: p }
        fine: { events: [push], prompt: p }
  telegram: { token: ${canary}-3, home_channel: "-100123" }
  mattermost: { tokn: ${canary} }
`
const clean = config.replace(/^ {8}(?:typo|idle|"odd).*\n/gm, '').replace('tokn', 'token')

/** The elements of an XML text by name, in order; throws where it is not well-formed. */
const elementsOf = (xml: string): { readonly name: string; readonly attributes: { readonly [name: string]: string } }[] => {
  const found: { name: string; attributes: { [name: string]: string } }[] = []
  const open: string[] = []
  const body = xml.replace(/^<\?xml [^>]*\?>\n/, '')
  for (const [, text = '', close, name = '', attributes = '', empty] of body.matchAll(
    /([^<]*)<(\/?)([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>/g,
  )) {
    if (/&(?!(?:amp|lt|gt|quot|#10);)|>/.test(text + attributes)) throw new Error(`not escaped: ${text}${attributes}`)
    if (close) {
      if (open.pop() !== name) throw new Error(`</${name}> closes another element`)
      continue
    }
    found.push({
      name,
      attributes: Object.fromEntries([...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value])),
    })
    if (!empty) open.push(name)
  }
  if (open.length > 0 || found.length === 0) throw new Error(`not closed: ${open.join(', ')}`)
  return found
}

const pointsOf = (tap: string): { readonly ok: boolean; readonly title: string; readonly findings: { [key: string]: unknown }[] }[] =>
  [...tap.matchAll(/^(not )?ok \d+ - (.*)\n(?: {2}---\n([\s\S]*?) {2}\.\.\.\n)?/gm)].map(([, not, title = '', yaml = '']) => ({
    ok: not === undefined,
    title,
    findings: parseYaml(yaml)?.findings ?? [],
  }))

t.test('no format shows a secret, all say what stops the start, and a clean file is clean in each', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': config })
  const stops: { readonly [format: string]: RegExp } = {
    pretty: /= start {3}the gateway does not start with this/,
    concise: /WH101 .*\(route typo; stops the start\)/,
    json: /"code":"WH101",[^}]*"stops_startup":true/,
    jsonl: /"code":"WH101",[^}]*"stops_startup":true/,
    github: /title=WH101 unknown key \(stops the start\)::/,
    gitlab: /"check_name": "WH101",[^}]*"severity": "blocker"/,
    sarif: /"stopsStart": true/,
    junit: /<failure type="WH101"[^>]*>[^<]*the gateway does not start with this/,
    tap: /code: WH101\n *severity: error\n *stops_startup: true/,
  }
  t.same(Object.keys(stops), Object.keys(formats))
  for (const [format, wanted] of Object.entries(stops)) {
    const { code, out, err } = await cli.run('validate', '--format', format)
    t.equal(code, 1, format)
    t.match(out, wanted, format)
    t.notMatch(out + err, 'canary', format)
    t.notMatch(out, '\u001b', format)
  }
  cli.write('config.yaml', clean)
  for (const format of Object.keys(formats)) {
    const { code, out } = await cli.run('validate', '--format', format)
    t.equal(code, 0, `${format}: ${out}`)
    t.notMatch(out, /WH\d/, format)
  }
})

t.test('github: one annotation a line, escaped, and the totals', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': config })
  const lines = (await cli.run('validate', '--format', 'github')).out.trimEnd().split('\n')
  t.equal(lines.pop(), '3 errors, 2 warnings in 4 routes (1 file). 2 fixable.')
  t.equal(lines.length, 5)
  for (const line of lines) {
    const [, level, properties = '', message = ''] = /^::(error|warning|notice) ((?:\w+=[^,:]*,?)+)::(.+)$/.exec(line) ?? []
    t.ok(level, line)
    t.match(Object.fromEntries(properties.split(',').map((each) => each.split('='))), {
      file: /config\.yaml$/,
      line: /^\d+$/,
      endColumn: /^\d+$/,
      title: /^WH\d{3} /,
    })
    t.match(message, /%0Aheadgate explain WH\d{3}$/)
  }
})

t.test('gitlab: each finding has a fingerprint of its own, and a place', async (t) => {
  const twice = config.replace(
    '        fine:',
    '        other: { deliver_only: true, deliver: [telegram], agent: { model: m }, profile: x }\n        fine:',
  )
  const cli = fakeCli(t, { 'config.yaml': twice })
  const items = JSON.parse((await cli.run('validate', '--format', 'gitlab')).out) as {
    fingerprint: string
    location: { path: string; lines: { begin: number } }
  }[]
  t.equal(new Set(items.map(({ fingerprint }) => fingerprint)).size, items.length)
  for (const { fingerprint, location } of items) {
    t.match(fingerprint, /^[0-9a-f]{64}$/)
    t.match(location.path, /config\.yaml$/)
    t.ok(location.lines.begin >= 1)
  }
  // A finding without a place needs one all the same.
  const off = fakeCli(t, { 'config.yaml': 'platforms: {}\n' }, {})
  t.match(JSON.parse((await off.run('validate', '--format', 'gitlab')).out), [
    { check_name: 'WH109', location: { path: /config\.yaml$/, lines: { begin: 1 } } },
  ])
})

type Sarif = {
  readonly version: string
  readonly $schema: string
  readonly runs: {
    readonly tool: {
      readonly driver: { readonly name: string; readonly rules: { readonly id: string; readonly helpUri: string; readonly help: object }[] }
    }
    readonly results: {
      readonly ruleId: string
      readonly ruleIndex: number
      readonly level: string
      readonly message: { readonly text: string }
      readonly locations: {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string; readonly uriBaseId?: string } }
      }[]
      readonly partialFingerprints: { readonly [name: string]: string }
      readonly fixes?: object[]
    }[]
  }[]
}

t.test('sarif: rules, relative addresses, fixes, and fingerprints that survive line moves', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': config })
  const read = async (): Promise<Sarif> => JSON.parse((await cli.run('validate', '--format', 'sarif')).out)
  const { version, $schema, runs } = await read()
  t.equal(version, '2.1.0')
  t.match($schema, /sarif-2\.1\.0\.json$/)
  t.equal(runs.length, 1)
  const [{ tool, results }] = runs as [Sarif['runs'][number]]
  t.equal(tool.driver.name, 'headgate')
  for (const { id, helpUri, help } of tool.driver.rules) {
    t.match(helpUri, new RegExp(`^https://.*/docs/codes\\.md#${id.toLowerCase()}$`))
    t.match(help, { text: /.{40}/s })
  }
  for (const { ruleId, ruleIndex, level, message, locations, partialFingerprints } of results) {
    t.equal(tool.driver.rules[ruleIndex]?.id, ruleId)
    t.match(level, /^(?:error|warning|note)$/)
    t.ok(message.text)
    t.equal(locations.length, 1)
    const { uri, uriBaseId } = locations[0]?.physicalLocation.artifactLocation ?? { uri: '' }
    t.notMatch(uri, /^\/|^file:|\\| /)
    t.equal(uriBaseId, '%SRCROOT%')
    t.match(partialFingerprints['headgate/v1'], /^[0-9a-f]{64}$/)
  }
  t.match(results.find(({ ruleId }) => ruleId === 'WH101')?.fixes, [
    { artifactChanges: [{ replacements: [{ deletedRegion: { startLine: 7 }, insertedContent: { text: 'events' } }] }] },
  ])
  const prints = ({ runs: [run] }: Sarif): string[] => (run?.results ?? []).map(({ partialFingerprints: all }) => all['headgate/v1'] ?? '')
  const before = prints({ runs } as Sarif)
  cli.write('config.yaml', `# moved\n\n${config}`)
  t.same(prints(await read()), before)
  const elsewhere = fakeCli(t)
  elsewhere.write('config.yaml', config)
  const cwd = process.cwd()
  mkdirSync(join(elsewhere.dir, 'sub'))
  process.chdir(join(elsewhere.dir, 'sub'))
  try {
    const { out } = await elsewhere.run('validate', '--format', 'sarif')
    t.match(out, pathToFileURL(elsewhere.file('config.yaml')).href)
  } finally {
    process.chdir(cwd)
  }
})

t.test('junit: a suite for each file, a case for each route, never empty', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': config })
  const { out } = await cli.run('validate', '--format', 'junit')
  const elements = elementsOf(out)
  const cases = elements.filter(({ name }) => name === 'testcase').map(({ attributes }) => attributes.name)
  t.same([...cases].sort(), ['route fine', 'route idle', 'route odd&lt;&amp;&gt;#name', 'route typo', 'the file'].sort())
  t.match(elements[0], { name: 'testsuites', attributes: { tests: '5', failures: '2' } })
  t.equal(elements.filter(({ name }) => name === 'failure').length, 2)
  const strict = elementsOf((await cli.run('validate', '--format', 'junit', '--deny-warnings')).out)
  t.match(strict[0], { attributes: { failures: '4' } })
  cli.write('config.yaml', clean)
  t.match(elementsOf((await cli.run('validate', '--format', 'junit')).out)[0], { attributes: { tests: '2', failures: '0' } })
  const empty = fakeCli(t, {}, { WEBHOOK_ENABLED: 'true', HOME: newFolder(t), HEADGATE_HOME: '' })
  t.match(elementsOf((await empty.run('validate', '--format', 'junit')).out)[0], { attributes: { tests: '1', failures: '0' } })
})

t.test('tap: a plan, a point for each route, diagnostics as YAML', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': config })
  const { out } = await cli.run('validate', '--format', 'tap')
  const points = pointsOf(out)
  t.match(out, /^TAP version 14\n1\.\.5\n/)
  t.equal(points.length, 5)
  t.same(
    points
      .filter(({ ok }) => !ok)
      .map(({ title }) => title.replace(/^.*config\.yaml /, ''))
      .sort(),
    ['route odd<&>\\#name', 'route typo'],
  )
  t.match(points.find(({ title }) => title.endsWith('route typo'))?.findings, [
    { code: 'WH101', severity: 'error', stops_startup: true, at: /config\.yaml:7:/ },
  ])
})

t.test('several formats: files are written whole, one is for stdout, and auto follows the runner', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': config })
  const file = cli.file('report=1.sarif')
  const { code, out } = await cli.run('validate', '--format', `sarif=${file}`, '--format', `junit=${cli.file('j.xml')}`)
  t.equal(code, 1)
  t.match(out, /^error\[WH101\]/, 'people still see what is wrong')
  t.equal(JSON.parse(cli.read('report=1.sarif')).version, '2.1.0')
  t.ok(elementsOf(cli.read('j.xml')))
  t.equal(statSync(file).mode & 0o777, 0o644)
  const both = await cli.run('validate', '--format', 'concise', '--format', `json=${cli.file('r.json')}`)
  t.match(both.out, /: WH101 error: /)
  t.equal(JSON.parse(cli.read('r.json')).kind, 'validate')
  t.match(await cli.run('validate', '--format', 'json', '--format', 'tap'), {
    code: 2,
    err: /two formats for standard output.*\n.*--format tap=<file>/,
  })
  t.match(await cli.run('validate', '--format', 'sarf'), { code: 2, err: /no format "sarf"\n.*did you mean "sarif"/ })
  t.match(await cli.run('validate', '--format', 'sarif='), { code: 2 })
  t.match(await cli.run('validate', '--json', '--format', 'tap'), { code: 2 })
  t.match(await cli.run('validate', '--format', `sarif=${cli.file('config.yaml')}/x`), {
    code: 2,
    err: /cannot write the report .*: there is no folder /,
  })
  t.notMatch((await cli.run('validate', '--format', 'auto')).out, '::error')
  const env = { WEBHOOK_ENABLED: 'true', HEADGATE_HOME: cli.dir, GITHUB_ACTIONS: 'true' }
  t.match((await cli.runWith({ env }, 'validate', '--format', 'auto')).out, /^error\[WH101\][\s\S]*^::error file=/m)
})

t.test('--max shows so many and counts all; the time is shown on a terminal only', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': config })
  const { code, out } = await cli.run('validate', '--max', '1')
  t.equal(code, 1)
  t.equal(out.match(/^(?:error|warning)\[/gm)?.length, 1)
  t.match(out, /3 errors, 2 warnings in 4 routes \(1 file\)\. 2 fixable\. 4 not shown\.\n$/)
  t.match(await cli.run('validate', '--max', '0'), { code: 2 })
  t.match((await cli.runWith({ isTty: true }, 'validate')).out, /\(1 file, \d+ ms\)/)
})
