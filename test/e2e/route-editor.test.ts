/** The route editor of the console: what it says while one types, what it saves, and that no secret and no payload does harm there. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { ownUser, type Right } from '../../src/console/access/users.ts'
import { createAnswers } from '../../src/console/answers/answers.ts'
import { yamlPlaceAt } from '../../src/console/pages/route-editor/yaml-place.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createEditorService } from '../../src/edit/create-service.ts'
import { openAudit } from '../../src/features/audit/audit.ts'
import { consoleQuestions } from '../../src/generated/console.ts'
import { chromiumPath, openPage, type ProcessConsole, startBrowser, startConsole } from '../fakes/console.ts'
import { command, dataDir, linesIn, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'
import { AxeBuilder, type Page } from '../foreign/browser.ts'

const needsChromium = chromiumPath === undefined ? { skip: 'Chromium is not installed' } : {}

/** Text that a page must show as it is: markup, a direction override, a bell, and the end of a script. */
const hostile = '<img src=x onerror="document.title=1">\u202eabc\u0007</script><script>document.title=2</script>'

const config = (agent: string): string => `# The gateway of the office. Ask Kim before you change it.
platforms:
  webhook:
    enabled: true   # since May
    extra:
      port: 0
      secret: It is a secret to everybody
      routes:
        # Reviews, as agreed.
        hello:
          # no pull requests
          events: [push]   # for now
          # secret: canary-of-last-year
          secret: "canary-of-route"
          filters:
            - field: payload.action
              in: [opened, reopened]  # and no drafts
          prompt: |
            Hello {name}

            Be kind.

        other: { prompt: x, secret: canary-of-other }
agent:
  runner: command
  command: [sh, ${agent}]
# end
`

/** A data directory with the routes. An agent answers. */
const folderOf = (t: Test): string => {
  const dir = dataDir(t, { routes: {}, agent: 'echo done\n', files: { '.env': 'OF_ENV=canary-of-env\n' } })
  writeFileSync(join(dir, 'config.yaml'), config(join(dir, 'agent.sh')))
  return dir
}
const configIn = (dir: string): string => readFileSync(join(dir, 'config.yaml'), 'utf8')

/** Opens the editor of a route in a browser that has signed in. `answers`: the text of every answer of the server. */
const openEditor = async (t: Test, { signInUrl, origin }: ProcessConsole, path = '/routes/hello/edit') => {
  const { page, complaints } = await openPage(await (await startBrowser(t)).newContext())
  const answers: string[] = []
  page.on(
    'response',
    (response) =>
      void response.text().then(
        (text) => answers.push(text),
        () => {},
      ),
  )
  await page.goto(signInUrl)
  await page.getByRole('heading', { name: 'Live' }).waitFor()
  await page.goto(`${origin}${path}`)
  await page.locator('.cm-content').waitFor()
  return { page, complaints, answers }
}

/** Puts the cursor behind a text of the editor. */
const putBehind = async (page: Page, text: string): Promise<void> => {
  await page.locator('.cm-line', { hasText: text }).first().click()
  await page.keyboard.press('End')
}

t.test('says while one types what the commands say, and saves the text as it was typed', needsChromium, async (t) => {
  const dir = folderOf(t)
  const gateway = await startGateway(t, dir)
  await gateway.post('hello', 'one', { key: 'canary-of-route', body: JSON.stringify({ action: 'opened', name: hostile }) })
  const { page, complaints, answers } = await openEditor(t, await startConsole(t, dir))
  const before = configIn(dir)

  await page.getByText('does not hold').waitFor()
  const recorded = await page.locator('optgroup[label="recorded events"] option').first().getAttribute('value')
  await page.getByRole('combobox', { name: 'Payload' }).selectOption(recorded)
  await page.getByText('holds', { exact: true }).waitFor()
  await page.locator('pre', { hasText: 'Hello <img' }).filter({ hasText: '\\u{202e}abc\\u{7}' }).waitFor()
  t.equal(await page.locator('img').count(), 0, 'markup of a payload is text')

  await putBehind(page, 'events: [push]')
  await page.keyboard.type('\nfilter: x')
  await page.getByText('WH101').waitFor()
  t.match(await page.locator('.findings').first().textContent(), /unknown key "filter".*did you mean "filters"\?.*line 3/)
  await page.locator('.cm-lint-marker-error').waitFor()
  await page.locator('.cm-line', { hasText: 'events: [push]' }).getByText('events').hover()
  await page.locator('.cm-tooltip .explained', { hasText: 'Event types' }).waitFor()
  writeFileSync(join(dir, 'config.yaml'), before.replace('   # for now\n', '   # for now\n          filter: x\n'))
  t.match(command(gateway, 'validate').stdout, /WH101.*unknown key "filter"/, 'the command says the same')
  writeFileSync(join(dir, 'config.yaml'), before)
  await page.getByRole('button', { name: /^line 3$/ }).click()
  await page.keyboard.press('Control+Shift+K')
  await page.getByText('None.').waitFor()

  await page.keyboard.press('Home')
  await page.keyboard.type('conc')
  await page.locator('.cm-completionInfo', { hasText: 'How many runs of this route' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+z')
  await putBehind(page, 'Hello {name}')
  await page.keyboard.type(' and {nam')
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'name' }).getByText('"<img src=x').click()
  await page.locator('pre', { hasText: '> and <img' }).waitFor()

  await putBehind(page, 'in: [opened')
  for (let i = 0; i < '  # and no drafts'.length; i++) await page.keyboard.press('ArrowLeft')
  for (let i = 0; i < 'opened, reopened]'.length; i++) await page.keyboard.press('Backspace')
  await page.keyboard.type('closed]')
  await page.getByText('does not hold').waitFor()

  await page.keyboard.press('Control+k')
  await page.getByRole('button', { name: 'undo', exact: true }).waitFor()
  await page.getByLabel('screen, route or event').fill('save')
  await page.keyboard.press('Enter')
  await page.locator('.diff .added', { hasText: 'in: [closed]' }).waitFor()
  await page.getByRole('button', { name: /^Save: write/ }).click()
  await page.getByText('the running gateway took it over').waitFor()
  const after = before.replace('[opened, reopened]', '[closed]').replace('Hello {name}', 'Hello {name} and {name}')
  t.equal(configIn(dir), after, 'the whole file, with its comments')
  const saved = linesIn(dir, 'state/audit.jsonl').map((line) => JSON.parse(line))
  t.match(saved, [
    { action: 'sign_in' },
    { by: /^browser [0-9a-f]{8}$/, action: 'save_route', on: { route: 'hello' }, result: 'begun' },
    { action: 'save_route', result: 'done' },
  ])
  t.same(readdirSync(join(dir, '.drafts')), [], 'no draft is left')
  t.notMatch(answers.join('\n'), /canary|secret to everybody/, 'no secret was sent to the page')
  t.same(complaints, [], 'the browser stopped nothing, and no script failed')
})

t.test('a draft outlives its page; what others change in the file meanwhile is shown, and the user chooses', needsChromium, async (t) => {
  const dir = folderOf(t)
  const { page, complaints, answers } = await openEditor(t, await startConsole(t, dir))
  const before = configIn(dir)
  const changeFile = (from: string, to: string): void => writeFileSync(join(dir, 'config.yaml'), configIn(dir).replace(from, to))
  await putBehind(page, 'events: [push]')
  await page.keyboard.type('\ndescription: mine # typed')
  await until(() => existsSync(join(dir, '.drafts/hello.json')) && readFileSync(join(dir, '.drafts/hello.json'), 'utf8').includes('typed'))
  await page.reload()
  await page.getByText('These are changes that were left unsaved').waitFor()
  await page.locator('.cm-line', { hasText: 'description: mine # typed' }).waitFor()

  changeFile('# and no drafts', '# and NO drafts')
  changeFile('{ prompt: x', '{ prompt: y')
  await page.getByRole('button', { name: 'Save…' }).click()
  await page.getByText('was changed since it was opened').waitFor()
  await page.locator('.diff .added', { hasText: '# and NO drafts' }).waitFor()
  await page.getByRole('button', { name: /^Keep mine/ }).click()
  await page.getByRole('button', { name: /^Save: write/ }).click()
  await page.getByText('saved config.yaml').waitFor()
  const merged = before.replace('no drafts', 'NO drafts').replace('prompt: x', 'prompt: y')
  t.equal(configIn(dir), merged.replace('# for now\n', '# for now\n          description: mine # typed\n'), 'both changes')

  await putBehind(page, 'events: [push]')
  await page.keyboard.type(' and then')
  changeFile('# for now', '# for long')
  await page.keyboard.press('Control+s')
  await page.getByText('the same lines of the route were changed in the file, too').waitFor()
  t.equal(await page.getByRole('button', { name: /^Keep mine/ }).count(), 0)
  await page.getByRole('button', { name: /^Keep your text/ }).click()
  await page.locator('.cm-line', { hasText: '# for now and then' }).waitFor()
  await page.keyboard.press('Control+s').catch(() => {})
  await page.getByRole('button', { name: 'Save…' }).click()
  await page.locator('.diff .removed', { hasText: '# for long' }).waitFor()
  changeFile('# for long', '# for ever')
  await page.getByRole('button', { name: /^Save: write/ }).click()
  await page.getByText('nothing was written').waitFor()
  t.match(linesIn(dir, 'state/audit.jsonl').at(-1), /"failed".*was changed since it was opened/)
  await page.getByRole('button', { name: /^Reload/ }).click()
  await page.locator('.cm-line', { hasText: '# for ever' }).waitFor()
  t.match(configIn(dir), '# for ever')
  await until(() => readdirSync(join(dir, '.drafts')).length === 0)
  t.notMatch(answers.join('\n'), /canary|secret to everybody/)
  t.same(complaints, [])
})

t.test(
  'a text that is no YAML has its finding at the line; fixes are one press; a new route is written whole',
  needsChromium,
  async (t) => {
    const dir = folderOf(t)
    const { page, complaints } = await openEditor(t, await startConsole(t, dir), '/routes/fresh/edit?new=1')
    await page.getByRole('heading', { name: 'fresh a new route' }).waitFor()
    await page.locator('.cm-content').click()
    await page.keyboard.type('description: a: b')
    await page.getByText('WH001').waitFor()
    t.match(await page.locator('.findings').first().textContent(), /line 1/)
    await page.getByRole('button', { name: 'Save…' }).click()
    await page.getByText('A gateway would not serve this').waitFor()
    t.equal(await page.getByRole('button', { name: /write/ }).count(), 0, 'it cannot be saved')
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('# new\nevent: [push]\nprompt: x\nsecret: {Control}'.replace('{Control}', 'typed-by-hand-1'))
    await page
      .getByRole('button', { name: /^Fix: / })
      .first()
      .click()
    await page.locator('.cm-line', { hasText: 'events: [push]' }).waitFor()
    await page.locator('.cm-line', { hasText: 'secret: typed-by-hand-1' }).waitFor()
    await page.keyboard.press('Control+z')
    await page.locator('.cm-line', { hasText: 'event: [push]' }).waitFor()
    await page
      .getByRole('button', { name: /^Fix: / })
      .first()
      .click()
    // A fix that arrives later would close the panel again.
    await page.locator('.cm-line', { hasText: 'events: [push]' }).waitFor()
    await page.getByRole('button', { name: 'Save…' }).click()
    await page.locator('.diff .added', { hasText: 'secret: ***' }).waitFor()
    await page.getByRole('button', { name: /^Save: write/ }).click()
    await page.getByText('saved config.yaml').waitFor()
    const added = '        fresh:\n          # new\n          events: [push]\n          prompt: x\n          secret: typed-by-hand-1\n'
    t.match(configIn(dir), `        other: { prompt: x, secret: canary-of-other }\n${added}`)
    await page.waitForURL(/\/routes\/fresh\/edit$/)
    await page.locator('.cm-line', { hasText: "secret: '*** (" }).waitFor()
    t.same(complaints, [])
  },
)

t.test(
  'the editor works with the keyboard, for screen readers, on a narrow screen, and without the right to change',
  needsChromium,
  async (t) => {
    const dir = folderOf(t)
    const { page, complaints } = await openEditor(t, await startConsole(t, dir))
    await putBehind(page, 'events: [push]')
    await page.keyboard.type('\nfilter: x')
    await page.getByText('WH101').waitFor()
    await page.keyboard.press('Control+f')
    await page.getByPlaceholder('Find').pressSequentially('prompt')
    await page.locator('.cm-searchMatch', { hasText: 'prompt' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    t.ok(await page.evaluate('document.activeElement?.shadowRoot != null'), 'Tab indents')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    t.equal(await page.evaluate('document.activeElement?.textContent'), 'Save…', 'Escape and Tab leave the text')
    await page.keyboard.press('Enter')
    await page.locator('.diff').waitFor()
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      const { violations } = await new AxeBuilder({ page }).analyze()
      t.same(
        violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
        [],
        scheme,
      )
    }
    for (const width of [360, 640, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `it fits ${width} pixels`)
    }
    // The server decides by the sign-in; the pages leave out what would be refused.
    await page.addInitScript({
      content: `const whole = fetch
      fetch = async (...of) => {
        const response = await whole(...of)
        return of[0] === '/ask/overview' ? Response.json({ ...(await response.json()), rights: ['view'] }) : response
      }`,
    })
    await page.reload()
    await page.getByText('Changing the text takes the right "operate"').waitFor()
    await page.getByText('Findings').waitFor()
    t.equal(await page.getByRole('button', { name: /save/i }).count(), 0)
    t.equal(await page.getByLabel('Payload').count(), 0)
    t.same(complaints, [])
  },
)

t.test('without the right to payloads nothing of a payload is answered, and without the right to operate nothing is saved', async (t) => {
  const rightOf = (name: keyof typeof consoleQuestions) => consoleQuestions[name].right
  t.same((['saveRoute', 'keepDraft', 'dropDraft'] as const).map(rightOf), ['operate', 'operate', 'operate'])
  t.same((['payloads', 'payload'] as const).map(rightOf), ['payloads', 'payloads'])
  const workspace = { dataDir: folderOf(t), env: {}, self: 'headgate' }
  const gateway = { find: async () => undefined, need: async () => Promise.reject(new Error('no gateway runs')) }
  const service = createEditorService(workspace, gateway)
  const answers = createAnswers({ workspace, gateway, service, audit: openAudit(workspace.dataDir, systemClock), clock: systemClock })
  const asked = async (...rights: Right[]) => {
    const signIn = { id: '0', name: 'browser 0', user: ownUser, rights: new Set(rights) }
    const { from, name, source } = await answers.routeText({ name: 'hello' }, signIn)
    const payload = { from: 'sample', id: 'github/push' } as const
    return answers.routePreview({ name, source, from, to: from, payload }, signIn)
  }
  t.match(await asked('view', 'payloads'), { trace: { name: 'ignored' }, prompt: { text: /^Hello/ } })
  t.match(await asked('view'), { trace: null, prompt: null, untraced: 'no payload is chosen', extra: null })
  t.strictSame((await asked('view')).tallies, {}, 'for how many samples a condition holds tells what they hold')
})

t.test('who only looks learns of no file and no variable whether it is there, by no reference in a draft', async (t) => {
  const dir = folderOf(t)
  const workspace = { dataDir: dir, env: { THERE: 'whsec_!' }, self: 'headgate' }
  writeFileSync(join(dir, 'there.json'), '{}')
  writeFileSync(join(dir, 'odd.json'), '{ "type": "canary" }')
  const gateway = { find: async () => undefined, need: async () => Promise.reject(new Error('no gateway runs')) }
  const service = createEditorService(workspace, gateway)
  const answers = createAnswers({ workspace, gateway, service, audit: openAudit(dir, systemClock), clock: systemClock })
  const asked = async (rights: Right[], line: string) => {
    const signIn = { id: '0', name: 'browser 0', user: ownUser, rights: new Set(rights) }
    const { from, name, source } = await answers.routeText({ name: 'hello' }, signIn)
    const of = { name, source, from, to: `${from.replace(/\n$/, '')}\n${/\n( *)prompt/.exec(from)?.[1]}${line}\n` }
    const { findings } = await answers.routePreview(of, signIn)
    const plan = await answers.routePlan(of, signIn)
    return [findings, plan.findings, plan.stops].map((each) => JSON.stringify(each))
  }
  const keys = {
    payload_schema: ['there.json', 'none.json', 'odd.json', '../none.json'],
    filters: ['there.json', 'none.json', '/etc/passwd'].map((file) => `[{ field: a, in_file: ${file} }]`),
    script: ['there.py', 'none.py'],
    skills: ['[there]', '[none]'],
    secret: [join(dir, 'there.json'), '/etc/passwd', '/none', dir].map((file) => `file:${file}`).concat('"${THERE}"', '"${NONE}"'),
  }
  for (const [key, values] of Object.entries(keys)) {
    const told = await Promise.all(values.map(async (value) => (await asked(['view'], `${key}: ${value}`)).join().replaceAll(/\d+/g, '')))
    t.equal(new Set(told.map((each, i) => each.replaceAll(values[i] ?? '', ''))).size, 1, key)
  }
  t.match(await asked(['view', 'operate'], 'payload_schema: none.json'), [/WH416/, /WH416/, 'true'])
})

t.test('a place in a text that is being typed', (t) => {
  const cases: readonly (readonly [text: string, path: readonly (string | 0)[], kind: 'key' | 'value', typed: string])[] = [
    ['', [], 'key', ''],
    ['ev', [], 'key', 'ev'],
    ['events: pu', ['events'], 'value', 'pu'],
    ['events: [push, pu', ['events', 0], 'value', 'pu'],
    ['events:\n  - pu', ['events', 0], 'key', 'pu'],
    ['events:\n- push\n- pu', ['events', 0], 'key', 'pu'],
    ['filters:\n  - field: a\n    eq', ['filters', 0], 'key', 'eq'],
    ['filters:\n  - field: a\n    # why\n\n    equals: x', ['filters', 0, 'equals'], 'value', 'x'],
    ['filters:\n  - any:\n      - field: pay', ['filters', 0, 'any', 0, 'field'], 'value', 'pay'],
    ['filters:\n  - { field: a, in: [x', ['filters', 0, 'in', 0], 'value', 'x'],
    ['filters:\n  - { field: a, i', ['filters', 0], 'key', 'i'],
    ['retry:\n  max', ['retry'], 'key', 'max'],
    ['retry:\n  max_attempts: 1\npro', [], 'key', 'pro'],
    ['prompt: |\n  a: b\n  Hello {na', ['prompt'], 'value', 'Hello {na'],
    ["'prompt': x {na", ['prompt'], 'value', 'x {na'],
  ]
  for (const [text, path, kind, typed] of cases)
    t.same(yamlPlaceAt(`${text}\nafter: x`, text.length), { path, kind, typed, from: text.length - typed.length }, text)
  t.end()
})

t.test('the editor is loaded when it is needed, and is small', async (t) => {
  const folder = new URL('../../dist/console/', import.meta.url)
  const [editor, ...others] = readdirSync(folder).filter((name) => name.startsWith('route-editor-'))
  t.same(others, [])
  const bytes = gzipSync(readFileSync(new URL(editor ?? '', folder)), { level: 9 }).length
  t.ok(bytes <= 160 * 1_024, `${bytes} bytes, compressed`)
})
