/** Checks whether the programs that post for targets are logged in. */

import { defaultProfile, type Profile } from '../../config/config.ts'
import { type Check, fail, ok, type ReportedAs, warn } from '../../datadir/check.ts'
import { withDryEffects } from '../../dryrun/trace/dry-effects.ts'
import { runGh } from '../../parts/targets/delivery/gh.ts'
import { createKeep } from '../../parts/targets/delivery/keep.ts'
import { settingsOf } from '../../parts/targets/delivery/settings.ts'
import { targetsByName } from '../../parts/targets/index.ts'

const loginTimeoutMs = 5_000

/** Returns the name of a target as checks print it. The profile is named unless it is the default profile. */
export const targetLabel = (target: string, profile: string): string =>
  `target ${target}${profile === defaultProfile ? '' : ` (profile ${profile})`}`

/**
 * Checks whether the program through which a target posts (`gh`) has a login. Returns no check for a target that posts without a program.
 * `at`: where the target stands, for `validate --env`. The program only looks for a token on this machine, and does not ask whether the
 * host still accepts it.
 */
export const checkLogin = async (target: string, profile: Profile, at: Omit<ReportedAs, 'code'> = {}): Promise<readonly Check[]> => {
  const part = targetsByName.get(target)
  if (part?.program !== 'gh') return []
  const name = `gh for ${targetLabel(target, profile.name)}`
  const about: ReportedAs = { code: 'WH709', ...at }
  const answer = await withDryEffects(({ scopes }) => {
    const settings = settingsOf(part, profile.platforms, profile.env)
    const kit = { env: profile.env, settings, keep: createKeep(scopes.create({}).adopt) }
    return runGh({ args: ['auth', 'token'], stdin: '', timeoutMs: loginTimeoutMs }, kit)
  })
  if (answer.ok) return [ok(name, 'logged in; the host was not asked')]
  // Without a login, `gh auth token` ends with 1 and says so.
  if (answer.why.includes('no oauth token') || answer.why.includes('not logged in'))
    return [fail(name, 'gh is not logged in', 'gh auth login, or set GH_TOKEN', about)]
  return [warn(name, answer.why, 'run gh auth status', about)]
}
