/** `validate` takes whatever stands in a file: it does not crash, and what it refuses has a place and a way out. */

import t from 'tap'
import type { Diagnostic } from '../../src/core/diagnostic.ts'
import { runMutations } from '../../tools/fuzz-config/mutations.ts'
import { runConfigFuzz } from '../../tools/fuzz-config/run.ts'
import { fakeCli } from '../fakes/cli.ts'

t.test('a quick run of `npm run fuzz:config` finds nothing', async (t) => {
  const { slips } = await runConfigFuzz({ seed: 1, cases: 500 })
  t.same(slips, [], 'each says its file, key and value: npm run fuzz:config -- --cases 500')
})

t.test('each of 500 mistakes in valid configurations is found where it is, or changes nothing', async (t) => {
  const { cases, found, slips } = await runMutations({ seed: 1, cases: 500 })
  t.same(slips, [], 'each says what was changed: npm run fuzz:config -- --mutations 500')
  t.ok(found > cases / 2, `most are found: ${found}`)
})

t.test('mistakes that `validate` does not find, or finds elsewhere, are seen', async (t) => {
  const slipsOf = async (blind: (found: Diagnostic) => Diagnostic | undefined) => {
    const { slips } = await runMutations({ seed: 2, cases: 60, blind })
    return slips.map(({ value, wrong }) => `${value}: ${wrong}`).join('\n')
  }
  t.match(await slipsOf(({ code, ...found }) => (code === 'WH101' ? undefined : { code, ...found })), /the schema does not know it/)
  t.match(await slipsOf(({ code, ...found }) => (/^WH10[2-6]/.test(code) ? undefined : { code, ...found })), /is read as something else/)
  t.match(
    await slipsOf(({ place, ...found }) => ({ ...found, message: '', help: '', ...(place ? { place: { ...place, line: 1 } } : {}) })),
    /is found elsewhere/,
  )
})

t.test('names of tools that are no texts, and settings that are no maps, are findings', async (t) => {
  for (const lines of ['platform_toolsets: { webhook: [null] }', 'platform_toolsets: { webhook: [{}] }', 'toolsets: { a: null }']) {
    const { code, err } = await fakeCli(t, { 'config.yaml': `platforms: { webhook: { enabled: true } }\n${lines}\n` }).run('validate')
    t.same({ code, err }, { code: 1, err: '' }, lines)
  }
})

t.test('a profile of a subscription that is a map is a finding, whatever its names are', async (t) => {
  const entry = JSON.stringify({ a: { prompt: 'p', secret: 'c2a91f70e35bd846', profile: { toString: 1 } } })
  const cli = fakeCli(t, { 'config.yaml': 'platforms: { webhook: { enabled: true } }\n', 'webhook_subscriptions.json': entry })
  const { code, out, err } = await cli.run('validate', '--json')
  t.same({ code, err }, { code: 1, err: '' })
  t.match(JSON.parse(out).data.diagnostics, [{ code: 'WH102', route: 'a', help: /./ }])
})

t.test('a wrong item of a list, and a map that lacks a key, are findings', async (t) => {
  const wrong = [
    ['allow_from: ["x"]', 'WH105'],
    ['allow_from: [""]', 'WH105'],
    ['allow_from: [7]', 'WH102'],
    ['client_certificate: {}', 'WH104'],
    ['client_certificate: { header: X-Print }', 'WH104'],
    ['client_certificate: { header: X-Print, equals: [7] }', 'WH102'],
  ] as const
  for (const [line, code] of wrong) {
    const route = `platforms:\n  webhook:\n    enabled: true\n    secret: c2a91f70e35bd846\n    routes:\n      a:\n        prompt: "{x}"\n        ${line}\n`
    const { code: exit, out, err } = await fakeCli(t, { 'config.yaml': route }).run('validate', '--json')
    t.equal(exit, 1, line)
    t.equal(err, '')
    const [found] = JSON.parse(out).data.diagnostics
    t.match(found, { code, help: /./, range: { start: { line: 8 } } }, line)
  }
})
