/**
 * Runs each case of this folder: a file with a sentence, a command, the files that it finds, and what must come of it. A new case is a file
 * `<name>.txt` with the sentence, the line `$ headgate …` and the files; `UPDATE_GOLDEN=1` writes the rest, which is then read by a person.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { splitWords } from '../../src/setup/words.ts'
import { fakeCli } from '../fakes/cli.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const isUpdate = process.env.UPDATE_GOLDEN === '1'

/** A case. `files`, `after`: texts by the names of their files, before the command and after it; `after` has those that it changes. */
type Case = {
  readonly title: string
  readonly command: string
  readonly files: ReadonlyMap<string, string>
  readonly ends: ReadonlyMap<string, string>
}

/** The sections of what the command does: its exit code, its outputs and the files that it changes (`config.yaml after`). */
const isOfEnd = (name: string): boolean => /^(?:exit|stdout|stderr)$| after$/.test(name)

const readCase = (text: string): Case => {
  const [head = '', ...parts] = text.split(/^-- (.+) --\n/m)
  const sections = parts.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, parts[i + 1] ?? '']] : []))
  const [title = '', command = ''] = head.split('\n').filter((line) => line !== '')
  return {
    title,
    command,
    files: new Map(sections.filter(([name]) => !isOfEnd(name))),
    ends: new Map(sections.filter(([name]) => isOfEnd(name))),
  }
}

const writeCase = ({ title, command, files }: Case, ends: ReadonlyMap<string, string>): string =>
  [`${title}\n\n${command}\n`, ...[...files, ...ends].map(([name, text]) => `-- ${name} --\n${text}`)].join('')

/** Returns a text without what differs between two runs: the folder, durations, times and ids. */
const settled = (text: string, dir: string): string =>
  text
    .replaceAll(dir, 'DIR')
    .replace(/\.tap\/fixtures\/[^/\s]+/g, 'DIR')
    .replace(/\b\d+(?:\.\d+)? ms\b/g, 'N ms')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'ID')

const lined = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

for (const name of readdirSync(folder).filter((each) => each.endsWith('.txt'))) {
  const path = join(folder, name)
  const given = readCase(readFileSync(path, 'utf8'))
  t.test(`${name}: ${given.title}`, async (t) => {
    const [program, ...argv] = splitWords(given.command.replace(/^\$ /, '')) ?? []
    t.equal(program, 'headgate', 'the second line is a command')
    const cli = fakeCli(t, Object.fromEntries(given.files), {})
    const { code, out, err } = await cli.run(...argv.map((word) => word.replace(/^DIR\//, `${cli.dir}/`)))
    const names = new Set([...given.files.keys(), ...readdirSync(cli.dir).filter((each) => /\.(?:yaml|json|env)$|^\.env$/.test(each))])
    const changed = [...names].filter((each) => existsSync(cli.file(each)) && cli.read(each) !== given.files.get(each))
    const ends = new Map([
      ['exit', `${code}\n`],
      ...[['stdout', out] as const, ['stderr', err] as const].flatMap(([of, text]): [string, string][] =>
        text === '' ? [] : [[of, lined(settled(text, cli.dir))]],
      ),
      ...changed.map((each): [string, string] => [`${each} after`, lined(settled(cli.read(each), cli.dir))]),
    ])
    if (isUpdate) writeFileSync(path, writeCase(given, ends))
    else t.strictSame(Object.fromEntries(ends), Object.fromEntries(given.ends))
  })
}
