/** The comment that tells editors which schema a YAML file has. It is spliced into the text: nothing else changes. */

export type ModelineForm = 'yaml-language-server' | 'jetbrains'

const forms: { readonly [form in ModelineForm]: { readonly found: RegExp; readonly written: (schema: string) => string } } = {
  'yaml-language-server': {
    found: /^# *yaml-language-server *:.*$/,
    written: (schema) => `# yaml-language-server: $schema=${schema}`,
  },
  jetbrains: { found: /^# *\$schema *:.*$/, written: (schema) => `# $schema: ${schema}` },
}

/** The text with a modeline of this form that names the schema, relative to the file: the one among its first comments, else a new first line. */
export const withModeline = (text: string, schema: string, form: ModelineForm): string => {
  const { found, written } = forms[form]
  const line = written(schema)
  for (const { index, text: comment } of firstComments(text)) {
    if (found.test(comment)) return text.slice(0, index) + line + text.slice(index + comment.length)
  }
  const mark = text.startsWith('\ufeff') ? 1 : 0
  const end = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n'
  return `${text.slice(0, mark)}${line}${end}${text.slice(mark)}`
}

type Comment = { readonly index: number; readonly text: string }

/** The comments before anything else, without their line ends. Editors look for a modeline only there. */
const firstComments = (text: string): Comment[] => {
  const head = /^\ufeff?(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*(?:[ \t]*#[^\r\n]*)?/.exec(text)?.[0] ?? ''
  return [...head.matchAll(/#[^\r\n]*/g)].map(({ 0: comment, index }) => ({ index, text: comment.trimEnd() }))
}
