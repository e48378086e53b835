/** Reads the address of a route editor. */

/**
 * Returns the name of the route at the address of a route editor. The name is `undefined` for a new route, and the result is `undefined`
 * for any other address.
 */
export const editedRouteIn = (path: string): { readonly name: string | undefined } | undefined => {
  if (path === '/routes/new') return { name: undefined }
  try {
    const [, name] = /^\/routes\/([^/]+)\/edit$/.exec(path) ?? []
    return name === undefined ? undefined : { name: decodeURIComponent(name) }
  } catch {
    return undefined
  }
}
