/** Takes the routes out of a configuration, and puts the routes of all its files into it. */

import { isObject, type Json, type JsonObject } from '../core/json.ts'

const asMap = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** Returns the data of a `config.yaml` without its routes, and without the names of the files that have others. */
export const sectionsOf = ({ include: _, ...data }: JsonObject): JsonObject => {
  const platforms = asMap(data.platforms)
  if (!isObject(platforms.webhook)) return data
  const { routes: _direct, ...webhook } = platforms.webhook
  const { routes: _extra, ...extra } = asMap(webhook.extra)
  return { ...data, platforms: { ...platforms, webhook: isObject(webhook.extra) ? { ...webhook, extra } : webhook } }
}

/** Returns the sections with routes under `platforms.webhook.extra`, where they count, wherever their files have them. */
export const withRoutes = (sections: JsonObject, routes: JsonObject): JsonObject => {
  if (Object.keys(routes).length === 0) return sections
  const platforms = asMap(sections.platforms)
  const webhook = asMap(platforms.webhook)
  return { ...sections, platforms: { ...platforms, webhook: { ...webhook, extra: { ...asMap(webhook.extra), routes } } } }
}
