/**
 * The field of a form that has the payload as JSON. Where a form has such a field, the JSON in it is the payload, and its other fields are
 * not (rules: Bodies 3).
 */

/** `payload` is the field of GitHub, Gitea and Slack, `mandrill_events` that of Mandrill. */
const names: ReadonlySet<string> = new Set(['payload', 'mandrill_events'])

/** Whether a field of this name has the payload as JSON. */
export const isJsonField = (name: string): boolean => names.has(name)

/**
 * Returns a form with the text of its JSON field replaced by what `edit` makes of it; the same text where nothing changes, and `undefined`
 * for a form without such a field.
 */
export const editJsonField = (form: string, edit: (json: string) => string): string | undefined => {
  const fields = [...new URLSearchParams(form)]
  if (!fields.some(([name]) => isJsonField(name))) return undefined
  const edited = fields.map(([name, value]): [string, string] => [name, isJsonField(name) ? edit(value) : value])
  return edited.every(([, value], i) => value === fields[i]?.[1]) ? form : new URLSearchParams(edited).toString()
}
