/** Renders imported routes as YAML. The notes about a route and its left-out parts are in comments above the route. */

import { basename } from 'node:path'
import { dump } from 'js-yaml'
import type { NewMember } from '../../config/yaml/edit/yaml-edit.ts'
import { carryDigits, writeCarriedNumbers } from '../../core/carried-numbers.ts'
import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import type { Imported, ImportedRoute, LeftOut } from './imported.ts'

/** Returns the settings of a route. The route is switched off where it would accept requests that the source refuses. */
const specOf = ({ name, spec }: ImportedRoute, leftOut: readonly LeftOut[]): JsonObject =>
  leftOut.some(({ route, acceptsMore }) => acceptsMore && route === name) ? { ...spec, enabled: false } : spec

/** Returns the routes as members of the YAML map `routes`, each with its comments, and with its numbers past 2^53 carried. */
export const newRoutes = ({ routes, leftOut }: Imported): NewMember[] =>
  routes.map((route) => ({ key: route.name, value: carryDigits(specOf(route, leftOut)), above: commentsOn(route, leftOut) }))

const commentsOn = (route: ImportedRoute, leftOut: readonly LeftOut[]): string[] => {
  const mine = leftOut.filter((each) => each.route === route.name)
  const off = mine.some(({ acceptsMore }) => acceptsMore) ? ['Switched off: without what is left out it would take more than it did.'] : []
  const lines = mine.map(
    ({ place, what, reason }) => `Left out, ${basename(place.file)}:${place.line}${what === '' ? '' : ` ${what}`}: ${reason}.`,
  )
  return [...route.notes, ...lines, ...off].map((text) => `# ${printable(text, 400)}`)
}

const renderRoute = ({ key, value, above = [] }: NewMember): string =>
  [...above, writeCarriedNumbers(dump({ [key]: value }, dumpOptions))].join('\n')

const dumpOptions = { lineWidth: -1, noRefs: true }

const indentText = (text: string, indent: number): string => text.replace(/^(?=.)/gm, ' '.repeat(indent))

/** Renders a whole `config.yaml`. `by`: the command that makes it, for the first comment. */
export const renderConfig = (imported: Imported, by: string): string => {
  const { settings, notes, multiplex, routes } = imported
  const head = [`Made by ${by}`, ...notes].map((text) => `# ${printable(text, 400)}\n`).join('')
  const above = Object.keys(settings).length > 0 ? indentText(dump(settings, dumpOptions), 6) : ''
  const gateway = multiplex ? dump({ gateway: { multiplex_profiles: true } }) : ''
  const list = routes.length > 0 ? `      routes:\n${indentText(newRoutes(imported).map(renderRoute).join(''), 8)}` : '      routes: {}\n'
  return `${head}${gateway}platforms:\n  webhook:\n    enabled: true\n    extra:\n${above}${list}`
}

/** Returns the data that parsing the text of `renderConfig` must give. */
export const configData = ({ settings, multiplex, routes, leftOut }: Imported): JsonObject => ({
  ...(multiplex ? { gateway: { multiplex_profiles: true } } : {}),
  platforms: {
    webhook: {
      enabled: true,
      extra: { ...settings, routes: Object.fromEntries(routes.map((route) => [route.name, specOf(route, leftOut)])) },
    },
  },
})
