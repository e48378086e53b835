/**
 * The modeline: a comment that tells editors the schema of a YAML file. The modeline is spliced into the text, and nothing else of the text
 * changes.
 */

export type ModelineForm = 'yaml-language-server' | 'jetbrains'

const modelineForms: { readonly [form in ModelineForm]: { readonly found: RegExp; readonly written: (schema: string) => string } } = {
  'yaml-language-server': {
    found: /^# *yaml-language-server *:.*$/,
    written: (schema) => `# yaml-language-server: $schema=${schema}`,
  },
  jetbrains: { found: /^# *\$schema *:.*$/, written: (schema) => `# $schema: ${schema}` },
}

/**
 * Returns the text with a modeline for the schema (a relative path). The new modeline replaces a modeline of the same form, or becomes the
 * first line.
 */
export const withModeline = (text: string, schema: string, form: ModelineForm): string => {
  const { found, written } = modelineForms[form]
  const line = written(schema)
  for (const { index, text: comment } of firstComments(text)) {
    if (found.test(comment)) return text.slice(0, index) + line + text.slice(index + comment.length)
  }
  const mark = text.startsWith('\ufeff') ? 1 : 0
  const end = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n'
  return `${text.slice(0, mark)}${line}${end}${text.slice(mark)}`
}

type Comment = { readonly index: number; readonly text: string }

/** Returns the comments at the top of a text, without their line ends, because editors look for a modeline only at the top. */
const firstComments = (text: string): Comment[] => {
  const head = /^\ufeff?(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*(?:[ \t]*#[^\r\n]*)?/.exec(text)?.[0] ?? ''
  return [...head.matchAll(/#[^\r\n]*/g)].map(({ 0: comment, index }) => ({ index, text: comment.trimEnd() }))
}
