/** The calls for the subscriptions and jobs that were made at run time, and for values that all gateways share. */

import type { SharedEntries } from '../../shared.ts'
import type { CallKind } from '../call-kind.ts'

/** The most names of shared entries: one for the subscriptions, and one for the jobs of each profile. */
const maxNames = 10_000

export const entryRevisionsKind: CallKind<void, ReadonlyMap<string, string>> = {
  name: 'entry_revisions_1',
  text: `select name, revision from entries limit ${maxNames}`,
  maxCalls: 1_000,
  isRepeatable: true,
  values: () => [],
  answers: (rows, calls) => calls.map(() => new Map(rows as readonly [string, string][])),
}

export const readEntriesKind: CallKind<string, SharedEntries | undefined> = {
  name: 'read_entries_1',
  text: 'select revision, text from entries where name = $1',
  maxCalls: 1,
  isRepeatable: true,
  values: ([name]) => [name],
  answers: ([row]) => [row && { revision: row[0] as string, text: row[1] as string }],
}

export type ReplaceEntriesCall = { readonly name: string; readonly before: string | undefined; readonly after: SharedEntries }

/**
 * The call that replaces entries. Sent again after its commit, it finds the revision that it stored itself, and succeeds. It also succeeds
 * where another process has stored the same text meanwhile, because the entries are as the caller wants them.
 */
export const replaceEntriesKind: CallKind<ReplaceEntriesCall, boolean> = {
  name: 'replace_entries_1',
  text: `insert into entries as held (name, revision, text, changed_at) values ($1, $2, $3, clock())
    on conflict (name) do update set revision = excluded.revision, text = excluded.text, changed_at = excluded.changed_at
    where held.revision in ($4, excluded.revision)
    returning true`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.name, call?.after.revision, call?.after.text, call?.before ?? ''],
  answers: (rows) => [rows.length > 0],
}

/** The call that agrees on a value: each call for a name is answered with the value of the first call for that name. */
export const agreeKind: CallKind<{ readonly name: string; readonly value: string }, string> = {
  name: 'agree_1',
  text: `insert into agreed as held (name, value) values ($1, $2)
    on conflict (name) do update set value = held.value returning value`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.name, call?.value],
  answers: ([row]) => [row?.[0] as string],
}
