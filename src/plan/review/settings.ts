/** Reviews the settings around the routes: the global secret, plain HTTP, the agent's program, secrets in clear text. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isUsableSecret } from '../../config/adapter.ts'
import { type Config, defaultProfile, isLoopback } from '../../config/config.ts'
import type { Env } from '../../config/env.ts'
import type { Loaded } from '../../config/load.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import { hasProgram } from '../../process/find-program.ts'
import type { Catalogue } from '../compile.ts'
import { FileTexts } from './file-texts.ts'
import { reviewOpenPrograms } from './open-programs.ts'
import { reviewAgents } from './programs.ts'
import { reviewOpenSecrets } from './secrets/open-secrets.ts'
import { reviewSecret } from './secrets/secrets.ts'
import type { ReportFinding } from './subject.ts'

export const reviewSettings = (
  { config, texts, sources, settingPath }: Pick<Loaded, 'config' | 'texts' | 'sources' | 'settingPath'>,
  catalogue: Pick<Catalogue, 'runners'>,
): Diagnostic[] => {
  const open = sources.flatMap((source) => {
    if (!isFile(source.file)) return []
    const env = envOf(source.file, config)
    return [...reviewOpenSecrets(source, env), ...reviewOpenPrograms(source, env)]
  })
  const agent = reviewAgents({ config, hasProgram, catalogue })
  return [...reviewGlobalSecret(config, texts, settingPath), ...reviewPlainHttp(config, settingPath), ...agent, ...open]
}

/** Returns the environment of the profile whose `config.yaml` a file is. */
const envOf = (file: string, { profiles }: Config): Env => {
  const own = [...profiles.values()].find(({ dir }) => join(dir, 'config.yaml') === file)
  return { ...profiles.get(defaultProfile)?.env, ...own?.env }
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true

const reviewGlobalSecret = (
  { globalSecret: secret, profiles }: Config,
  texts: Loaded['texts'],
  settingPath: Loaded['settingPath'],
): Diagnostic[] => {
  if (secret === undefined) return []
  const { env = {}, place: placeIn } = profiles.get(defaultProfile) ?? {}
  const diagnostics: Diagnostic[] = []
  const fromEnv = isUsableSecret(env.WEBHOOK_SECRET)
  const path = settingPath('secret')
  const placeOf = () => (placeIn && !fromEnv ? placeIn(path) : { file: '', line: 1, column: 1, endLine: 1, endColumn: 1 })
  const say: ReportFinding = (code, _path, message, { help, suggest, fix }) => {
    const at =
      placeIn && !fromEnv
        ? { place: placeIn(path), pointer: pointerOf(path), ...(suggest ? { suggest } : {}), ...(fix ? { fix } : {}) }
        : {}
    diagnostics.push(
      diagnostic(code, fromEnv ? `WEBHOOK_SECRET: ${message}` : message.replace(/^the secret/, 'the global secret'), { ...at, help }),
    )
  }
  reviewSecret(secret, path, { say, placeOf, texts: new FileTexts(texts) })
  return diagnostics
}

const reviewPlainHttp = ({ host, adapter, enabled, tls, profiles }: Config, settingPath: Loaded['settingPath']): Diagnostic[] => {
  if (!enabled || tls || isLoopback(host) || adapter.trust_proxy !== false) return []
  const path = settingPath('host')
  const place = profiles.get(defaultProfile)?.place?.(path, 'value')
  return [
    diagnostic('WH308', `the gateway listens on "${host}" without TLS: others on the way can read what is posted`, {
      pointer: pointerOf(path),
      ...(place ? { place } : {}),
      help: 'set tls, or put a proxy with TLS in front of it and name it under trust_proxy',
    }),
  ]
}
