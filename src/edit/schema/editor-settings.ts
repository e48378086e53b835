/**
 * Adds schemas to the settings of an editor, `.vscode/settings.json`. The file is JSON with comments, and all its other text stays as it
 * is.
 */

import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, type Json } from '../../core/json.ts'

/** A schema and the files that it describes, both relative to the folder that the editor opens. */
type Association = { readonly schema: string; readonly files: readonly string[] }
export type Associations = { readonly yaml: readonly Association[]; readonly json: readonly Association[] }

/**
 * Returns the text of the settings with these associations. `file`: the path, for messages. `text`: the present text, empty where there are
 * no settings yet. Throws a Fault for malformed settings.
 */
export const withAssociations = (file: string, text: string, { yaml, json }: Associations): string => {
  const withYaml = yaml.reduce((before, each) => withYamlSchema(file, before, each), text.trim() === '' ? '{}\n' : text)
  return json.reduce((before, each) => withJsonSchema(file, before, each), withYaml)
}

/** Adds the association to `yaml.schemas`, a map from a schema to a file or a list of files. */
const withYamlSchema = (file: string, text: string, { schema, files }: Association): string => {
  const schemas = settingsIn(file, text)['yaml.schemas'] ?? {}
  if (!isObject(schemas)) throw oddSettings(file, 'its "yaml.schemas" is no map')
  const all = withMissing(schemas[schema], files)
  return all === undefined ? text : setInText(text, ['yaml.schemas', schema], all)
}

/** Adds the association to `json.schemas`, a list of maps with a schema and its files. */
const withJsonSchema = (file: string, text: string, { schema, files }: Association): string => {
  const schemas = settingsIn(file, text)['json.schemas'] ?? []
  if (!Array.isArray(schemas)) throw oddSettings(file, 'its "json.schemas" is no list')
  const place = schemas.findIndex((each) => isObject(each) && each.url === schema)
  if (place < 0) return setInText(text, ['json.schemas', schemas.length], { fileMatch: [...files], url: schema })
  const all = withMissing((schemas[place] as { readonly fileMatch?: Json }).fileMatch, files)
  return all === undefined ? text : setInText(text, ['json.schemas', place, 'fileMatch'], all)
}

/** Returns the files that are listed already, followed by the missing files; `undefined` where no file is missing. */
const withMissing = (present: Json | undefined, files: readonly string[]): Json[] | undefined => {
  const listed = present === undefined ? [] : [present].flat()
  const missing = files.filter((file) => !listed.includes(file))
  return missing.length === 0 ? undefined : [...listed, ...missing]
}

const settingsIn = (file: string, text: string): { readonly [key: string]: Json | undefined } => {
  const errors: ParseError[] = []
  const settings = parse(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true }) as Json | undefined
  const [first] = errors
  if (first) {
    const before = text.slice(0, first.offset).split('\n')
    throw oddSettings(file, `${printParseErrorCode(first.error)} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`)
  }
  if (!isObject(settings)) throw oddSettings(file, 'it is no map')
  return settings
}

const setInText = (text: string, path: JSONPath, value: Json): string => {
  const tabs = /\n\t/.test(text)
  const tabSize = /\n( +)\S/.exec(text)?.[1]?.length ?? 2
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return applyEdits(text, modify(text, path, value, { formattingOptions: { insertSpaces: !tabs, tabSize, eol } }))
}

const oddSettings = (file: string, why: string): Fault =>
  new Fault('odd_settings', `${file} cannot be changed: ${why}`, {
    exitCode: exit.conflict,
    hint: 'mend it, or name the schemas by hand: docs/editor.md',
  })
