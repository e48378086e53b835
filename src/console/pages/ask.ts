/**
 * Asks the server of the console, and keeps the half of the sign-in's secret that the pages show. The browser keeps the other half as a
 * cookie.
 */

import { signal } from '@preact/signals'
import type { ConsoleQuestions } from '../../generated/console.ts'
import type { Right } from '../access/users.ts'
import type { ConsoleAnswers } from '../answers/answers.ts'
import type { LiveLine } from '../live-feed.ts'

/**
 * The rights of the signed-in user, from the server's last answer. The server checks the rights at each question; the pages only hide the
 * buttons and filters that it would refuse.
 */
export const rights = signal<readonly Right[]>([])

export const may = (right: Right): boolean => rights.value.includes(right)

/** The reason why a question has no answer. `status`: the HTTP status; 0 where the server was not reached. `hint`: what the user can do. */
export class NoAnswer extends Error {
  readonly status: number
  readonly hint: string | undefined

  constructor(status: number, message: string, hint?: string) {
    super(message)
    this.status = status
    this.hint = hint
  }
}

const storageName = 'headgate'
/** Whether this browser is signed in, as far as the last answer showed. */
export const isSignedIn = signal(localStorage.getItem(storageName) !== null)

/**
 * Whether the user has signed out on this page. After that, the page does not ask the proxy, which would sign the user in again at once.
 */
export const hasSignedOut = signal(false)

/** The ways to sign in besides a code. `oidc`: the host of the identity provider; `null` without a provider. */
export type SignInWays = { readonly forward: boolean; readonly password: boolean; readonly oidc: string | null }

export const signInWays = async (): Promise<SignInWays> => (await jsonOf(await post('signInWays', {}))) as SignInWays

/** Signs in with a code, or with a name and a password; without these, as the user whom the proxy names. Rejects with a `NoAnswer`. */
export const signIn = async (how: { code: string } | { user: string; password: string } | Record<never, never>): Promise<void> => {
  const response = await post('signIn', how)
  const { bearer } = (await jsonOf(response)) as { bearer: string }
  localStorage.setItem(storageName, bearer)
  isSignedIn.value = true
}

export const signOut = async (): Promise<void> => {
  await ask('signOut', {}).catch(() => {})
  hasSignedOut.value = true
  forget()
}

/** Asks a question. Rejects with a `NoAnswer`, or with the reason of `signal`. */
export const ask = async <Name extends keyof ConsoleQuestions>(
  name: Name,
  question: ConsoleQuestions[Name],
  signal?: AbortSignal,
): Promise<Name extends keyof ConsoleAnswers ? ConsoleAnswers[Name] : unknown> =>
  (await jsonOf(await post(name, question, signal))) as never

/**
 * Yields the lines of the live traffic, each time the lines that came together, until the server ends the stream. Throws a `NoAnswer`, the
 * reason of `signal`, or the error of a broken stream.
 */
export async function* live(signal: AbortSignal): AsyncGenerator<readonly LiveLine[], void> {
  const response = await post('live', {}, signal)
  if (!response.ok || !response.body) throw await refusalOf(response)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  while (true) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    yield lines.map((line) => JSON.parse(line) as LiveLine)
  }
}

const post = async (name: string, question: object, signal?: AbortSignal): Promise<Response> => {
  try {
    return await fetch(`/ask/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${localStorage.getItem(storageName) ?? ''}` },
      body: JSON.stringify(question),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new NoAnswer(0, 'the console does not answer', 'start it again: headgate console')
  }
}

const jsonOf = async (response: Response): Promise<unknown> => {
  if (!response.ok) throw await refusalOf(response)
  return response.json()
}

const refusalOf = async (response: Response): Promise<NoAnswer> => {
  if (response.status === 401) forget()
  const { error = `status ${response.status}`, hint } = (await response.json().catch(() => ({}))) as { error?: string; hint?: string }
  return new NoAnswer(response.status, error, hint)
}

const forget = (): void => {
  localStorage.removeItem(storageName)
  isSignedIn.value = false
}
