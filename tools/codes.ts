/** Writes the page of all findings as Markdown, from the catalogue of finding codes and their explanations. */

import type { Example } from '../src/check/explain/explanation.ts'
import { codeRanges, explanationOf } from '../src/check/explain/index.ts'
import { type Code, codeCatalogue, isStopping } from '../src/core/diagnostic.ts'
import { withoutTags } from './in-markdown.ts'

const intro = `What \`headgate validate\` finds, by code; the gateway says the same at its start and at a reload. \`headgate explain WH101\` shows an entry in the terminal, without a network.

**Stops the start**: \`gateway run\` refuses the configuration with exit code 78, and a reload keeps the one before. What is wrong with a subscription or a stored job never does: that entry is skipped, and
the others are served. An error that does not stop the start is something that may be mended while the gateway runs, such as a script that is not there yet.`

const where = { route: 'keys of a route', config: '`config.yaml`', env: '`.env`' } as const

// The examples are not marked as YAML: half of them are wrong on purpose, and most are only a part of a file.
const block = (text: string): string => `\`\`\`text\n${text}\`\`\``

const examplesOf = ({ of, bad, good }: Example): string[] => [`Wrong (${where[of]}):`, block(bad), 'Right:', block(good)]

const entry = (code: Code): string => {
  const { title, severity } = codeCatalogue[code]
  const { means, why, fix, example } = explanationOf(code)
  const start = isStopping(code) ? ', stops the start' : ''
  return [
    `### ${code}`,
    `**${title}** (${severity}${start})`,
    ...[means, why, fix].map(withoutTags),
    ...(example ? examplesOf(example) : []),
  ].join('\n\n')
}

/** Returns the whole page. */
export const renderCodes = (): string => {
  const codes = Object.keys(codeCatalogue) as Code[]
  const rows = codes.map(
    (code) =>
      `| [${code}](#${code.toLowerCase()}) | ${codeCatalogue[code].severity} | ${isStopping(code) ? 'yes' : ''} | ${codeCatalogue[code].title} |`,
  )
  return [
    '# Findings',
    '<!-- Generated from the catalogue by `npm run gen`. Do not edit. -->',
    intro,
    ['| code | severity | stops the start | what it is |', '|---|---|---|---|', ...rows].join('\n'),
    ...codeRanges.flatMap(({ start, title }) => [`## ${title}`, ...codes.filter((code) => code.startsWith(start)).map(entry)]),
  ].join('\n\n')
}
