/** Names the entries of `positions` that are no schedule: up to when a route has caught up with its sender (features/catch-up/). */

/** No profile has a name with `@`, so the key is never that of a schedule. */
const prefix = '@catch-up/'

export const catchUpKey = ({ profile, route }: { readonly profile: string; readonly route: string }): string =>
  `${prefix}${profile}/${route}`

export const isCatchUpKey = (key: string): boolean => key.startsWith(prefix)
