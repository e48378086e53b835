/** Finds the references to secrets of programs in subscriptions and stored jobs, which are read after the configuration. */

import { join } from 'node:path'
import { isObject, type Json } from '../../core/json.ts'
import type { Profile } from '../config.ts'
import { jobsFileName } from '../jobs.ts'
import { parseEntries, readSnapshot } from '../read-consistent.ts'
import { subscriptionsFileName } from '../subscriptions.ts'
import { knownReference, type SecretSources } from './providers.ts'

/** Returns the references, as `PROVIDER/ID`, in the files of entries of a data directory and its profiles. */
export const entryReferences = (dataDir: string, profiles: Iterable<Pick<Profile, 'dir'>>, secrets: SecretSources): string[] => {
  if (Object.keys(secrets.providers).length === 0) return []
  const files = [join(dataDir, subscriptionsFileName), ...[...profiles].map(({ dir }) => join(dir, jobsFileName))]
  return files.flatMap((file) => textsIn(readEntriesWithReferences(file))).flatMap((text) => knownReference(text, secrets) ?? [])
}

/** Returns the entries of a file. To save time, a file whose text has no reference is not parsed. */
const readEntriesWithReferences = (file: string): Json => {
  try {
    const text = readSnapshot(file)
    return text.includes('exec:') ? parseEntries(text) : {}
  } catch {
    // There is no such file, or it cannot be parsed, which is reported where its entries are read.
    return {}
  }
}

const textsIn = (value: Json): string[] =>
  typeof value === 'string' ? [value] : (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []).flatMap(textsIn)
