/**
 * Describes routes as an AsyncAPI document, for other programs: each route is a channel on which the gateway receives. No secret goes into
 * it. Source: https://www.asyncapi.com/docs/reference/specification/v3.0.0.
 */

import { type Config, defaultProfile, type RouteSource } from '../config/config.ts'
import { exit, Fault } from '../core/fault.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { baseUrl } from '../datadir/route-address.ts'
import { findRoute, readRoutes } from '../datadir/routes.ts'
import { version } from '../datadir/version.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { nestedIn } from '../expr/schema/keywords.ts'
import type { PayloadSchema } from '../expr/schema/payload-schema.ts'
import { openSchema } from '../parts/stages/payload-schema.ts'
import { catalogueOf } from '../plan/catalogue.ts'
import { type Catalogue, routePath } from '../plan/compile.ts'
import { checkedWith } from '../plan/route-schemes.ts'

/**
 * Describes the routes with these names, or all routes. Throws a Fault where there is no such route, and where a payload schema cannot be
 * used.
 */
export const describeAsyncApi = async (workspace: Workspace, names: readonly string[]): Promise<JsonObject> => {
  const entries = readRoutes(workspace)
  const chosen = names.length > 0 ? names.map((name) => findRoute(entries, name)) : entries.routes.filter(({ shadowed }) => !shadowed)
  const { config } = entries.loaded
  const { catalogue } = await catalogueOf(config)
  const routes = chosen.flatMap(({ route }) =>
    route?.enabled && route.spec.address !== false ? describeRoute(route, config, catalogue) : [],
  )
  const schemas = routes.flatMap(({ key, schema }) => (schema === undefined ? [] : [[key, schema] as const]))
  return {
    asyncapi: '3.0.0',
    info: { title: 'headgate', version, description: 'The webhooks that this gateway receives.' },
    defaultContentType: 'application/json',
    servers: { gateway: serverOf(config) },
    channels: Object.fromEntries(routes.map(({ key, channel }) => [key, channel])),
    operations: Object.fromEntries(routes.map(({ key, operation }) => [`receive-${key}`, operation])),
    ...(schemas.length > 0 ? { components: { schemas: Object.fromEntries(schemas) } } : {}),
  }
}

/** The public address, or where the gateway listens. */
const serverOf = (config: Config): JsonObject => {
  const { protocol, host, pathname } = new URL(config.adapter.public_url ?? baseUrl(config))
  return { host, protocol: protocol.replace(':', ''), ...(pathname === '/' ? {} : { pathname: pathname.replace(/\/+$/, '') }) }
}

/** The description of one route. `key`: the name of the route in the document. `schema`: absent where the route has no payload schema. */
type Described = { readonly key: string; readonly channel: JsonObject; readonly operation: JsonObject; readonly schema?: Json }

const describeRoute = (route: RouteSource, config: Config, catalogue: Catalogue): Described => {
  const { name, profile, spec } = route
  const key = profile === defaultProfile ? name : `${profile}.${name}`
  const schema = schemaOf(route, config)
  const payload = schema ? { payload: { $ref: `#/components/schemas/${key}` } } : {}
  const types = spec.events?.length ? spec.events : ['event']
  const messages = Object.fromEntries(
    types.map((type, i) => [messageKey(type, i), { name: type, contentType: 'application/json', ...payload }]),
  )
  const titles = checkedWith(route, catalogue).map(({ title }) => title)
  return {
    key,
    channel: { address: routePath(route), ...(spec.description ? { description: spec.description } : {}), messages },
    operation: {
      action: 'receive',
      channel: { $ref: `#/channels/${key}` },
      description: spec.verify === undefined ? 'Posts are signed by the secret of the route.' : `Posts are signed: ${titles.join(', ')}.`,
      bindings: { http: { method: spec.methods?.[0] ?? 'POST', bindingVersion: '0.3.0' } },
    },
    ...(schema ? { schema: movedTo(`#/components/schemas/${key}`, schema.root) } : {}),
  }
}

/** Makes a key of an event type: keys of the document have letters, digits, dots, hyphens and underscores. */
const messageKey = (type: string, index: number): string => (/^[\w.-]+$/.test(type) ? type : `event-${index + 1}`)

const schemaOf = ({ profile, name, spec }: RouteSource, { profiles }: Config): PayloadSchema | undefined => {
  const dir = profiles.get(profile)?.dir
  if (dir === undefined || spec.payload_schema === undefined) return undefined
  const schema = openSchema(dir, spec.payload_schema)
  if ('root' in schema) return schema
  throw new Fault('bad_schema', `route "${name}": the payload schema ${spec.payload_schema} cannot be used: ${schema.message}`, {
    exitCode: exit.no,
    hint: 'headgate validate shows the place',
  })
}

/** Copies a schema to another place in a document: references within the schema are made to lead to that place. */
const movedTo = (place: string, schema: Json): Json => {
  if (!isObject(schema)) return schema
  const { $schema: _, $id: __, ...copy } = structuredClone(schema)
  const waiting: Json[] = [copy]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (!isObject(at)) continue
    if (typeof at.$ref === 'string') at.$ref = `${place}${at.$ref.slice(1)}`
    waiting.push(...nestedIn(at).map((inner) => inner.schema))
  }
  return copy
}
