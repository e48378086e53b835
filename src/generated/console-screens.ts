// Generated from schema/ by `npm run gen`. Do not edit.

/** The screens that stand in the bar, in its order. */
export const barScreens = [
  { name: 'Live', path: '/' },
  { name: 'Events', path: '/events' },
  { name: 'Work', path: '/work' },
  { name: 'Routes', path: '/routes' },
  { name: 'Targets', path: '/targets' },
  { name: 'Lists', path: '/lists' },
  { name: 'Health', path: '/health' },
  { name: 'Charts', path: '/charts' },
] as const

/** The screens that links lead to. A segment with a colon stands for any. */
export const linkedScreens = [
  { name: 'an event', path: '/events/:id' },
  { name: 'a route', path: '/routes/:name/edit' },
  { name: 'a new route', path: '/routes/new' },
] as const
