/** The frame of the console: the sign-in, the bar of screens, the present screen, and what all screens show. */

import type { ComponentType, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { barScreens } from '../../generated/console-screens.ts'
import { ask, isSignedIn, rights, signOut } from './ask.ts'
import { BulkJobs } from './bulk.tsx'
import { EventScreen } from './event.tsx'
import { EventsScreen } from './events.tsx'
import { HealthScreen } from './health.tsx'
import { lazy } from './lazy.tsx'
import { LiveScreen } from './live/live.tsx'
import { Palette } from './palette.tsx'
import { Failure, useAsked } from './parts.tsx'
import { editedRouteIn } from './route-editor/edited-route.ts'
import { currentAddress, go } from './router.ts'
import { RoutesScreen } from './routes.tsx'
import { SignInPage, takeCode } from './sign-in/sign-in.tsx'
import { TargetsScreen } from './targets.tsx'
import { shown } from './words.ts'
import { WorkScreen } from './work.tsx'

// The scripts of these screens are loaded when somebody opens one: two are several times as large as all others, and lists are seldom needed.
const ChartsScreen = lazy(async () => (await import('./charts/charts.tsx')).ChartsScreen)
const ListsScreen = lazy(async () => (await import('./lists.tsx')).ListsScreen)
const RouteEditor = lazy(async () => (await import('./route-editor/route-editor.tsx')).RouteEditor)

const screens: { readonly [Name in (typeof barScreens)[number]['name']]: ComponentType } = {
  Live: LiveScreen,
  Events: EventsScreen,
  Work: WorkScreen,
  Routes: RoutesScreen,
  Targets: TargetsScreen,
  Lists: ListsScreen,
  Health: HealthScreen,
  Charts: ChartsScreen,
}

/** The time between two questions whether a gateway runs, in milliseconds. */
const overviewMs = 15_000

export const App = (): JSX.Element => (isSignedIn.value ? <Console /> : <SignInPage />)

const Console = (): JSX.Element => {
  const { answer, failure, again } = useAsked('overview', (signal) => ask('overview', {}, signal))
  useEffect(() => {
    if (answer) rights.value = answer.rights
  }, [answer])
  useEffect(() => {
    // Every screen shows whether a gateway runs, and a screen may stay open for days.
    const timer = setInterval(() => document.hidden || again(), overviewMs)
    return () => clearInterval(timer)
  }, [again])
  useEffect(() => {
    // A signed-in browser needs no code, so a code is only taken out of the address.
    takeCode()
    addEventListener('keydown', openByKey)
    return () => removeEventListener('keydown', openByKey)
  }, [])
  const { path } = currentAddress.value
  return (
    <>
      <a class="to-content" href="#content">
        To the content
      </a>
      <nav aria-label="screens">
        <strong>headgate</strong>
        {barScreens.map(({ path: to, name }, i) => (
          <a key={to} href={to} aria-current={isAt(path, to) ? 'page' : undefined} aria-keyshortcuts={keyOf(i)}>
            {name}
          </a>
        ))}
        <span class="quiet">{answer && (answer.gateway ? shown(answer.gateway.url) : 'no gateway runs')}</span>
        {answer?.user && <span class="user">{shown(answer.user, 40)}</span>}
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </nav>
      <main id="content" tabIndex={-1}>
        <BulkJobs />
        {failure && !answer ? <Failure failure={failure} again={again} /> : answer && <Screen path={path} />}
      </main>
      <Palette screens={barScreens.map(({ name, path: to }) => ({ name, to }))} />
      <footer class="quiet">{answer && `headgate ${answer.version} · ${shown(answer.dataDir)}`}</footer>
    </>
  )
}

const isAt = (path: string, screen: string): boolean => path === screen || (screen !== '/' && path.startsWith(`${screen}/`))

const Screen = ({ path }: { readonly path: string }): JSX.Element => {
  const id = eventIn(path)
  if (id !== undefined) return <EventScreen key={id} id={id} />
  const edited = editedRouteIn(path)
  if (edited) return <RouteEditor name={edited.name} />
  const screen = barScreens.find((each) => each.path === path)
  if (!screen) return <p>There is no screen at this address.</p>
  const Shown = screens[screen.name]
  return <Shown />
}

/** Returns the id of the event whose screen has this address; `undefined` for the address of any other screen. */
const eventIn = (path: string): string | undefined => {
  try {
    const [, id] = /^\/events\/([^/]+)$/.exec(path) ?? []
    return id && decodeURIComponent(id)
  } catch {
    return undefined
  }
}

/** Returns the key that opens a screen of the bar. */
const keyOf = (index: number): string => String(index + 1)

const openByKey = (event: KeyboardEvent): void => {
  const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [data-typing]') !== null
  if (isTyping || event.metaKey || event.ctrlKey || event.altKey) return
  const screen = barScreens.find((_, i) => keyOf(i) === event.key)
  if (screen) go(screen.path)
}
