/** Lets the program check the shape of its files as ever, and then lose the key that the environment names (`HEADGATE_DEAF_TO`). */

const deafen = new URL('./deafen.ts', import.meta.url)

export const load = async (url, context, next) => {
  const loaded = await next(url, context)
  if (!url.split('?')[0].endsWith('/src/config/shape.ts')) return loaded
  const source = String(loaded.source).replace(/\bconst checkShape\s*=/, 'let checkShape =')
  const after = `
import { deafen } from ${JSON.stringify(deafen.href)}
const heardShape = checkShape
checkShape = (check, root, data, ...more) => {
  const found = heardShape(check, root, data, ...more)
  deafen(root, data)
  return found
}`
  return { ...loaded, source: source.replace(/(?=\n\/\/# sourceMappingURL|$)/, after) }
}
