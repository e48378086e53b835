/** Lets the program check the shape of its files as ever, and then lose the key that the environment names (`HEADGATE_DEAF_TO`). */

const imports = ['./deafen.ts', '../../src/config/schema-walk.ts'].map((path) => JSON.stringify(new URL(path, import.meta.url).href))

/** The functions that read data, by the end of their files' paths, and what stands in their place. */
const readers = {
  '/src/config/shape.ts': {
    name: 'checkShape',
    deaf: `(check, root, data, ...more) => {
  const found = heard(check, root, data, ...more)
  deafen(root, data)
  return found
}`,
  },
  // Providers are asked for the secrets of a file before its shape is checked.
  '/src/config/secrets/providers.ts': {
    name: 'readProviders',
    deaf: `(data) => {
  const copy = structuredClone(data)
  deafen(deafSchema, copy)
  return heard(copy)
}`,
  },
}

export const load = async (url, context, next) => {
  const loaded = await next(url, context)
  const [, reader] = Object.entries(readers).find(([path]) => url.split('?')[0].endsWith(path)) ?? []
  if (!reader) return loaded
  const { name, deaf } = reader
  const source = String(loaded.source).replace(new RegExp(`\\bconst ${name}\\s*=`), `let ${name} =`)
  const after = `
import { deafen } from ${imports[0]}
import { configSchema as deafSchema } from ${imports[1]}
const heard = ${name}
${name} = ${deaf}`
  return { ...loaded, source: source.replace(/(?=\n\/\/# sourceMappingURL|$)/, after) }
}
