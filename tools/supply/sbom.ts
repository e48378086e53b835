/**
 * Writes the bill of materials (SBOM) as CycloneDX 1.6 in JSON: what is inside, so that scanners find what has a known hole. It has neither a
 * time nor a serial number, so that equal contents give equal bytes.
 */

import type { BundledPackage, InstalledPackage } from './packages.ts'

/**
 * A part of the product, as CycloneDX has it. Its `purl` is also its `bom-ref`. `scope` is `optional` for what is not installed everywhere.
 */
export type Component = {
  readonly type: 'application' | 'library'
  readonly 'bom-ref': string
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly scope?: 'optional'
  readonly licenses?: readonly { readonly license: { readonly id: string } }[]
  readonly cpe?: string
  readonly purl: string
}

type Bom = {
  readonly bomFormat: 'CycloneDX'
  readonly specVersion: '1.6'
  readonly version: 1
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

type Named = { readonly name: string; readonly version: string; readonly license: string }

const npmComponent = (type: Component['type'], { name, version, license }: Named): Component => {
  const [, group, own = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { type, 'bom-ref': purl, ...(group && { group }), name: own, version, licenses: [{ license: { id: license } }], purl }
}

const billOf = (product: Component, parts: readonly Component[]): Bom => {
  const byRef = new Map(parts.map((part) => [part['bom-ref'], part]))
  const refs = [...byRef.keys()].sort()
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: product },
    components: refs.flatMap((ref) => byRef.get(ref) ?? []),
    dependencies: [{ ref: product['bom-ref'], dependsOn: refs }],
  }
}

const written = (bom: Bom): string => `${JSON.stringify(bom, undefined, 1)}\n`

/** Returns the bill of the npm package: what is in its bundle, and what npm installs beside the bundle. */
export const packageBill = (product: Named, bundled: readonly BundledPackage[], installed: readonly InstalledPackage[]): string =>
  written(
    billOf(npmComponent('application', product), [
      ...bundled.map((part) => npmComponent('library', part)),
      ...installed.map((part) => ({ ...npmComponent('library', part), ...(part.isOptional && { scope: 'optional' as const }) })),
    ]),
  )

/** Returns the bill of an archive or image: that of the npm package without the optional parts that are not in `has`, and `more`. */
export const shippedBill = (packageBill: string, has: readonly string[], more: readonly Component[]): string => {
  const { metadata, components } = JSON.parse(packageBill) as Bom
  const kept = components.flatMap(({ scope, ...part }) => {
    const isThere = scope === undefined || has.includes([part.group, part.name].filter(Boolean).join('/'))
    return isThere ? [part] : []
  })
  return written(billOf(metadata.component, [...kept, ...more]))
}
