/** Finds filters and templates that read a field which the payload schema of the route excludes (WH417). */

import type { Path } from '../../../core/diagnostic.ts'
import { printable } from '../../../core/text.ts'
import { changedFilesField } from '../../../expr/changed-files.ts'
import { pathInBatch } from '../../../expr/path.ts'
import { partsOf } from '../../../expr/path-parts.ts'
import { placeholders } from '../../../expr/placeholder.ts'
import { excludesPath, schemaPaths } from '../../../expr/schema/schema-paths.ts'
import { hasFallback } from '../../../expr/template.ts'
import { openSchema } from '../../../parts/stages/payload-schema.ts'
import { leavesOf, textNoun } from '../filters/fields.ts'
import { nearPaths } from '../samples/near-paths.ts'
import { eitherOf, isOfLookup, type Subject } from '../subject.ts'

/**
 * Reports the fields and placeholders that the payload schema excludes. `texts`: the templates of the route. Where the route has a script
 * or a transform, they are filled in from its result, so they are not checked.
 */
export const reviewSchemaPaths = (subject: Subject, texts: readonly { readonly path: Path; readonly text: string }[]): void => {
  const { spec, profile, say } = subject
  if (spec.payload_schema === undefined) return
  const schema = openSchema(profile.dir, spec.payload_schema)
  if ('message' in schema) return
  // Where a request is split, the payload schema describes one item, so it says nothing about a path that leads into the whole request.
  const isOfBatch = (path: string): boolean => spec.split !== false && pathInBatch(path) !== undefined
  const isElsewhere = (path: string): boolean => isOfBatch(path) || isOfLookup(path, subject) || partsOf(path)[0] === changedFilesField
  let known: readonly string[] | undefined
  const tell = (at: Path, what: string, path: string): void => {
    known ??= schemaPaths(schema).map((each) => each.path)
    const near = nearPaths(path, known).all
    const help = near.length > 0 ? `did you mean ${eitherOf(near)}?` : 'write a path that the schema has, or mend the schema'
    say('WH417', at, `${what} is in no payload that fits ${spec.payload_schema}`, { help, suggest: near })
  }
  for (const { field, path } of leavesOf(spec.filters)) {
    if (textNoun(field) !== undefined || isElsewhere(field)) continue
    const inner = field.replace(/^payload\./, '')
    if (excludesPath(schema, field) && excludesPath(schema, inner)) tell([...path, 'field'], `the field "${printable(field, 80)}"`, inner)
  }
  if (spec.script !== undefined || spec.transform !== undefined) return
  for (const { path, text } of texts)
    for (const read of placeholders(text))
      if (!read.startsWith('=') && read !== '__raw__' && !hasFallback(read) && !isElsewhere(read) && excludesPath(schema, read))
        tell(path, `{${printable(read, 80)}}`, read)
}
