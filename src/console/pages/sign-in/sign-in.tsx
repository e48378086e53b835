/** The screen of a browser that is not signed in: the ways to sign in that the console has. */

import type { JSX } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { hasSignedOut, type SignInWays, signIn, signInWays } from '../ask.ts'
import { asNoAnswer } from '../parts.tsx'
import { go } from '../router.ts'
import { shown } from '../words.ts'

/** Takes the code out of the address, and returns it; `null` where the address has no code. */
export const takeCode = (): string | null => {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code !== null) go(location.pathname + location.search, true)
  return code
}

/** The messages for a failed sign-in at an identity provider, by the word in the address. */
const failures: { readonly [failed: string]: string } = {
  browser: 'This sign-in was begun in another browser, or more than ten minutes ago. Begin again.',
  role: 'You have no role here: console.auth.roles in config.yaml gives one.',
  busy: 'Too many people sign in at the moment. Try again.',
  provider: 'The identity provider did not sign you in. The output of the console says why.',
}

/**
 * Signs in with the code behind the `#` of the address. Without a code, signs in as the user whom a proxy in front of the console names,
 * but not straight after a sign-out.
 */
export const SignInPage = (): JSX.Element => {
  const [problem, setProblem] = useState<string>()
  const [ways, setWays] = useState<SignInWays>()
  const attempt = useCallback((how: Parameters<typeof signIn>[0]): void => {
    setProblem(undefined)
    signIn(how).catch((error) => setProblem(asNoAnswer(error).message))
  }, [])
  useEffect(() => {
    const take = (): boolean => {
      const code = takeCode()
      if (code !== null) attempt({ code })
      return code !== null
    }
    const hasCode = take()
    const failed = new URLSearchParams(location.hash.slice(1)).get('failed')
    if (failed !== null) setProblem(Object.hasOwn(failures, failed) ? failures[failed] : failures.provider)
    signInWays()
      .then((found) => {
        setWays(found)
        if (found.forward && !hasCode && !hasSignedOut.value) attempt({})
      })
      .catch((error) => setProblem(asNoAnswer(error).message))
    // A user may paste an address with a code into a tab that shows this page already.
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [attempt])
  return (
    <main class="sign-in">
      <h1>headgate</h1>
      {problem !== undefined && (
        <p role="alert" class="failure">
          {shown(problem)}
        </p>
      )}
      {ways?.oidc && (
        <a class="button" href="/sign-in/oidc" target="_self">
          Sign in with {shown(ways.oidc)}
        </a>
      )}
      {ways?.forward && (
        <button type="button" onClick={() => attempt({})}>
          Sign in through the proxy
        </button>
      )}
      {ways?.password && <PasswordForm attempt={attempt} />}
      <p class="quiet">
        {ways && !(ways.forward || ways.password || ways.oidc) && 'This browser is not signed in. '}
        <code>headgate console</code>, on the machine of the gateway, gives an address that signs one browser in.
      </p>
    </main>
  )
}

const PasswordForm = ({ attempt }: { readonly attempt: (how: { user: string; password: string }) => void }): JSX.Element => {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    attempt({ user: String(given.get('user')), password: String(given.get('password')) })
  }
  return (
    <form onSubmit={submit}>
      <label>
        User name
        <input name="user" autocomplete="username" autocapitalize="off" spellcheck={false} required />
      </label>
      <label>
        Password
        <input name="password" type="password" autocomplete="current-password" required />
      </label>
      <button type="submit">Sign in</button>
    </form>
  )
}
