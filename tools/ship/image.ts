/** Builds the images from the `Dockerfile` without Docker and without a registry, by buildah. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeImageRoot } from './image-root.ts'
import type { Making } from './making.ts'
import { run } from './run.ts'
import { type Arch, debianArch } from './targets.ts'

/** Returns the arguments that begin each command of buildah: it keeps its images below the output folder. */
export const buildah = (out: string): readonly string[] => {
  const storage = join(out, 'containers')
  return ['buildah', '--root', storage, '--runroot', join(storage, 'run'), '--storage-driver', 'vfs']
}

/** The name of the image without a shell. That for this machine's processor has the name that users know. */
const imageName = ({ arch, product }: Making): string => `headgate:${product.version}${arch === process.arch ? '' : `-${arch}`}`

/**
 * Builds the images without a shell for these processors from the last stage of the `Dockerfile`: nothing runs in it, so an image for another
 * processor is only put together. Returns the paths of the archives (OCI, compressed layers), which `docker load` and `podman load` read.
 */
export const makeImages = (making: Making, archs: readonly Arch[]): readonly string[] => {
  const { out, product } = making
  // Images of earlier runs would fill the disk, that with tools too.
  rmSync(join(out, 'containers'), { recursive: true, force: true })
  return archs.map((arch) => {
    const name = imageName({ ...making, arch })
    buildStage({ ...making, arch }, 'headgate', name, ['--arch', debianArch[arch]])
    const file = join(out, `headgate-${product.version}-image-${arch}.tar`)
    rmSync(file, { force: true })
    run([...buildah(out), 'push', '--quiet', name, `oci-archive:${file}:${name}`])
    return file
  })
}

/**
 * Builds the image with programs for scripts, on a base that mmdebstrap makes in place of Debian's own image. Returns the image's name; it
 * stays in the storage of buildah, because whoever publishes it takes Debian's own base.
 */
export const makeToolsImage = (making: Making): string => {
  const { out, product } = making
  const context = join(out, 'base')
  rmSync(context, { recursive: true, force: true })
  mkdirSync(context)
  run(['mmdebstrap', '--quiet', '--variant=minbase', debian, join(context, 'base.tar')])
  writeFileSync(join(context, 'Dockerfile'), 'FROM scratch\nADD base.tar /\n')
  run([...buildah(out), ...chroot, '--tag', 'debian', context])
  rmSync(context, { recursive: true })
  const name = `headgate:${product.version}-tools`
  buildStage(making, 'tools', name, ['--build-arg', 'DEBIAN=localhost/debian'])
  return name
}

/** The release of Debian that the `Dockerfile` names. */
const debian = 'bookworm'

const chroot = ['build', '--isolation', 'chroot', '--format', 'docker']

/** Builds a stage of the `Dockerfile`. The stage `build`, which needs Node's own image, is replaced by the folders that the same code makes here. */
const buildStage = (making: Making, stage: string, name: string, more: readonly string[] = []): void => {
  const { root, out, seconds } = making
  const folder = makeImageRoot(making)
  mkdirSync(join(out, 'containers'), { recursive: true })
  const from = ['--target', stage, '--build-context', `build=${folder}`, ...more]
  run([...buildah(out), ...chroot, ...from, '--timestamp', String(seconds), '--tag', name, root])
  rmSync(folder, { recursive: true })
}
