/**
 * `npm run changes`: prints what the next release changes, from the files in `.changes/` and what CHANGELOG.md has under "Unreleased".
 * With `--release`, writes it into CHANGELOG.md under the version of package.json and the day, and removes the files.
 */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** The sections of a release, in their order. The first line of a file in `.changes/` is one of them. */
const sections = [
  'Receiving',
  'Work',
  'Targets, runners, plugins',
  'Reload',
  'Checking a configuration',
  'Editors',
  'Tests and samples',
  'Commands',
  'Package and documents',
]

/** Lines that begin with `- `, by their section. */
type Changes = ReadonlyMap<string, readonly string[]>

const refuse = (text: string): never => {
  console.error(text)
  process.exit(1)
}

const changesIn = (text: string, name: string): Changes => {
  const [section = '', blank, ...lines] = text.trimEnd().split('\n')
  if (!sections.includes(section)) refuse(`${name}: its first line must be one of: ${sections.join('; ')}`)
  if (blank !== '' || lines.length === 0 || !lines.every((line) => line.startsWith('- '))) {
    refuse(`${name}: behind the section and an empty line, each line must be a change and begin with "- "`)
  }
  return new Map([[section, lines]])
}

/** Splits the changelog: what stands before its first release, its unreleased changes, and all releases. */
const split = (changelog: string): { readonly before: string; readonly unreleased: Changes; readonly releases: string } => {
  const [before = '', ...parts] = changelog.split(/^(?=## )/m)
  const isOpen = parts[0]?.startsWith('## Unreleased\n') === true
  const unreleased = new Map<string, readonly string[]>()
  for (const part of isOpen ? (parts[0] as string).split(/^### /m).slice(1) : []) {
    const [section = '', ...lines] = part.trimEnd().split('\n')
    unreleased.set(section, lines.slice(1))
  }
  return { before, unreleased, releases: (isOpen ? parts.slice(1) : parts).join('') }
}

const { release: isRelease } = parseArgs({ options: { release: { type: 'boolean', default: false } } }).values
const folder = '.changes'
const files = existsSync(folder) ? readdirSync(folder).sort() : []
const { before, unreleased, releases } = split(readFileSync('CHANGELOG.md', 'utf8'))
const all = [...files.map((name) => changesIn(readFileSync(join(folder, name), 'utf8'), join(folder, name))), unreleased]
const names = [...new Set([...sections, ...unreleased.keys()])]
const body = names
  .map((name) => ({ name, lines: all.flatMap((changes) => changes.get(name) ?? []) }))
  .filter(({ lines }) => lines.length > 0)
  .map(({ name, lines }) => `### ${name}\n\n${lines.join('\n')}\n`)
  .join('\n')

if (!isRelease) process.stdout.write(body)
else {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
  const heading = `## ${version} (${new Date().toISOString().slice(0, 10)})`
  writeFileSync('CHANGELOG.md', `${before}${heading}\n\n${body}${releases && `\n${releases}`}`)
  for (const name of files) rmSync(join(folder, name))
}
