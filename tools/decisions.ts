/** Reads the decisions in docs/decisions/, and writes their index. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A decision. `number`: four digits, which begin the name of its file. `replacedBy`: the number of the decision that holds instead. */
export type Decision = {
  readonly file: string
  readonly number: string
  readonly title: string
  readonly date: string
  readonly replacedBy: string | undefined
  readonly replaces: readonly string[]
  readonly text: string
}

const form =
  /^# (?<number>\d{4})\. (?<title>.+)\n\nStatus: (?:accepted|superseded by (?<replacedBy>\d{4})) \((?<date>\d{4}-\d\d-\d\d)\)(?:, supersedes (?<replaces>\d{4}(?:, \d{4})*))?\n\n## Context\n\n(?:(?!\n#)[\s\S])+\n\n## Decision\n\n(?:(?!\n#)[\s\S])+\n\n## Consequences\n\n(?:(?!\n#)[\s\S])+\n$/

/** Reads all decisions of a folder, in the order of their numbers. Throws for a file of another form. */
export const readDecisions = (folder: string): readonly Decision[] =>
  readdirSync(folder)
    .filter((file) => file !== 'README.md')
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const found = form.exec(text)?.groups
      if (!found) throw new Error(`docs/decisions/${file}: not of the form that docs/decisions/README.md describes`)
      const { number = '', title = '', date = '', replacedBy, replaces } = found
      const slug = title
        .toLowerCase()
        .replaceAll("'", '')
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')
      if (file !== `${number}-${slug}.md`) throw new Error(`docs/decisions/${file}: its name must be ${number}-${slug}.md`)
      return { file, number, title, date, replacedBy, replaces: replaces?.split(', ') ?? [], text }
    })

const intro = `What is hard to undo: formats on the disk and on the wire, what users write, promises, and what the whole code is built on. One file a decision. Everything else that needs a reason has it in a comment beside the code.

A file is named by its number and its title, and has the status, the context, the decision and its consequences, each in a few sentences; copy one to begin. Numbers are never used again, so some are missing. A decision that no longer holds stays, as \`superseded by NNNN\`, and the one that replaces it says \`supersedes NNNN\`. Code and docs cite accepted ones only, as \`decision NNNN\`; a test checks it.`

/** Returns the index of the decisions as Markdown. */
export const renderDecisions = (decisions: readonly Decision[]): string =>
  [
    '# Decisions',
    '<!-- Generated from the files of this folder by `npm run gen`. Do not edit. -->',
    intro,
    [
      '| number | decision | status | date |',
      '|---|---|---|---|',
      ...decisions.map(
        ({ file, number, title, date, replacedBy }) =>
          `| ${number} | [${title}](${file}) | ${replacedBy ? `superseded by ${replacedBy}` : 'accepted'} | ${date} |`,
      ),
    ].join('\n'),
  ].join('\n\n')
