/** The address of the page names the screen and has the filters of the screen, so that a user can send an address on. */

import { signal } from '@preact/signals'

type Address = { readonly path: string; readonly query: URLSearchParams }

const read = (): Address => ({ path: location.pathname, query: new URLSearchParams(location.search) })

export const currentAddress = signal(read())

/** Goes to an address. `replaces`: the address takes the place of the present address in the history, so that "back" leaves the screen. */
export const go = (to: string, replaces = false): void => {
  if (replaces) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  currentAddress.value = read()
}

/** Makes an address of a path and a query, without the empty members of the query. */
export const pageAddress = (path: string, query: { readonly [name: string]: string | undefined }): string => {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []))
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

/** Follows links within the console, and the browser's "back" and "forward", without loading the page again. */
export const startRouter = (): void => {
  addEventListener('popstate', () => {
    currentAddress.value = read()
  })
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !event.defaultPrevented && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (!link || !isPlain || link.hasAttribute('target') || link.hasAttribute('download')) return
    // The property `href` of a link in an SVG is no text, so the attribute is read.
    const to = new URL(link.getAttribute('href') ?? '', location.href)
    if (to.hash !== '' || to.origin !== location.origin) return
    event.preventDefault()
    go(to.pathname + to.search)
  })
}
