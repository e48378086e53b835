/** Adds a request to the user's own samples, without its secrets and personal data. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { insecure } from '../../config/config.ts'
import { replaceFile } from '../../config/writing/replace-file.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { isOfConnection } from '../../core/headers.ts'
import { readRoutes } from '../../datadir/routes.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { builtInSamples, sampleNameOf, tooLargeSample, userFolder } from '../../dryrun/samples/gallery.ts'
import { maxSampleBytes, renderSample, type Sample, sampleOf } from '../../dryrun/samples/sample-file.ts'
import { type Replaced, scrub } from '../../dryrun/samples/scrub.ts'
import { type SecretPlaces, secretPlacesOf } from '../../parts/mask-request.ts'
import { builtinCatalogue } from '../../plan/catalogue.ts'
import { knownSecrets } from '../../plan/known-secrets.ts'
import { ownSchemes } from '../../plan/own-schemes.ts'
import { allSchemes } from '../../plan/route-schemes.ts'

export type AddedSample = {
  readonly name: string
  readonly file: string
  readonly sample: Sample
  readonly replaced: readonly Replaced[]
  /** Whether the text was a payload alone. Then the sample has no header but `content-type`. */
  readonly isBare: boolean
  readonly hides: boolean
}

/**
 * Adds a sample. `text`: a sample, or a payload alone. `replace`: whether to replace a sample of this name. Throws a Fault where the text
 * or the name cannot be used, or the file cannot be written.
 */
export const addSample = async (workspace: Workspace, asked: string, text: string, replace: boolean): Promise<AddedSample> => {
  const name = usableSampleName(asked)
  const file = `${join(userFolder(workspace), name)}.json`
  if (!replace && existsSync(file)) {
    const hint = 'take another name, or give --replace'
    throw new Fault('conflict', `there is a sample "${name}" already`, { exitCode: exit.conflict, hint })
  }
  if (Buffer.byteLength(text) > maxSampleBytes) throw tooLargeSample('the sample')
  const { sample: given, isBare } = sampleOf(text, 'the sample')
  const { sample, replaced } = scrub(withoutConnection(given), configuredSecrets(workspace), secretPlacesIn(workspace))
  const [provider = ''] = name.split('/')
  const { headers, body, ...about } = sample
  const rendered = renderSample({ ...about, provider }, { headers, body: Buffer.from(body) })
  await replaceFile(file, rendered).catch((error) => {
    throw error instanceof Fault ? error : diskFault('write', file, error)
  })
  const hides = builtInSamples().some((known) => known.name === name)
  return { name, file, sample, replaced, isBare, hides }
}

const usableSampleName = (asked: string): string => {
  const name = sampleNameOf(asked)
  if (name !== undefined) return name
  throw usage(`"${asked}" cannot be a sample's name`, 'write provider/event: letters, digits, dot, underscore and hyphen, at most 64 each')
}

/** Returns the known secrets of the configuration, and the secrets of the subscriptions. Throws a Fault as `readRoutes` does. */
export const configuredSecrets = (workspace: Workspace): readonly string[] => {
  const { loaded, routes } = readRoutes(workspace)
  return [...knownSecrets(loaded.config), ...routes.flatMap(({ route }) => route?.secrets ?? []).filter((secret) => secret !== insecure)]
}

/**
 * Returns the headers and body fields in which senders put a secret itself: by the built-in schemes, and by schemes that the configuration
 * or a route describes. Schemes of plugins do not count, because plugins are not loaded here.
 */
const secretPlacesIn = (workspace: Workspace): SecretPlaces => {
  const { loaded, routes } = readRoutes(workspace)
  const described = routes.flatMap(({ route }) => (route ? allSchemes(builtinCatalogue, route.spec) : []))
  return secretPlacesOf([...allSchemes(builtinCatalogue), ...ownSchemes(loaded.config).schemes.values(), ...described])
}

/** Removes the headers that belong to one connection, such as `host`. */
const withoutConnection = ({ headers, ...rest }: Sample): Sample => ({
  ...rest,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !isOfConnection(name))),
})
