/** Builds the images from the `Dockerfile` without Docker and without a registry, by buildah. */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeImageRoot } from './image-root.ts'
import type { Making } from './making.ts'
import { run } from './run.ts'

/** Returns the arguments that begin each command of buildah: it keeps its images below the output folder. */
export const buildah = (out: string): readonly string[] => {
  const storage = join(out, 'containers')
  return ['buildah', '--root', storage, '--runroot', join(storage, 'run'), '--storage-driver', 'vfs']
}

/**
 * Builds the image without a shell from the last stage of the `Dockerfile`. Its first stage, which needs Node's own image, is replaced by
 * the folders that the same code makes here. Returns the path of the archive (OCI, compressed layers), which `docker load` and `podman load` read.
 */
export const makeImage = (making: Making): string => {
  const { root, out, arch, product, seconds } = making
  const folder = makeImageRoot(making)
  rmSync(join(out, 'containers'), { recursive: true, force: true })
  mkdirSync(join(out, 'containers'))
  const name = `headgate:${product.version}`
  const build = ['build', '--isolation', 'chroot', '--format', 'docker', '--target', 'headgate', '--build-context', `build=${folder}`]
  run([...buildah(out), ...build, '--timestamp', String(seconds), '--tag', name, root])
  const file = join(out, `headgate-${product.version}-image-${arch}.tar`)
  rmSync(file, { force: true })
  run([...buildah(out), 'push', '--quiet', name, `oci-archive:${file}:${name}`])
  rmSync(folder, { recursive: true })
  return file
}
